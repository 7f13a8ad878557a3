"""The pinned tokenizer: what a budget is counted in.

Counting is by byte-pair tokens of a vocabulary that is named, hashed and compiled in, so that a validator and a
miner agree on every count with no network. Spellings of special tokens are counted as plain text, never raised on.
"""

import gzip
import hashlib
from collections.abc import Callable
from functools import cache
from importlib import resources
from typing import Final, Protocol

import numpy as np
import numpy.typing as npt

from compression_subnet.errors import TokenizerError

__all__ = ["DEFAULT_TOKENIZER", "VOCABULARY_SHA256", "TokenCounter", "Tokenizer", "get_tokenizer"]

DEFAULT_TOKENIZER: Final = "o200k_base"

# SHA-256 of the vocabulary in tiktoken's own format (base64 token, space, rank, one a line), which is how
# OpenAI publishes it; tiktoken pins the same digests.
VOCABULARY_SHA256: Final = {
    "o200k_base": "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
    "cl100k_base": "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
}


class TokenCounter(Protocol):
    """All that a compressor needs to know of a tokenizer."""

    def count(self, text: str) -> int:
        """Return the number of tokens of ``text``; 0 for the empty string."""


class Tokenizer(TokenCounter, Protocol):
    """A tokenizer that can be pinned: named, hashed, and able to say where its tokens lie."""

    @property
    def name(self) -> str:
        """Name by which both sides know it, such as ``o200k_base``."""

    @property
    def sha256(self) -> str:
        """Hexadecimal SHA-256 of the vocabulary."""

    def token_bytes(self, text: str) -> npt.NDArray[np.int64]:
        """Return the length in UTF-8 bytes of each token of ``text``, in order."""


class BpeTokenizer:
    """A byte-pair tokenizer of OpenAI's, from the compiled-in vocabularies of ``bpe-openai``."""

    def __init__(self, name: str, sha256: str, encode: Callable[[str], list[int]], lengths: npt.NDArray[np.int64]):
        self._name = name
        self._sha256 = sha256
        self._encode = encode
        self._lengths = lengths

    @property
    def name(self) -> str:
        """Name of the encoding."""
        return self._name

    @property
    def sha256(self) -> str:
        """Hexadecimal SHA-256 of the vocabulary, checked when it was loaded."""
        return self._sha256

    def count(self, text: str) -> int:
        """Return the number of tokens of ``text``.

        Raises:
            TokenizerError: the text cannot be encoded (a lone surrogate, say).
        """
        return len(self._ids(text))

    def token_bytes(self, text: str) -> npt.NDArray[np.int64]:
        """Return the length in UTF-8 bytes of each token of ``text``, in order.

        Raises:
            TokenizerError: the text cannot be encoded.
        """
        return self._lengths[self._ids(text)]

    def _ids(self, text: str) -> list[int]:
        try:
            return self._encode(text)
        except Exception as error:  # the Rust tokenizer's own types are not public
            raise TokenizerError(f"{self._name} cannot encode this text: {error}") from error


@cache
def get_tokenizer(name: str = DEFAULT_TOKENIZER) -> Tokenizer:
    """Return the tokenizer called ``name``, its vocabulary checked.

    Raises:
        TokenizerError: the name is unknown, or the installed vocabulary is not the published one.
    """
    if name not in VOCABULARY_SHA256:
        known = ", ".join(sorted(VOCABULARY_SHA256))
        raise TokenizerError(f"unknown tokenizer {name!r}; known: {known}")
    vocabulary = gzip.decompress((resources.files("bpe_openai") / "data" / f"{name}.tiktoken.gz").read_bytes())
    digest = hashlib.sha256(vocabulary).hexdigest()
    if digest != VOCABULARY_SHA256[name]:
        raise TokenizerError(
            f"the installed vocabulary of {name} has SHA-256 {digest}, not {VOCABULARY_SHA256[name]}; "
            "reinstall bpe-openai"
        )
    import bpe_openai  # 1 s: loaded where a tokenizer is first wanted

    encoding = bpe_openai.get_encoding(name)
    lengths = np.fromiter((len(t) for t in encoding.token_byte_values()), dtype=np.int64)
    return BpeTokenizer(name, digest, encoding.encode_ordinary, lengths)
