"""Logs: loguru for everything, the libraries' own loggers led into it."""

import logging
import sys
import time
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Final

from loguru import logger

from compression_subnet.setting_groups import LoggingSettings

if TYPE_CHECKING:
    from loguru import Record

__all__ = ["configure_logging"]

ROTATION_BYTES: Final = 50_000_000
KEEP_FILES: Final = 20
KEEP_SECONDS: Final = 14 * 24 * 3600.0

# Chatty at INFO, and of no use to an operator there.
_QUIETER: Final = ("httpx2", "httpcore2", "openai", "urllib3", "websockets", "uvicorn", "bittensor")
# Libraries that may bring handlers of their own: theirs go, and what they say goes up to the root.
_OWN_HANDLERS: Final = ("bittensor", "uvicorn", "uvicorn.error", "uvicorn.access")
# A line break or an escape in a message could forge a line, or drive the reader's terminal.
_CONTROLS: Final = {
    code: f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
    for code in (*range(0x20), *range(0x7F, 0xA0), 0x2028, 0x2029)
    if chr(code) != "\t"
}
_FORMAT: Final = "{time:YYYY-MM-DD HH:mm:ss} | {level: <8} | {name} | {message}"


def configure_logging(settings: LoggingSettings) -> None:
    """Send all logs to standard error, and to rotated files where a folder is given."""
    level = "TRACE" if settings.trace else "DEBUG" if settings.debug else "INFO"
    logger.remove()
    logger.configure(patcher=_one_line)
    # diagnose=False: values of variables may be secrets, or a stranger's text.
    logger.add(sys.stderr, level=level, format=_FORMAT, serialize=settings.json_lines, backtrace=False, diagnose=False)
    if settings.logging_dir is not None:
        logger.add(
            Path(settings.logging_dir).expanduser() / "{time:YYYY-MM-DD}.log",
            level=level,
            format=_FORMAT,
            serialize=settings.json_lines,
            rotation=ROTATION_BYTES,
            retention=_retain,
            backtrace=False,
            diagnose=False,
        )
    logging.basicConfig(handlers=[_ToLoguru()], level=logging.INFO, force=True)
    for name in _OWN_HANDLERS:
        library = logging.getLogger(name)
        library.handlers.clear()
        library.propagate = True
        library.setLevel(logging.NOTSET)  # uvicorn gives its loggers levels of their own
    for name in _QUIETER:
        logging.getLogger(name).setLevel(logging.DEBUG if settings.trace else logging.WARNING)


def _retain(files: list[str]) -> None:
    """Delete log files that are too old or too many; the newest stay. A storm of messages must not fill the disk."""
    found = []
    for file in map(Path, files):
        with suppress(OSError):
            found.append((file.stat().st_mtime, file))
    found.sort(reverse=True)
    for place, (written, file) in enumerate(found):
        if place >= KEEP_FILES or time.time() - written > KEEP_SECONDS:
            with suppress(OSError):
                file.unlink()


def _one_line(record: "Record") -> None:
    """Make a message one line of visible characters; tracebacks are not part of it and stay as they are."""
    record["message"] = record["message"].translate(_CONTROLS)


class _ToLoguru(logging.Handler):
    """Hands a standard record to loguru, under the name of the place that logged it."""

    def emit(self, record: logging.LogRecord) -> None:
        try:
            level: str | int = logger.level(record.levelname).name
        except ValueError:
            level = record.levelno
        frame: FrameType | None = logging.currentframe()
        depth = 0
        while frame is not None and (depth == 0 or frame.f_code.co_filename == logging.__file__):
            frame = frame.f_back
            depth += 1
        logger.opt(depth=depth, exception=record.exc_info).log(level, "{}", record.getMessage())
