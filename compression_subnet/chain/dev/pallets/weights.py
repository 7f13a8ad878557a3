"""Setting weights, plainly or by a time-locked commitment.

The order of checks and the errors' names are the public pallet's (``subnets/weights.rs``).
"""

from collections.abc import Sequence
from typing import Final

from compression_subnet.chain.dev.errors import DispatchFailure
from compression_subnet.chain.dev.pallets import subnets
from compression_subnet.chain.dev.pallets.context import CallContext
from compression_subnet.chain.dev.runtime.codec import blake2_256
from compression_subnet.chain.dev.state import Storage

__all__ = [
    "MAX_COMMIT_BYTES",
    "commit_bytes",
    "commit_timelocked_mechanism_weights",
    "commit_timelocked_weights",
    "passes_rate_limit",
    "set_mechanism_weights",
    "set_weights",
    "store_weights",
]

_LARGEST: Final = 65_535
_MAX_UNREVEALED_COMMITS: Final = 10
MAX_COMMIT_BYTES: Final = 5_000
"""Longest commitment that a node can read."""


def set_weights(
    context: CallContext,
    signer: str,
    /,
    *,
    netuid: int,
    dests: Sequence[int],
    weights: Sequence[int],
    version_key: int,
) -> None:
    """Set a hotkey's weights in the first mechanism (SubtensorModule.set_weights)."""
    set_mechanism_weights(
        context, signer, netuid=netuid, mecid=0, dests=dests, weights=weights, version_key=version_key
    )


def set_mechanism_weights(
    context: CallContext,
    signer: str,
    /,
    *,
    netuid: int,
    mecid: int,
    dests: Sequence[int],
    weights: Sequence[int],
    version_key: int,
) -> None:
    """Set a hotkey's weights (SubtensorModule.set_mechanism_weights); refused where commit-reveal is on."""
    if context.storage.get("CommitRevealWeightsEnabled", netuid):
        raise DispatchFailure("CommitRevealEnabled")
    store_weights(context, signer, netuid, mecid, dests, weights, version_key)


def store_weights(
    context: CallContext,
    hotkey: str,
    netuid: int,
    mechanism: int,
    dests: Sequence[int],
    weights: Sequence[int],
    version_key: int,
) -> None:
    """Check a row of weights and store it, scaled up so that its largest is 65535.

    Raises:
        DispatchFailure: named as the pallet names it.
    """
    storage = context.storage
    if netuid == subnets.ROOT:
        raise DispatchFailure("CanNotSetRootNetworkWeights")
    if len(dests) != len(weights):
        raise DispatchFailure("WeightVecNotEqualSize")
    _check_mechanism(storage, netuid, mechanism)
    count = subnets.neuron_count(storage, netuid)
    if len(dests) > count:
        raise DispatchFailure("UidsLengthExceedUidsInSubNet")
    uid = _registered(storage, netuid, hotkey)
    if subnets.stake_weight(storage, netuid, hotkey)[0] < int(storage.get("StakeThreshold")):
        raise DispatchFailure("NotEnoughStakeToSetWeights")
    network_key = int(storage.get("WeightsVersionKey", netuid))
    if network_key and version_key < network_key:
        raise DispatchFailure("IncorrectWeightVersionKey")
    index = subnets.storage_index(netuid, mechanism)
    commit_reveal = bool(storage.get("CommitRevealWeightsEnabled", netuid))
    if not commit_reveal and not passes_rate_limit(storage, context.block, netuid, mechanism, uid):
        raise DispatchFailure("SettingWeightsTooFast")
    to_itself = list(dests) == [uid]
    owner = storage.get("SubnetOwnerHotkey", netuid) == hotkey
    if not to_itself and not owner and not storage.get("ValidatorPermit", netuid)[uid]:
        raise DispatchFailure("NeuronNoValidatorPermit")
    if len(set(dests)) != len(dests):
        raise DispatchFailure("DuplicateUids")
    if any(dest >= count for dest in dests):
        raise DispatchFailure("UidVecContainInvalidOne")
    if not to_itself and len(weights) < min(count, int(storage.get("MinAllowedWeights", netuid))):
        raise DispatchFailure("WeightVecLengthIsLow")
    row = _scaled_up(weights)
    limit = int(storage.get("MaxWeightsLimit", netuid))
    if not to_itself and limit != _LARGEST and any(row) and max(row) * _LARGEST > limit * sum(row):
        raise DispatchFailure("MaxWeightExceeded")
    storage.put("Weights", index, uid, value=list(zip(dests, row, strict=True)))
    if not commit_reveal:
        _mark_update(storage, index, uid, context.block)
    context.emit("SubtensorModule", "WeightsSet", (index, uid))


def commit_timelocked_weights(
    context: CallContext,
    signer: str,
    /,
    *,
    netuid: int,
    commit: str | bytes,
    reveal_round: int,
    commit_reveal_version: int,
) -> None:
    """Commit to weights of the first mechanism (SubtensorModule.commit_timelocked_weights)."""
    commit_timelocked_mechanism_weights(
        context,
        signer,
        netuid=netuid,
        mecid=0,
        commit=commit,
        reveal_round=reveal_round,
        commit_reveal_version=commit_reveal_version,
    )


def commit_timelocked_mechanism_weights(
    context: CallContext,
    signer: str,
    /,
    *,
    netuid: int,
    mecid: int,
    commit: str | bytes,
    reveal_round: int,
    commit_reveal_version: int,
) -> None:
    """Keep a sealed row of weights until its epoch (SubtensorModule.commit_timelocked_mechanism_weights)."""
    storage = context.storage
    sealed = commit_bytes(commit)
    _check_mechanism(storage, netuid, mecid)
    if not storage.get("CommitRevealWeightsEnabled", netuid):
        raise DispatchFailure("CommitRevealDisabled")
    if commit_reveal_version != int(storage.get("CommitRevealWeightsVersion")):
        raise DispatchFailure("IncorrectCommitRevealVersion")
    uid = _registered(storage, netuid, signer)
    if not passes_rate_limit(storage, context.block, netuid, mecid, uid):
        raise DispatchFailure("CommittingWeightsTooFast")
    index = subnets.storage_index(netuid, mecid)
    epoch = int(storage.get("SubnetEpochIndex", netuid))
    commits = list(storage.get("TimelockedWeightCommits", index, epoch))
    if [held[0] for held in commits].count(signer) >= _MAX_UNREVEALED_COMMITS:
        raise DispatchFailure("TooManyUnrevealedCommits")
    commits = [(hotkey, block, commit_bytes(held), drand) for hotkey, block, held, drand in commits]
    commits.append((signer, context.block, sealed, reveal_round))
    storage.put("TimelockedWeightCommits", index, epoch, value=commits)
    _mark_update(storage, index, uid, context.block)
    digest = f"0x{blake2_256(sealed).hex()}"
    context.emit("SubtensorModule", "TimelockedWeightsCommitted", (signer, index, digest, reveal_round))


def passes_rate_limit(storage: Storage, block: int, netuid: int, mechanism: int, uid: int) -> bool:
    """Say whether enough blocks have passed since this uid last set or committed weights."""
    updates = storage.get("LastUpdate", subnets.storage_index(netuid, mechanism))
    last = int(updates[uid]) if uid < len(updates) else 0
    return last == 0 or block - last >= int(storage.get("WeightsSetRateLimit", netuid))


def _check_mechanism(storage: Storage, netuid: int, mechanism: int) -> None:
    if not subnets.subnet_exists(storage, netuid):
        raise DispatchFailure("MechanismDoesNotExist")
    if mechanism >= int(storage.get("MechanismCountCurrent", netuid)):
        raise DispatchFailure("MechanismDoesNotExist")


def _registered(storage: Storage, netuid: int, hotkey: str) -> int:
    uid = subnets.uid_of(storage, netuid, hotkey)
    if uid is None:
        raise DispatchFailure("HotKeyNotRegisteredInSubNet")
    return uid


def _mark_update(storage: Storage, index: int, uid: int, block: int) -> None:
    updates = list(storage.get("LastUpdate", index))
    updates += [0] * (uid + 1 - len(updates))  # a second mechanism starts with none
    updates[uid] = block
    storage.put("LastUpdate", index, value=updates)


def _scaled_up(weights: Sequence[int]) -> list[int]:
    largest = max(weights, default=0)
    return [weight * _LARGEST // largest for weight in weights] if largest else list(weights)


def commit_bytes(value: str | bytes | Sequence[int]) -> bytes:
    """Return the bytes of a ``Vec<u8>`` as the codec decodes it.

    The codec shows bytes as text where they are UTF-8, and else as hexadecimal; so what reads as hexadecimal of
    UTF-8 was text that happens to look like it.
    """
    if not isinstance(value, str):
        return bytes(value)
    try:
        shown = bytes.fromhex(value.removeprefix("0x")) if value.startswith("0x") else b""
    except ValueError:
        shown = b""
    return value.encode() if _is_text(shown) else shown


def _is_text(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True
