"""The tables of a pool of challenges; each migration takes the file from one version to the next."""

from typing import Final

__all__ = ["MIGRATIONS"]

MIGRATIONS: Final = (
    """
    CREATE TABLE challenges (
        number   INTEGER PRIMARY KEY,
        id       TEXT NOT NULL UNIQUE,
        seed     INTEGER NOT NULL,
        source   TEXT NOT NULL,
        settings TEXT NOT NULL,
        profile  TEXT NOT NULL,
        checks   TEXT NOT NULL,
        kept     TEXT NOT NULL,
        body     TEXT NOT NULL,
        made     REAL NOT NULL,
        drawn    REAL,
        status   TEXT NOT NULL CHECK (status IN ('ready', 'drawn', 'rejected'))
    ) STRICT;
    CREATE INDEX challenges_by_status ON challenges (status, settings, profile, number);
    CREATE TABLE used_base (hash INTEGER PRIMARY KEY) STRICT;
    CREATE TABLE used_noise (hash INTEGER PRIMARY KEY) STRICT;
    """,
    """
    CREATE TABLE articles (
        number     INTEGER PRIMARY KEY,
        id         TEXT NOT NULL,
        settings   TEXT NOT NULL,
        origin     TEXT NOT NULL,
        provenance TEXT NOT NULL,
        body       TEXT NOT NULL,
        made       REAL NOT NULL,
        status     TEXT NOT NULL CHECK (status IN ('waiting', 'open', 'spent')),
        UNIQUE (settings, id)
    ) STRICT;
    CREATE TABLE used_source (hash INTEGER PRIMARY KEY) STRICT;
    """,
)
