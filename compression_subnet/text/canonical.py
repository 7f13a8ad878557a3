"""The canonical form of a text: what is counted, sent, read and compared.

It takes away every character that a reader would not see, so that nothing can be hidden in a reply, and it is the
same on every Python: the ranges are those of Unicode 14.0, whatever version the interpreter has.
"""

import re
import unicodedata
from functools import cache
from typing import Final

from compression_subnet.text.unicode14 import MARKS, REMOVED

__all__ = ["MAX_MARKS", "canonical"]

# Longest run of combining characters that is kept; the bound of Unicode's Stream-Safe Text Format (UAX 15, 13).
MAX_MARKS: Final = 30

_LINE_ENDS: Final = re.compile("\r\n|[\r\v\f\x85\u2028\u2029]")


def canonical(text: str) -> str:
    """Return the canonical form of ``text``: a fixpoint, so canonical text comes back as it is.

    Line ends become line feeds; controls (except line feed and tab), format characters, surrogates, private-use and
    unassigned characters go; runs of combining characters are cut at 30; the rest is brought to NFKC.
    """
    # Terminates: each step either only removes, or normalises, and NFKC of NFKC is itself.
    while (after := _step(text)) != text:
        text = after
    return text


def _step(text: str) -> str:
    removed, marks = _patterns()
    text = _LINE_ENDS.sub("\n", text)
    text = removed.sub("", text)
    if not text.isascii():
        text = marks.sub(lambda run: run[0][:MAX_MARKS], text)
        text = unicodedata.normalize("NFKC", text)
    return text


@cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    return re.compile(f"[{_class(REMOVED)}]+"), re.compile(f"[{_class(MARKS)}]{{{MAX_MARKS + 1},}}")


def _class(ranges: str) -> str:
    """Return the inside of a character class for ranges such as ``0-8 7F-9F AD``."""
    bounds = (part.partition("-") for part in ranges.split())
    return "".join(f"\\U{int(a, 16):08x}-\\U{int(b or a, 16):08x}" for a, _, b in bounds)
