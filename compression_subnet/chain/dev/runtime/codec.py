"""One runtime's encoding and decoding, by the SDK's own codec over metadata that are generated here.

``bittensor_core`` is the compiled half of the SDK; it loads in milliseconds, unlike ``bittensor`` itself.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import bittensor_core  # type: ignore[import-untyped]

from compression_subnet.chain.dev.metadata import encode_metadata
from compression_subnet.chain.dev.runtime.description import describe_runtime

__all__ = ["SPEC_VERSION", "SS58_FORMAT", "TRANSACTION_VERSION", "Codec", "blake2_256", "runtime_codec"]

SPEC_VERSION: Final = 446
TRANSACTION_VERSION: Final = 1
SS58_FORMAT: Final = 42


def blake2_256(data: bytes) -> bytes:
    """Return the chain's hash of ``data``: 32 bytes."""
    return hashlib.blake2b(data, digest_size=32).digest()


@dataclass(frozen=True, slots=True)
class StorageLayout:
    """How one storage item is encoded."""

    value_type: str
    default: bytes | None


class Codec:
    """Encodes and decodes calls, storage, events and runtime API values of one runtime."""

    def __init__(self, metadata: bytes):
        self.metadata = metadata
        self.genesis_hash = blake2_256(b"compression-subnet dev chain" + metadata)
        """The SDK caches metadata on disk by genesis hash, so the hash must change when they do."""
        self._core = bittensor_core.Runtime(metadata, SPEC_VERSION, TRANSACTION_VERSION, SS58_FORMAT)
        self._layouts: dict[tuple[str, str], StorageLayout] = {}
        self._apis: dict[str, dict[str, Any]] = self._core.runtime_api_map()

    def storage_key(self, pallet: str, item: str, keys: Sequence[Any] = ()) -> bytes:
        """Return the full key of an entry, or the prefix that ``keys`` begin."""
        return bytes(self._core.storage_key(pallet, item, list(keys)))

    def storage_layout(self, pallet: str, item: str) -> StorageLayout:
        """Return the type of an item's value and its encoded default; None where the item is optional.

        Raises:
            KeyError: the runtime has no such item.
        """
        layout = self._layouts.get((pallet, item))
        if layout is None:
            entry = self._core.storage_entry(pallet, item)
            default = bytes(entry.default_bytes) if entry.modifier == "Default" else None
            layout = self._layouts[pallet, item] = StorageLayout(entry.value_type, default)
        return layout

    def map_keys(self, pallet: str, item: str, key: bytes) -> list[Any]:
        """Return the keys that a full storage key was made of, where the item's hashers keep them."""
        return list(self._core.decode_storage_key_params(pallet, item, key, 0))

    def encode(self, type_reference: str, value: Any) -> bytes:
        """Encode a value as the type of that reference (``scale_info::N``)."""
        # The compiled codec takes None for an absent parameter; as an option it is one zero byte.
        return b"\x00" if value is None else bytes(self._core.encode(type_reference, value))

    def decode(self, type_reference: str, data: bytes) -> Any:
        """Decode ``data`` as the type of that reference."""
        return self._core.decode(type_reference, data, True)

    def api_arguments(self, api: str, method: str, data: bytes) -> list[Any]:
        """Decode the arguments of a runtime API call.

        Raises:
            KeyError: the runtime has no such function.
            ValueError: the data are not its arguments.
        """
        types = [type_reference for _, type_reference in self._apis[api][method]["inputs"]]
        if not types:
            return []
        if len(types) == 1:
            return [self.decode(types[0], data)]
        return list(self.decode(f"({','.join(types)})", data))

    def api_result(self, api: str, method: str, value: Any) -> bytes:
        """Encode what a runtime API call returns."""
        return self.encode(self._apis[api][method]["output"], value)

    def compose_call(self, pallet: str, name: str, arguments: Mapping[str, Any]) -> bytes:
        """Encode a call."""
        return bytes(self._core.compose_call(pallet, name, dict(arguments)))

    def decode_call(self, data: bytes) -> tuple[str, str, dict[str, Any]]:
        """Return pallet, name and arguments of an encoded call.

        Raises:
            ValueError: the data are not a call of this runtime.
        """
        call = self._core.decode_call(data)
        arguments = {argument["name"]: argument["value"] for argument in call["call_args"]}
        return str(call["call_module"]), str(call["call_function"]), arguments

    def error_number(self, name: str) -> tuple[int, int]:
        """Return the pallet's index and the number of an error, by its name.

        Raises:
            KeyError: no pallet of the runtime declares it.
        """
        return _error_numbers()[name]


@cache
def _error_numbers() -> dict[str, tuple[int, int]]:
    pallets = describe_runtime(1).pallets
    return {error.name: (pallet.index, error.index) for pallet in pallets for error in pallet.errors}


@cache
def runtime_codec(slot_milliseconds: int) -> Codec:
    """Return the codec of the runtime whose blocks are that far apart."""
    return Codec(encode_metadata(describe_runtime(slot_milliseconds)))
