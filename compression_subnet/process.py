"""Running a neuron as a process: its settings, its exit status, and errors as one line instead of a traceback."""

import asyncio
import os
import sys
import threading
import time
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, Final, TypeVar

from loguru import logger

from compression_subnet.errors import CompressionSubnetError
from compression_subnet.logs import configure_logging
from compression_subnet.settings import NeuronSettings, load_settings
from compression_subnet.stopping import CLOSING_SECONDS, EXIT_ABANDONED, Stopping

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
    """Read settings of ``kind`` from flags, environment and file, run a neuron with them, return the exit status.

    The process must end after it: threads that are left get ``CLOSING_SECONDS``, and then it ends without them.
    """
    try:
        settings = load_settings(kind, argv, program)
    except CompressionSubnetError as error:
        print(f"{program}: {error}", file=sys.stderr)
        return EXIT_UNUSABLE
    configure_logging(settings.logging)
    status = run_until_signalled(run(settings))
    _join_threads(CLOSING_SECONDS)
    return status


def run_until_signalled(work: Coroutine[Any, Any, bool], *, closing_seconds: float = CLOSING_SECONDS) -> int:
    """Run ``work`` until it ends, SIGTERM or SIGINT; return the process's exit status.

    0 where ``work`` returns True or was told to stop, 1 where it returns False, 2 where it raises an error of ours:
    that is shown as one line, since its message names the fix. Anything else is a bug, and ends in its traceback.
    See ``Stopping`` for what ends the process without returning.
    """
    with Stopping(closing_seconds) as stopping:
        try:
            outcome = asyncio.run(stopping.run(work))
        except CompressionSubnetError as error:
            logger.critical("{}", error)
            return EXIT_UNUSABLE
    if outcome is None:
        logger.info("stopped")
    return EXIT_FAILED if outcome is False else 0


async def until_signalled(work: Coroutine[Any, Any, T]) -> T | None:
    """Return what ``work`` returns, or None where SIGTERM or SIGINT came first: it is cancelled then, once.

    It may take its time to clean up; further signals change nothing.
    """
    with Stopping(None) as stopping:
        return await stopping.run(work)


def _join_threads(seconds: float) -> None:
    """Wait for the threads that the interpreter would wait for without end; leave without those that do not end."""
    deadline = time.monotonic() + seconds
    for thread in threading.enumerate():
        if thread is threading.current_thread() or thread.daemon:
            continue
        thread.join(max(0.0, deadline - time.monotonic()))
        if thread.is_alive():
            logger.error("thread {} does not end; leaving without it", thread.name)
            os._exit(EXIT_ABANDONED)
