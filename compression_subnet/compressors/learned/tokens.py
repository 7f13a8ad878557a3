"""A document's tokens: their ids, and the word and sentence that each belongs to."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from compression_subnet.compressors.document import Document
from compression_subnet.errors import CompressorError

if TYPE_CHECKING:
    from tokenizers import Tokenizer

__all__ = ["DocumentTokens", "Frame", "frame_of", "tokenise"]

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Frame:
    """What stands around a window's tokens.

    Attributes:
        before: ids of the special tokens before them, such as ``[CLS]``.
        after: ids of those after them, such as ``[SEP]``.
        padding: id that fills up shorter windows.
    """

    before: tuple[int, ...]
    after: tuple[int, ...]
    padding: int


@dataclass(frozen=True, slots=True)
class DocumentTokens:
    """The tokens of one document.

    Attributes:
        ids: token ids, without special tokens.
        kinds: for each token, the ``Kind`` of its word.
        words: for each token, the number of the word that it is of; ascending.
        sentences: for each token, the number of that word's sentence; ascending.
        word_count: words of the document, some of which may have no token.
        sentence_count: sentences of the document, likewise.
    """

    ids: Ints
    kinds: Ints
    words: Ints
    sentences: Ints
    word_count: int
    sentence_count: int


def frame_of(tokenizer: "Tokenizer", padding: int) -> Frame:
    """Return the special tokens that ``tokenizer`` puts around a text, as its own post-processor does it."""
    encoding = tokenizer.encode("a")
    inside = [place for place, special in enumerate(encoding.special_tokens_mask) if not special]
    if not inside:
        raise CompressorError("the model's tokenizer makes no token of the letter a; it is not one for text")
    return Frame(tuple(encoding.ids[: inside[0]]), tuple(encoding.ids[inside[-1] + 1 :]), padding)


def tokenise(documents: Sequence[Document], tokenizer: "Tokenizer") -> list[DocumentTokens]:
    """Return the tokens of each document, by one call of ``tokenizer``.

    Args:
        documents: any texts; a lone surrogate counts as a question mark, so that places stay right.
        tokenizer: must neither truncate nor pad.
    """
    texts = [document.text.encode("utf-8", "replace").decode() for document in documents]
    encodings = tokenizer.encode_batch(texts, add_special_tokens=False)
    return [_placed(d, e.ids, e.offsets) for d, e in zip(documents, encodings, strict=True)]


def _placed(document: Document, ids: Sequence[int], offsets: Sequence[tuple[int, int]]) -> DocumentTokens:
    word_count, sentence_count = len(document.starts), max(len(document.borders) - 1, 0)
    if not word_count or not ids:
        empty = np.zeros(0, dtype=np.int64)
        return DocumentTokens(empty, empty, empty, empty, word_count, sentence_count)
    ranges = np.array(offsets, dtype=np.int64)
    # Sentencepiece's tokens may own the space before them; a token belongs to the word of its last character.
    last = np.maximum(ranges[:, 1] - 1, ranges[:, 0])
    words = np.maximum.accumulate(np.searchsorted(document.starts, last, side="right") - 1).clip(min=0)
    sentences = np.searchsorted(document.borders, words, side="right") - 1
    kinds = document.kinds[words].astype(np.int64)
    return DocumentTokens(np.array(ids, dtype=np.int64), kinds, words, sentences, word_count, sentence_count)
