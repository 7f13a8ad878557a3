"""Averages and weights computed anew from a round's result and what was recorded with it."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from compression_subnet.scoring import Average
from compression_subnet.validator.records.record import AVERAGE_JSON, Record
from compression_subnet.validator.records.round_rows import RecordedRound, averages_after, round_before, vectors_of
from compression_subnet.validator.rescoring.difference import Difference, first_difference
from compression_subnet.validator.rewarding.rewards import copies_in, earned_by, updated_averages
from compression_subnet.validator.rewarding.weighting import weight_vector
from compression_subnet.validator.rounds.results import RoundResult

__all__ = ["compare_averages", "compare_present", "compare_vectors"]


def compare_averages(
    record: Record, one: RecordedRound, rounds: Sequence[RecordedRound], result: RoundResult
) -> int | str | Difference:
    """Return how many averages after a round are as recorded, where one differs, or why they cannot be computed."""
    moved = _averages(record, one, rounds, result)
    if isinstance(moved, str):
        return moved
    said = {hotkey: json.loads(body) for hotkey, body in averages_after(record.db, one.number).items()}
    found = {hotkey: AVERAGE_JSON.dump_python(average, mode="json") for hotkey, average in moved.items()}
    return first_difference(_flat(said), _flat(found), one.number) or len(moved)


def compare_vectors(record: Record, one: RecordedRound, result: RoundResult) -> int | Difference:
    """Return how many vectors of weights of a round are as recorded, or where one differs."""
    if one.terms is None:
        return 0
    bodies = averages_after(record.db, one.number)
    averages = {hotkey: AVERAGE_JSON.validate_json(body) for hotkey, body in bodies.items()}
    earned = earned_by(averages, one.terms.rule, copies_in(result.challenges))
    vectors = vectors_of(record.db, one.number)
    for vector in vectors:
        said = {(hotkey, "weight"): weight for hotkey, weight in vector.weights.items()}
        made = {} if vector.terms is None else weight_vector(earned, vector.terms)
        if difference := first_difference(
            said, {(hotkey, "weight"): weight for hotkey, weight in made.items()}, one.number
        ):
            return difference
    return len(vectors)


def compare_present(record: Record, rounds: Sequence[RecordedRound]) -> Difference | None:
    """Return where the averages that the next round will move differ from those after the last that counted."""
    last = max((r for r in rounds if r.status == "counted"), key=lambda r: r.number, default=None)
    bodies = {} if last is None else averages_after(record.db, last.number)
    unknown = last.terms is None and not bodies if last is not None else bool(rounds) and rounds[0].number > 1
    if unknown:
        return None
    present = dict(record.db.execute("SELECT hotkey, body FROM averages ORDER BY hotkey").fetchall())
    said = {(hotkey, "present average"): body for hotkey, body in present.items()}
    return first_difference(said, {(hotkey, "present average"): body for hotkey, body in bodies.items()}, 0)


def _averages(
    record: Record, one: RecordedRound, rounds: Sequence[RecordedRound], result: RoundResult
) -> dict[str, Average] | str:
    """Return the averages after a round, or why they cannot be computed."""
    if one.terms is None:
        return "an earlier release recorded it: no averages, no weights"
    before = round_before(rounds, one.number)
    if before is None and rounds[0].number > 1:
        return "the averages before it are no longer in the record"
    bodies = {} if before is None else averages_after(record.db, before.number)
    if before is not None and before.terms is None and not bodies:
        return "an earlier release recorded the round before it: no averages"
    averages = {hotkey: AVERAGE_JSON.validate_json(body) for hotkey, body in bodies.items()}
    return updated_averages(averages, result, one.terms.registered.keys(), one.epoch, one.terms.forgetting)


def _flat(averages: Mapping[str, Any]) -> dict[tuple[str, str], Any]:
    return {(hotkey, f"average{path}"): value for hotkey, body in averages.items() for path, value in _leaves(body, "")}


def _leaves(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _leaves(inner, f"{path}.{key}")
    else:
        yield path, value
