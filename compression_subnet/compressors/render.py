"""From kept words back to text: the text's own characters, in order, and its own white space."""

from collections.abc import Iterable

from compression_subnet.compressors.document import Document, Kind, Word
from compression_subnet.text.words import is_unspaced

__all__ = ["render"]


def render(document: Document, kept: Iterable[int]) -> str:
    """Return the words of ``document`` at the places ``kept``, as a subsequence of the text's characters.

    Neighbours keep what stands between them. Across a gap one white-space character of the gap is kept, a line
    break if there is one; where it has none but leaving it out would fuse two words, its first word or mark is.
    The result has no white space at its ends.
    """
    words = document.words
    pieces: list[str] = []
    before: int | None = None
    for place in sorted(kept):
        word = words[place]
        if before is not None:
            if place == before + 1:
                pieces.append(document.text[words[before].end : word.start])
            else:
                pieces.append(_across(document, before, place))
        pieces.append(document.text[word.start : word.end])
        before = place
    return "".join(pieces).strip()


def _across(document: Document, before: int, place: int) -> str:
    """Return what is kept between two words that are not neighbours."""
    words, text = document.words, document.text
    space = ""
    for word in words[before:place]:
        for character in text[word.end : word.stop]:
            if character == "\n" or space != "\n":
                space = character
    if space:
        return space
    if _fuses(document, words[before], words[place]):
        dropped = words[before + 1]
        return text[dropped.start : dropped.end]
    return ""


def _fuses(document: Document, left: Word, right: Word) -> bool:
    """Whether the two would read as one word with nothing between them."""
    if Kind.PUNCTUATION in (left.kind, right.kind):
        return False
    return not (is_unspaced(document.text[left.start]) or is_unspaced(document.text[right.start]))
