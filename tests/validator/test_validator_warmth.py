import random
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_validator_service import SETTINGS, Bench
from validator_fakes import ME

from compression_subnet.errors import InputError, StoreFull
from compression_subnet.judge.types import AnswerStatus
from compression_subnet.scoring import LEVELS, Average, ChallengeScore, WeightRule
from compression_subnet.validator.records.retention import Retention
from compression_subnet.validator.records.retention_policy import RetentionPolicy
from compression_subnet.validator.records.store import Store
from compression_subnet.validator.rewarding.warmth import WarmRule, warmth_of

RULE = WarmRule(share=0.5, rounds=4, stale_epochs=30)


def average(challenges: int, epoch: int = 100) -> Average:
    """An average of so many challenges a level."""
    scores = [ChallengeScore(level, Fraction(1, 2), Fraction(0)) for level in LEVELS for _ in range(challenges)]
    return Average.empty(epoch).update(epoch, scores, 0.85)


@pytest.mark.parametrize(
    ("warm", "cold", "rounds", "is_warm"),
    [(2, 2, 1, True), (1, 2, 1, False), (1, 2, 3, False), (1, 2, 4, True), (0, 3, 4, True), (0, 0, 0, True)],
)
def test_a_validator_is_warm_by_its_hotkeys_or_by_its_rounds(warm: int, cold: int, rounds: int, is_warm: bool) -> None:
    averages = {f"w{i}": average(40) for i in range(warm)} | {f"c{i}": average(39) for i in range(cold)}
    found = warmth_of(averages, list(averages), 100, rounds, 40, RULE)
    assert (found.hotkeys, found.serving, found.warm) == (warm, warm + cold, is_warm)


def test_hotkeys_that_do_not_serve_and_averages_that_are_stale_count_for_nothing() -> None:
    averages = {"gone": average(40), "old": average(40, epoch=70), "new": average(40, epoch=71)}
    found = warmth_of(averages, ["old", "new", "unknown"], 100, 1, 40, RULE)
    assert (found.hotkeys, found.serving, found.needed, found.warm) == (1, 3, 2, False)


@given(st.integers(0, 300), st.floats(0, 1))
def test_the_hotkeys_needed_are_their_share_rounded_up(serving: int, share: float) -> None:
    found = warmth_of({}, [str(i) for i in range(serving)], 100, 0, 40, replace(RULE, share=share))
    assert share * serving - 1e-6 <= found.needed < share * serving + 1


@pytest.mark.parametrize("bad", [{"share": -0.1}, {"share": 1.1}, {"rounds": 0}, {"stale_epochs": 0}])
def test_rules_that_cannot_be_meant_are_refused(bad: dict[str, float]) -> None:
    with pytest.raises(InputError):
        WarmRule(**bad)  # type: ignore[arg-type]


class Disk:
    """A disk with so many bytes left."""

    def __init__(self) -> None:
        self.free = 10**9

    def __call__(self, path: Path) -> int:
        return self.free


@pytest.fixture
def disk() -> Disk:
    return Disk()


@pytest.fixture
def bench(tmp_path: Path, disk: Disk) -> Iterator[Bench]:
    with Store(tmp_path / "validator.sqlite", free_space=disk) as store:
        bench = Bench(store)
        bench.settings = replace(SETTINGS, min_free_bytes=1000)
        yield bench


async def test_a_new_validator_sets_nothing_until_it_is_warm(bench: Bench) -> None:
    bench.settings = replace(SETTINGS, rule=WeightRule(z=0, power=2, min_challenges=6))
    validator = bench.validator()
    steps = []
    for _ in range(3):
        steps.append(await validator.step())
        bench.chain.number += bench.chain.tempo
    assert [(step.warmth is not None and step.warmth.warm, step.confirmed) for step in steps] == [
        (False, False),
        (False, False),
        (True, True),
    ]
    assert len(bench.chain.sent) == 1
    faults = bench.store.read.db.execute("SELECT round, kind FROM faults ORDER BY round").fetchall()
    assert faults == [(1, "not_warm"), (2, "not_warm")]


async def test_the_rounds_of_a_run_are_those_whose_weights_are_set_not_those_that_warm_up(bench: Bench) -> None:
    bench.settings = replace(SETTINGS, rule=WeightRule(z=0, power=2, min_challenges=6))
    assert await bench.validator().run(rounds=1)
    assert bench.store.read.last_counted() is not None
    assert len(bench.chain.sent) == 1


async def test_after_damage_no_weight_is_set_before_the_new_record_is_warm(tmp_path: Path) -> None:
    path = tmp_path / "validator.sqlite"
    rule = WeightRule(z=0, power=2, min_challenges=6)
    with Store(path) as store:
        bench = Bench(store)
        bench.settings = replace(SETTINGS, rule=rule)
        await bench.validator().run(rounds=1)
        chain, supply = bench.chain, bench.supply
    path.write_bytes(path.read_bytes()[:5000])
    with Store(path) as store:
        assert store.set_aside is not None
        bench = Bench(store)
        bench.settings = replace(SETTINGS, rule=rule)
        bench.chain, bench.supply = chain, supply
        chain.number += chain.tempo
        step = await bench.validator().step()
        assert step.warmth is not None and not step.warmth.warm
        assert len(chain.sent) == 1


async def test_a_restart_after_a_week_neither_loses_nor_doubles(tmp_path: Path) -> None:
    path = tmp_path / "validator.sqlite"
    with Store(path) as store:
        bench = Bench(store)
        await bench.validator().step()
        before = store.read.averages()
    week = 140 * (bench.chain.tempo + 1)
    bench.chain.number += week
    with Store(path) as store:
        again = Bench(store)
        again.chain, again.supply = bench.chain, bench.supply
        assert store.read.averages() == before
        step = await again.validator().step()
        after = store.read.averages()
    assert step.confirmed
    for hotkey, average in after.items():
        for level, tally in average.scores.items():
            old = before[hotkey].scores[level]
            faded = 0.85 ** (average.epoch - before[hotkey].epoch)
            assert tally.count == 2 * old.count
            assert tally.den == pytest.approx(old.den * faded + old.count, abs=1e-12)
            assert tally.mean == pytest.approx(old.mean, abs=1e-6)


async def test_weights_go_on_where_there_is_no_room_for_a_round(bench: Bench, disk: Disk) -> None:
    validator = bench.validator()
    first = await validator.step()
    disk.free = 999
    for _ in range(3):
        bench.chain.number += bench.chain.tempo
        step = await validator.step()
        assert step.full and step.confirmed
        assert (step.round_number, step.vector) == (first.round_number, first.vector)
    assert len(bench.chain.sent) == 4
    assert len({block // bench.chain.tempo for block, _ in bench.chain.sent}) == 4
    assert bench.supply.drawn == SETTINGS.challenges
    disk.free = 1000
    bench.chain.number += bench.chain.tempo
    step = await validator.step()
    assert not step.full and step.round_number == 2


async def test_weights_go_on_after_a_restart_on_a_full_disk_with_copies_still_paid_as_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Store(tmp_path / "validator.sqlite") as store:
        bench = Bench(store)
        miners = {
            "good": lambda text: "Ada Renn led the survey from March 1921.",
            "copy": lambda text: "Ada Renn led the survey from March 1921!",
            "alone": lambda text: "March 1921; with Ada Renn.",
        }
        monkeypatch.setattr("test_validator_service.MINERS", miners)
        bench.chain.hotkeys = [ME, "good", "copy", "alone"]
        bench.settings = replace(SETTINGS, challenges=45)
        first = await bench.validator().step()
    with Store(tmp_path / "validator.sqlite", free_space=lambda _: 0) as store:
        again = Bench(store)
        again.chain = bench.chain
        again.settings = replace(bench.settings, min_free_bytes=1)
        bench.chain.number += bench.chain.tempo
        step = await again.validator().step()
    assert step.full
    assert first.vector == step.vector == {1: 32768, 2: 32768, 3: 65535}


async def test_a_disk_that_fills_during_a_round_drops_it_and_sets_the_last_weights(bench: Bench) -> None:
    validator = bench.validator()
    await validator.step()
    averages = bench.store.read.averages()
    db = bench.store.read.db
    pages = db.execute("PRAGMA page_count").fetchone()[0]
    db.execute(f"PRAGMA max_page_count = {pages + 1}")
    bench.chain.number += bench.chain.tempo
    step = await validator.step()
    assert step.full and step.confirmed
    assert bench.store.read.averages() == averages
    db.execute(f"PRAGMA max_page_count = {pages + 10_000}")
    bench.chain.number += bench.chain.tempo
    step = await validator.step()
    assert not step.full and step.confirmed
    statuses = [row[0] for row in db.execute("SELECT status FROM rounds ORDER BY number")]
    assert statuses == ["counted", "dropped", "counted"]


async def test_a_full_disk_before_any_round_sets_nothing_and_is_no_failure(bench: Bench, disk: Disk) -> None:
    disk.free = 0
    step = await bench.validator().step()
    assert step.full and not step.confirmed and step.vector == {}
    assert bench.chain.sent == []


async def test_weights_that_there_is_no_room_to_record_are_set_all_the_same(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise StoreFull("the disk is full")

    monkeypatch.setattr(bench.store, "record_weights", full)
    assert (await bench.validator().step()).confirmed
    assert len(bench.chain.sent) == 1


async def test_old_rounds_are_archived_between_rounds(bench: Bench) -> None:
    validator = bench.validator()
    validator._retention = Retention(bench.store.path, RetentionPolicy(0, None, None))
    assert await validator.run(rounds=3)
    kept = bench.store.read.db.execute("SELECT DISTINCT round FROM challenges").fetchall()
    assert kept == [(3,)]
    assert bench.store.read.last_counted() is not None


async def test_a_failure_to_archive_stops_no_round(bench: Bench, tmp_path: Path) -> None:
    (tmp_path / "validator-archive").write_text("in the way")
    validator = bench.validator()
    validator._retention = Retention(bench.store.path, RetentionPolicy(0, None, None))
    assert await validator.run(rounds=3)
    assert bench.store.read.db.execute("SELECT count(*) FROM faults WHERE kind LIKE 'Store%'").fetchone()[0] >= 1


async def test_requests_are_recorded_with_time_uid_address_and_deadline(bench: Bench) -> None:
    await bench.validator().step()
    rows = bench.store.read.db.execute(
        "SELECT DISTINCT hotkey, uid, address, deadline, at > 1e9 FROM requests ORDER BY hotkey"
    ).fetchall()
    assert rows == [("bad", 2, "127.0.0.2 8002", 1.0, 1), ("good", 1, "127.0.0.2 8001", 1.0, 1)]
    (asked,) = bench.store.read.db.execute("SELECT count(*) FROM requests").fetchone()
    assert asked == 2 * SETTINGS.challenges


async def test_what_the_judges_provider_owes_is_a_fault_of_the_round(bench: Bench) -> None:
    rng = random.Random(0)
    bench.judge.fault = lambda text, question: (
        AnswerStatus.PROVIDER_FAULT if rng.random() < 0.1 else AnswerStatus.ANSWERED
    )
    await bench.validator().step()
    owed = bench.store.read.db.execute("SELECT count(*) FROM answers WHERE status = 'provider_fault'").fetchone()[0]
    rows = bench.store.read.db.execute("SELECT round, count FROM faults WHERE kind = 'provider_fault'").fetchall()
    assert rows == [(1, owed)]
