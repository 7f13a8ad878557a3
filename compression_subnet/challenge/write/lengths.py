"""How many words to ask for, so that a text has a wanted number of tokens."""

from typing import Final

from compression_subnet.challenge.write.brief import MAX_WORDS, MIN_WORDS

__all__ = ["words_for"]

# English prose has about 1.3 tokens of the pinned tokenizer a word, and models write somewhat more or less than asked.
_WORDS_A_TOKEN: Final = (0.9, 0.65)


def words_for(min_tokens: int, max_tokens: int) -> tuple[int, int]:
    """Return the least and most words of texts that shall have ``min_tokens`` to ``max_tokens`` tokens."""
    low, high = (
        _within(tokens * share) for tokens, share in zip((min_tokens, max_tokens), _WORDS_A_TOKEN, strict=True)
    )
    if low <= high:
        return low, high
    # In a narrow range there is no room for both margins.
    middle = _within((low + high) / 2)
    return middle, middle


def _within(words: float) -> int:
    return min(MAX_WORDS, max(MIN_WORDS, round(words)))
