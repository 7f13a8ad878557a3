"""Checks of what the chain says: pure functions of the facts."""

from typing import Final

from compression_subnet.chain import spec_version
from compression_subnet.doctor.check import Check, fail, ok, skipped, warn
from compression_subnet.doctor.facts import Facts

__all__ = [
    "check_clock",
    "check_commit_reveal",
    "check_endpoint",
    "check_immunity",
    "check_permit",
    "check_rate_limit",
    "check_registered",
    "check_serving_limit",
    "check_stake",
    "check_tempo",
    "check_version",
]

# Signed requests are taken up to 2 s before, and 10 s after, the receiver's own clock.
_BEHIND: Final = 2.0
_AHEAD: Final = 10.0
# A block takes this long to be built, spread and fetched: that much age is no sign of a clock that is ahead.
_TRAVEL: Final = 6.0
_LONG_SERVING_LIMIT: Final = 300  # blocks: an hour at 12 s


def check_endpoint(facts: Facts) -> Check:
    """Whether the chain answers at all."""
    if facts.block is None or facts.seconds is None:
        return fail(
            "endpoint",
            facts.error or "no answer",
            "check --subtensor.network or --subtensor.chain_endpoint, and that outgoing connections are allowed",
        )
    return ok("endpoint", f"block {facts.block}, answered in {1000 * facts.seconds:.0f} ms")


def check_clock(facts: Facts) -> Check:
    """Whether this machine's clock agrees with the chain's, as far as signed requests need it to."""
    if facts.age is None:
        return skipped("clock", "no new block came in time to compare clocks by")
    if facts.age < -_BEHIND:
        return fail(
            "clock",
            f"this machine is at least {-facts.age:.1f} s behind the chain",
            "synchronise the clock (chrony or systemd-timesyncd): peers' requests look as if from the future",
        )
    if facts.age > _TRAVEL + _AHEAD:
        return fail(
            "clock",
            f"a new block was {facts.age:.1f} s old when it came in",
            "synchronise the clock (chrony or systemd-timesyncd), or use an endpoint that is nearer to the chain",
        )
    if facts.age > _TRAVEL:
        return warn(
            "clock",
            f"a new block was {facts.age:.1f} s old when it came in",
            "the clock may be ahead (see chronyc tracking), or the endpoint slow",
        )
    return ok("clock", f"within {max(abs(facts.age), 0.1):.1f} s of the chain")


def check_registered(facts: Facts) -> Check:
    """Whether the hotkey has a place on the subnet."""
    if facts.metagraph is None or facts.hotkey is None:
        return _unknown("registered", facts)
    graph, neuron = facts.metagraph, facts.neuron
    if neuron is None:
        return fail(
            "registered",
            f"{facts.hotkey} is not on subnet {graph.netuid} ({len(graph.neurons)} of {graph.hyperparameters.max_uids} "
            "places taken)",
            f"btcli subnets register --netuid {graph.netuid}",
        )
    return ok("registered", f"uid {neuron.uid}, since block {neuron.registered_at}")


def check_stake(facts: Facts) -> Check:
    """Whether the hotkey's stake weight reaches what setting weights takes."""
    neuron = facts.neuron
    if neuron is None or facts.stake_threshold is None:
        return _unknown("stake", facts)
    detail = f"stake weight {neuron.stake:,.2f}, threshold {facts.stake_threshold:,.2f}"
    if neuron.stake < facts.stake_threshold:
        return fail("stake", detail, f"stake to {neuron.hotkey}: btcli stake add")
    return ok("stake", detail)


def check_permit(facts: Facts) -> Check:
    """Whether the hotkey may set weights."""
    neuron = facts.neuron
    if neuron is None:
        return _unknown("permit", facts)
    if not neuron.validator_permit:
        return fail(
            "permit",
            "no validator permit",
            "permits go to the hotkeys of most stake weight and change at each epoch: stake more, then wait for one",
        )
    return ok("permit", "validator permit held")


def check_rate_limit(facts: Facts) -> Check:
    """Whether the subnet lets weights be set once an epoch, and when they may be set next."""
    neuron, graph = facts.neuron, facts.metagraph
    if neuron is None or graph is None:
        return _unknown("rate limit", facts)
    limit, tempo = graph.hyperparameters.weights_rate_limit, graph.hyperparameters.tempo
    free = max(neuron.last_update + limit, graph.block) if neuron.last_update else graph.block
    detail = f"weights every {limit} blocks, next from block {free} (now {graph.block})"
    if limit > tempo:
        return warn("rate limit", detail, f"it outlasts the tempo of {tempo}: some epochs get no fresh weights")
    return ok("rate limit", detail)


def check_tempo(facts: Facts) -> Check:
    """Whether the subnet runs epochs, and when the next one is."""
    if facts.metagraph is None:
        return _unknown("tempo", facts)
    tempo = facts.metagraph.hyperparameters.tempo
    if facts.next_epoch is None:
        return fail("tempo", f"tempo {tempo}: no next epoch is known", "the subnet's owner sets the tempo")
    return ok("tempo", f"an epoch every {tempo} blocks, the next at block {facts.next_epoch}")


def check_commit_reveal(facts: Facts) -> Check:
    """Whether weights are hidden until they cannot be copied any more."""
    if facts.metagraph is None:
        return _unknown("commit-reveal", facts)
    settings = facts.metagraph.hyperparameters
    if not settings.commit_reveal:
        return warn(
            "commit-reveal",
            "off: other validators can copy weights as soon as they are set",
            "the subnet's owner turns it on (commit_reveal_weights_enabled)",
        )
    return ok("commit-reveal", f"on, revealed after {settings.commit_reveal_epochs} epochs")


def check_version(facts: Facts) -> Check:
    """Whether the subnet takes weights of this release."""
    if facts.metagraph is None:
        return _unknown("version", facts)
    wanted, ours = facts.metagraph.hyperparameters.weights_version, spec_version()
    detail = f"the subnet wants {wanted}, this release is {ours}"
    if wanted > ours:
        return fail("version", detail, "upgrade: pip install -U compression-subnet")
    return ok("version", detail)


def check_immunity(facts: Facts) -> Check:
    """Whether a new miner is safe from removal until the first weights for it are revealed."""
    if facts.metagraph is None:
        return _unknown("immunity", facts)
    settings = facts.metagraph.hyperparameters
    epochs = settings.commit_reveal_epochs + 1 if settings.commit_reveal else 1
    needed = epochs * settings.tempo
    detail = f"{settings.immunity_period} blocks; first weights take effect within {needed}"
    if settings.immunity_period <= needed:
        return warn("immunity", detail, "new miners may go before they are scored: the owner raises immunity_period")
    return ok("immunity", detail)


def check_serving_limit(facts: Facts) -> Check:
    """How soon a changed address can be published."""
    if facts.metagraph is None:
        return _unknown("serving limit", facts)
    limit = facts.metagraph.hyperparameters.serving_rate_limit
    detail = f"an address can be changed every {limit} blocks"
    if limit > _LONG_SERVING_LIMIT:
        return warn("serving limit", detail, "settle axon.external_ip and axon.external_port before the first start")
    return ok("serving limit", detail)


def _unknown(name: str, facts: Facts) -> Check:
    if facts.metagraph is None:
        return skipped(name, facts.error or "the subnet could not be read")
    if facts.hotkey is None:
        return skipped(name, "no hotkey could be read")
    if facts.neuron is None:
        return skipped(name, "the hotkey is not registered")
    return skipped(name, facts.error or "the chain did not say")
