"""Runtime metadata, version 15, from a runtime's description.

Source of the layout: the ``frame-metadata`` crate's ``RuntimeMetadataV15``.
"""

from dataclasses import replace
from typing import Final

from compression_subnet.chain.dev.metadata.description import (
    Extension,
    Field,
    Method,
    Pallet,
    Runtime,
    StorageItem,
    Variant,
    Variants,
)
from compression_subnet.chain.dev.metadata.registry import TypeRegistry
from compression_subnet.chain.dev.metadata.scale import compact, opaque, optional, sequence, text

__all__ = ["encode_metadata"]

_MAGIC: Final = b"meta\x0f"
_EXTRINSIC_VERSION: Final = b"\x04"
_NO_DOCS: Final = compact(0)
_HASHERS: Final = (
    "Blake2_128",
    "Blake2_256",
    "Blake2_128Concat",
    "Twox128",
    "Twox256",
    "Twox64Concat",
    "Identity",
)
_OUTER: Final = ("Call", "Event", "Error")


def encode_metadata(runtime: Runtime) -> bytes:
    """Encode the metadata of ``runtime``, its magic number and version before them."""
    runtime = replace(runtime, types={**runtime.types, **_outer_types(runtime.pallets)})
    registry = TypeRegistry(runtime.types)
    pallets = sequence([_pallet(pallet, registry) for pallet in runtime.pallets])
    extrinsic = _extrinsic(runtime.extensions, registry)
    registry.number(runtime.extrinsic)
    runtime_type = registry.reference("()")
    apis = sequence(
        text(api.name) + sequence(_method(method, registry) for method in api.methods) + _NO_DOCS
        for api in runtime.apis
    )
    outer = b"".join(registry.reference(f"Runtime{kind}") for kind in _OUTER)
    no_custom_values = compact(0)
    # The registry comes first on the wire but is complete only once all else has been encoded.
    return _MAGIC + registry.encode() + pallets + extrinsic + runtime_type + apis + outer + no_custom_values


def _outer_types(pallets: tuple[Pallet, ...]) -> dict[str, Variants]:
    """Return each pallet's call, event and error types and the three that enclose them."""
    types: dict[str, Variants] = {}
    for kind in _OUTER:
        enclosing = []
        for pallet in pallets:
            variants = _members(pallet, kind)
            if not variants:
                continue
            name = f"{pallet.name}{kind}"
            types[name] = Variants(f"pallet_{pallet.name.lower()}::pallet::{kind}", variants)
            enclosing.append(Variant(pallet.index, pallet.name, (Field(None, name),)))
        types[f"Runtime{kind}"] = Variants(f"node_subtensor_runtime::Runtime{kind}", tuple(enclosing))
    return types


def _members(pallet: Pallet, kind: str) -> tuple[Variant, ...]:
    return {"Call": pallet.calls, "Event": pallet.events, "Error": pallet.errors}[kind]


def _pallet(pallet: Pallet, registry: TypeRegistry) -> bytes:
    def member_type(kind: str) -> bytes:
        return optional(registry.reference(f"{pallet.name}{kind}") if _members(pallet, kind) else None)

    items = sequence(_storage_item(item, registry) for item in pallet.storage)
    constants = sequence(
        text(constant.name) + registry.reference(constant.type) + opaque(constant.value) + _NO_DOCS
        for constant in pallet.constants
    )
    return (
        text(pallet.name)
        + optional(text(pallet.name) + items if pallet.storage else None)
        + member_type("Call")
        + member_type("Event")
        + constants
        + member_type("Error")
        + bytes([pallet.index])
        + _NO_DOCS
    )


def _storage_item(item: StorageItem, registry: TypeRegistry) -> bytes:
    value = registry.reference(item.value)
    if item.keys:
        hashers = sequence(bytes([_HASHERS.index(hasher)]) for hasher, _ in item.keys)
        types = [type_name for _, type_name in item.keys]
        key = registry.reference(types[0] if len(types) == 1 else f"({','.join(types)})")
        layout = b"\x01" + hashers + key + value
    else:
        layout = b"\x00" + value
    modifier = bytes([item.default is not None])
    default = b"\x00" if item.default is None else item.default
    return text(item.name) + modifier + layout + opaque(default) + _NO_DOCS


def _extrinsic(extensions: tuple[Extension, ...], registry: TypeRegistry) -> bytes:
    parts = ("MultiAddress", "RuntimeCall", "MultiSignature", "()")
    signed = sequence(text(e.name) + registry.reference(e.type) + registry.reference(e.additional) for e in extensions)
    return _EXTRINSIC_VERSION + b"".join(registry.reference(part) for part in parts) + signed


def _method(method: Method, registry: TypeRegistry) -> bytes:
    inputs = sequence(text(field.name or "") + registry.reference(field.type) for field in method.inputs)
    return text(method.name) + inputs + registry.reference(method.output) + _NO_DOCS
