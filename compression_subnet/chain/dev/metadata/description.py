"""What a runtime is made of, as plain values.

Types are written as Rust writes them: ``u16``, ``Vec<(u16,u16)>``, ``Option<AxonInfo>``, ``Compact<u64>``,
``[u8;32]``, or the name of a type that ``Runtime.types`` declares.
"""

from collections.abc import Mapping
from dataclasses import dataclass

__all__ = [
    "Composite",
    "Constant",
    "Extension",
    "Field",
    "Method",
    "Pallet",
    "Runtime",
    "RuntimeApi",
    "StorageItem",
    "Variant",
    "Variants",
    "fields",
]


@dataclass(frozen=True, slots=True)
class Field:
    """A member of a composite or of a variant; unnamed in a tuple."""

    name: str | None
    type: str


def fields(declaration: str) -> tuple[Field, ...]:
    """Read fields written as ``name:type`` (or ``type`` alone, for an unnamed one), separated by blanks."""
    pairs = (word.rpartition(":") for word in declaration.split())
    return tuple(Field(name or None, type_name) for name, _, type_name in pairs)


@dataclass(frozen=True, slots=True)
class Variant:
    """One alternative of an enumeration: a call, an event, an error, or a value."""

    index: int
    name: str
    fields: tuple[Field, ...] = ()


@dataclass(frozen=True, slots=True)
class Composite:
    """A struct, by its Rust path."""

    path: str
    fields: tuple[Field, ...]
    parameters: tuple[Field, ...] = ()
    """Generic parameters: their names and the types that stand for them."""


@dataclass(frozen=True, slots=True)
class Variants:
    """An enumeration, by its Rust path."""

    path: str
    variants: tuple[Variant, ...]


@dataclass(frozen=True, slots=True)
class StorageItem:
    """A storage value, or a map where it has keys."""

    name: str
    value: str
    keys: tuple[tuple[str, str], ...] = ()
    """Hasher and type of each key, in order."""
    default: bytes | None = None
    """Encoded value of an absent key; None for an item that is optional."""


@dataclass(frozen=True, slots=True)
class Constant:
    """A constant of a pallet, encoded."""

    name: str
    type: str
    value: bytes


@dataclass(frozen=True, slots=True)
class Pallet:
    """A module of the runtime, at its index."""

    name: str
    index: int
    storage: tuple[StorageItem, ...] = ()
    calls: tuple[Variant, ...] = ()
    events: tuple[Variant, ...] = ()
    errors: tuple[Variant, ...] = ()
    constants: tuple[Constant, ...] = ()


@dataclass(frozen=True, slots=True)
class Extension:
    """A signed extension: what it adds to the extrinsic and what it adds to the signed payload only."""

    name: str
    type: str
    additional: str


@dataclass(frozen=True, slots=True)
class Method:
    """A function of a runtime API."""

    name: str
    inputs: tuple[Field, ...]
    output: str


@dataclass(frozen=True, slots=True)
class RuntimeApi:
    """A named group of functions that a node runs on a client's request."""

    name: str
    methods: tuple[Method, ...]


@dataclass(frozen=True, slots=True)
class Runtime:
    """All that metadata say of a runtime."""

    types: Mapping[str, Composite | Variants]
    pallets: tuple[Pallet, ...]
    extensions: tuple[Extension, ...]
    apis: tuple[RuntimeApi, ...]
    extrinsic: str
    """Name of the extrinsic's type; kept in the registry for clients that look for it."""
