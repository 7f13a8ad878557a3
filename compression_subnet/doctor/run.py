"""The doctor from a neuron's own settings, so that what is examined is what would run."""

import contextlib
import os
from pathlib import Path

from compression_subnet.chain import Axon
from compression_subnet.doctor.check import Check
from compression_subnet.doctor.examine import DoctorConfig, examine
from compression_subnet.judge.setup import answerer_of
from compression_subnet.settings import MinerSettings, ValidatorSettings

__all__ = ["examine_miner", "examine_validator"]


async def examine_validator(settings: ValidatorSettings) -> list[Check]:
    """Return what stands in the way of a validator with these settings."""
    async with contextlib.AsyncExitStack() as stack:
        judge = await stack.enter_async_context(answerer_of(settings.judge, os.environ))
        return await examine(
            DoctorConfig(
                role="validator",
                network=settings.subtensor.endpoint,
                netuid=settings.netuid,
                wallet=settings.wallet.name,
                hotkey=settings.wallet.hotkey,
                wallet_path=settings.wallet.path,
                folder=settings.neuron.store.absolute().parent,
                allow_private=settings.dendrite.allow_private,
                judge=judge,
            )
        )


async def examine_miner(settings: MinerSettings) -> list[Check]:
    """Return what stands in the way of a miner with these settings."""
    axon = settings.axon
    return await examine(
        DoctorConfig(
            role="miner",
            network=settings.subtensor.endpoint,
            netuid=settings.netuid,
            wallet=settings.wallet.name,
            hotkey=settings.wallet.hotkey,
            wallet_path=settings.wallet.path,
            folder=settings.logging.logging_dir or Path.cwd(),
            axon=Axon(axon.external_ip or axon.ip, axon.external_port or axon.port),
            allow_private=axon.allow_private,
        )
    )
