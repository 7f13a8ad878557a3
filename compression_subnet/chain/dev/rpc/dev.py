"""Development methods, which no real chain has. Their names all begin with ``dev_``.

| method | parameters | does | returns |
| --- | --- | --- | --- |
| dev_newBlock | [n=1] | builds n blocks at once | the newest block's number |
| dev_register | netuid, hotkey, coldkey | registers a hotkey, free of any price | its uid |
| dev_setStake | hotkey, netuid, rao | sets alpha on a subnet (TAO on root, 0); recomputes permits at once | true |
| dev_setHyperparameter | netuid, name, value | sets one, by the SDK's name or the storage item's | true |
| dev_setStakeThreshold | rao | sets the stake weight that setting weights needs, on all subnets | true |
| dev_endow | address, rao | sets an account's free balance | true |
| dev_revealWeights | netuid, hotkey, uids, weights, [version_key, mechanism] | gives the plain weights behind a
  hotkey's newest commitment, to be applied at the start of its reveal epoch | that epoch's index |
| dev_fault | kind, [arguments] | misbehaves: see ``faults`` | true |
| dev_calls | | | how often each method was called |

Changes apply to the newest block at once; no extrinsic carries them. On the live chain permits change at an epoch
only; here a stake that is set by hand counts at once, so that a demonstration need not wait for one.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from compression_subnet.chain.dev.chain import Chain
from compression_subnet.chain.dev.errors import DispatchFailure, RpcFailure
from compression_subnet.chain.dev.pallets import CallContext, accounts, registration, reveals, subnets
from compression_subnet.chain.dev.rpc.session import Method, Session, invalid_parameters
from compression_subnet.chain.dev.runtime.hyperparameters import hyperparameter

__all__ = ["READ_ONLY", "dev_methods", "existing_subnet", "register"]

READ_ONLY: Final = frozenset({"dev_calls"})
"""Development methods that change nothing."""

_REFUSED: Final = -32000
_PASSES_EVERY_VERSION: Final = 2**64 - 1


def dev_methods(chain: Chain, build: Callable[[int], None], calls: Mapping[str, int]) -> dict[str, Method]:
    """Return the development methods, but for ``dev_fault``.

    Args:
        chain: the chain that they change.
        build: builds that many blocks.
        calls: how often each method was called.
    """
    storage = chain.storage

    def new_block(session: Session, count: int = 1) -> int:
        if count < 1:
            raise invalid_parameters(f"the number of blocks must be positive, not {count}")
        build(count)
        return chain.head.number

    def register_hotkey(session: Session, netuid: int, hotkey: str, coldkey: str) -> int:
        return register(chain, netuid, hotkey, coldkey)

    def set_stake(session: Session, hotkey: str, netuid: int, rao: int) -> bool:
        storage.put("TotalHotkeyAlpha", hotkey, existing_subnet(chain, netuid), value=rao)
        for each in subnets.subnets(storage):
            if each != subnets.ROOT and netuid in (each, subnets.ROOT):
                subnets.recompute_permits(storage, each)
        return True

    def set_hyperparameter(session: Session, netuid: int, name: str, value: int) -> bool:
        try:
            row = hyperparameter(name)
        except KeyError as error:
            raise invalid_parameters(str(error.args[0])) from error
        encoded = {"FixedU128": {"bits": value}, "bool": bool(value)}.get(row.type, value)
        storage.put(row.item, existing_subnet(chain, netuid), value=encoded)
        return True

    def set_stake_threshold(session: Session, rao: int) -> bool:
        storage.put("StakeThreshold", value=rao)
        return True

    def endow(session: Session, address: str, rao: int) -> bool:
        accounts.endow(storage, address, rao)
        return True

    def reveal_weights(
        session: Session,
        netuid: int,
        hotkey: str,
        uids: Sequence[int],
        weights: Sequence[int],
        version_key: int = _PASSES_EVERY_VERSION,
        mechanism: int = 0,
    ) -> int:
        try:
            return reveals.offer_reveal(
                storage, existing_subnet(chain, netuid), mechanism, hotkey, uids, weights, version_key
            )
        except ValueError as error:
            raise invalid_parameters(str(error)) from error

    def count_calls(session: Session) -> dict[str, int]:
        return dict(calls)

    return {
        "dev_newBlock": new_block,
        "dev_register": register_hotkey,
        "dev_setStake": set_stake,
        "dev_setHyperparameter": set_hyperparameter,
        "dev_setStakeThreshold": set_stake_threshold,
        "dev_endow": endow,
        "dev_revealWeights": reveal_weights,
        "dev_calls": count_calls,
    }


def existing_subnet(chain: Chain, netuid: int) -> int:
    """Return ``netuid`` if there is such a subnet.

    Raises:
        RpcFailure: there is none.
    """
    if not subnets.subnet_exists(chain.storage, netuid):
        known = ", ".join(map(str, subnets.subnets(chain.storage)))
        raise invalid_parameters(f"subnet {netuid} does not exist; there are {known}")
    return netuid


def register(chain: Chain, netuid: int, hotkey: str, coldkey: str) -> int:
    """Register a hotkey outside of any extrinsic; return its uid.

    Raises:
        RpcFailure: the pallet does not register it.
    """
    context = CallContext(chain.storage, chain.head.number)
    try:
        with chain.state.transaction():
            uid = registration.register(context, existing_subnet(chain, netuid), hotkey, coldkey)
    except DispatchFailure as failure:
        raise RpcFailure(_REFUSED, str(failure)) from failure
    for event in context.events:
        chain.emit_outside(event)
    return uid
