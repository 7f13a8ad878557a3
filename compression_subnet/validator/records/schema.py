"""The tables of a validator's record, as migrations: each takes the file from one version to the next."""

from typing import Final

__all__ = ["MIGRATIONS", "RECORD"]

RECORD: Final = "record"
"""What the file is, for its mark and for errors."""

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
    # What averages and weights are recomputed from, beside the scores; a challenge's digest is over all its rows. The
    # averages that there are belong to the last round that counted: with them the next one's can be recomputed.
    """
    CREATE TABLE terms (
        round          INTEGER PRIMARY KEY REFERENCES rounds (number),
        netuid         INTEGER NOT NULL,
        hotkey         TEXT NOT NULL,
        spec_version   INTEGER NOT NULL,
        reuse          INTEGER NOT NULL,
        forgetting     REAL NOT NULL,
        z              REAL NOT NULL,
        power          INTEGER NOT NULL,
        min_challenges INTEGER NOT NULL,
        registered     TEXT NOT NULL
    ) STRICT;
    CREATE TABLE average_history (
        round  INTEGER NOT NULL REFERENCES rounds (number),
        hotkey TEXT NOT NULL,
        body   TEXT NOT NULL,
        PRIMARY KEY (round, hotkey)
    ) STRICT;
    INSERT INTO average_history
        SELECT number, hotkey, body FROM averages
        JOIN (SELECT max(number) AS number FROM rounds WHERE status = 'counted') ON number IS NOT NULL;
    ALTER TABLE challenges ADD COLUMN digest TEXT;
    ALTER TABLE weight_settings ADD COLUMN block INTEGER;
    ALTER TABLE weight_settings ADD COLUMN registered TEXT;
    ALTER TABLE weight_settings ADD COLUMN burn TEXT;
    ALTER TABLE weight_settings ADD COLUMN burn_unearned INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE weight_settings ADD COLUMN burn_share REAL NOT NULL DEFAULT 0;
    ALTER TABLE weight_settings ADD COLUMN set_block INTEGER;
    ALTER TABLE weight_settings ADD COLUMN set_hash TEXT;
    ALTER TABLE weight_settings ADD COLUMN reveal_round INTEGER;
    """,
    # A request's time is when its challenge began to be put to miners. A fault is of the round that had begun last, 0
    # before any; its detail is the latest. An archived round's rows are in that file beside the record.
    """
    CREATE TABLE requests (
        challenge TEXT NOT NULL REFERENCES challenges (id),
        hotkey    TEXT NOT NULL,
        uid       INTEGER,
        address   TEXT NOT NULL,
        at        REAL NOT NULL,
        deadline  REAL NOT NULL,
        PRIMARY KEY (challenge, hotkey)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE faults (
        round  INTEGER NOT NULL,
        kind   TEXT NOT NULL,
        detail TEXT NOT NULL,
        count  INTEGER NOT NULL,
        first  REAL NOT NULL,
        last   REAL NOT NULL,
        PRIMARY KEY (round, kind)
    ) STRICT, WITHOUT ROWID;
    ALTER TABLE rounds ADD COLUMN archive TEXT;
    ALTER TABLE rounds ADD COLUMN cost REAL;
    CREATE INDEX challenges_by_round ON challenges (round);
    CREATE INDEX weight_settings_by_round ON weight_settings (round);
    """,
)
