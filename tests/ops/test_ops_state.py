from compression_subnet.ops import Conditions, Progress


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_conditions_are_not_well_until_they_are_said_to_be() -> None:
    conditions = Conditions("chain", "judge")
    assert not conditions.ready
    conditions.well("chain")
    assert not conditions.ready
    conditions.well("judge")
    assert conditions.ready
    conditions.ill("chain", "no answer")
    assert conditions.faults == {"chain": "no answer", "judge": ""}


def test_a_fault_without_a_reason_is_a_fault() -> None:
    conditions = Conditions()
    conditions.ill("store", "")
    assert not conditions.ready


def test_silence_is_counted_from_what_went_on_last() -> None:
    clock = Clock()
    progress = Progress(clock)
    clock.now += 5
    assert progress.silent_seconds == 5
    progress.beat()
    assert progress.silent_seconds == 0
    clock.now += 3
    progress.enter("asking")
    assert (progress.phase, progress.silent_seconds) == ("asking", 0)


def test_what_goes_on_in_the_background_does_not_hide_a_main_loop_that_hangs() -> None:
    clock = Clock()
    progress = Progress(clock)
    progress.enter("asking")
    clock.now += 60
    progress.beat("drawing")
    assert progress.silent_seconds == 60
    progress.beat("asking")
    assert progress.silent_seconds == 0
