"""How often a validator may ask, and a stranger may knock: token buckets."""

from collections import OrderedDict
from collections.abc import Callable
from ipaddress import IPv6Address, ip_address
from typing import Final, Self

__all__ = ["AddressLimiter", "RateLimiter", "TokenBucket"]

# More hotkeys than any subnet has; only a gate that lets everyone in, or many addresses, could bring more.
_MAX_REMEMBERED: Final = 4096
# What one subscriber has of IPv6.
_IPV6_PREFIX_BITS: Final = 64
# A request that is refused costs its address as much as so many connections.
_FINE: Final = 10


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

    def take(self, count: int = 1) -> None:
        """Take one; ask ``allows`` first. More are a fine, which never leaves a debt of more than ``burst``."""
        self._level = max(-float(self._burst), self._level - count)


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
        bucket = _bucket(self._by_hotkey, hotkey, self._per_minute, now)
        # Asked in this order and taken together, so that one greedy hotkey does not use up what all share.
        if not bucket.allows(now) or not self._all.allows(now):
            return False
        bucket.take()
        self._all.take()
        return True


class AddressLimiter:
    """Limits the connections of each network address: all that is known of who has not proven anything yet.

    Args:
        at_once: connections of one address that are open at a time.
        per_minute: connections of one address, a sixth of them at once.
        clock: monotonic, in seconds.
    """

    def __init__(self, *, at_once: int, per_minute: int, clock: Callable[[], float]):
        self._at_once = at_once
        self._per_minute = per_minute
        self._clock = clock
        self._buckets: OrderedDict[str, TokenBucket] = OrderedDict()
        self._open: dict[str, int] = {}

    def opened(self, address: str) -> bool:
        """Count a connection from ``address``, and return whether it may stay; it needs ``closed`` in any case."""
        key, now = _network(address), self._clock()
        self._open[key] = self._open.get(key, 0) + 1
        bucket = _bucket(self._buckets, key, self._per_minute, now)
        if self._open[key] > self._at_once or not bucket.allows(now):
            return False
        bucket.take()
        return True

    def refused(self, address: str) -> None:
        """Count that ``address`` sent nothing that a validator sends: it may have fewer connections for a while."""
        _bucket(self._buckets, _network(address), self._per_minute, self._clock()).take(_FINE)

    def closed(self, address: str) -> None:
        """Count the end of a connection from ``address``."""
        key = _network(address)
        self._open[key] -= 1
        if not self._open[key]:
            del self._open[key]


def _bucket(buckets: OrderedDict[str, TokenBucket], key: str, per_minute: int, now: float) -> TokenBucket:
    """Return the bucket of ``key``, made where there is none; those used longest ago are forgotten."""
    bucket = buckets.get(key)
    if bucket is None:
        bucket = buckets[key] = TokenBucket.per_minute(per_minute, now)
    buckets.move_to_end(key)
    if len(buckets) > _MAX_REMEMBERED:
        buckets.popitem(last=False)
    return bucket


def _network(address: str) -> str:
    try:
        found = ip_address(address.partition("%")[0])
    except ValueError:
        return ""  # no peer of a TCP connection
    return str(int(found) >> 128 - _IPV6_PREFIX_BITS) if isinstance(found, IPv6Address) else str(found)
