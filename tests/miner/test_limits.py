from hypothesis import given
from hypothesis import strategies as st

from compression_subnet.miner.limits import AddressLimiter, RateLimiter, TokenBucket


class Clock:
    def __init__(self):
        self.now = 1000.0

    def __call__(self):
        return self.now


def limiter(per_minute, total, clock):
    return RateLimiter(requests_per_minute=per_minute, total_per_minute=total, clock=clock)


def test_a_burst_passes_and_then_the_rate_holds():
    clock = Clock()
    limits = limiter(60, 6000, clock)
    assert [limits.admit("a") for _ in range(12)] == [True] * 10 + [False] * 2
    clock.now += 1
    assert [limits.admit("a") for _ in range(2)] == [True, False]


def test_hotkeys_are_limited_each_for_itself_and_all_together():
    clock = Clock()
    limits = limiter(12, 30, clock)
    assert [limits.admit("a") for _ in range(3)] == [True, True, False]
    assert [limits.admit("b") for _ in range(3)] == [True, True, False]
    assert [limits.admit("c") for _ in range(2)] == [True, False]  # five in all


def test_a_greedy_hotkey_uses_up_nothing_that_others_share():
    limits = limiter(6, 12, Clock())
    assert sum(limits.admit("greedy") for _ in range(1000)) == 1
    assert limits.admit("modest")


def test_a_clock_that_steps_back_gives_nothing_away():
    clock = Clock()
    limits = limiter(6, 600, clock)
    assert limits.admit("a")
    clock.now -= 500
    assert not limits.admit("a")
    clock.now += 500
    assert not limits.admit("a")


def test_many_hotkeys_do_not_fill_the_memory():
    limits = limiter(6, 10**9, Clock())
    for i in range(5000):
        limits.admit(str(i))
    assert len(limits._by_hotkey) <= 4096


@given(st.integers(1, 600), st.lists(st.floats(0, 10), max_size=200))
def test_never_more_than_the_burst_and_the_rate_allow(per_minute, pauses):
    now = 0.0
    bucket = TokenBucket.per_minute(per_minute, now)
    taken = 0
    for pause in pauses:
        now += pause
        if bucket.allows(now):
            bucket.take()
            taken += 1
    assert taken <= max(1, per_minute // 6) + now * per_minute / 60 + 1e-6


def addresses(at_once, per_minute, clock):
    return AddressLimiter(at_once=at_once, per_minute=per_minute, clock=clock)


def test_an_address_has_so_many_connections_at_once_and_others_are_not_touched():
    limits = addresses(2, 6000, Clock())
    assert [limits.opened("1.2.3.4") for _ in range(3)] == [True, True, False]
    assert limits.opened("1.2.3.5")
    for _ in range(3):
        limits.closed("1.2.3.4")
    assert limits.opened("1.2.3.4")


def test_an_address_has_so_many_connections_a_minute():
    clock = Clock()
    limits = addresses(100, 60, clock)
    assert sum(limits.opened("1.2.3.4") for _ in range(50)) == 10
    for _ in range(50):
        limits.closed("1.2.3.4")
    assert not limits.opened("1.2.3.4")
    clock.now += 1
    assert limits.opened("1.2.3.4")


def test_a_subscribers_ipv6_addresses_count_as_one():
    limits = addresses(2, 6000, Clock())
    assert [limits.opened(f"2a00:1:2:3::{i}") for i in range(3)] == [True, True, False]
    assert limits.opened("2a00:1:2:4::1")
    assert limits.opened("fe80::1%eth0")


@given(st.lists(st.tuples(st.integers(0, 5), st.booleans()), max_size=100))
def test_what_is_closed_is_forgotten(steps):
    limits = addresses(1000, 60, Clock())
    still_open = []
    for number, opens in steps:
        if opens:
            limits.opened(f"1.2.3.{number}")
            still_open.append(number)
        elif still_open:
            limits.closed(f"1.2.3.{still_open.pop()}")
    assert sum(limits._open.values()) == len(still_open)
    assert all(limits._open.values())


def test_an_address_whose_requests_are_refused_pays_for_it_but_not_for_ever():
    clock = Clock()
    limits = addresses(1000, 60, clock)  # ten at once
    assert limits.opened("1.2.3.4")
    for _ in range(100):
        limits.refused("1.2.3.4")
    clock.now += 10
    assert not limits.opened("1.2.3.4")
    clock.now += 2
    assert limits.opened("1.2.3.4")
    assert limits.opened("1.2.3.5")
