"""Signed extrinsics, version 4: taking them apart and checking their signature.

Layout: length, 0x84, MultiAddress::Id, MultiSignature, era, nonce, tip, metadata hash mode, call. What is signed
is call, extra, spec version, transaction version, genesis hash, hash of the era's first block, and the metadata
hash option; hashed first where that exceeds 256 bytes.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import bittensor_core  # type: ignore[import-untyped]

from compression_subnet.chain.dev.errors import PoolRefusal
from compression_subnet.chain.dev.metadata.scale import read_compact
from compression_subnet.chain.dev.runtime.codec import (
    SPEC_VERSION,
    SS58_FORMAT,
    TRANSACTION_VERSION,
    Codec,
    blake2_256,
)

__all__ = ["Extrinsic", "call_of", "mortal_era", "parse_extrinsic"]

_SIGNED_V4: Final = 0x84
_UNSIGNED_V4: Final = 0x04
_ADDRESS_ID: Final = 0
_ED25519, _SR25519 = 0, 1
_LARGEST_UNHASHED: Final = 256


@dataclass(frozen=True, slots=True)
class Extrinsic:
    """A signed extrinsic whose signature has been checked."""

    raw: bytes
    hash: bytes
    signer: str
    """SS58 address."""
    nonce: int
    tip: int
    expires: int | None
    """First block in which it may no longer be included; None where it is immortal."""
    pallet: str
    call: str
    arguments: dict[str, Any]


@dataclass(frozen=True, slots=True)
class _Envelope:
    public_key: bytes
    scheme: int
    signature: bytes
    extra: bytes
    birth: int
    expires: int | None
    nonce: int
    tip: int
    call: bytes


def mortal_era(encoded: int, block: int) -> tuple[int, int]:
    """Return first block and period of a mortal era as two bytes give it, seen from block ``block``.

    Source: ``sp_runtime::generic::Era``.
    """
    period = 2 << (encoded % 16)
    phase = (encoded >> 4) * max(period >> 12, 1)
    birth = (max(block, phase) - phase) // period * period + phase
    return birth, period


def parse_extrinsic(
    raw: bytes, codec: Codec, block: int, genesis_hash: bytes, block_hash: Callable[[int], bytes | None]
) -> Extrinsic:
    """Take ``raw`` apart and check its signature against the chain as of block ``block``.

    Raises:
        PoolRefusal: it cannot be read, its era is past, or its signature is not the signer's.
    """
    envelope = _open(raw, block)
    era_hash = genesis_hash if envelope.expires is None else block_hash(envelope.birth)
    if era_hash is None or (envelope.expires is not None and block >= envelope.expires):
        raise PoolRefusal("Transaction has an ancient birth block")
    versions = SPEC_VERSION.to_bytes(4, "little") + TRANSACTION_VERSION.to_bytes(4, "little")
    payload = envelope.call + envelope.extra + versions + genesis_hash + era_hash + b"\x00"
    if len(payload) > _LARGEST_UNHASHED:
        payload = blake2_256(payload)
    signer = str(bittensor_core.ss58_encode(envelope.public_key, SS58_FORMAT))
    if not _verified(payload, envelope, signer):
        raise PoolRefusal("Transaction has a bad signature")
    try:
        pallet, call, arguments = codec.decode_call(envelope.call)
    except ValueError as error:
        raise _unreadable(str(error)) from error
    return Extrinsic(
        raw, blake2_256(raw), signer, envelope.nonce, envelope.tip, envelope.expires, pallet, call, arguments
    )


def call_of(raw: bytes, codec: Codec) -> tuple[str, str]:
    """Return pallet and name of an extrinsic's call; its signature is not looked at.

    Raises:
        PoolRefusal: it cannot be read.
    """
    try:
        length, start = read_compact(raw, 0)
        unsigned = len(raw) > start and raw[start] == _UNSIGNED_V4
        call = raw[start + 1 : start + length] if unsigned else _open(raw, 0).call
        pallet, name, _ = codec.decode_call(call)
    except ValueError as error:
        raise _unreadable(str(error)) from error
    return pallet, name


def _open(raw: bytes, block: int) -> _Envelope:
    try:
        length, start = read_compact(raw, 0)
        body = raw[start:]
        if length != len(body) or body[:2] != bytes([_SIGNED_V4, _ADDRESS_ID]):
            raise ValueError("not a signed extrinsic of version 4 from an account")
        scheme, signature, extra_at = body[34], body[35:99], 99
        birth, expires, position = 0, None, extra_at + 1
        if body[extra_at] != 0:
            birth, period = mortal_era(int.from_bytes(body[extra_at : extra_at + 2], "little"), block)
            expires, position = birth + period, extra_at + 2
        nonce, position = read_compact(body, position)
        tip, position = read_compact(body, position)
        position += 1  # CheckMetadataHash: the mode; a hash is never demanded here
        if position > len(body) or body[position - 1] != 0:
            raise ValueError("a metadata hash in the payload is not supported")
        extra, call = body[extra_at:position], body[position:]
    except (ValueError, IndexError) as error:
        raise _unreadable(str(error)) from error
    return _Envelope(body[2:34], scheme, signature, extra, birth, expires, nonce, tip, call)


def _verified(payload: bytes, envelope: _Envelope, signer: str) -> bool:
    if envelope.scheme not in (_ED25519, _SR25519):
        return False
    try:
        return bool(bittensor_core.verify(payload, envelope.signature, signer, envelope.scheme))
    except ValueError:  # not a point of the curve
        return False


def _unreadable(detail: str) -> PoolRefusal:
    return PoolRefusal(f"Codec error: {detail}", 1002, "Verification Error")
