"""The few SCALE encodings that metadata, headers and the outside of an extrinsic need.

Values inside calls, events and storage go through the SDK's own codec instead (see ``runtime/codec.py``).
"""

from collections.abc import Iterable

__all__ = ["compact", "opaque", "optional", "primitive", "read_compact", "sequence", "text"]

_WIDTHS = {"u8": 1, "u16": 2, "u32": 4, "u64": 8, "u128": 16, "i16": 2, "i64": 8, "i128": 16}


def compact(number: int) -> bytes:
    """Encode a natural number in SCALE's compact form."""
    if number < 1 << 6:
        return bytes([number << 2])
    if number < 1 << 14:
        return (number << 2 | 1).to_bytes(2, "little")
    if number < 1 << 30:
        return (number << 2 | 2).to_bytes(4, "little")
    width = (number.bit_length() + 7) // 8
    return bytes([(width - 4) << 2 | 3]) + number.to_bytes(width, "little")


def read_compact(data: bytes, offset: int) -> tuple[int, int]:
    """Return a compact number of ``data`` at ``offset`` and the offset after it.

    Raises:
        ValueError: the data end before the number does.
    """
    if offset >= len(data):
        raise ValueError("data end before a compact number")
    mode = data[offset] & 3
    if mode == 3:
        start, width = offset + 1, (data[offset] >> 2) + 4
    else:
        start, width = offset, 1 << mode
    raw = data[start : start + width]
    if len(raw) < width:
        raise ValueError("data end inside a compact number")
    number = int.from_bytes(raw, "little")
    return (number if mode == 3 else number >> 2), start + width


def opaque(data: bytes) -> bytes:
    """Encode bytes with their length before them."""
    return compact(len(data)) + data


def text(value: str) -> bytes:
    """Encode a string."""
    return opaque(value.encode())


def sequence(items: Iterable[bytes]) -> bytes:
    """Encode a vector of values that are encoded already."""
    encoded = list(items)
    return compact(len(encoded)) + b"".join(encoded)


def optional(value: bytes | None) -> bytes:
    """Encode an option of a value that is encoded already."""
    return b"\x00" if value is None else b"\x01" + value


def primitive(type_name: str, value: int | bool) -> bytes:
    """Encode a boolean or an integer of fixed width, such as ``u16``.

    Raises:
        ValueError: the type is not such a primitive.
    """
    if type_name == "bool":
        return bytes([bool(value)])
    width = _WIDTHS.get(type_name)
    if width is None:
        raise ValueError(f"{type_name} has no fixed width; give its default as bytes")
    return int(value).to_bytes(width, "little", signed=type_name.startswith("i"))
