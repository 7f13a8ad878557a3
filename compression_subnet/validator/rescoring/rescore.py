"""Every verdict, F1, score, average and weight computed anew from the record alone, and compared: equal, not close."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from compression_subnet.errors import InputError, StoreError
from compression_subnet.text import Tokenizer
from compression_subnet.validator.records.record import Record
from compression_subnet.validator.records.round_rows import RecordedRound, averages_after, rounds_in, vectors_of
from compression_subnet.validator.rescoring.difference import ABSENT, Difference, challenge_difference, first_difference
from compression_subnet.validator.rescoring.recompute import compare_averages, compare_present, compare_vectors
from compression_subnet.validator.rescoring.replay import replay_challenge
from compression_subnet.validator.rounds.results import ChallengeResult, RoundResult
from compression_subnet.validator.rounds.round import round_result

__all__ = ["Difference", "Rescored", "RescoredRound", "rescore"]

_UNREADABLE = (ValueError, ZeroDivisionError, InputError, StoreError)
"""What a value that was tampered with may raise: JSON, fractions, names of enumerations, answers that are missing."""


@dataclass(frozen=True, slots=True)
class RescoredRound:
    """A round in which nothing differed.

    Attributes:
        number: of the round.
        status: running, counted, void or dropped.
        challenges: compared.
        replies: verdicts compared.
        scores: F and F1 compared, of replies, answers and controls.
        averages: compared; None where the round moved none, or the record holds too little to recompute them.
        vectors: of weights compared.
        note: what was not compared, and why; empty where all was.
    """

    number: int
    status: str
    challenges: int
    replies: int
    scores: int
    averages: int | None
    vectors: int
    note: str


@dataclass(frozen=True, slots=True)
class Rescored:
    """What came of it: the rounds that are equal, up to the first difference."""

    rounds: tuple[RescoredRound, ...]
    difference: Difference | None

    @property
    def equal(self) -> bool:
        """Whether nothing differs."""
        return self.difference is None


async def rescore(
    record: Record,
    tokenizer: Tokenizer,
    only: int | None = None,
    done: Callable[[RescoredRound], None] = lambda one: None,
) -> Rescored:
    """Compute everything in ``record`` anew, without a model, and compare it with what is recorded.

    Averages are followed from round to round: each round's are computed from those after the round before it.

    Args:
        record: an open record. While its validator runs, read it inside one transaction.
        tokenizer: the pinned one.
        only: the one round to look at; all where None.
        done: called after each round that is equal.

    Raises:
        StoreError: there is no round ``only``.
    """
    equal: list[RescoredRound] = []
    number = 0
    try:
        rounds = rounds_in(record.db)
        chosen = [r for r in rounds if only is None or r.number == only]
        if difference := _dangling(record):
            return Rescored((), difference)
        for one in chosen:
            number = one.number
            found = await _round(record, one, rounds, tokenizer)
            if isinstance(found, Difference):
                return Rescored(tuple(equal), found)
            equal.append(found)
            done(found)
        if only is None:
            number = 0
            return Rescored(tuple(equal), compare_present(record, rounds))
    except _UNREADABLE as error:
        return Rescored(tuple(equal), Difference(number, "", "", "form", str(error), "a value that can be read"))
    if not chosen:
        span = f"{rounds[0].number} to {rounds[-1].number}" if rounds else "none"
        raise StoreError(f"the record has no round {only}; its rounds are {span}")
    return Rescored(tuple(equal), None)


def _dangling(record: Record) -> Difference | None:
    """Return the first row that refers to a round or challenge that is not there."""
    row = record.db.execute("PRAGMA foreign_key_check").fetchone()
    if row is None:
        return None
    table, rowid, parent, _ = row
    return Difference(0, "", "", f"{table}, row {rowid}", f"refers to {parent}", ABSENT)


async def _round(
    record: Record, one: RecordedRound, rounds: Sequence[RecordedRound], tokenizer: Tokenizer
) -> RescoredRound | Difference:
    if one.archive is not None:
        note = f"its challenges are in {one.archive}: restore them to compare"
        return RescoredRound(one.number, one.status, 0, 0, 0, None, 0, note)
    challenges: list[ChallengeResult] = []
    for recorded in record.challenges(one.number):
        try:
            found = await replay_challenge(recorded, tokenizer)
        except _UNREADABLE as error:
            return Difference(one.number, recorded.challenge.id, "", "answers", str(error), "the answers to its texts")
        if difference := challenge_difference(record.db, one.number, found, tokenizer):
            return difference
        challenges.append(found)
    result = round_result(challenges)
    if difference := _of_terms(record, one) or _of_header(one, result) or _of_uncounted(record, one):
        return difference
    averages: int | str | None = None
    vectors = 0
    if one.status == "counted":
        moved, made = compare_averages(record, one, rounds, result), compare_vectors(record, one, result)
        if isinstance(moved, Difference):
            return moved
        if isinstance(made, Difference):
            return made
        averages, vectors = moved, made
    return RescoredRound(
        number=one.number,
        status=one.status,
        challenges=len(challenges),
        replies=sum(len(r.miners) for r in challenges),
        scores=sum(map(_scores, challenges)),
        averages=averages if isinstance(averages, int) else None,
        vectors=vectors,
        note=averages if isinstance(averages, str) else "",
    )


def _of_terms(record: Record, one: RecordedRound) -> Difference | None:
    """Return whether terms or digests are missing where the other is there: both came with the same release."""
    with_terms = one.terms is not None
    rows = record.db.execute("SELECT id, digest IS NOT NULL FROM challenges WHERE round = ?", (one.number,))
    for challenge, digested in rows:
        if bool(digested) != with_terms:
            field = "terms of the round" if digested else "digest"
            return Difference(one.number, challenge, "", field, ABSENT, "recorded with the challenge")
    return None


def _of_header(one: RecordedRound, result: RoundResult) -> Difference | None:
    """Return where the outcome of a finished round differs; one that is under way, or was broken off, has none."""
    if one.status not in ("counted", "void"):
        return None
    void = result.void
    return first_difference(
        {("", "status"): one.status, ("", "detail"): one.detail, ("", "challenges"): one.asked - one.cut},
        {
            ("", "status"): "counted" if void is None else "void",
            ("", "detail"): "" if void is None else void.value,
            ("", "challenges"): len(result.challenges),
        },
        one.number,
    )


def _of_uncounted(record: Record, one: RecordedRound) -> Difference | None:
    """Return the first average or vector of a round that moves and pays nobody."""
    if one.status == "counted":
        return None
    for hotkey in averages_after(record.db, one.number):
        return Difference(one.number, "", hotkey, "average", "moved", f"as before: the round is {one.status}")
    for vector in vectors_of(record.db, one.number):
        for hotkey, weight in vector.weights.items():
            return Difference(one.number, "", hotkey, "weight", str(weight), f"none: the round is {one.status}")
    return None


def _scores(result: ChallengeResult) -> int:
    judged = [result.controls.ceiling, result.controls.floor, result.controls.baseline]
    judged += [miner.judged for miner in result.miners if miner.judged is not None]
    return 3 + len(result.miners) + sum(len(one.answers) for one in judged)
