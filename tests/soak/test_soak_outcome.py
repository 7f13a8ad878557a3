from dataclasses import replace

import pytest

from soak.outcome import (
    LEAST_SAMPLES,
    MOST_BLOCKS_AN_EPOCH,
    MOST_BYTES_AN_EPOCH,
    MOST_IN_USE_AN_EPOCH,
    WARM_UP,
    Outcome,
    Sample,
    growth_of,
)


def life(
    bytes_an_epoch: int, descriptors_an_epoch: float = 0.0, epochs: int = WARM_UP + LEAST_SAMPLES + 20, number: int = 1
) -> list[Sample]:
    return [
        Sample(epoch, number, 10**8 + bytes_an_epoch * epoch, 30 + int(descriptors_an_epoch * epoch))
        for epoch in range(epochs)
    ]


def test_a_process_that_holds_what_it_held_is_flat() -> None:
    growth = growth_of(life(0))
    assert growth is not None and growth.flat
    assert abs(growth.bytes_an_epoch) < 1


def test_what_happens_in_the_warm_up_is_not_growth() -> None:
    samples = [Sample(s.epoch, 1, s.resident - 10**7, s.descriptors) for s in life(0, epochs=WARM_UP)]
    growth = growth_of([*samples, *life(0)[WARM_UP:]])
    assert growth is not None and growth.flat


def test_a_leak_of_memory_is_growth() -> None:
    growth = growth_of(life(2 * MOST_BYTES_AN_EPOCH))
    assert growth is not None and not growth.flat
    assert round(growth.bytes_an_epoch) == 2 * MOST_BYTES_AN_EPOCH


@pytest.mark.parametrize(("what", "bound"), [("in_use", MOST_IN_USE_AN_EPOCH), ("blocks", MOST_BLOCKS_AN_EPOCH)])
def test_what_is_kept_is_growth_even_where_resident_memory_hides_it(what: str, bound: float) -> None:
    def kept(factor: float) -> list[Sample]:
        return [replace(s, **{what: int(10**7 + factor * bound * s.epoch)}) for s in life(0)]

    leaking, within = growth_of(kept(1.5)), growth_of(kept(0.5))
    assert leaking is not None and not leaking.flat
    assert within is not None and within.flat


def test_a_leak_of_descriptors_is_growth() -> None:
    growth = growth_of(life(0, descriptors_an_epoch=0.5))
    assert growth is not None and not growth.flat


def test_a_short_life_says_nothing() -> None:
    assert growth_of(life(10**9, epochs=WARM_UP + LEAST_SAMPLES - 1)) is None


def test_each_process_is_looked_at_by_itself() -> None:
    # The second begins with more: no growth of either.
    second = [Sample(s.epoch + 200, 2, s.resident + 10**8, s.descriptors) for s in life(0)]
    outcome = Outcome(seed=1, first=0, samples=[*life(0), *second])
    assert [growth.flat for growth in outcome.growth] == [True, True]
