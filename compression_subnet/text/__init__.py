"""Text: its canonical form, and the tokens that budgets are counted in."""

from compression_subnet.text.canonical import canonical
from compression_subnet.text.special import SPECIAL_TOKENS, find_special_token
from compression_subnet.text.tokens import DEFAULT_TOKENIZER, TokenCounter, Tokenizer, get_tokenizer

__all__ = [
    "DEFAULT_TOKENIZER",
    "SPECIAL_TOKENS",
    "TokenCounter",
    "Tokenizer",
    "canonical",
    "find_special_token",
    "get_tokenizer",
]
