"""Bytes that a hotkey stands by, for whoever reads them later.

Unlike a request or a reply, a statement answers nobody and does not age. What is signed is its kind and its digest, so
that a signature over one kind of bytes is never good for another.
"""

import hashlib
from dataclasses import dataclass
from typing import Literal

from compression_subnet.chain.wallets import Hotkey

__all__ = ["StatementSignature", "sign_statement", "statement_is_signed"]


@dataclass(frozen=True, slots=True)
class StatementSignature:
    """A signature.

    Attributes:
        scheme: of the key.
        signature: 64 bytes, as lower-case hexadecimal digits.
    """

    scheme: Literal["sr25519", "ed25519"]
    signature: str


def sign_statement(hotkey: Hotkey, kind: str, data: bytes) -> StatementSignature:
    """Return the signature of ``hotkey`` over ``data``, which is of a ``kind`` that names its format."""
    scheme: Literal["sr25519", "ed25519"] = "sr25519" if hotkey.crypto_type == 1 else "ed25519"
    return StatementSignature(scheme, hotkey.sign(_payload(kind, data)).hex())


def statement_is_signed(by: str, kind: str, data: bytes, signature: StatementSignature) -> bool:
    """Whether the hotkey with the address ``by`` signed ``data``. Never raises for what the signature holds."""
    from bittensor.sp_core import verify
    from bittensor.wallets import parse_crypto_type

    try:
        crypto_type = parse_crypto_type(signature.scheme)
        return bool(verify(_payload(kind, data), bytes.fromhex(signature.signature), by, crypto_type))
    except ValueError:  # not hexadecimal, an unknown scheme, a wrong length, an address that is none
        return False


def _payload(kind: str, data: bytes) -> bytes:
    return f"{kind}\n{hashlib.sha256(data).hexdigest()}".encode()
