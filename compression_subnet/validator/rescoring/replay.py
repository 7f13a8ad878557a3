"""A round scored anew from the record alone, with no model: the recorded answers are given again."""

from collections.abc import Mapping, Sequence

from compression_subnet.challenge.types import Challenge
from compression_subnet.errors import StoreError
from compression_subnet.judge.types import Answer
from compression_subnet.text import Tokenizer, canonical
from compression_subnet.transport.outcomes import Replied
from compression_subnet.validator.records.record import Record, RecordedChallenge
from compression_subnet.validator.rounds.judging import Judges, score_challenge
from compression_subnet.validator.rounds.results import Assignment, ChallengeResult, RoundResult
from compression_subnet.validator.rounds.round import round_result

__all__ = ["RecordedAnswerer", "replay_challenge", "replay_round"]


class RecordedAnswerer:
    """An ``Answerer`` that gives the answers that a text got when it was judged."""

    def __init__(self, challenge: Challenge, by_text: Mapping[str, Sequence[Answer]]):
        self._questions = [question.text for question in challenge.questions]
        self._by_text = by_text

    async def answer(self, text: str, questions: Sequence[str]) -> list[Answer]:
        """Return one answer a question, in their order.

        Raises:
            StoreError: the record has no answers to this text.
        """
        recorded = self._by_text.get(text)
        if recorded is None or list(questions) != self._questions or len(recorded) != len(questions):
            raise StoreError("the record lacks answers of this challenge: it is not the one that was judged")
        return list(recorded)


async def replay_round(record: Record, number: int, tokenizer: Tokenizer) -> RoundResult:
    """Return the result of a recorded round: verdicts, support, F1 and scores are computed anew.

    Raises:
        StoreError: the record lacks something.
    """
    return round_result([await replay_challenge(one, tokenizer) for one in record.challenges(number)])


async def replay_challenge(one: RecordedChallenge, tokenizer: Tokenizer) -> ChallengeResult:
    """Return the result of a recorded challenge, computed anew.

    Raises:
        StoreError: the record lacks answers of it.
        InputError: its text is blank or not canonical.
    """
    challenge = one.challenge
    controls = {"ceiling": challenge.text, "floor": "", "baseline": one.baseline_text}
    judges = Judges(
        controls=RecordedAnswerer(
            challenge, {text: one.answers.get(f"control:{kind}", ()) for kind, text in controls.items()}
        ),
        replies=RecordedAnswerer(challenge, _replies(one)),
    )
    return await score_challenge(Assignment(challenge, one.level), one.outcomes, judges, tokenizer)


def _replies(one: RecordedChallenge) -> dict[str, Sequence[Answer]]:
    """Return the answers by the text that was judged; miners that replied alike share them."""
    return {
        canonical(outcome.compressed_text).strip(): one.answers[hotkey]
        for hotkey, outcome in one.outcomes.items()
        if isinstance(outcome, Replied) and hotkey in one.answers
    }
