"""From a round's results to averages, and from averages to what each hotkey has earned. Pure."""

from collections.abc import Collection, Iterable, Mapping

from compression_subnet.chain.port import Metagraph
from compression_subnet.scoring import (
    LEVELS,
    Average,
    ChallengeScore,
    WeightRule,
    copy_groups,
    earned_weights,
    normalise,
)
from compression_subnet.text import canonical
from compression_subnet.validator.records.record import Record
from compression_subnet.validator.rounds.results import ChallengeResult, RoundResult

__all__ = ["copies_in", "earned_by", "epoch_number", "recorded_copies", "updated_averages"]


def epoch_number(metagraph: Metagraph) -> int:
    """Return the number of the subnet's epoch at the metagraph's block.

    The chain's own formula: an epoch runs when ``(block + netuid + 1) % (tempo + 1)`` is 0.
    """
    return (metagraph.block + metagraph.netuid + 1) // (metagraph.hyperparameters.tempo + 1)


def updated_averages(
    averages: Mapping[str, Average],
    result: RoundResult,
    registered: Collection[str],
    epoch: int,
    forgetting: float,
) -> dict[str, Average]:
    """Return the averages after a round that counts, of registered hotkeys alone.

    A hotkey for which nothing was counted keeps its average as it is.
    """
    scores: dict[str, list[ChallengeScore]] = {}
    for challenge in result.challenges:
        for hotkey, score in challenge.scores():
            scores.setdefault(hotkey, []).append(score)
    updated = {hotkey: average for hotkey, average in averages.items() if hotkey in registered}
    for hotkey, counted in scores.items():
        if hotkey in registered:
            before = updated.get(hotkey, Average.empty(epoch))
            updated[hotkey] = before.update(max(epoch, before.epoch), counted, forgetting)
    return updated


def copies_in(challenges: Iterable[ChallengeResult]) -> list[frozenset[str]]:
    """Return the groups of hotkeys that answered this epoch's challenges with each other's replies."""
    words: dict[str, dict[str, frozenset[str]]] = {}
    for result in challenges:
        if result.assignment.level != min(LEVELS):
            continue
        for miner in result.miners:
            if miner.score:
                said = frozenset(normalise(miner.compliance.text))
                words.setdefault(miner.hotkey, {})[result.assignment.challenge.id] = said
    return copy_groups(words)


def recorded_copies(record: Record, round_number: int) -> list[frozenset[str]]:
    """Return what ``copies_in`` found in a round, from its record."""
    words: dict[str, dict[str, frozenset[str]]] = {}
    for challenge, hotkey, raw in record.scored_replies(round_number, min(LEVELS)):
        words.setdefault(hotkey, {})[challenge] = frozenset(normalise(canonical(raw).strip()))
    return copy_groups(words)


def earned_by(
    averages: Mapping[str, Average], rule: WeightRule, copies: Collection[frozenset[str]]
) -> dict[str, float]:
    """Return what each hotkey has earned, not normalised; those who have earned nothing are left out.

    Args:
        averages: by hotkey.
        rule: how margins are paid.
        copies: groups of hotkeys that are paid as one.
    """
    return earned_weights({hotkey: average.standing() for hotkey, average in averages.items()}, rule, copies)
