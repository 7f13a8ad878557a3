"""HTML that is safe by construction: whatever is not markup already is escaped when an element takes it in."""

import re
from html import escape
from typing import Final

__all__ = ["Html", "element", "joined"]

_VOID: Final = frozenset({"meta", "line", "circle"})
# What HTML does not allow, or would not be seen: control characters, lone surrogates, overrides of direction.
_UNSEEN: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\u202a-\u202e\u2066-\u2069]")


class Html(str):
    """A piece of markup; a plain ``str`` is text."""

    __slots__ = ()


def element(tag: str, *children: str, **attributes: str | float | bool | None) -> Html:
    """Return an element.

    Args:
        tag: its name.
        children: markup as ``Html``, text as ``str``.
        attributes: their values; True stands alone, False and None are left out. In names ``_`` is ``-``, and one
            at the end is dropped (``class_``).
    """
    opened = [tag]
    for name, value in attributes.items():
        name = name.rstrip("_").replace("_", "-")
        if value is True:
            opened.append(name)
        elif value is not None and value is not False:
            opened.append(f'{name}="{_escaped(str(value))}"')
    start = " ".join(opened)
    # The slash means nothing to HTML's own void elements, and closes those of SVG.
    return Html(f"<{start}/>") if tag in _VOID else Html(f"<{start}>{joined(*children)}</{tag}>")


def joined(*parts: str) -> Html:
    """Return the parts one after the other, as markup."""
    return Html("".join(part if isinstance(part, Html) else _escaped(part) for part in parts))


def _escaped(text: str) -> str:
    return escape(_UNSEEN.sub("\ufffd", text))
