"""How a new dev chain begins: endowed accounts and subnet 1."""

from dataclasses import dataclass
from typing import Final

import bittensor_core  # type: ignore[import-untyped]

from compression_subnet.chain.dev.chain import Chain
from compression_subnet.chain.dev.pallets import accounts, subnets
from compression_subnet.chain.dev.runtime.hyperparameters import hyperparameter

__all__ = ["DEV_ACCOUNTS", "NETUID", "SubnetSettings", "begin", "configure", "dev_address"]

NETUID: Final = 1
DEV_ACCOUNTS: Final = ("//Alice", "//Bob", "//Charlie", "//Dave", "//Eve", "//Ferdie")
"""Well-known keys; each starts with a million TAO. The first owns subnet 1, as coldkey and as hotkey."""

_ENDOWMENT: Final = 10**15
_POOL: Final = 10**12
"""Rao of TAO, and of alpha, in the subnet's pool: one alpha is worth one TAO."""


@dataclass(frozen=True, slots=True)
class SubnetSettings:
    """Settings of subnet 1 that differ from what it has; None leaves them alone."""

    tempo: int | None = None
    commit_reveal: bool | None = None
    weights_rate_limit: int | None = None


def dev_address(uri: str) -> str:
    """Return the SS58 address of a development key such as ``//Alice``."""
    return str(bittensor_core.Keypair.create_from_uri(uri).ss58_address)


def begin(chain: Chain, settings: SubnetSettings) -> None:
    """Write the genesis state and build the first block.

    Root (0) and subnet 1 exist; subnet 1 has a new subnet's settings but for those given, and its owner's hotkey is
    uid 0, as on the live chain.
    """
    storage = chain.storage
    for uri in DEV_ACCOUNTS:
        accounts.endow(storage, dev_address(uri), _ENDOWMENT)
    owner = dev_address(DEV_ACCOUNTS[0])
    storage.put("NetworksAdded", subnets.ROOT, value=True)
    storage.put("TokenSymbol", subnets.ROOT, value=list("\u03a4".encode()))
    subnets.add_subnet(storage, NETUID, owner, owner, block=0)
    storage.put("TokenSymbol", NETUID, value=list("\u03b1".encode()))
    storage.put("SubnetTAO", NETUID, value=_POOL)
    storage.put("SubnetAlphaIn", NETUID, value=_POOL)
    configure(chain, settings)
    chain.new_block()


def configure(chain: Chain, settings: SubnetSettings) -> None:
    """Apply settings to subnet 1."""
    chosen = {
        "tempo": settings.tempo,
        "commit_reveal_weights_enabled": settings.commit_reveal,
        "weights_rate_limit": settings.weights_rate_limit,
    }
    for name, value in chosen.items():
        if value is not None:
            chain.storage.put(hyperparameter(name).item, NETUID, value=value)
