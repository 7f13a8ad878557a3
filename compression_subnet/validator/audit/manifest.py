"""The head of a published record: what is in the file, and who stands by it.

The file's first line is the manifest, its second the signature over that line; then come the parts, one a round, each
the bytes of that round's archive. ``tail -n +3 FILE | zcat`` shows all rows as JSON Lines.
"""

import json
from dataclasses import asdict, dataclass
from typing import Any, Final, Literal

from pydantic import TypeAdapter, ValidationError

from compression_subnet.challenge.corpus import first_fault
from compression_subnet.errors import AuditError
from compression_subnet.transport.statements import StatementSignature

__all__ = ["FORMAT", "Manifest", "Part", "manifest_line", "parse_manifest", "parse_signature", "signature_line"]

FORMAT: Final = "compression-subnet audit 1"


@dataclass(frozen=True, slots=True)
class Part:
    """One round of the file.

    Attributes:
        round: its number.
        epoch: of the subnet.
        status: counted, void or dropped; ``before`` where the part holds no more than the averages that the rounds
            after it begin with.
        profile: hash of everything that its scores depend on.
        spec_version: of the package that ran it.
        bytes: that the part takes in the file.
        sha256: of those bytes, in hexadecimal.
    """

    round: int
    epoch: int
    status: Literal["counted", "void", "dropped", "before"]
    profile: str
    spec_version: int
    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """What is in the file.

    Attributes:
        format: of the file.
        version: of the package that wrote it.
        netuid: the subnet.
        hotkey: address of the validator.
        made: when, in seconds since 1970.
        reused: whether texts of these rounds may be asked again, so that publishing them gives answers away.
        parts: in the order in which they stand.
    """

    format: Literal["compression-subnet audit 1"]
    version: str
    netuid: int
    hotkey: str
    made: int
    reused: bool
    parts: tuple[Part, ...]

    @property
    def rounds(self) -> tuple[int, ...]:
        """Numbers of the rounds whose challenges are in the file."""
        return tuple(part.round for part in self.parts if part.status != "before")


_MANIFEST: Final = TypeAdapter(Manifest)
_SIGNATURE: Final = TypeAdapter(StatementSignature)


def manifest_line(manifest: Manifest) -> bytes:
    """Return the first line of the file, without its end."""
    return _line(asdict(manifest))


def signature_line(signature: StatementSignature) -> bytes:
    """Return the second line of the file, without its end."""
    return _line(asdict(signature))


def parse_manifest(line: bytes) -> Manifest:
    """Return the manifest in a first line.

    Raises:
        AuditError: it is none.
    """
    try:
        return _MANIFEST.validate_json(line, strict=True)
    except ValidationError as error:
        raise AuditError(f"the first line is no manifest of an audit file: {first_fault(error)}") from error


def parse_signature(line: bytes) -> StatementSignature:
    """Return the signature in a second line, which has one spelling.

    Raises:
        AuditError: it is none, or is spelt in another way.
    """
    try:
        signature = _SIGNATURE.validate_json(line, strict=True)
    except ValidationError as error:
        raise AuditError(f"the second line is no signature: {first_fault(error)}") from error
    if signature_line(signature) != line or signature.signature != signature.signature.lower():
        raise AuditError("the second line was altered: it is not spelt as it was written")
    return signature


def _line(record: dict[str, Any]) -> bytes:
    return json.dumps(record, separators=(",", ":")).encode()
