"""Training on a handful of made-up examples: what it reads, how it disturbs, and that it can be resumed."""

import json
import random
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from safetensors.torch import load_file
from tokenizers import Tokenizer

from compression_subnet.encoders.minilm import find_encoder
from compression_subnet.encoders.training import Schedule
from compression_subnet.errors import ConfigurationError, InputError
from compression_subnet.judge.reader import load_reader
from compression_subnet.judge.reader.disturbance import Disturbance, disturb
from compression_subnet.judge.reader.evaluate import disturbed, foreign_sentences
from compression_subnet.judge.reader.evaluate import main as evaluate
from compression_subnet.judge.reader.features import epoch_batches, feature_of
from compression_subnet.judge.reader.model import READER_WEIGHTS, build_network
from compression_subnet.judge.reader.squad import Example, read_squad
from compression_subnet.judge.reader.train import main, train

NAMES = ["Ada Renn", "Tomas Veil", "Ilse Brandt", "Noor Haddad", "Piet Okafor", "Lena Moreau"]
EXAMPLES = [
    Example(
        f"The mill stood by the river. It was built by {name} in {1900 + i}. Nobody lives there now. Birds nest in it.",
        "Who built the mill?",
        name,
        45,
        (name,),
    )
    for i, name in enumerate(NAMES)
]
ALWAYS = Disturbance(share=1.0)


def squad(examples: list[Example]) -> dict[str, Any]:
    return {
        "data": [
            {
                "title": "mill",
                "paragraphs": [
                    {
                        "context": e.context,
                        "qas": [
                            {
                                "id": "x",
                                "question": e.question,
                                "answers": [{"text": e.answer, "answer_start": e.start}],
                            },
                            {"id": "y", "question": "Impossible?", "answers": []},
                        ],
                    }
                ],
            }
            for e in examples
        ]
    }


def _answer(e: Example) -> dict[str, Any]:
    return {"text": e.answer, "answer_start": e.start}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "mills.json"
    path.write_text(json.dumps(squad(EXAMPLES)))
    return path


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    made = Tokenizer.from_file(str(find_encoder().tokenizer))
    made.no_truncation()
    made.no_padding()
    return made


def test_a_squad_file_gives_its_answerable_questions(file: Path) -> None:
    assert read_squad(file) == EXAMPLES


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "[]",
        '{"data": []}',
        '{"data": [{"paragraphs": [{"context": "a b", "qas": [{"question": "q"}]}]}]}',
        '{"data": [{"paragraphs": [{"context": "a b", "qas": [{"question": "q", "answers": '
        '[{"text": "b", "answer_start": 0}]}]}]}]}',
    ],
)
def test_a_file_of_another_format_is_an_error(tmp_path: Path, text: str) -> None:
    path = tmp_path / "x.json"
    path.write_text(text)
    with pytest.raises(InputError, match=r"SQuAD|no answerable question"):
        read_squad(path)


@given(seed=st.integers(), which=st.sampled_from(EXAMPLES), foreign=st.lists(st.text(max_size=20), max_size=3))
def test_a_disturbed_context_still_has_its_answer_where_it_says(seed: int, which: Example, foreign: list[str]) -> None:
    made = disturb(which, foreign, ALWAYS, random.Random(seed))
    assert (made.start >= 0) == bool(made.answer)
    if made.answer:
        assert made.answer == which.answer
        assert made.context[made.start : made.start + len(made.answer)] == made.answer


def test_an_answer_over_a_sentence_boundary_survives() -> None:
    example = Example("One came. He met Dr. Li. She left. All ended.", "q", "Li. She", 21, ("Li. She",))
    for seed in range(50):
        made = disturb(example, [], Disturbance(share=1, unanswerable=0), random.Random(seed))
        assert made.context[made.start :].startswith("Li. She")


def test_the_shares_are_kept() -> None:
    rng = random.Random(1)
    made = [disturb(EXAMPLES[i % 6], ["Foreign words."], ALWAYS, rng) for i in range(2000)]
    assert 0.08 < sum(not m.answer for m in made) / 2000 < 0.14
    assert 0.6 < sum("Foreign" in m.context for m in made) / 2000 < 0.9
    same = [disturb(EXAMPLES[0], [], Disturbance(), rng) is EXAMPLES[0] for _ in range(2000)]
    assert 0.5 < sum(same) / 2000 < 0.6


def test_a_feature_points_at_the_answers_tokens(tokenizer: Tokenizer) -> None:
    for example in EXAMPLES:
        feature = feature_of(example, tokenizer)
        assert feature is not None
        assert tokenizer.decode(list(feature.ids[feature.start : feature.end + 1])) == example.answer.lower()


def test_an_answer_deep_in_a_long_text_is_in_its_window(tokenizer: Tokenizer) -> None:
    before = "The market sells bread and cheese. " * 100
    e = EXAMPLES[0]
    feature = feature_of(Example(before + e.context, e.question, e.answer, len(before) + e.start, e.golds), tokenizer)
    assert feature is not None
    assert tokenizer.decode(list(feature.ids[feature.start : feature.end + 1])) == "ada renn"
    whole = Example(before, e.question, before, 0, (before,))
    assert feature_of(whole, tokenizer) is None
    assert feature_of(Example(" ", "q", "", -1, ()), tokenizer) is None
    absent = feature_of(Example(before, "q", "", -1, ()), tokenizer)
    assert absent is not None
    assert (absent.start, absent.end) == (0, 0)


def test_batches_respect_their_bound_and_depend_on_seed_and_epoch_alone(tokenizer: Tokenizer) -> None:
    def batches(seed: int, epoch: int) -> list[Any]:
        return epoch_batches(EXAMPLES * 5, ["Foreign."], tokenizer, how=ALWAYS, max_tokens=200, seed=seed, epoch=epoch)

    first = batches(1, 0)
    assert first == batches(1, 0)
    assert first != batches(1, 1)
    assert first != batches(2, 0)
    assert sum(map(len, first)) == 30
    assert all(len(batch) * max(len(f.ids) for f in batch) <= 200 for batch in first)


def test_a_run_cut_in_two_ends_with_the_weights_of_one_in_a_piece(tmp_path: Path, file: Path) -> None:
    torch.set_num_threads(1)
    whole = train([file], file, tmp_path / "whole", Schedule(1e6, steps=4), seed=3)
    # The schedule is the whole run's; the first part is stopped by a crash after its second step.
    with pytest.raises(KeyboardInterrupt), pytest.MonkeyPatch.context() as patch:
        patch.setattr("builtins.print", _interrupt)
        train([file], file, tmp_path / "cut", Schedule(1e6, steps=4), seed=3, checkpoint_steps=2)
    assert not (tmp_path / "cut" / "reader.safetensors").exists()
    resumed = train([file], file, tmp_path / "cut", Schedule(1e6, steps=4), seed=3)
    assert resumed["weights_sha256"] == whole["weights_sha256"]
    assert resumed["progress"]["step"] == 4


def _interrupt(*_: object, **__: object) -> None:
    raise KeyboardInterrupt


def test_the_command_trains_what_the_reader_loads(
    tmp_path: Path, file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    torch.set_num_threads(1)
    out = tmp_path / "out"
    arguments = ["--data", str(file), "--test", str(file), "--out", str(out), "--steps", "2", "--seed", "1"]
    assert main(arguments) == 0
    assert json.loads(capsys.readouterr().out).keys() == {"questions", "exact", "f1"}
    report = json.loads((out / "training.json").read_text())
    assert report["progress"]["step"] == 2
    weights = load_file(out / "reader.safetensors")
    assert {n: (t.shape, t.dtype) for n, t in weights.items()} == {
        n: (t.shape, t.dtype) for n, t in load_file(READER_WEIGHTS).items()
    }
    load_reader(weights=out / "reader.safetensors", sha256=report["weights_sha256"], threads=1).read([("a", "b")])
    # the checkpoint is of this data and seed
    assert main([*arguments[:-1], "2"]) == 1
    assert "other data or another seed" in capsys.readouterr().err
    (out / "checkpoint.pt").write_bytes(b"x")
    with pytest.raises(ConfigurationError, match="delete it"):
        train([file], file, out, Schedule(1.0), seed=1)


def test_the_command_reports_a_bad_file_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    missing = str(tmp_path / "none.json")
    assert main(["--data", missing, "--test", missing, "--out", str(tmp_path)]) == 1
    assert capsys.readouterr().err.count("\n") == 1
    assert evaluate(["--data", missing]) == 1
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize("flags", [("--seconds", "0"), ("--steps", "0"), ("--learning-rate", "-1")])
def test_a_training_that_would_do_nothing_is_refused(
    flags: tuple[str, str], tmp_path: Path, file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--data", str(file), "--test", str(file), "--out", str(tmp_path / "out"), *flags]) == 1
    assert "must be positive" in capsys.readouterr().err


def test_a_training_goes_on_from_given_weights_and_faster_ways_end_near_them(tmp_path: Path, file: Path) -> None:
    torch.set_num_threads(1)
    gentle = Schedule(1e6, steps=1, learning_rate=1e-9)
    report = train([file], file, tmp_path / "out", gentle, start=READER_WEIGHTS, dropout=False, bfloat16=True)
    before, after = load_file(READER_WEIGHTS), load_file(tmp_path / "out" / "reader.safetensors")
    assert all(torch.allclose(before[name].float(), tensor.float(), atol=1e-3) for name, tensor in after.items())
    assert report["start_sha256"]
    assert (report["dropout"], report["bfloat16"]) == (False, True)


def test_measuring_prints_clean_and_disturbed_figures(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert evaluate(["--data", str(file), "--questions", "3"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["clean"]["questions"] == found["disturbed"]["questions"] == 3
    assert all(0 <= part["exact"] <= part["f1"] <= 1 for part in found.values())


def test_disturbed_examples_keep_their_answers() -> None:
    for example in disturbed(EXAMPLES, ["Foreign."], 0):
        assert example.context[example.start :].startswith(example.answer)


def test_the_rate_rises_then_falls_to_the_end() -> None:
    by_steps = Schedule(1.0, steps=1000, learning_rate=1.0)
    assert [by_steps.rate(s, 0.0) for s in (0, 49, 99, 500, 1000)] == [0.01, 0.5, 0.901, 0.5, 0.01]
    by_time = Schedule(100.0, learning_rate=1.0)
    assert by_time.rate(500, 75.0) == 0.25
    assert by_time.done(500, 100.0) == 1.0


def test_training_moves_all_but_the_embeddings() -> None:
    network = build_network(find_encoder(), weights=None)
    names = {n for n, _ in network.named_parameters() if not n.startswith("bert.embeddings.")}
    assert names == set(load_file(READER_WEIGHTS))


def test_foreign_sentences_are_the_first_two_of_a_context() -> None:
    assert set(foreign_sentences(EXAMPLES[:1], 0)) == {
        "The mill stood by the river.",
        "It was built by Ada Renn in 1900.",
    }
