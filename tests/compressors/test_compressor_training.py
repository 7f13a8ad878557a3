"""Training the learned compressor on a handful of made-up articles: labels, noise, batches, a run and its weights."""

import json
import random
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import load_file
from tokenizers import Tokenizer

from compression_subnet.compressors import CompressorOptions, TokenBudget
from compression_subnet.compressors.document import parse
from compression_subnet.compressors.learned import LearnedCompressor
from compression_subnet.compressors.learned.encoder import FRAME, WEIGHTS, build_encoder, load_network
from compression_subnet.compressors.learned.load import load_scorer
from compression_subnet.compressors.learned.network import Heads, Outputs
from compression_subnet.compressors.train.__main__ import main
from compression_subnet.compressors.train.articles import Article, read_articles
from compression_subnet.compressors.train.batches import LabelledBatch, labelled, packed
from compression_subnet.compressors.train.corpus import Corpus, Data
from compression_subnet.compressors.train.documents import MAX_TOKENS, draw_samples, excerpts
from compression_subnet.compressors.train.losses import loss_of
from compression_subnet.compressors.train.measure import CONDITIONS, area_under_curve
from compression_subnet.compressors.train.noise import Mixture, NoisePool
from compression_subnet.compressors.train.run import train
from compression_subnet.encoders import find_encoder
from compression_subnet.encoders.training import Schedule
from compression_subnet.errors import ConfigurationError, InputError
from compression_subnet.text.tokens import get_tokenizer

TOPICS = {
    "mill": "wheel",
    "ferry": "rudder",
    "orchard": "ladder",
    "quarry": "hammer",
    "brewery": "kettle",
    "observatory": "mirror",
}
NAMES = ["Ada Renn", "Tomas Veil", "Ilse Brandt", "Noor Haddad", "Piet Okafor", "Lena Moreau"]


def paragraph(topic: str, part: str, name: str, year: int) -> dict[str, Any]:
    context = (
        f"The {topic} at Oldmoor was built by {name} in {year}. Its {part} came by ship from Bremen that spring. "
        f"Visitors like to see the {topic} at dusk. Nobody has oiled the {part} since the storm."
    )
    start = context.index(name)
    who = {"text": name, "answer_start": start}
    when = {"text": str(year), "answer_start": context.index(str(year))}
    longer = {"text": f"in {year}", "answer_start": context.index(f"in {year}")}
    return {
        "context": context,
        "qas": [
            {"question": f"Who built the {topic}?", "answers": [who]},
            {"question": f"When was the {topic} built?", "answers": [when, longer]},
            {"question": "Impossible?", "answers": []},
        ],
    }


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    entries = [
        {"title": topic, "paragraphs": [paragraph(topic, part, NAMES[(i + j) % 6], 1900 + 7 * i + j) for j in range(4)]}
        for i, (topic, part) in enumerate(TOPICS.items())
    ]
    path = tmp_path_factory.mktemp("data") / "crafts.json"
    path.write_text(json.dumps({"data": entries}))
    return path


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    made = Tokenizer.from_file(str(find_encoder().tokenizer))
    made.no_truncation()
    made.no_padding()
    return made


@pytest.fixture(scope="module")
def articles(file: Path, tokenizer: Tokenizer) -> list[Article]:
    return read_articles(file, tokenizer)


def test_labels_say_which_tokens_answer_and_which_are_named(articles: list[Article], tokenizer: Tokenizer) -> None:
    first = articles[0].paragraphs[0][0]
    tokens = [tokenizer.id_to_token(int(i)) for i in first.ids]
    by_token = dict(zip(tokens, first.answer.tolist(), strict=True))
    assert by_token["ada"] == by_token["1900"] == 1
    assert by_token["in"] == 0.5  # one of two annotators took it in
    assert by_token["bremen" if "bremen" in by_token else "the"] == 0
    named = {token for token, is_named in zip(tokens, first.evidence.tolist(), strict=True) if is_named}
    assert named == {"mill", "built"}
    assert first.asked == 2
    assert [s.asked for s in articles[0].paragraphs[0][1:]] == [0, 0, 0]


def test_a_collection_of_posts_gives_a_text_for_each(file: Path, tokenizer: Tokenizer) -> None:
    posts = read_articles(file, tokenizer, alone=True)
    assert len(posts) == 24
    assert len({post.id for post in posts}) == 24
    assert all(len(post.paragraphs) == 1 for post in posts)


@pytest.mark.parametrize("text", ["{", "[]", '{"data": [{"paragraphs": [{"context": 3}]}]}'])
def test_a_file_of_another_format_is_an_error(tmp_path: Path, tokenizer: Tokenizer, text: str) -> None:
    path = tmp_path / "x.json"
    path.write_text(text)
    with pytest.raises(InputError, match="SQuAD"):
        read_articles(path, tokenizer)


def test_excerpts_hold_each_paragraph_once_and_are_neither_short_nor_long(articles: list[Article]) -> None:
    long = Article("x", "x", "", articles[0].paragraphs * 20)
    runs = excerpts(long, random.Random(1))
    assert [s for run in runs for s in run] == [s for p in long.paragraphs for s in p]
    sizes = [sum(len(s.ids) for s in run) for run in runs]
    assert all(150 <= size <= MAX_TOKENS for size in sizes[:-1])
    assert len(set(sizes)) > 3


def test_noise_is_of_other_articles_and_as_much_as_asked(articles: list[Article], tokenizer: Tokenizer) -> None:
    pool = NoisePool(articles, tokenizer)
    own = {tuple(s.ids.tolist()) for p in articles[0].paragraphs for s in p}
    for name, mixture in {**CONDITIONS, "named": Mixture(near=0, named=1), "all": Mixture()}.items():
        pieces = pool.draw(articles[0].id, articles[0].text, [60, 90], 20, mixture, random.Random(name))
        drawn = [index for piece in pieces for index in piece]
        assert len(drawn) == len(set(drawn)) == 20
        assert all(b == a + 1 for piece in pieces for a, b in pairwise(piece))
        assert not {tuple(pool.ids[index].tolist()) for index in drawn} & own
        assert (max(map(len, pieces)) > 1) == ("single" not in name)


def test_more_noise_than_there_is_gives_what_there_is(articles: list[Article], tokenizer: Tokenizer) -> None:
    pool = NoisePool(articles[:2], tokenizer)
    pieces = pool.draw(articles[0].id, articles[0].text, [60], 10**3, Mixture(), random.Random(1))
    assert 8 < sum(map(len, pieces)) <= 16


def test_samples_are_drawn_afresh_and_by_the_seed_alone(articles: list[Article], tokenizer: Tokenizer) -> None:
    pools = {articles[0].source: NoisePool(articles, tokenizer)}

    def draw(seed: int) -> list[list[int]]:
        return [s.ids.tolist() for s in draw_samples(articles, pools, Mixture(), random.Random(seed))]

    assert draw(1) == draw(1)
    assert draw(1) != draw(2)


def test_a_sample_is_the_text_with_noise_between_its_sentences(articles: list[Article], tokenizer: Tokenizer) -> None:
    pools = {articles[0].source: NoisePool(articles, tokenizer)}
    mixture = CONDITIONS["near blocks"]
    samples = draw_samples(articles[:1], pools, mixture, random.Random(3))
    for sample, run in zip(samples, excerpts(articles[0], random.Random(3)), strict=False):
        assert len(sample.relevant) - sample.relevant.sum() == round(0.5 * sample.relevant.sum())
        own = sample.relevant[sample.sentences]
        assert not sample.answer[~own].any()
        assert not sample.evidence[~own].any()
        assert sample.asked[~sample.relevant].sum() == 0
        assert set(sample.sentences.tolist()) == set(range(len(sample.relevant)))
        if run:
            assert sample.ids[own].tolist()[: len(run[0].ids)] == run[0].ids.tolist()


def test_batches_hold_every_sample_once_within_their_bound(articles: list[Article], tokenizer: Tokenizer) -> None:
    pools = {articles[0].source: NoisePool(articles, tokenizer)}
    samples = draw_samples(articles * 4, pools, Mixture(), random.Random(0))
    groups = packed(samples, 900, random.Random(1))
    assert sorted(id(s) for group in groups for s in group) == sorted(map(id, samples))
    assert all(len(group) == 1 or sum(len(s.ids) for s in group) <= 900 for group in groups)


def outputs_of(batch: LabelledBatch, right: float) -> Outputs:
    """Outputs that are sure, of what is right for ``right`` > 0, of the opposite for ``right`` < 0."""
    return Outputs(
        relevance=right * (2 * batch.relevant.float() - 1),
        asked=torch.log(batch.asked.clamp(min=1e-3)) if right > 0 else torch.full_like(batch.asked, 3.0),
        answer=right * (2 * (batch.answer > 0.5).float() - 1),
        evidence=right * (2 * batch.evidence - 1),
    )


def test_the_loss_is_least_for_what_is_right_and_asks_nothing_of_noise(
    articles: list[Article], tokenizer: Tokenizer
) -> None:
    pools = {articles[0].source: NoisePool(articles, tokenizer)}
    samples = draw_samples(articles[:2], pools, Mixture(clean=0, share=(0.5, 0.5)), random.Random(1))
    batch = labelled(samples, FRAME, 60)
    right, wrong = outputs_of(batch, 9.0), outputs_of(batch, -9.0)
    assert loss_of(right, batch) < 1.5 < 10 < loss_of(wrong, batch)
    noise = ~batch.relevant[batch.batch.sentences]
    moved = Outputs(right.relevance, right.asked, torch.where(noise, 99.0, right.answer), right.evidence)
    assert loss_of(moved, batch) == loss_of(right, batch)


def test_plain_articles_teach_of_noise_alone(articles: list[Article], tokenizer: Tokenizer) -> None:
    pools = {articles[0].source: NoisePool(articles, tokenizer)}
    plain = [replace(articles[0], plain=True)]
    samples = draw_samples(plain, pools, Mixture(clean=0, share=(0.5, 0.5)), random.Random(1))
    batch = labelled(samples, FRAME, 60)
    assert not batch.known.any() and batch.relevant.any()
    right, wrong = outputs_of(batch, 9.0), outputs_of(batch, -9.0)
    foretold = Outputs(right.relevance, wrong.asked, wrong.answer, wrong.evidence)
    assert loss_of(foretold, batch) == loss_of(right, batch) < loss_of(wrong, batch)
    # Beside others they change nothing of what those teach of questions.
    asked = draw_samples(articles[1:2], pools, Mixture(clean=0, share=(0.5, 0.5)), random.Random(1))
    together = labelled([*samples, *asked], FRAME, 60)
    assert together.known.sum() == sum(s.relevant.sum() for s in asked)


def test_heads_give_a_document_the_same_beside_others_as_alone(articles: list[Article], tokenizer: Tokenizer) -> None:
    pools = {articles[0].source: NoisePool(articles, tokenizer)}
    samples = draw_samples(articles[:3], pools, Mixture(), random.Random(5))[:3]
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        heads = Heads(8).train(False)
        states = [torch.randn(len(s.ids), 8) for s in samples]
    with torch.inference_mode():
        together = heads(torch.cat(states), labelled(samples, FRAME, 100).batch)
        alone = [heads(state, labelled([s], FRAME, 100).batch) for s, state in zip(samples, states, strict=True)]
    for name in ("relevance", "asked", "answer", "evidence"):
        parts = torch.cat([getattr(outputs, name) for outputs in alone])
        assert torch.allclose(getattr(together, name), parts, atol=1e-5)


def test_the_area_under_the_curve_counts_pairs_in_the_right_order() -> None:
    scores = np.array([0.1, 0.4, 0.4, 0.9])
    truths = np.array([False, False, True, True])
    assert area_under_curve(scores, truths) == (2 + 1.5) / 4
    assert area_under_curve(-scores, truths) == 0.5 / 4
    assert np.isnan(area_under_curve(scores, np.array([True] * 4)))


def test_a_run_cut_in_two_ends_with_the_weights_of_one_in_a_piece_and_they_compress(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    arguments = ["--articles", str(file), "--held-out", "3", "--steps", "2", "--seed", "4"]
    try:
        assert main([*arguments, "--out", str(tmp_path / "whole")]) == 0
        assert json.loads(capsys.readouterr().out)["noise"].keys() == CONDITIONS.keys()
        with pytest.raises(KeyboardInterrupt), pytest.MonkeyPatch.context() as patch:
            patch.setattr("compression_subnet.compressors.train.run.REPORT_STEPS", 1)
            patch.setattr("compression_subnet.compressors.train.run.CHECKPOINT_STEPS", 1)
            train(Data((file,), (), 3), tmp_path / "cut", Schedule(1e6, 2), seed=4, report=_Interruption(after=2))
        assert not (tmp_path / "cut" / "compressor.safetensors").exists()
        resumed = train(Data((file,), (), 3), tmp_path / "cut", Schedule(1e6, 2), seed=4)
        with pytest.raises(ConfigurationError, match="other data or another seed"):
            train(Data((file,), (), 3), tmp_path / "cut", Schedule(1e6, 2), seed=5)
    finally:
        torch.set_num_threads(threads)
    whole = json.loads((tmp_path / "whole" / "training.json").read_text())
    assert resumed["weights_sha256"] == whole["weights_sha256"]
    shapes = {n: (t.shape, t.dtype) for n, t in load_file(WEIGHTS).items()}
    assert {
        n: (t.shape, t.dtype) for n, t in load_file(tmp_path / "whole" / "compressor.safetensors").items()
    } == shapes
    text = "The mill was built by Ada Renn in 1900. Its wheel came by ship. Nobody lives there."
    counter = get_tokenizer()
    compressor = LearnedCompressor.from_options(CompressorOptions(model=str(tmp_path / "whole")))
    assert 0 < counter.count(compressor.compress(text, TokenBudget(10, counter))) <= 10


def shapes(weights: Path) -> dict[str, Any]:
    return {name: (tensor.shape, tensor.dtype) for name, tensor in load_file(weights).items()}


class _Interruption:
    """A report that is interrupted at its n-th line."""

    def __init__(self, after: int):
        self._left = after

    def __call__(self, line: str) -> None:
        self._left -= 1
        if not self._left:
            raise KeyboardInterrupt


def test_the_exported_classifier_loads_as_any_other_does(file: Path, tmp_path: Path) -> None:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    folder = tmp_path / "bert-base-multilingual-cased"
    try:
        arguments = ["--articles", str(file), "--steps", "1", "--export-classifier", str(folder)]
        assert main(arguments) == 0
    finally:
        torch.set_num_threads(threads)
    document = parse("The mill was built by Ada Renn in 1900. Its wheel came by ship.")
    worth = load_scorer(CompressorOptions(model=str(folder))).score([document])[0].worth
    assert worth.shape == (len(document.words),)
    assert ((worth > 0) & (worth < 1)).all()
    assert json.loads((folder / "config.json").read_text())["id2label"] == {"0": "discard", "1": "preserve"}


def test_bad_input_is_reported_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    missing = str(tmp_path / "none.json")
    for arguments in (["--articles", missing], [], ["--articles", missing, "--steps", "0"]):
        assert main([*arguments, "--out", str(tmp_path / "out")]) == 1
        assert capsys.readouterr().err.count("\n") == 1


def test_weights_of_another_shape_are_refused(tmp_path: Path) -> None:
    from safetensors.torch import save_file

    encoder = find_encoder()
    tensors = load_file(WEIGHTS)
    path = tmp_path / "compressor.safetensors"
    name = next(n for n in tensors if n.startswith("heads."))
    for changed in ({n: t for n, t in tensors.items() if n != name}, tensors | {name: torch.zeros(3, 3)}):
        save_file(changed, path)
        with pytest.raises(ConfigurationError, match="does not fit"):
            load_network(encoder, path, None)
    path.write_bytes(b"x")
    with pytest.raises(ConfigurationError, match="cannot read"):
        load_network(encoder, path, None)
    with pytest.raises(ConfigurationError, match="reinstall"):
        load_network(encoder, path)


def test_training_moves_all_but_the_embeddings() -> None:
    encoder = build_encoder(find_encoder())
    names = {f"encoder.{n}" for n, _ in encoder.named_parameters() if not n.startswith("embeddings.")}
    names |= {f"heads.{n}" for n, _ in Heads(384).named_parameters()}
    assert names == set(load_file(WEIGHTS))


def test_an_epoch_is_the_same_whenever_it_is_asked_for(file: Path) -> None:
    corpus = Corpus(Data((file, file)), find_encoder(), Mixture(), 1)
    first, again, other = corpus.batches(0), corpus.batches(0), corpus.batches(1)
    assert [b.batch.ids.tolist() for b in first] == [b.batch.ids.tolist() for b in again]
    assert [b.batch.ids.tolist() for b in first] != [b.batch.ids.tolist() for b in other]
    assert sum(b.documents for b in first) >= 12
