"""The versioned state against a plain model: reads in the past, rollback, bounded memory."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compression_subnet.chain.dev.state import VersionedState

KEYS = st.sampled_from([b"a", b"ab", b"abc", b"b", b"ba"])
VALUES = st.one_of(st.none(), st.binary(min_size=1, max_size=2))
WRITES = st.lists(st.lists(st.tuples(KEYS, VALUES), max_size=4), min_size=1, max_size=12)


@given(WRITES, st.integers(1, 20))
def test_reads_at_any_block_that_is_kept_see_what_it_held(
    blocks: list[list[tuple[bytes, bytes | None]]], history: int
) -> None:
    state = VersionedState(history)
    snapshots: dict[int, dict[bytes, bytes]] = {0: {}}
    for number, writes in enumerate(blocks, start=1):
        state.block = number
        held = dict(snapshots[number - 1])
        for key, value in writes:
            state.put(key, value)
            if value is None:
                held.pop(key, None)
            else:
                held[key] = value
        snapshots[number] = held
        state.sweep()
    for number in range(state.oldest, len(blocks) + 1):
        held = snapshots[number]
        assert {key: state.get(key, number) for key in (b"a", b"ab", b"abc", b"b", b"ba") if key in held} == held
        for prefix in (b"", b"a", b"ab", b"b"):
            assert list(state.keys(prefix, number)) == sorted(key for key in held if key.startswith(prefix))


def test_a_page_continues_after_its_last_key() -> None:
    state = VersionedState(10)
    for key in (b"p1", b"p2", b"p3", b"q1"):
        state.put(key, b"v")
    assert list(state.keys(b"p", after=b"p1")) == [b"p2", b"p3"]
    assert list(state.keys(b"p", after=b"p3")) == []


def test_a_transaction_that_fails_leaves_nothing() -> None:
    state = VersionedState(10)
    state.put(b"old", b"1")
    with pytest.raises(RuntimeError), state.transaction():
        state.put(b"old", b"2")
        state.put(b"new", b"3")
        raise RuntimeError
    assert state.newest() == {b"old": b"1"}


def test_a_transaction_that_succeeds_stays_after_a_later_failure() -> None:
    state = VersionedState(10)
    with state.transaction():
        state.put(b"a", b"1")
    with pytest.raises(RuntimeError), state.transaction():
        state.put(b"a", b"2")
        raise RuntimeError
    assert state.get(b"a") == b"1"


def test_memory_is_bounded_however_long_the_chain_runs() -> None:
    state = VersionedState(50)
    for number in range(1, 2_001):
        state.block = number
        state.put(b"counter", number.to_bytes(4, "little"))
        state.put(b"short-lived %d" % number, b"x")
        state.put(b"short-lived %d" % (number - 10), None)
        if number % 25 == 0:
            state.sweep()
    held = sum(len(versions) for versions in state._values.values())
    assert held < 4 * 50
    assert state.get(b"counter", 1_950) == (1_950).to_bytes(4, "little")


def test_a_loaded_state_has_no_past() -> None:
    state = VersionedState(100)
    state.load({b"a": b"1"}, 500)
    assert (state.oldest, state.block, state.get(b"a")) == (500, 500, b"1")
