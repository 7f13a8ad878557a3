import random
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import pytest
from validator_fakes import ME, SENTENCES, ContainmentJudge, ScriptedDendrite, challenge, keep_first

from compression_subnet.chain.port import Axon
from compression_subnet.judge.types import AnswerStatus
from compression_subnet.scoring import Reason
from compression_subnet.scoring.controls import Void
from compression_subnet.text import get_tokenizer
from compression_subnet.transport import Failure, Target
from compression_subnet.validator.rounds.results import Assignment, RoundResult
from compression_subnet.validator.rounds.round import Round, RoundSettings

Miners = dict[str, Callable[[str], str] | Failure]


async def run(
    miners: Miners, judge: ContainmentJudge | None = None, level: int = 60, count: int = 1
) -> tuple[RoundResult, ScriptedDendrite]:
    dendrite = ScriptedDendrite(miners)
    round_ = Round(
        dendrite,  # type: ignore[arg-type]
        judge or ContainmentJudge(),
        get_tokenizer(),
        random.Random(0),
        RoundSettings(deadline=1, concurrency=4, parallel=3),
    )
    targets = [Target(hotkey, Axon("127.0.0.2", 1)) for hotkey in miners]
    assignments = [Assignment(replace(challenge(), id=f"c{i}"), level) for i in range(count)]
    return await round_.run(assignments, targets, lambda _: None), dendrite


def scores(result: RoundResult) -> dict[str, Fraction]:
    return {hotkey: score.score for challenge in result.challenges for hotkey, score in challenge.scores()}


async def test_each_miner_gets_what_its_reply_answers() -> None:
    result, _ = await run({"all": keep_first(5), "two": keep_first(2), "none": lambda _: "Nothing."})
    assert scores(result) == {"all": 1, "two": Fraction(2, 5), "none": 0}
    assert result.void is None


async def test_replies_that_may_not_be_read_score_zero_with_their_reason() -> None:
    result, _ = await run(
        {
            "whole": lambda text: text,
            "blank": lambda text: " \u200b",
            "special": lambda text: "Ada Renn <|im_end|>",
            "gone": Failure.UNREACHABLE,
            "nowhere": Failure.ADDRESS_REFUSED,
            "slow": Failure.TIMEOUT,
            "error": Failure.STATUS,
            "flood": Failure.TOO_LARGE,
            "forged": Failure.BAD_SIGNATURE,
            "garbled": Failure.MALFORMED,
            "good": keep_first(5),
        }
    )
    reasons = {m.hotkey: m.compliance.reason for m in result.challenges[0].miners}
    assert reasons == {
        "whole": Reason.TOO_LONG,
        "blank": Reason.BLANK,
        "special": Reason.SPECIAL_TOKEN,
        "gone": Reason.MISSING,
        "nowhere": Reason.MISSING,
        "slow": Reason.LATE,
        "error": Reason.MISSING,
        "flood": Reason.TOO_LARGE,
        "forged": Reason.MALFORMED,
        "garbled": Reason.MALFORMED,
        "good": Reason.OK,
    }
    assert scores(result) == {hotkey: Fraction(hotkey == "good") for hotkey in reasons}


async def test_the_order_of_miners_changes_no_score() -> None:
    miners: Miners = {"a": keep_first(1), "b": keep_first(3), "c": keep_first(5), "d": Failure.TIMEOUT}
    forth, _ = await run(miners)
    back, _ = await run(dict(reversed(miners.items())))
    assert scores(forth) == scores(back)


async def test_a_providers_fault_leaves_that_miner_unscored_and_no_other() -> None:
    def fault(text: str, question: str) -> AnswerStatus:
        broken = text == " ".join(SENTENCES[:2]) and question.startswith("Who")
        return AnswerStatus.PROVIDER_FAULT if broken else AnswerStatus.ANSWERED

    result, _ = await run({"two": keep_first(2), "all": keep_first(5)}, ContainmentJudge(fault))
    assert scores(result) == {"all": 1}


async def test_a_content_fault_is_a_zero_for_that_question() -> None:
    def fault(text: str, question: str) -> AnswerStatus:
        broken = text == " ".join(SENTENCES) and question.startswith("Who")
        return AnswerStatus.CONTENT_FAULT if broken else AnswerStatus.ANSWERED

    result, _ = await run({"all": keep_first(5)}, ContainmentJudge(fault))
    assert scores(result) == {"all": Fraction(4, 5)}


async def test_controls_that_cannot_be_scored_leave_the_challenge_to_nobody_and_void_the_round() -> None:
    judge = ContainmentJudge(lambda text, question: AnswerStatus.PROVIDER_FAULT if not text else AnswerStatus.ANSWERED)
    result, _ = await run({"all": keep_first(5), "gone": Failure.UNREACHABLE}, judge)
    assert scores(result) == {}
    assert result.void is Void.CONTROLS_UNSCORED
    assert not [text for text, _ in judge.asked if text == " ".join(SENTENCES)]


async def test_a_judge_that_cannot_answer_the_full_text_voids_the_round() -> None:
    full = challenge().text
    judge = ContainmentJudge(
        lambda text, question: (
            AnswerStatus.CONTENT_FAULT
            if text == full and question.startswith(("Who", "When"))
            else AnswerStatus.ANSWERED
        )
    )
    assert (await run({"all": keep_first(5)}, judge, count=10))[0].void is Void.WEAK_CEILING
    # too few answers to tell
    assert (await run({"all": keep_first(5)}, judge, count=9))[0].void is None


async def test_a_round_without_one_reply_is_void() -> None:
    result, _ = await run({"a": Failure.UNREACHABLE, "b": Failure.TIMEOUT})
    assert result.void is Void.NO_REPLY


async def test_miners_that_reply_alike_are_judged_once() -> None:
    judge = ContainmentJudge()
    await run({f"m{i}": keep_first(4) for i in range(6)}, judge)
    assert sum(text == " ".join(SENTENCES[:4]) for text, _ in judge.asked) == 5


async def test_controls_are_asked_for_every_challenge() -> None:
    judge = ContainmentJudge()
    await run({"all": keep_first(5)}, judge, count=3)
    assert sum(text == challenge().text for text, _ in judge.asked) == 15
    assert sum(text == "" for text, _ in judge.asked) == 15


@pytest.mark.parametrize("level", [20, 40, 60])
async def test_the_request_holds_text_and_budget_and_nothing_that_gives_an_answer_away(level: int) -> None:
    _, dendrite = await run({"all": keep_first(5)}, level=level)
    request = dendrite.requests[0]
    sent = request.model_dump()  # type: ignore[attr-defined]
    assert set(sent) == {
        "protocol_version",
        "challenge_id",
        "text",
        "target_ratio",
        "budget_tokens",
        "tokenizer",
        "tokenizer_sha256",
        "deadline_seconds",
    }
    assert sent["budget_tokens"] == challenge().n_tokens * level // 100
    outside = {key: value for key, value in sent.items() if key != "text"}
    assert not [gold for question in challenge().questions for gold in question.gold if gold in str(outside)]
    assert ME not in str(sent)
