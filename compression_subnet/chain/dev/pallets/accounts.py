"""Accounts: balances, nonces and fees (System, Balances, TransactionPayment)."""

from typing import Any, Final

from compression_subnet.chain.dev.errors import DispatchFailure
from compression_subnet.chain.dev.pallets.context import CallContext
from compression_subnet.chain.dev.runtime.description import EXISTENTIAL_DEPOSIT
from compression_subnet.chain.dev.state import Storage

__all__ = ["FEE", "balance", "charge", "endow", "nonce", "remark", "transfer_keep_alive", "use_nonce"]

FEE: Final = 124_414
"""Fee of every call that pays one, in rao; about what mainnet asks for a registration."""


def _account(storage: Storage, address: str) -> Any:
    return storage.get("Account", address, pallet="System")


def _store(storage: Storage, address: str, account: Any) -> None:
    storage.put("Account", address, value=account, pallet="System")


def balance(storage: Storage, address: str) -> int:
    """Return an account's free balance in rao."""
    return int(_account(storage, address)["data"]["free"])


def nonce(storage: Storage, address: str) -> int:
    """Return the nonce that the account's next extrinsic must carry."""
    return int(_account(storage, address)["nonce"])


def use_nonce(storage: Storage, address: str) -> None:
    """Count an included extrinsic of the account."""
    account = _account(storage, address)
    account["nonce"] += 1
    _store(storage, address, account)


def endow(storage: Storage, address: str, rao: int) -> None:
    """Set an account's free balance."""
    account = _account(storage, address)
    account["providers"] = 1
    account["data"]["free"] = rao
    _store(storage, address, account)


def charge(storage: Storage, address: str, rao: int) -> None:
    """Take a fee or a price from an account that is known to hold it."""
    endow(storage, address, balance(storage, address) - rao)


def remark(context: CallContext, signer: str, /, *, remark: Any) -> None:
    """Do nothing, for a fee (System.remark)."""


def transfer_keep_alive(context: CallContext, signer: str, /, *, dest: Any, value: int) -> None:
    """Move TAO, leaving the sender at least the existential deposit (Balances.transfer_keep_alive)."""
    receiver = dest["Id"] if isinstance(dest, dict) else str(dest)
    free = balance(context.storage, signer)
    if free < value:
        raise DispatchFailure("InsufficientBalance")
    if free - value < EXISTENTIAL_DEPOSIT:
        raise DispatchFailure("Expendability")
    if balance(context.storage, receiver) + value < EXISTENTIAL_DEPOSIT:
        raise DispatchFailure("ExistentialDeposit")
    endow(context.storage, signer, free - value)
    endow(context.storage, receiver, balance(context.storage, receiver) + value)
    context.emit("Balances", "Transfer", {"from": signer, "to": receiver, "amount": value})
