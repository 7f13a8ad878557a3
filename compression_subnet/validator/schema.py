"""The tables of a validator's record, as migrations: each takes the file from one version to the next."""

from typing import Final

__all__ = ["MIGRATIONS"]

# Fractions are text "n/d": scores are exact, and are recomputed and compared as such.
MIGRATIONS: Final = (
    """
    CREATE TABLE rounds (
        number   INTEGER PRIMARY KEY,
        epoch    INTEGER NOT NULL,
        started  REAL NOT NULL,
        finished REAL,
        profile  TEXT NOT NULL,
        asked    INTEGER NOT NULL DEFAULT 0,
        status   TEXT NOT NULL CHECK (status IN ('running', 'counted', 'void', 'dropped')),
        detail   TEXT NOT NULL DEFAULT ''
    ) STRICT;
    CREATE TABLE challenges (
        id       TEXT PRIMARY KEY,
        round    INTEGER NOT NULL REFERENCES rounds (number),
        level    INTEGER NOT NULL,
        body     TEXT NOT NULL,
        scored   INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE replies (
        challenge TEXT NOT NULL REFERENCES challenges (id),
        hotkey    TEXT NOT NULL,
        reason    TEXT NOT NULL,
        failure   TEXT NOT NULL,
        tokens    INTEGER NOT NULL,
        budget    INTEGER NOT NULL,
        seconds   REAL NOT NULL,
        raw       TEXT,
        score     TEXT,
        PRIMARY KEY (challenge, hotkey)
    ) STRICT;
    CREATE TABLE controls (
        challenge TEXT NOT NULL REFERENCES challenges (id),
        kind      TEXT NOT NULL CHECK (kind IN ('ceiling', 'floor', 'baseline')),
        text      TEXT NOT NULL,
        score     TEXT,
        PRIMARY KEY (challenge, kind)
    ) STRICT;
    CREATE TABLE answers (
        challenge TEXT NOT NULL REFERENCES challenges (id),
        party     TEXT NOT NULL,
        question  INTEGER NOT NULL,
        status    TEXT NOT NULL,
        text      TEXT NOT NULL,
        detail    TEXT NOT NULL,
        supported INTEGER NOT NULL,
        f1        TEXT NOT NULL,
        prompt_tokens     INTEGER NOT NULL,
        cached_tokens     INTEGER NOT NULL,
        completion_tokens INTEGER NOT NULL,
        PRIMARY KEY (challenge, party, question)
    ) STRICT;
    CREATE TABLE averages (
        hotkey TEXT PRIMARY KEY,
        body   TEXT NOT NULL
    ) STRICT;
    CREATE TABLE weight_settings (
        id      INTEGER PRIMARY KEY,
        round   INTEGER NOT NULL REFERENCES rounds (number),
        at      REAL NOT NULL,
        vector  TEXT NOT NULL,
        outcome TEXT NOT NULL,
        detail  TEXT NOT NULL
    ) STRICT;
    """,
    # Prices are of a million tokens. An answer's tokens stand where it was paid for: the parties that share it have 0.
    """
    ALTER TABLE rounds ADD COLUMN cut INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE rounds ADD COLUMN max_cost REAL;
    ALTER TABLE rounds ADD COLUMN price_prompt REAL NOT NULL DEFAULT 0;
    ALTER TABLE rounds ADD COLUMN price_cached REAL NOT NULL DEFAULT 0;
    ALTER TABLE rounds ADD COLUMN price_completion REAL NOT NULL DEFAULT 0;
    CREATE VIEW costs AS
        SELECT
            rounds.number AS round,
            party,
            sum(prompt_tokens) AS prompt_tokens,
            sum(cached_tokens) AS cached_tokens,
            sum(completion_tokens) AS completion_tokens,
            sum(
                max(0, prompt_tokens - cached_tokens) * price_prompt
                + cached_tokens * price_cached
                + completion_tokens * price_completion
            ) / 1e6 AS cost
        FROM answers JOIN challenges ON challenges.id = challenge JOIN rounds ON rounds.number = challenges.round
        GROUP BY rounds.number, party;
    """,
)
