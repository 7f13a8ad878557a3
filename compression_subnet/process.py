"""Running a neuron as a process: signals, exit status, and errors as one line instead of a traceback."""

import asyncio
import signal
import sys
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, Final, TypeVar

from loguru import logger

from compression_subnet.errors import CompressionSubnetError
from compression_subnet.logs import configure_logging
from compression_subnet.settings import NeuronSettings, load_settings

__all__ = ["run_neuron", "run_until_signalled", "until_signalled"]

T = TypeVar("T")
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
        outcome = asyncio.run(until_signalled(work))
    except CompressionSubnetError as error:
        logger.critical("{}", error)
        return EXIT_UNUSABLE
    if outcome is None:
        logger.info("stopped")
    return EXIT_FAILED if outcome is False else 0


async def until_signalled(work: Coroutine[Any, Any, T]) -> T | None:
    """Return what ``work`` returns, or None where SIGTERM or SIGINT came first: it is cancelled then, once.

    The handlers are set here and not left to Python's own, which are missing where a shell started the process in
    the background with SIGINT ignored.
    """
    task = asyncio.ensure_future(work)
    loop = asyncio.get_running_loop()
    told = asyncio.Event()

    def stop() -> None:
        if not told.is_set():
            told.set()
            task.cancel()

    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop)
    try:
        return await task
    except asyncio.CancelledError:
        if not told.is_set():
            raise
        return None
    finally:
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.remove_signal_handler(number)
