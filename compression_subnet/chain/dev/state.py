"""The chain's state: a map from key to value whose past can be read at any recent block."""

import json
from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from operator import itemgetter
from typing import Any

from compression_subnet.chain.dev.runtime import Codec

__all__ = ["Storage", "VersionedState"]

_BLOCK = itemgetter(0)


class VersionedState:
    """Keeps, for each key, the values it had over the last blocks; memory is bounded by ``history``.

    Args:
        history: number of past blocks at which reads must still be possible.
    """

    def __init__(self, history: int):
        self._history = history
        self._values: dict[bytes, list[tuple[int, bytes | None]]] = {}
        self._sorted: list[bytes] = []
        self._journal: dict[bytes, bytes | None] | None = None
        self._loaded = 0
        self.version = 0
        """Grows with every write: what was computed from the state is good while it stays."""
        self.block = 0
        """Number of the block that writes belong to."""

    @property
    def oldest(self) -> int:
        """Number of the oldest block at which reads are possible."""
        return max(self._loaded, self.block - self._history)

    def get(self, key: bytes, at: int | None = None) -> bytes | None:
        """Return the value of ``key`` after block ``at`` (the newest, where not given), or None."""
        versions = self._values.get(key)
        if not versions:
            return None
        if at is None:
            return versions[-1][1]
        position = bisect_right(versions, at, key=_BLOCK)
        return versions[position - 1][1] if position else None

    def put(self, key: bytes, value: bytes | None) -> None:
        """Set the value of ``key`` as of the current block; None removes it."""
        self.version += 1
        versions = self._values.get(key)
        if self._journal is not None and key not in self._journal:
            self._journal[key] = versions[-1][1] if versions else None
        if versions is None:
            versions = self._values[key] = []
            insort(self._sorted, key)
        if versions and versions[-1][0] == self.block:
            versions.pop()
        versions.append((self.block, value))
        self._forget(versions)

    def keys(self, prefix: bytes, at: int | None = None, after: bytes = b"") -> Iterator[bytes]:
        """Yield in order the keys with ``prefix`` that have a value and come after ``after``."""
        position = bisect_right(self._sorted, after) if after > prefix else bisect_left(self._sorted, prefix)
        while position < len(self._sorted) and self._sorted[position].startswith(prefix):
            if self.get(self._sorted[position], at) is not None:
                yield self._sorted[position]
            position += 1

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Undo every write made within the block of code if it raises."""
        self._journal = {}
        try:
            yield
        except BaseException:
            undo, self._journal = self._journal, None
            for key, value in undo.items():
                self.put(key, value)
            raise
        finally:
            self._journal = None

    def sweep(self) -> None:
        """Forget what is too old to be read, in keys that are no longer written to."""
        for key, versions in list(self._values.items()):
            self._forget(versions)
            if len(versions) == 1 and versions[0][1] is None and versions[0][0] <= self.block - self._history:
                del self._values[key]
        self._sorted = sorted(self._values)

    def newest(self) -> dict[bytes, bytes]:
        """Return every key that has a value, with its newest."""
        return {key: value for key in self._sorted if (value := self.get(key)) is not None}

    def load(self, values: Mapping[bytes, bytes], block: int) -> None:
        """Replace everything with ``values`` as of ``block``."""
        self.version += 1
        self.block = self._loaded = block
        self._values = {key: [(block, value)] for key, value in values.items()}
        self._sorted = sorted(self._values)

    def _forget(self, versions: list[tuple[int, bytes | None]]) -> None:
        keep_from = bisect_right(versions, self.block - self._history, key=_BLOCK) - 1
        if keep_from > 0:
            del versions[:keep_from]


class Storage:
    """The state, read and written by pallet item and keys, with values as the SDK's codec gives them."""

    def __init__(self, state: VersionedState, codec: Codec):
        self.state = state
        self.codec = codec

    def get(self, item: str, *keys: Any, at: int | None = None, pallet: str = "SubtensorModule") -> Any:
        """Return an entry's value after block ``at``; its default, or None for an optional item, if absent."""
        layout = self.codec.storage_layout(pallet, item)
        raw = self.state.get(self.codec.storage_key(pallet, item, keys), at)
        if raw is None:
            raw = layout.default
        return None if raw is None else self.codec.decode(layout.value_type, raw)

    def put(self, item: str, *keys: Any, value: Any, pallet: str = "SubtensorModule") -> None:
        """Set an entry's value."""
        layout = self.codec.storage_layout(pallet, item)
        encoded = self.codec.encode(layout.value_type, value)
        self.state.put(self.codec.storage_key(pallet, item, keys), encoded)

    def remove(self, item: str, *keys: Any, pallet: str = "SubtensorModule") -> None:
        """Remove an entry."""
        self.state.put(self.codec.storage_key(pallet, item, keys), None)

    def put_element(self, item: str, index: int, position: int, value: Any) -> None:
        """Set one element of a subnet's vector."""
        vector = list(self.get(item, index))
        vector[position] = value
        self.put(item, index, value=vector)

    def entries(self, item: str, *keys: Any, at: int | None = None) -> Iterator[tuple[list[Any], Any]]:
        """Yield the keys and value of each entry of a map of SubtensorModule, under the first ``keys``."""
        layout = self.codec.storage_layout("SubtensorModule", item)
        for key in list(self.state.keys(self.codec.storage_key("SubtensorModule", item, keys), at)):
            raw = self.state.get(key, at)
            if raw is not None:
                names = self.codec.map_keys("SubtensorModule", item, key)
                yield names, self.codec.decode(layout.value_type, raw)

    def get_note(self, name: str) -> Any:
        """Return a value that only the dev chain knows of (JSON, outside every pallet), or None."""
        raw = self.state.get(_note_key(name))
        return None if raw is None else json.loads(raw)

    def put_note(self, name: str, value: Any) -> None:
        """Set such a value."""
        self.state.put(_note_key(name), json.dumps(value).encode())


def _note_key(name: str) -> bytes:
    return b":dev:" + name.encode()
