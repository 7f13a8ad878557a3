"""A digest of everything that is recorded of one challenge.

Scores tell only of what scores depend on. The digest tells of the rest too: a time, a question's evidence, a word of a
reply that no answer used.
"""

import hashlib
import json
import sqlite3
from typing import Final

__all__ = ["challenge_digest"]

# Columns by name: a later schema may add others, and an older digest is to stay good.
_PARTS: Final = (
    "SELECT id, round, level, body, scored FROM challenges WHERE id = ?",
    "SELECT kind, text, score FROM controls WHERE challenge = ? ORDER BY kind",
    "SELECT hotkey, reason, failure, tokens, budget, seconds, raw, score FROM replies WHERE challenge = ?"
    " ORDER BY hotkey",
    "SELECT party, question, status, text, detail, supported, f1, prompt_tokens, cached_tokens, completion_tokens"
    " FROM answers WHERE challenge = ? ORDER BY party, question",
)


def challenge_digest(db: sqlite3.Connection, challenge: str) -> str:
    """Return the SHA-256 of a challenge's rows, with its controls, replies and answers, as JSON; in hexadecimal."""
    digest = hashlib.sha256()
    for query in _PARTS:
        digest.update(json.dumps(db.execute(query, (challenge,)).fetchall()).encode())
        digest.update(b"\n")
    return digest.hexdigest()
