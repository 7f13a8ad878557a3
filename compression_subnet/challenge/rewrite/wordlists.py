"""Lists of words written as prose is: between spaces."""

__all__ = ["word_list", "word_set"]


def word_list(text: str) -> tuple[str, ...]:
    """Return the words of ``text`` in order."""
    return tuple(text.split())


def word_set(text: str) -> frozenset[str]:
    """Return the words of ``text`` as a set."""
    return frozenset(text.split())
