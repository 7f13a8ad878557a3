"""Any encoder or token classifier in Hugging Face's form: loaded from a folder, whatever its name."""

import json
import socket
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from learned_models import (
    SAMPLE,
    bert_encoder,
    bert_tokenizer,
    save,
    xlm_roberta_classifier,
    xlm_roberta_tokenizer,
)

from compression_subnet.compressors import CompressorOptions, TokenBudget, find_compressor
from compression_subnet.compressors.document import parse
from compression_subnet.compressors.learned.classifier import ClassifierModel
from compression_subnet.compressors.learned.hub import load_from_hub
from compression_subnet.compressors.learned.load import load_scorer
from compression_subnet.compressors.learned.plain import PlainModel
from compression_subnet.errors import CompressorError
from compression_subnet.text.tokens import get_tokenizer

LEARNED = "compression_subnet.compressors.learned:LearnedCompressor"
CPU = torch.device("cpu")


def load(folder: Path) -> Any:
    return load_from_hub(str(folder), CPU, torch.float32)


@pytest.fixture(scope="module")
def classifier(tmp_path_factory: pytest.TempPathFactory) -> Path:
    tokenizer = xlm_roberta_tokenizer()
    folder = tmp_path_factory.mktemp("models") / "m1"  # a name that says nothing
    return save(xlm_roberta_classifier(len(tokenizer)), tokenizer, folder)


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    tokenizer = bert_tokenizer()
    return save(bert_encoder(len(tokenizer)), tokenizer, tmp_path_factory.mktemp("models") / "xlm-roberta-large")


def test_a_classifier_is_known_by_its_configuration_and_takes_all_its_positions(classifier: Path) -> None:
    model = load(classifier)
    assert isinstance(model, ClassifierModel)
    # 514 positions, of which the first two are kept free, less two special tokens
    assert model.room == 510
    ids = torch.randint(4, 100, (1, 512))
    assert model.per_window(ids, torch.ones_like(ids)).shape == (1, 512, 1)
    assert (model.frame.before, model.frame.after, model.frame.padding) == ((0,), (2,), 1)


def test_an_encoder_is_known_by_its_configuration_whatever_the_folders_name(encoder: Path) -> None:
    model = load(encoder)
    assert isinstance(model, PlainModel)
    assert model.room == 510


@pytest.mark.parametrize("name", ["classifier", "encoder"])
def test_a_folder_compresses_a_text_within_its_budget(name: str, request: pytest.FixtureRequest) -> None:
    compressor = find_compressor(
        "compression_subnet.compressors.learned:LearnedCompressor",
        CompressorOptions(model=str(request.getfixturevalue(name)), threads=1),
    )
    tokenizer = get_tokenizer()
    budget = TokenBudget(tokenizer.count(SAMPLE) * 2 // 5, tokenizer)
    reply = compressor.compress(SAMPLE, budget)
    assert 0.8 * budget.tokens < tokenizer.count(reply) <= budget.tokens


def test_worth_is_the_probability_of_the_label_that_says_keep(tmp_path: Path) -> None:
    tokenizer = xlm_roberta_tokenizer()
    model = xlm_roberta_classifier(len(tokenizer))
    document = parse(SAMPLE)
    last = load_scorer(CompressorOptions(model=str(save(model, tokenizer, tmp_path / "last")))).score([document])[0]
    model.config.id2label = {0: "preserve", 1: "discard"}
    named = load_scorer(CompressorOptions(model=str(save(model, tokenizer, tmp_path / "named")))).score([document])[0]
    assert len(last.worth) == len(document.words)
    assert np.allclose(last.worth + named.worth, 1, atol=0.002)


def test_a_classifier_of_one_output_gives_its_sigmoid(tmp_path: Path) -> None:
    tokenizer = bert_tokenizer()
    folder = save(bert_encoder(len(tokenizer), classifies=True, num_labels=1), tokenizer, tmp_path / "one")
    worth = load_scorer(CompressorOptions(model=str(folder))).score([parse(SAMPLE)])[0].worth
    assert ((worth > 0) & (worth < 1)).all()


def test_a_plain_encoder_tells_sentences_apart_by_their_states(encoder: Path) -> None:
    text = " ".join(["The ferry left the quay at nine."] * 7 + ["It opens at 7:30; 40,000 crowns."])
    relevance = load_scorer(CompressorOptions(model=str(encoder))).score([parse(text)])[0].relevance
    assert relevance[-1] < relevance[:7].min()


def test_a_long_word_loses_no_window(classifier: Path) -> None:
    """Each unique marker, one every 510 tokens or so, gets a score of its own."""
    words = [f"crowns{i} " if i % 97 else f"Bremen{i} " for i in range(2000)]
    document = parse("".join(words).strip())
    scores = load_scorer(CompressorOptions(model=str(classifier))).score([document])[0]
    assert len(scores.worth) == 2000
    assert (scores.worth > 0).all()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"architectures": ["GPT2LMHeadModel"]}, "generates text"),
        ({"is_encoder_decoder": True}, "has a decoder"),
        ({"max_position_embeddings": 40}, "cannot load"),
        ({"model_type": "no-such-model"}, "cannot load"),
    ],
)
def test_what_is_no_encoder_is_refused(encoder: Path, tmp_path: Path, change: dict[str, Any], message: str) -> None:
    for file in encoder.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    config = json.loads((tmp_path / "config.json").read_text())
    (tmp_path / "config.json").write_text(json.dumps(config | change))
    with pytest.raises(CompressorError, match=message):
        load(tmp_path)


def test_code_of_the_folder_is_never_run(encoder: Path, tmp_path: Path) -> None:
    for file in encoder.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    config = json.loads((tmp_path / "config.json").read_text()) | {
        "model_type": "mine",
        "auto_map": {"AutoConfig": "mine.Config", "AutoModel": "mine.Model"},
    }
    (tmp_path / "config.json").write_text(json.dumps(config))
    (tmp_path / "mine.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\n")
    with pytest.raises(CompressorError, match="cannot load"):
        load(tmp_path)
    assert not (tmp_path / "ran").exists()


def test_pickled_weights_are_refused(encoder: Path, tmp_path: Path) -> None:
    for file in encoder.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    (tmp_path / "model.safetensors").unlink()
    torch.save({}, tmp_path / "pytorch_model.bin")
    with pytest.raises(CompressorError, match="safetensors"):
        load(tmp_path)


def test_a_window_too_short_to_judge_by_is_refused(tmp_path: Path) -> None:
    tokenizer = bert_tokenizer()
    folder = save(bert_encoder(len(tokenizer), max_position_embeddings=40), tokenizer, tmp_path / "short")
    with pytest.raises(CompressorError, match="too few"):
        load(folder)


def test_a_folder_is_read_without_any_connection(encoder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("a connection was made")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    load(encoder)


def test_a_name_that_is_not_to_be_had_says_what_to_give(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    with pytest.raises(CompressorError, match=r"--compressor\.model takes a folder"):
        load_scorer(CompressorOptions(model="nobody/no-such-model"))
