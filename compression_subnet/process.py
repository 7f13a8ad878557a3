"""Running a neuron as a process: signals, exit status, and errors as one line instead of a traceback."""

import asyncio
import contextlib
import signal
import sys
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, Final, TypeVar

from loguru import logger

from compression_subnet.errors import CompressionSubnetError
from compression_subnet.logs import configure_logging
from compression_subnet.settings import NeuronSettings, load_settings

__all__ = ["run_neuron", "run_until_signalled"]

NeuronT = TypeVar("NeuronT", bound=NeuronSettings)

EXIT_FAILED: Final = 1
EXIT_UNUSABLE: Final = 2
"""As argparse has it for wrong flags."""


def run_neuron(
    kind: type[NeuronT],
    argv: Sequence[str],
    program: str,
    run: Callable[[NeuronT], Coroutine[Any, Any, bool]],
) -> int:
    """Read settings of ``kind`` from flags, environment and file, run a neuron with them, return the exit status."""
    try:
        settings = load_settings(kind, argv, program)
    except CompressionSubnetError as error:
        print(f"{program}: {error}", file=sys.stderr)
        return EXIT_UNUSABLE
    configure_logging(settings.logging)
    return run_until_signalled(run(settings))


def run_until_signalled(work: Coroutine[Any, Any, bool]) -> int:
    """Run ``work`` until it ends, SIGTERM or SIGINT; return the process's exit status.

    0 where ``work`` returns True or was told to stop, 1 where it returns False, 2 where it raises an error of ours:
    that is shown as one line, since its message names the fix. Anything else is a bug, and ends in its traceback.
    """
    try:
        return asyncio.run(_supervised(work))
    except CompressionSubnetError as error:
        logger.critical("{}", error)
        return EXIT_UNUSABLE


async def _supervised(work: Coroutine[Any, Any, bool]) -> int:
    task = asyncio.ensure_future(work)
    loop = asyncio.get_running_loop()
    told = asyncio.Event()

    def stop() -> None:
        told.set()
        task.cancel()

    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop)
    with contextlib.suppress(asyncio.CancelledError):
        return 0 if await task else EXIT_FAILED
    logger.info("stopped" if told.is_set() else "cancelled")
    return 0 if told.is_set() else EXIT_FAILED
