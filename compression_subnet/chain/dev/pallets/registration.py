"""Registering a hotkey, at a price that follows demand, and which neuron gives way where the subnet is full.

Source: ``subnets/registration.rs`` of the public pallet.
"""

from typing import Final

from compression_subnet.chain.dev.errors import DispatchFailure
from compression_subnet.chain.dev.pallets import accounts, subnets
from compression_subnet.chain.dev.pallets.context import CallContext
from compression_subnet.chain.dev.runtime.description import EXISTENTIAL_DEPOSIT
from compression_subnet.chain.dev.state import Storage

__all__ = ["burned_register", "lower_prices", "neuron_to_prune", "register"]

_NOBODY: Final = "5C4hrfjw9DjXZTzV3MwzrrAr9P1MJhSrvWGWqi1eSuyUpnhM"
"""SS58 address of the account of 32 zero bytes: the owner of a hotkey that has none."""

_FIXED_ONE: Final = 2**64


def burned_register(context: CallContext, signer: str, /, *, netuid: int, hotkey: str) -> None:
    """Register a hotkey of the signing coldkey at the current price (SubtensorModule.burned_register)."""
    storage = context.storage
    if netuid == subnets.ROOT:
        raise DispatchFailure("RegistrationNotPermittedOnRootSubnet")
    if not subnets.subnet_exists(storage, netuid):
        raise DispatchFailure("SubnetNotExists")
    if not storage.get("NetworkRegistrationAllowed", netuid):
        raise DispatchFailure("SubNetRegistrationDisabled")
    if subnets.uid_of(storage, netuid, hotkey) is not None:
        raise DispatchFailure("HotKeyAlreadyRegisteredInSubNet")
    price = int(storage.get("Burn", netuid))
    if accounts.balance(storage, signer) - EXISTENTIAL_DEPOSIT < price:
        raise DispatchFailure("NotEnoughBalanceToStake")
    if storage.get("Owner", hotkey) not in (_NOBODY, signer):
        raise DispatchFailure("NonAssociatedColdKey")
    register(context, netuid, hotkey, signer)
    accounts.charge(storage, signer, price)
    multiplier = int(storage.get("BurnIncreaseMult", netuid)["bits"])
    raised = min(price * multiplier // _FIXED_ONE, int(storage.get("MaxBurn", netuid)))
    storage.put("Burn", netuid, value=raised)


def register(context: CallContext, netuid: int, hotkey: str, coldkey: str) -> int:
    """Give a hotkey a uid: the next, or that of the neuron that must give way.

    Raises:
        DispatchFailure: it is registered already, or every neuron is protected.
    """
    storage = context.storage
    if subnets.uid_of(storage, netuid, hotkey) is not None:
        raise DispatchFailure("HotKeyAlreadyRegisteredInSubNet")
    if subnets.neuron_count(storage, netuid) < int(storage.get("MaxAllowedUids", netuid)):
        uid = subnets.append_neuron(storage, netuid, hotkey, coldkey, context.block)
    else:
        victim = neuron_to_prune(storage, netuid, context.block)
        if victim is None:
            raise DispatchFailure("NoNeuronIdAvailable")
        uid = victim
        subnets.replace_neuron(storage, netuid, uid, hotkey, coldkey, context.block)
    context.emit("SubtensorModule", "NeuronRegistered", (netuid, uid, hotkey))
    return uid


def neuron_to_prune(storage: Storage, netuid: int, block: int) -> int | None:
    """Return the uid that gives way: the least emission, then the oldest registration, then the lowest uid.

    Neurons past their immunity come first, as long as more than ``MinNonImmuneUids`` of them are left; then the
    immune ones. The owner's are never taken, up to ``ImmuneOwnerUidsLimit``. None where nobody is left.
    """
    immunity = int(storage.get("ImmunityPeriod", netuid))
    emission = storage.get("Emission", netuid)
    protected = _owner_uids(storage, netuid)
    immune: list[tuple[int, int, int]] = []
    free: list[tuple[int, int, int]] = []
    for uid in range(subnets.neuron_count(storage, netuid)):
        if uid in protected:
            continue
        registered = int(storage.get("BlockAtRegistration", netuid, uid))
        candidates = immune if block - registered < immunity else free
        candidates.append((int(emission[uid]), registered, uid))
    if len(free) > int(storage.get("MinNonImmuneUids", netuid)):
        return min(free)[2]
    return min(immune)[2] if immune else None


def lower_prices(storage: Storage) -> None:
    """Let every subnet's price decay for one block, by its half-life, to no less than its floor."""
    for netuid in subnets.subnets(storage):
        half_life = int(storage.get("BurnHalfLife", netuid))
        price, floor = int(storage.get("Burn", netuid)), int(storage.get("MinBurn", netuid))
        if netuid != subnets.ROOT and half_life and price > floor:
            storage.put("Burn", netuid, value=max(int(price * 0.5 ** (1 / half_life)), floor))


def _owner_uids(storage: Storage, netuid: int) -> set[int]:
    owned = []
    for hotkey in storage.get("OwnedHotkeys", storage.get("SubnetOwner", netuid)):
        uid = subnets.uid_of(storage, netuid, hotkey)
        if uid is not None:
            owned.append((int(storage.get("BlockAtRegistration", netuid, uid)), uid))
    uids = [uid for _, uid in sorted(owned)]
    limit = int(storage.get("ImmuneOwnerUidsLimit", netuid))
    named = subnets.owner_uid(storage, netuid)
    if named is not None and named not in uids[:limit]:
        uids.insert(0, named)
    return set(uids[:limit])
