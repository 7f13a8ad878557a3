import subprocess
import sys
from dataclasses import FrozenInstanceError, fields, replace
from typing import Any

import pytest

from compression_subnet.errors import ConfigurationError
from compression_subnet.judge.profile import Profile

PROFILE = Profile(
    model="reader",
    model_sha256="1" * 64,
    engine="torch 2.13.0",
    quantisation="float32",
    prompt_sha256="2" * 64,
    seed=0,
    max_answer_tokens=64,
    tokenizer="o200k_base",
    tokenizer_sha256="3" * 64,
    special_tokens=("</s>", "<｜User｜>"),
)
OTHER: dict[str, Any] = {
    "model": "m",
    "model_sha256": "",
    "engine": "e",
    "quantisation": "q",
    "prompt_sha256": "4" * 64,
    "seed": None,
    "max_answer_tokens": 32,
    "tokenizer": "cl100k_base",
    "tokenizer_sha256": "5" * 64,
    "question_min_f1": 0.7,
    "question_max_blind_f1": 0.2,
    "ceiling_min_f1": 0.5,
    "special_tokens": ("</s>",),
}


def test_every_field_changes_the_hash() -> None:
    assert set(OTHER) == {f.name for f in fields(Profile)}
    hashes = {replace(PROFILE, **{name: value}).sha256 for name, value in OTHER.items()}
    assert len(hashes | {PROFILE.sha256}) == len(OTHER) + 1


def test_the_hash_is_the_same_in_every_process_and_version() -> None:
    assert PROFILE.sha256 == "29e0c0db65a9670a7be17903984ee571772020a3102b8314d1dc3a21a5698423"
    assert replace(PROFILE, ceiling_min_f1=1).sha256 == replace(PROFILE, ceiling_min_f1=1.0).sha256


def test_a_profile_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        PROFILE.seed = 1  # type: ignore[misc]


@pytest.mark.parametrize(
    "wrong", [{"prompt_sha256": ""}, {"tokenizer_sha256": "X" * 64}, {"ceiling_min_f1": 80}, {"model_sha256": "ab"}]
)
def test_a_senseless_profile_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ConfigurationError, match=next(iter(wrong))):
        replace(PROFILE, **wrong)


def test_profiles_cost_no_heavy_import() -> None:
    code = "import sys, compression_subnet.judge.profile as p; print('torch' in sys.modules, 'openai' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False False"
