"""The chain in a file, so that it survives a restart.

One line of JSON that holds a digest of the next, and one that holds the newest state, the recent blocks and the
waiting notes. Reads at blocks before the restart are not kept; block hashes are, since extrinsics refer to them.
"""

import hashlib
import json
import os
from pathlib import Path
from typing import Any, Final

from compression_subnet.chain.dev.blocks import Block
from compression_subnet.chain.dev.chain import Chain
from compression_subnet.errors import ConfigurationError

__all__ = ["load_snapshot", "save_snapshot"]

_FORMAT: Final = "compression-subnet dev chain 1"
_KEPT_BLOCKS: Final = 256
"""Enough for every mortal era that the SDK uses."""


def save_snapshot(chain: Chain, path: Path) -> None:
    """Write the chain to ``path``, replacing what is there in one step."""
    body = json.dumps(
        {
            "genesis": chain.ledger.genesis.hash.hex(),
            "state": {key.hex(): value.hex() for key, value in chain.state.newest().items()},
            "blocks": [_block_record(block) for block in chain.ledger.recent()[1:][-_KEPT_BLOCKS:]],
        }
    )
    head = json.dumps({"format": _FORMAT, "sha256": hashlib.sha256(body.encode()).hexdigest()})
    temporary = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("w") as file:
            file.write(f"{head}\n{body}\n")
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise ConfigurationError(f"cannot write {path}: {error.strerror}; give --state a writable place") from error


def load_snapshot(chain: Chain, path: Path) -> bool:
    """Put the chain into the state of the file; False where there is no file.

    Raises:
        ConfigurationError: the file is damaged, or of another runtime or block time. It is left as it is.
    """
    try:
        text = path.read_text()
    except FileNotFoundError:
        return False
    except (OSError, UnicodeDecodeError) as error:
        raise _damaged(path, str(error)) from error
    record = _checked(path, text)
    if record["genesis"] != chain.ledger.genesis.hash.hex():
        raise ConfigurationError(
            f"{path} is of a chain with another runtime or block time: start with the --block-time that made it, "
            "or give --state another file"
        )
    try:
        blocks = [_read_block(entry) for entry in record["blocks"]]
        values = {bytes.fromhex(key): bytes.fromhex(value) for key, value in record["state"].items()}
        chain.restore(values, blocks)
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise _damaged(path, repr(error)) from error
    return True


def _checked(path: Path, text: str) -> dict[str, Any]:
    head, _, body = text.partition("\n")
    try:
        declared = json.loads(head)
        if declared["format"] != _FORMAT:
            raise _damaged(path, f"its format is {declared['format']!r}, not {_FORMAT!r}")
        body = body.removesuffix("\n")
        if hashlib.sha256(body.encode()).hexdigest() != declared["sha256"]:
            raise _damaged(path, "its content does not match its digest")
        return dict(json.loads(body))
    except (ValueError, KeyError, TypeError) as error:
        raise _damaged(path, repr(error)) from error


def _damaged(path: Path, detail: str) -> ConfigurationError:
    return ConfigurationError(
        f"{path} cannot be read as a dev chain's state ({detail}): move it away to begin a new chain, "
        "or put back a copy; it has not been changed"
    )


def _block_record(block: Block) -> dict[str, Any]:
    return {
        "number": block.number,
        "hash": block.hash.hex(),
        "parent": block.parent.hex(),
        "state_root": block.state_root.hex(),
        "extrinsics_root": block.extrinsics_root.hex(),
        "extrinsics": [extrinsic.hex() for extrinsic in block.extrinsics],
    }


def _read_block(entry: dict[str, Any]) -> Block:
    return Block(
        int(entry["number"]),
        bytes.fromhex(entry["hash"]),
        bytes.fromhex(entry["parent"]),
        bytes.fromhex(entry["state_root"]),
        bytes.fromhex(entry["extrinsics_root"]),
        tuple(bytes.fromhex(extrinsic) for extrinsic in entry["extrinsics"]),
    )
