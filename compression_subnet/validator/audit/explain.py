"""From a hotkey, or a uid at a block, to the reason of its weight."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from compression_subnet.errors import StoreError
from compression_subnet.scoring import LEVELS, Average, Standing, WeightRule, earned_weights, shares
from compression_subnet.validator.records.record import AVERAGE_JSON, Record
from compression_subnet.validator.records.round_rows import (
    RecordedRound,
    RecordedVector,
    averages_after,
    rounds_in,
    vectors_of,
)
from compression_subnet.validator.rewarding.rewards import recorded_copies

__all__ = ["Explanation", "WeightReason", "explain_weight"]


class WeightReason(StrEnum):
    """What decided a weight, the first of these that holds."""

    VOID = "void"
    """The round moved nobody, and set nothing."""
    NO_VECTOR = "no_vector"
    """The round counted, and no vector of it was recorded."""
    NOT_REGISTERED = "not_registered"
    """The hotkey was not registered when the vector was made."""
    NEVER_SCORED = "never_scored"
    """It has no average: no challenge has counted for it yet."""
    TOO_FEW = "too_few_challenges"
    """It has fewer scored challenges at some level than the rule asks for."""
    UNDER_BASELINE = "under_baseline"
    """Its margin over head truncation is not above the allowance for chance."""
    ROUNDED = "rounded_to_zero"
    """It earned less than half of 1/65535 of the largest weight."""
    PAID = "paid"
    """It has weight, for its margin."""
    BURN = "burn"
    """It is the subnet owner's, and what it has is burned."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """Everything that led to a weight.

    Attributes:
        round: the round's number.
        epoch: of the subnet.
        hotkey: whose weight.
        uid: when the vector was made, or else when the round began; None where it was not registered.
        reason: what decided it.
        standing: score, margin and standard errors after the round; None where there is no average.
        counts: scored challenges by level, ever.
        rule: how margins are paid.
        allowance: z standard errors of the margin; what is taken off it.
        copies: hotkeys that answer with each other's replies, this one among them; empty where it is no copy.
        earned: (margin - allowance) to the power, divided by the copies; 0 where it earned none.
        weight: the 16-bit weight.
        share: of all weights, in [0, 1].
        burned: the owner's share of all weights, by setting.
        outcome: what the chain made of the vector; empty where there was none.
        detail: of that outcome.
        block: that holds the call; None where the chain did not confirm it.
        block_hash: of that block.
    """

    round: int
    epoch: int
    hotkey: str
    uid: int | None
    reason: WeightReason
    standing: Standing | None
    counts: Mapping[int, int]
    rule: WeightRule
    allowance: float
    copies: frozenset[str]
    earned: float
    weight: int
    share: float
    burned: float
    outcome: str
    detail: str
    block: int | None
    block_hash: str | None


def explain_weight(
    record: Record,
    *,
    hotkey: str | None = None,
    uid: int | None = None,
    number: int | None = None,
    block: int | None = None,
) -> Explanation:
    """Return why a hotkey has the weight that it has.

    Args:
        record: a validator's record.
        hotkey: whose weight; or else ``uid`` is given.
        uid: whose weight, as of the vector.
        number: the round; the last that finished where None.
        block: look at the last vector that the chain had at this block, instead of at a round.

    Raises:
        StoreError: there is no such round, or it lacks what is needed; the message says what to do.
    """
    one, vector = _find(record, number, block)
    terms = one.terms
    if terms is None or one.archive is not None:
        why = "was recorded by an earlier release" if terms is None else f"is in {one.archive}: restore it"
        raise StoreError(f"round {one.number} {why}")
    registered = vector.terms.registered if vector is not None and vector.terms is not None else terms.registered
    if hotkey is None:
        hotkey = next((who for who, number in registered.items() if number == uid), None)
        if hotkey is None:
            raise StoreError(f"nobody had uid {uid} in round {one.number}; uids go to {max(registered.values())}")
    bodies = averages_after(record.db, one.number)
    average = AVERAGE_JSON.validate_json(bodies[hotkey]) if hotkey in bodies else None
    standing = average.standing() if average is not None else None
    copies = next((group for group in recorded_copies(record, one.number) if hotkey in group), frozenset[str]())
    earned = 0.0
    if standing is not None:
        earned = earned_weights({hotkey: standing}, terms.rule, [copies] if copies else []).get(hotkey, 0.0)
    weights = vector.weights if vector is not None else {}
    burn = vector.terms if vector is not None else None
    is_burn = burn is not None and burn.burn == hotkey and bool(weights.get(hotkey))
    return Explanation(
        round=one.number,
        epoch=one.epoch,
        hotkey=hotkey,
        uid=registered.get(hotkey),
        reason=_reason(one, vector, hotkey, hotkey in registered, average, standing, earned, is_burn),
        standing=standing,
        counts={level: average.scores[level].count if average and level in average.scores else 0 for level in LEVELS},
        rule=terms.rule,
        allowance=terms.rule.z * standing.margin_stderr if standing is not None and terms.rule.z else 0.0,
        copies=copies,
        earned=earned,
        weight=weights.get(hotkey, 0),
        share=shares({registered[who]: w for who, w in weights.items()}).get(registered.get(hotkey, -1), 0.0),
        burned=burn.burn_share if burn is not None and burn.burn is not None else 0.0,
        outcome=vector.outcome if vector is not None else "",
        detail=vector.detail if vector is not None else "",
        block=vector.block if vector is not None else None,
        block_hash=vector.block_hash if vector is not None else None,
    )


def _find(record: Record, number: int | None, block: int | None) -> tuple[RecordedRound, RecordedVector | None]:
    rounds = [r for r in rounds_in(record.db) if r.status in ("counted", "void")]
    if block is not None:
        known = [(r, v) for r in rounds for v in vectors_of(record.db, r.number) if v.block is not None]
        found = [(r, v) for r, v in known if v.block is not None and v.block <= block]
        if not found:
            first = min((v.block for _, v in known if v.block is not None), default=None)
            raise StoreError(f"the record has no vector that was on chain at block {block}; the first: {first}")
        return found[-1]
    chosen = [r for r in rounds if number is None or r.number == number]
    if not chosen:
        raise StoreError(f"no round {'' if number is None else number} is finished; {len(rounds)} are")
    vectors = vectors_of(record.db, chosen[-1].number)
    return chosen[-1], vectors[-1] if vectors else None


def _reason(
    one: RecordedRound,
    vector: RecordedVector | None,
    hotkey: str,
    registered: bool,
    average: Average | None,
    standing: Standing | None,
    earned: float,
    is_burn: bool,
) -> WeightReason:
    assert one.terms is not None
    if one.status == "void":
        return WeightReason.VOID
    if vector is None:
        return WeightReason.NO_VECTOR
    if is_burn:
        return WeightReason.BURN
    if not registered:
        return WeightReason.NOT_REGISTERED
    if average is None or standing is None:
        return WeightReason.NEVER_SCORED
    if standing.challenges < one.terms.rule.min_challenges:
        return WeightReason.TOO_FEW
    if not earned:
        return WeightReason.UNDER_BASELINE
    return WeightReason.PAID if vector.weights.get(hotkey) else WeightReason.ROUNDED
