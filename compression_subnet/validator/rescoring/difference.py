"""Where a record and what is computed from it part."""

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from compression_subnet.text import Tokenizer
from compression_subnet.validator.records.digest import challenge_digest
from compression_subnet.validator.rounds.results import ChallengeResult, Judged

__all__ = ["ABSENT", "UNSCORED", "Difference", "challenge_difference", "first_difference"]

ABSENT: Final = "absent"

UNSCORED: Final[Mapping[str, frozenset[str]]] = {
    "answers": frozenset(),
    "average_history": frozenset(),
    "averages": frozenset(),
    "challenges": frozenset(),
    "controls": frozenset(),
    "replies": frozenset(),
    "rounds": frozenset(
        {
            "started",
            "finished",
            "profile",
            "max_cost",
            "price_prompt",
            "price_cached",
            "price_completion",
            "archive",
            "cost",
        }
    ),
    "terms": frozenset({"netuid", "hotkey", "spec_version", "reuse"}),
    "weight_settings": frozenset(
        {"id", "at", "outcome", "detail", "block", "burn_unearned", "set_block", "set_hash", "reveal_round"}
    ),
}
"""By table that scores depend on, the columns that none does: what they say is the validator's word alone.

Whether unearned weight is burned tells only where nobody has earned any.
"""

Values = Mapping[tuple[str, str], Any]
"""By party (a hotkey or a control; empty for the challenge itself) and field."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One value that is recorded and does not come out when it is computed.

    Attributes:
        round: in which; 0 where it is about the record as a whole.
        challenge: its id; empty where it is about the round.
        hotkey: whose, or the control's name; empty where it is nobody's.
        field: what.
        recorded: as it stands.
        recomputed: as it should stand.
    """

    round: int
    challenge: str
    hotkey: str
    field: str
    recorded: str
    recomputed: str


def first_difference(recorded: Values, recomputed: Values, round_number: int, challenge: str = "") -> Difference | None:
    """Return the first value of either that the other has not, or has otherwise; None where they are equal."""
    for key in [*recomputed, *(key for key in recorded if key not in recomputed)]:
        said, found = recorded.get(key, ABSENT), recomputed.get(key, ABSENT)
        if type(said) is not type(found) or said != found:
            return Difference(round_number, challenge, *key, str(said), str(found))
    return None


def challenge_difference(
    db: sqlite3.Connection, number: int, result: ChallengeResult, tokenizer: Tokenizer
) -> Difference | None:
    """Return where the rows of a challenge of round ``number`` first differ from its ``result``.

    What a score depends on is compared value by value; the rest by the digest that was taken when it was written.
    """
    challenge = result.assignment.challenge
    found = first_difference(
        _recorded(db, challenge.id, challenge.n_tokens),
        _computed(result, tokenizer.count(challenge.text)),
        number,
        challenge.id,
    )
    if found is not None:
        return found
    (digest,) = db.execute("SELECT digest FROM challenges WHERE id = ?", (challenge.id,)).fetchone()
    if digest is None:  # recorded by a release that took none
        return None
    values = {("", "digest"): digest}, {("", "digest"): challenge_digest(db, challenge.id)}
    return first_difference(*values, number, challenge.id)


def _recorded(db: sqlite3.Connection, id: str, n_tokens: int) -> dict[tuple[str, str], Any]:
    values: dict[tuple[str, str], Any] = {("", "n_tokens"): n_tokens}
    (values["", "scored"],) = db.execute("SELECT scored FROM challenges WHERE id = ?", (id,)).fetchone()
    for kind, text, score in db.execute("SELECT kind, text, score FROM controls WHERE challenge = ?", (id,)):
        values[f"control:{kind}", "text"] = text
        values[f"control:{kind}", "score"] = score
    rows = db.execute("SELECT hotkey, reason, tokens, budget, score FROM replies WHERE challenge = ?", (id,))
    for hotkey, *verdict in rows:
        values |= {(hotkey, name): value for name, value in zip(_VERDICT, verdict, strict=True)}
    rows = db.execute("SELECT party, question, supported, f1 FROM answers WHERE challenge = ?", (id,))
    for party, question, supported, f1 in rows:
        values[party, f"supported, question {question + 1}"] = supported
        values[party, f"F1, question {question + 1}"] = f1
    return values


_VERDICT: Final = ("verdict", "tokens", "budget", "score")


def _computed(result: ChallengeResult, n_tokens: int) -> dict[tuple[str, str], Any]:
    controls = result.controls
    values: dict[tuple[str, str], Any] = {("", "n_tokens"): n_tokens, ("", "scored"): int(controls.settled)}
    # The ceiling's text is the challenge's, and is not recorded twice.
    for kind, text, judged in (
        ("ceiling", "", controls.ceiling),
        ("floor", "", controls.floor),
        ("baseline", controls.baseline_text, controls.baseline),
    ):
        values[f"control:{kind}", "text"] = text
        values |= _answers(f"control:{kind}", judged)
        values[f"control:{kind}", "score"] = str(judged.score) if judged.settled else None
    for miner in result.miners:
        verdict, score = miner.compliance, miner.score
        if miner.judged is not None:
            values |= _answers(miner.hotkey, miner.judged)
        said = (verdict.reason.value, verdict.tokens, verdict.budget, None if score is None else str(score))
        values |= {(miner.hotkey, name): value for name, value in zip(_VERDICT, said, strict=True)}
    return values


def _answers(party: str, judged: Judged) -> dict[tuple[str, str], Any]:
    values: dict[tuple[str, str], Any] = {}
    for number, one in enumerate(judged.answers, start=1):
        values[party, f"supported, question {number}"] = int(one.supported)
        values[party, f"F1, question {number}"] = str(one.f1)
    return values
