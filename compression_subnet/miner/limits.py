"""How often a validator may ask: token buckets, one a hotkey and one over all."""

from collections import OrderedDict
from collections.abc import Callable
from typing import Final, Self

__all__ = ["RateLimiter", "TokenBucket"]

# More hotkeys than any subnet has; only a gate that lets everyone in could bring more.
_MAX_HOTKEYS: Final = 4096


class TokenBucket:
    """Allows ``burst`` takings at once and ``rate`` a second in the long run.

    Args:
        rate: a second.
        burst: at least 1.
        now: the time, in seconds of any one clock.
    """

    __slots__ = ("_burst", "_level", "_rate", "_then")

    def __init__(self, rate: float, burst: int, now: float):
        self._rate = rate
        self._burst = burst
        self._level = float(burst)
        self._then = now

    @classmethod
    def per_minute(cls, count: int, now: float) -> Self:
        """Return a bucket for ``count`` takings a minute, those of ten seconds at once."""
        return cls(count / 60, max(1, count // 6), now)

    def allows(self, now: float) -> bool:
        """Whether one may be taken at ``now``."""
        self._level = min(float(self._burst), self._level + max(0.0, now - self._then) * self._rate)
        self._then = max(now, self._then)
        return self._level >= 1

    def take(self) -> None:
        """Take one; ask ``allows`` first."""
        self._level -= 1


class RateLimiter:
    """Limits each hotkey, and all of them together.

    Args:
        requests_per_minute: of one hotkey.
        total_per_minute: of all.
        clock: monotonic, in seconds.
    """

    def __init__(self, *, requests_per_minute: int, total_per_minute: int, clock: Callable[[], float]):
        self._per_minute = requests_per_minute
        self._clock = clock
        self._all = TokenBucket.per_minute(total_per_minute, clock())
        self._by_hotkey: OrderedDict[str, TokenBucket] = OrderedDict()

    def admit(self, hotkey: str) -> bool:
        """Whether a request of ``hotkey`` (proven, not just claimed) may pass; one that may is counted."""
        now = self._clock()
        bucket = self._by_hotkey.get(hotkey)
        if bucket is None:
            bucket = self._by_hotkey[hotkey] = TokenBucket.per_minute(self._per_minute, now)
        self._by_hotkey.move_to_end(hotkey)
        if len(self._by_hotkey) > _MAX_HOTKEYS:
            self._by_hotkey.popitem(last=False)
        # Asked in this order and taken together, so that one greedy hotkey does not use up what all share.
        if not bucket.allows(now) or not self._all.allows(now):
            return False
        bucket.take()
        self._all.take()
        return True
