"""What a miner got, and why its weight is what it is: checked against the record's own figures."""

import asyncio
import json
import math
from collections.abc import Iterator
from fractions import Fraction

import pytest
from recorded_run import record_run
from rich.console import Console
from validator_fakes import ME, QUESTIONS, SENTENCES

from compression_subnet.errors import StoreError
from compression_subnet.report.audit import breakdown_json, breakdown_page, explanation_json, explanation_table
from compression_subnet.scoring import aggregate
from compression_subnet.validator.audit.breakdown import breakdown
from compression_subnet.validator.audit.explain import WeightReason, explain_weight
from compression_subnet.validator.records.record import Record, open_record


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Record]:
    path = tmp_path_factory.mktemp("run") / "validator.sqlite"
    asyncio.run(record_run(path))
    with open_record(path) as opened:
        yield opened


def shown(page: object) -> str:
    console = Console(width=100, record=True, force_terminal=False)
    console.print(page)
    return console.export_text()


def test_a_miners_challenges_are_shown_with_their_means_and_its_rank(record: Record) -> None:
    found = breakdown(record.db, "two", {1, 2, 3})
    assert found.rounds == (1, 2, 3)
    assert len(found.lines) == 99
    assert found.scored == 66, "the void round counts for nobody"
    for level, mean in found.levels.items():
        scores = [line.score for line in found.lines if line.level == level and line.score is not None]
        assert mean.mean == pytest.approx(float(sum(scores, Fraction(0)) / len(scores)))
        assert 0 < mean.stderr < math.inf
    assert found.standing.score == pytest.approx(aggregate({b: m.mean for b, m in found.levels.items()}))
    ranks = {who: breakdown(record.db, who, {1, 2}).rank for who in ("four", "two", "same", "gone")}
    assert ranks["two"] == ranks["same"]
    assert ranks["four"] == 1 < ranks["two"] < ranks["gone"]


def test_one_that_was_never_scored_has_no_means(record: Record) -> None:
    found = breakdown(record.db, "five", {3})
    assert found.scored == 0
    assert found.levels == {}
    assert all(line.score is None for line in found.lines)
    assert "unscored" in shown(breakdown_page(found))


def test_a_hotkey_that_nobody_asked_is_said_to_be(record: Record) -> None:
    with pytest.raises(StoreError, match="nobody was asked nothing in these rounds; 7 other hotkeys were"):
        breakdown(record.db, "nobody")


def test_a_breakdown_holds_no_text_question_or_answer(record: Record) -> None:
    found = breakdown(record.db, "four")
    for text in (shown(breakdown_page(found)), json.dumps(breakdown_json(found))):
        for secret in (*SENTENCES, *(q for pair in QUESTIONS for q in pair)):
            assert secret not in text
    assert "For half the error, ask about" in shown(breakdown_page(found))


@pytest.mark.parametrize(
    ("hotkey", "number", "reason"),
    [
        ("four", 1, WeightReason.PAID),
        ("two", 2, WeightReason.PAID),
        ("whole", 1, WeightReason.UNDER_BASELINE),
        ("four", 4, WeightReason.NOT_REGISTERED),
        ("two", 3, WeightReason.VOID),
        (ME, 1, WeightReason.BURN),
        ("nobody", 1, WeightReason.NOT_REGISTERED),
    ],
)
def test_a_weight_has_its_reason(record: Record, hotkey: str, number: int, reason: WeightReason) -> None:
    found = explain_weight(record, hotkey=hotkey, number=number)
    assert found.reason is reason
    assert bool(found.weight) == (reason in (WeightReason.PAID, WeightReason.BURN))
    assert json.dumps(explanation_json(found))
    assert hotkey in shown(explanation_table(found))


def test_every_step_to_a_weight_is_there_and_adds_up(record: Record) -> None:
    found = explain_weight(record, hotkey="two", number=1)
    standing = found.standing
    assert standing is not None
    assert found.copies == {"two", "same"}
    assert found.allowance == pytest.approx(found.rule.z * standing.margin_stderr)
    assert found.earned == pytest.approx((standing.margin - found.allowance) ** found.rule.power / 2)
    best = explain_weight(record, hotkey="four", number=1)
    assert found.weight == round(found.earned / best.earned * best.weight)
    assert sum(found.counts.values()) == 33
    assert (found.block, found.block_hash, found.outcome) == (128, "0x01", "WeightsSet")
    assert found.burned == 0.1
    text = shown(explanation_table(found))
    assert "shared with same" in text and "WeightsSet(block=128" in text


def test_a_uid_at_a_block_is_the_hotkey_that_had_it_in_the_weights_of_that_time(record: Record) -> None:
    before = explain_weight(record, uid=2, block=187)
    assert (before.round, before.hotkey) == (1, "four"), "the weights of round 2 were refused"
    after = explain_weight(record, uid=2, block=188)
    assert (after.round, after.hotkey, after.reason) == (4, "three", WeightReason.UNDER_BASELINE)
    with pytest.raises(StoreError, match="no vector that was on chain at block 100; the first: 128"):
        explain_weight(record, uid=2, block=100)
    with pytest.raises(StoreError, match="nobody had uid 77"):
        explain_weight(record, uid=77)
    with pytest.raises(StoreError, match="no round 9 is finished"):
        explain_weight(record, uid=2, number=9)
