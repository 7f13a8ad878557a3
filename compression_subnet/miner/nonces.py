"""Where accepted nonces are remembered, so that no request is taken twice: here, or where several miners look.

One process needs no more than its memory. Several that answer for one hotkey (behind a load balancer, say) must
share: what one of them has taken is a replay for the others. A file also lives through a restart.
"""

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, Protocol

from compression_subnet.database import open_database, transaction
from compression_subnet.errors import ConfigurationError, StoreError

__all__ = ["ClosableStore", "RedisNonces", "SqliteNonces", "open_nonces"]

# http_auth takes nonces of the last 10 s and the next 2 s; the SDK's own store keeps them as long as this.
_RETENTION_SECONDS: Final = 60.0
_PURGE_SECONDS: Final = 10.0
_REDIS_SECONDS: Final = 1.0
_REDIS_SCHEMES: Final = ("redis://", "rediss://", "unix://")

_MIGRATIONS: Final = (
    # IF NOT EXISTS: miners that start together may all find a new file.
    """
    CREATE TABLE IF NOT EXISTS nonces (
        nonce INTEGER NOT NULL, hotkey TEXT NOT NULL, PRIMARY KEY (nonce, hotkey)
    ) WITHOUT ROWID;
    """,
)


class ClosableStore(Protocol):
    """A ``bittensor.http_auth.NonceStore`` that others use too, and that takes time to ask."""

    retention: float

    def check_and_store(self, hotkey_ss58: str, nonce_ns: int) -> bool:
        """Remember the pair; return whether it was not known.

        Raises:
            StoreError: it could not be looked up.
        """

    def close(self) -> None:
        """Release what is held."""


class SqliteNonces:
    """Nonces in an SQLite file, for processes of one machine. May be called from any thread.

    Args:
        path: the file, on a local disk; made where there is none.
        now: seconds since the epoch.

    Raises:
        StoreError: the file cannot be used.
    """

    def __init__(self, path: Path, now: Callable[[], float] = time.time):
        self.retention = _RETENTION_SECONDS
        self._now = now
        self._purged = now()
        self._lock = threading.Lock()
        self._db = open_database(path, _MIGRATIONS, "nonce store", any_thread=True)
        # A crash of the machine outlasts a nonce: no need to wait for the disk.
        self._db.execute("PRAGMA synchronous = NORMAL").close()

    def check_and_store(self, hotkey_ss58: str, nonce_ns: int) -> bool:
        """Remember the pair; return whether it was not known. See ``ClosableStore``."""
        with self._lock, transaction(self._db):
            now = self._now()
            if now - self._purged > _PURGE_SECONDS:
                self._purged = now
                # A nonce is the time at which it was made.
                self._db.execute("DELETE FROM nonces WHERE nonce < ?", (int((now - self.retention) * 1e9),))
            stored = self._db.execute("INSERT OR IGNORE INTO nonces VALUES (?, ?)", (nonce_ns, hotkey_ss58))
            return stored.rowcount == 1

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._db.close()


class RedisNonces:
    """Nonces in a Redis server, for processes of several machines. May be called from any thread.

    Args:
        url: as the ``redis`` package reads it; it may hold a password, and is never shown.
        receiver: address of the hotkey that answers: each has nonces of its own in one server.

    Raises:
        ConfigurationError: the package is not installed, or the address is none.
    """

    def __init__(self, url: str, receiver: str):
        try:
            import redis
        except ImportError:
            raise ConfigurationError(
                "a nonce store in Redis needs its client: pip install 'compression-subnet[redis]'"
            ) from None
        self.retention = _RETENTION_SECONDS
        self._prefix = f"compression-subnet:nonce:{receiver}"
        self._error: type[Exception] = redis.RedisError
        try:
            self._client: Any = redis.Redis.from_url(
                url, socket_timeout=_REDIS_SECONDS, socket_connect_timeout=_REDIS_SECONDS
            )
        except ValueError:
            raise ConfigurationError(
                "axon.nonce_store is no address of a Redis server; give redis://HOST:PORT/DATABASE"
            ) from None

    def check_and_store(self, hotkey_ss58: str, nonce_ns: int) -> bool:
        """Remember the pair; return whether it was not known. See ``ClosableStore``."""
        try:
            stored = self._client.set(
                f"{self._prefix}:{hotkey_ss58}:{nonce_ns}", 1, nx=True, px=int(self.retention * 1000)
            )
        except (self._error, OSError) as error:
            raise StoreError(
                f"the Redis server with the nonces does not answer ({type(error).__name__}); "
                "start it, or mend axon.nonce_store"
            ) from error
        return stored is True

    def close(self) -> None:
        """Close the connections."""
        self._client.close()


def open_nonces(setting: str, receiver: str) -> ClosableStore | None:
    """Return the store that a setting names; None is this process's memory.

    Args:
        setting: ``memory``, ``sqlite:FILE``, or a ``redis://``, ``rediss://`` or ``unix://`` address.
        receiver: address of the hotkey that answers.

    Raises:
        ConfigurationError: the setting is none of these, or a package is missing.
        StoreError: the file cannot be used.
    """
    if setting == "memory":
        return None
    kind, _, rest = setting.partition(":")
    if kind == "sqlite" and rest:
        return SqliteNonces(Path(rest).expanduser())
    if setting.startswith(_REDIS_SCHEMES):
        return RedisNonces(setting, receiver)
    # The setting itself may hold a password.
    raise ConfigurationError(
        "axon.nonce_store is neither memory, sqlite:FILE nor redis://HOST:PORT/DATABASE; give one of them"
    )
