"""A compressor in a process of its own: batches come in, results go out.

Started by ``worker_process``, not by hand. The first message says what is to be run, and is answered once it runs.
"""

import os
import signal
import sys
import threading
import time
from collections.abc import Mapping
from dataclasses import asdict
from json import loads
from typing import Any, Final

from compression_subnet.child import replies
from compression_subnet.compressors.base import Compressor, CompressorOptions
from compression_subnet.compressors.registry import find_compressor
from compression_subnet.errors import CompressionSubnetError
from compression_subnet.logs import configure_logging
from compression_subnet.miner.work import WARM_UP_TEXT, Fault, Work, do_work, takes_batches
from compression_subnet.setting_groups import LoggingSettings
from compression_subnet.text.tokens import Tokenizer, get_tokenizer

__all__ = ["main"]

_MEASURED_COPIES: Final = 16  # about 800 tokens: a challenge
_ORPHAN_POLL_SECONDS: Final = 2.0


def main() -> int:
    """Serve until standard input ends, as it does with the parent; return the exit status."""
    # The parent decides when a worker ends. A supervisor may signal all of a service's processes at once, and the
    # requests under way would be lost.
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN)
    threading.Thread(target=_end_with, args=(os.getppid(),), name="orphan watch", daemon=True).start()
    configure_logging(LoggingSettings())
    with replies() as out:
        spec = loads(sys.stdin.readline())
        try:
            tokenizer = get_tokenizer(spec["tokenizer"])
            compressor = find_compressor(spec["compressor"], CompressorOptions(**spec["options"]))
        except CompressionSubnetError as error:
            out.say(ready=False, error=str(error))
            return 2
        out.say(**_warmed_up(compressor, tokenizer))
        for line in sys.stdin:
            batch = [Work(text, tokens) for text, tokens in loads(line)["batch"]]
            started = time.perf_counter()
            results = do_work(compressor, batch, tokenizer, strict=spec["strict"])
            out.say(results=[asdict(result) for result in results], seconds=time.perf_counter() - started)
    return 0


def _end_with(parent: int) -> None:
    """End this process once ``parent`` is gone, though the compressor may hang and never see its input end."""
    while os.getppid() == parent:
        time.sleep(_ORPHAN_POLL_SECONDS)
    os._exit(1)


def _warmed_up(compressor: Compressor, tokenizer: Tokenizer) -> Mapping[str, Any]:
    """Load what the compressor loads late, and measure it; return what the parent is told."""
    (first,) = do_work(compressor, [_work(WARM_UP_TEXT, tokenizer)], tokenizer, strict=False)
    if first.fault is Fault.FAILED:
        return {"ready": False, "error": f"it failed on a short text: {first.detail}"}
    text = f"{WARM_UP_TEXT} " * _MEASURED_COPIES
    started = time.perf_counter()
    do_work(compressor, [_work(text, tokenizer)], tokenizer, strict=False)
    return {
        "ready": True,
        "batches": takes_batches(compressor),
        "tokens": tokenizer.count(text),
        "seconds": time.perf_counter() - started,
    }


def _work(text: str, tokenizer: Tokenizer) -> Work:
    return Work(text, tokenizer.count(text) * 40 // 100)


if __name__ == "__main__":
    sys.exit(main())
