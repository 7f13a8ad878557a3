"""The portable type registry: every type once, by number, as ``scale-info`` lays it out.

Source of the layout: the ``scale-info`` crate's ``PortableRegistry`` (type definition kinds 0 to 6).
"""

from collections.abc import Mapping
from typing import Final

from compression_subnet.chain.dev.metadata.description import Composite, Field, Variant, Variants
from compression_subnet.chain.dev.metadata.scale import compact, optional, sequence, text

__all__ = ["TypeRegistry"]

# In the order of scale-info's TypeDefPrimitive.
_PRIMITIVES: Final = (
    *("bool", "char", "str"),
    *("u8", "u16", "u32", "u64", "u128", "u256"),
    *("i8", "i16", "i32", "i64", "i128", "i256"),
)
_NO_DOCS: Final = compact(0)


class TypeRegistry:
    """Gives each type its number on first use and encodes them all at the end."""

    def __init__(self, types: Mapping[str, Composite | Variants]):
        self._types = types
        self._numbers: dict[str, int] = {}
        self._encoded: list[bytes] = []

    def number(self, type_name: str) -> int:
        """Return the number of a type, registering it and all that it refers to.

        Raises:
            ValueError: the type is neither built in nor declared.
        """
        known = self._numbers.get(type_name)
        if known is not None:
            return known
        number = self._numbers[type_name] = len(self._encoded)
        self._encoded.append(b"")  # its place is taken before its parts ask for theirs
        self._encoded[number] = self._encode(type_name)
        return number

    def reference(self, type_name: str) -> bytes:
        """Return a type's number, encoded as metadata refer to it."""
        return compact(self.number(type_name))

    def encode(self) -> bytes:
        """Encode every type that was asked for so far."""
        return sequence(compact(number) + body for number, body in enumerate(self._encoded))

    def _encode(self, name: str) -> bytes:
        declared = self._types.get(name)
        if isinstance(declared, Composite):
            body = b"\x00" + sequence(self._field(field) for field in declared.fields)
            return self._with_path(declared.path, body, declared.parameters)
        if isinstance(declared, Variants):
            return self._with_path(declared.path, self._variants(declared.variants))
        if name in _PRIMITIVES:
            return self._with_path("", bytes([5, _PRIMITIVES.index(name)]))
        if name.startswith("Vec<"):
            return self._with_path("", b"\x02" + self.reference(name[4:-1]))
        if name.startswith("Compact<"):
            return self._with_path("", b"\x06" + self.reference(name[8:-1]))
        if name.startswith("Option<"):
            some = Field(None, name[7:-1])
            body = self._variants((Variant(0, "None"), Variant(1, "Some", (some,))))
            return self._with_path("Option", body, (Field("T", some.type),))
        if name.startswith("["):
            element, _, length = name[1:-1].rpartition(";")
            return self._with_path("", b"\x03" + int(length).to_bytes(4, "little") + self.reference(element))
        if name.startswith("("):
            return self._with_path("", b"\x04" + sequence(self.reference(part) for part in _parts(name[1:-1])))
        raise ValueError(f"type {name!r} is not declared: add it to the runtime's types")

    def _field(self, field: Field) -> bytes:
        name = None if field.name is None else text(field.name)
        return optional(name) + self.reference(field.type) + optional(text(field.type)) + _NO_DOCS

    def _variants(self, variants: tuple[Variant, ...]) -> bytes:
        def encode(variant: Variant) -> bytes:
            members = sequence(self._field(field) for field in variant.fields)
            return text(variant.name) + members + bytes([variant.index]) + _NO_DOCS

        return b"\x01" + sequence(encode(variant) for variant in variants)

    def _with_path(self, path: str, body: bytes, parameters: tuple[Field, ...] = ()) -> bytes:
        segments = path.split("::") if path else []
        generics = (text(p.name or "") + optional(self.reference(p.type)) for p in parameters)
        return sequence(text(segment) for segment in segments) + sequence(generics) + body + _NO_DOCS


def _parts(members: str) -> list[str]:
    """Split a tuple's members at the commas that no bracket encloses."""
    parts, depth, start = [], 0, 0
    for position, character in enumerate(members):
        depth += (character in "<([") - (character in ">)]")
        if character == "," and depth == 0:
            parts.append(members[start:position].strip())
            start = position + 1
    parts.append(members[start:].strip())
    return [part for part in parts if part]
