"""Logs: loguru for everything, the libraries' own loggers led into it."""

import logging
import sys
from pathlib import Path
from types import FrameType
from typing import Final

from loguru import logger

from compression_subnet.setting_groups import LoggingSettings

__all__ = ["configure_logging"]

# Chatty at INFO, and of no use to an operator there.
_QUIETER: Final = ("httpx2", "httpcore2", "openai", "urllib3", "websockets", "uvicorn.access", "bittensor")
_FORMAT: Final = "{time:YYYY-MM-DD HH:mm:ss} | {level: <8} | {name} | {message}"


def configure_logging(settings: LoggingSettings) -> None:
    """Send all logs to standard error, and to rotated files where a folder is given."""
    level = "TRACE" if settings.trace else "DEBUG" if settings.debug else "INFO"
    logger.remove()
    # diagnose=False: values of variables may be secrets, or a stranger's text.
    logger.add(sys.stderr, level=level, format=_FORMAT, serialize=settings.json_lines, backtrace=False, diagnose=False)
    if settings.logging_dir is not None:
        logger.add(
            Path(settings.logging_dir).expanduser() / "{time:YYYY-MM-DD}.log",
            level=level,
            format=_FORMAT,
            serialize=settings.json_lines,
            rotation="50 MB",
            retention="14 days",
            backtrace=False,
            diagnose=False,
        )
    logging.basicConfig(handlers=[_ToLoguru()], level=logging.INFO, force=True)
    for name in _QUIETER:
        logging.getLogger(name).setLevel(logging.DEBUG if settings.trace else logging.WARNING)


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
