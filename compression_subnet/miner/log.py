"""What a miner writes down of strangers: little, once, and never in their own characters."""

import re
from collections import OrderedDict
from collections.abc import Callable
from typing import Final

from loguru import logger

from compression_subnet.miner.limits import TokenBucket

__all__ = ["RefusalLog", "quoted"]

_ADDRESS: Final = re.compile(r"[1-9A-HJ-NP-Za-km-z]{46,50}")  # base 58: what an ss58 address is spelled in
_MAX_REMEMBERED: Final = 4096
_LINES_PER_SECOND: Final = 1.0
_LINES_AT_ONCE: Final = 20


def quoted(text: str, limit: int = 200) -> str:
    """Return ``text`` as one line of printable ASCII, shortened: no escape sequence or line break survives."""
    return ascii(text if len(text) <= limit else text[:limit] + "...")


class RefusalLog:
    """Logs why a caller was refused, once a caller and reason, and no faster than a reader can follow.

    Args:
        clock: monotonic, in seconds.
    """

    def __init__(self, clock: Callable[[], float]):
        self._clock = clock
        self._seen: OrderedDict[tuple[str, str], None] = OrderedDict()
        self._lines = TokenBucket(_LINES_PER_SECOND, _LINES_AT_ONCE, clock())

    def note(self, caller: str | None, reason: str) -> None:
        """Log that ``caller`` (as claimed; anything) was refused for ``reason`` (in our words)."""
        name = caller if caller is not None and _ADDRESS.fullmatch(caller) else "someone without an address"
        key = (name, reason)
        if key in self._seen or not self._lines.allows(self._clock()):
            return
        self._lines.take()
        self._seen[key] = None
        if len(self._seen) > _MAX_REMEMBERED:
            self._seen.popitem(last=False)
        logger.warning("refused {}: {} (further refusals for this reason are not logged)", name, reason)
