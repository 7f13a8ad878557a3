"""A compressor in a process of its own: texts come in on standard input, replies go out, one JSON object a line.

Started by ``process``, not by hand: ``python -P -m compression_subnet.benchmark.worker COMPRESSOR TOKENIZER``.
"""

import hashlib
import json
import sys
import time
from pathlib import Path
from typing import Any, Final

from compression_subnet.child import replies
from compression_subnet.compressors.base import Compressor, TokenBudget
from compression_subnet.compressors.registry import find_compressor
from compression_subnet.errors import CompressionSubnetError
from compression_subnet.miner.work import WARM_UP_TEXT
from compression_subnet.text.canonical import canonical
from compression_subnet.text.tokens import Tokenizer, get_tokenizer

__all__ = ["fingerprint", "main", "peak_bytes"]

_DETAIL: Final = 500


def main(name: str, tokenizer_name: str) -> int:
    """Serve until standard input ends; return the exit status."""
    with replies() as out:
        try:
            tokenizer = get_tokenizer(tokenizer_name)
            compressor = find_compressor(name)
        except CompressionSubnetError as error:
            out.say(ready=False, error=str(error))
            return 2
        # As a miner does before its first request, so that loading a model is no part of a reply's time.
        first = _compressed(compressor, WARM_UP_TEXT, tokenizer.count(WARM_UP_TEXT) * 40 // 100, tokenizer)
        if "error" in first:
            out.say(ready=False, error=first["error"])
            return 2
        out.say(ready=True, fingerprint=fingerprint(compressor))
        for line in sys.stdin:
            request = json.loads(line)
            out.say(**_compressed(compressor, request["text"], request["tokens"], tokenizer))
    return 0


def peak_bytes() -> int | None:
    """Return the most memory that this process has had, in bytes; None where the system does not tell.

    Linux's own high-water mark: that of ``getrusage`` is at least what the parent had when it started this process.
    """
    try:
        status = Path("/proc/self/status").read_text()
    except OSError:
        return None
    found = next((line for line in status.splitlines() if line.startswith("VmHWM:")), None)
    return int(found.split()[1]) * 1024 if found else None


def fingerprint(compressor: Compressor) -> str:
    """Return a hash of the Python files beside the compressor's own: another, once any of them was edited."""
    digest = hashlib.sha256()
    module = sys.modules.get(type(compressor).__module__)
    file = getattr(module, "__file__", None)
    for path in sorted(Path(file).parent.glob("*.py")) if file else ():
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def _compressed(compressor: Compressor, text: str, tokens: int, tokenizer: Tokenizer) -> dict[str, Any]:
    started = time.perf_counter()
    try:
        reply: object = compressor.compress(canonical(text), TokenBudget(tokens, tokenizer))
        found: dict[str, Any] = {"text": reply}
        if not isinstance(reply, str):
            found = {"error": f"compress returned {type(reply).__name__}, not str"}
    except BaseException as error:  # whatever a compressor raises costs it this one text, as in a miner
        found = {"error": f"{type(error).__name__}: {error}"[:_DETAIL]}
    return {**found, "seconds": time.perf_counter() - started, "peak": peak_bytes()}


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
