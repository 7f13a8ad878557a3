"""What Prometheus sees of a validator, from a real round over fakes."""

import math
from fractions import Fraction

import pytest
from prometheus_client import CollectorRegistry
from test_validator_round import run
from validator_fakes import ContainmentJudge, keep_first

from compression_subnet.judge.types import AnswerStatus
from compression_subnet.scoring import Average, ChallengeScore
from compression_subnet.transport import Failure
from compression_subnet.validator.watching.metrics import ValidatorMetrics


class Seen:
    """A validator's metrics, and their values as a scrape would have them."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.metrics = ValidatorMetrics(self.registry)

    def value(self, name: str, **labels: str) -> float | None:
        return self.registry.get_sample_value(f"compression_subnet_validator_{name}", labels)


@pytest.fixture
def seen() -> Seen:
    return Seen()


async def test_a_round_is_counted_with_its_verdicts_faults_and_miners(seen: Seen) -> None:
    result, _ = await run(
        {
            "good": keep_first(5),
            "over": lambda text: text,
            "late": Failure.TIMEOUT,
            "dark": Failure.UNREACHABLE,
        }
    )
    seen.metrics.count_round(7, result, now=1000.0, seconds=12.5)
    n = len(result.challenges)
    assert seen.value("rounds_total", status="counted") == 1
    assert (seen.value("round_number"), seen.value("round_finished_timestamp_seconds")) == (7, 1000)
    assert seen.value("round_seconds") == 12.5
    assert seen.value("challenges_total", status="scored") == n
    assert (seen.value("miners_asked"), seen.value("miners_replied")) == (4, 2)
    assert [seen.value("verdicts_total", reason=r) for r in ("ok", "too_long", "late", "missing")] == [n, n, n, n]
    assert seen.value("faults_total", source="miner", kind="timeout") == n
    assert seen.value("faults_total", source="miner", kind="unreachable") == n


async def test_a_judge_that_fails_is_counted_as_the_judges_fault_and_the_round_as_void(seen: Seen) -> None:
    result, _ = await run({"good": keep_first(5)}, ContainmentJudge(lambda text, question: AnswerStatus.PROVIDER_FAULT))
    seen.metrics.count_round(1, result, 0, 0)
    assert seen.value("rounds_total", status="void") == 1
    assert seen.value("challenges_total", status="unscored") == len(result.challenges)
    faults = seen.value("faults_total", source="judge", kind="provider_fault")
    assert faults == 3 * 5 * len(result.challenges)  # three controls, of five questions each


async def test_counters_add_up_over_rounds_and_gauges_show_the_last(seen: Seen) -> None:
    result, _ = await run({"good": keep_first(5)})
    for number in (1, 2):
        seen.metrics.count_round(number, result, 0, 0)
    assert seen.value("rounds_total", status="counted") == 2
    assert seen.value("verdicts_total", reason="ok") == 2 * len(result.challenges)
    assert seen.value("miners_asked") == 1


def test_averages_are_shown_by_quantile(seen: Seen) -> None:
    def average(score: Fraction) -> Average:
        return Average.empty(0).update(0, [ChallengeScore(b, score, Fraction(0)) for b in (20, 40, 60)], 0.85)

    seen.metrics.show_averages({f"h{i}": average(Fraction(i, 4)) for i in range(5)})
    shown = [seen.value("average_score", quantile=q) for q in ("0", "0.25", "0.5", "0.75", "1")]
    assert shown == pytest.approx([0, 0.25, 0.5, 0.75, 1])
    assert seen.value("hotkeys_averaged") == 5


def test_without_averages_there_are_no_quantiles(seen: Seen) -> None:
    seen.metrics.show_averages({})
    assert math.isnan(seen.value("average_score", quantile="0.5") or 0)


def test_the_last_outcome_of_weights_alone_is_shown(seen: Seen) -> None:
    seen.metrics.show_weights("Refused")
    seen.metrics.show_weights("WeightsSet")
    assert seen.value("weights_outcome", outcome="WeightsSet") == 1
    assert seen.value("weights_outcome", outcome="Refused") is None
    assert seen.value("weights_total", outcome="Refused") == 1


def test_blocks_since_weights_are_known_once_both_blocks_are(seen: Seen) -> None:
    seen.metrics.show_chain(block=100)
    assert seen.value("blocks_since_weights") == 0
    seen.metrics.show_chain(block=130, last_update=90)
    assert (seen.value("weights_block"), seen.value("blocks_since_weights")) == (90, 40)
