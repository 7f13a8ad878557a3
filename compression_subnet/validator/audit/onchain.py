"""A published record against the chain: who was registered, and what weights the chain had."""

from collections.abc import Sequence
from typing import Final, Protocol

from compression_subnet.chain.history import PastValidator
from compression_subnet.chain.port import Committed, WeightsSet
from compression_subnet.doctor.check import Check, fail, ok, skipped
from compression_subnet.validator.records.round_rows import RecordedVector

__all__ = ["ChainPast", "check_chain"]

_REMEDY: Final = "do not take this record for the one behind the weights on chain"


class ChainPast(Protocol):
    """What is asked of the chain; ``chain.history.ChainHistory`` is one."""

    async def block(self) -> int:
        """Return the number of the newest block."""

    async def validator(self, block: int, hotkey: str, uids: Sequence[int] = ()) -> PastValidator | None:
        """Return a validator as of a block; None where the node no longer has that block."""

    async def proof(self, block: int, uid: int, hotkey: str) -> WeightsSet | Committed | None:
        """Return the proof in a block that a validator set or committed weights there."""


async def check_chain(past: ChainPast, hotkey: str, vectors: Sequence[tuple[int, RecordedVector]]) -> list[Check]:
    """Return what the chain says of a validator's recorded vectors.

    Args:
        past: of the subnet that the record is of.
        hotkey: the validator's.
        vectors: with the number of their round. Those that the record calls confirmed are looked up.

    Raises:
        ChainError: the chain cannot be read.
    """
    checks = [await _check_present(past, hotkey)]
    for number, vector in vectors:
        if vector.block is None:
            said = f"the record says {vector.outcome}: nothing to look up"
            checks.append(skipped(f"weights of round {number}", said))
        else:
            checks.append(await _check_vector(past, hotkey, f"weights of round {number}", vector, vector.block))
    return checks


async def _check_present(past: ChainPast, hotkey: str) -> Check:
    head = await past.block()
    now = await past.validator(head, hotkey)
    name = "validator now"
    if now is None:
        return skipped(name, f"not checked: the node does not have the state of block {head}")
    if now.uid is None:
        return skipped(name, f"{hotkey} is not registered at block {head}; it may have been when these rounds ran")
    return ok(name, f"uid {now.uid} at block {head}, {'with' if now.permit else 'without'} a validator permit")


async def _check_vector(past: ChainPast, hotkey: str, name: str, vector: RecordedVector, block: int) -> Check:
    terms = vector.terms
    if terms is None:
        return skipped(name, "not checked: an earlier release recorded it, without uids")
    claimed = {terms.registered[one]: weight for one, weight in vector.weights.items() if one in terms.registered}
    then = await past.validator(block, hotkey, sorted(claimed))
    if then is None:
        return skipped(name, f"not checked: the node no longer has the state of block {block}; ask an archive node")
    if then.uid is None or not then.permit:
        lacks = "is not registered" if then.uid is None else "has no validator permit"
        return fail(name, f"{hotkey} {lacks} at block {block}, where the record has it set weights", _REMEDY)
    for one in vector.weights:
        uid = terms.registered.get(one)
        if uid is None or then.hotkeys[uid] != one:
            holder = "nobody" if uid is None else then.hotkeys[uid]
            return fail(name, f"uid {uid} at block {block} is {holder}'s, and the record says {one}'s", _REMEDY)
    proof = await past.proof(block, then.uid, hotkey)
    if proof is None or proof.block_hash != vector.block_hash:
        found = "no such call of it" if proof is None else f"hash {proof.block_hash}, not {vector.block_hash}"
        return fail(name, f"block {block} holds {found}", _REMEDY)
    if isinstance(proof, Committed):
        return await _check_revealed(past, hotkey, name, claimed, then)
    return _compared(name, claimed, then.weights, block)


async def _check_revealed(
    past: ChainPast, hotkey: str, name: str, claimed: dict[int, int], then: PastValidator
) -> Check:
    """Compare committed weights with the row that the chain has once they are revealed.

    They are revealed at the start of the epoch ``reveal_epochs`` after the commitment's, and stay for a tempo at
    least: looked at once an epoch up to the one after, they are seen.
    """
    head = await past.block()
    for epochs in range(1, then.reveal_epochs + 2):
        block = then.block + epochs * (then.tempo + 1)
        if block > head:
            return skipped(name, f"not checked: committed at block {then.block}, and not surely revealed yet")
        later = await past.validator(block, hotkey)
        if later is None:
            return skipped(name, f"not checked: the node no longer has the state of block {block}; ask an archive node")
        if later.weights == claimed:
            return _compared(name, claimed, later.weights, block)
    return fail(name, f"what was committed at block {then.block} was not revealed as the recorded vector", _REMEDY)


def _compared(name: str, claimed: dict[int, int], found: object, block: int) -> Check:
    if found != claimed:
        return fail(name, f"block {block} has {found}, and the record {claimed}", _REMEDY)
    return ok(name, f"block {block} has the recorded vector, {len(claimed)} uids")
