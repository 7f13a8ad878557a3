"""Short hashes by which the pool remembers what was used."""

import hashlib

__all__ = ["sentence_hash"]


def sentence_hash(sentence: str) -> int:
    """Return 64 bits that tell a sentence, white space around it aside: signed, as SQLite's integers are."""
    digest = hashlib.blake2b(sentence.strip().encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)
