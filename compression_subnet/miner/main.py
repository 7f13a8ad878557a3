"""A miner from its settings."""

import gc
from typing import Final
from urllib.parse import urlsplit

from compression_subnet.chain.adapter import open_chain
from compression_subnet.chain.version import spec_version
from compression_subnet.chain.wallets import load_hotkey
from compression_subnet.compressors.base import CompressorOptions
from compression_subnet.miner.config import MinerConfig
from compression_subnet.miner.service import run
from compression_subnet.settings import MinerSettings

__all__ = ["miner_config", "run_miner"]

# In alpha. Stakes on testnet are small.
_LEAST_STAKE: Final = 1000.0
_LEAST_STAKE_ON_TEST: Final = 10.0


async def run_miner(settings: MinerSettings) -> bool:
    """Run a miner until it is cancelled.

    Raises:
        ConfigurationError: a wallet, address or setting is unusable.
        CompressorError: a compressor cannot be found or does not work.
        StoreError: the file of nonces cannot be used.
        TransportError: the HTTP server failed.
    """
    config = miner_config(settings)
    hotkey = load_hotkey(settings.wallet.name, settings.wallet.hotkey, settings.wallet.path)
    chain = await open_chain(
        settings.subtensor.endpoint,
        settings.netuid,
        hotkey,
        spec_version=spec_version(),
        deadline=settings.subtensor.timeout,
    )
    # What is here now stays: without it a full collection, which stops the event loop, is a matter of milliseconds.
    gc.collect()
    gc.freeze()
    await run(config, chain, hotkey)
    return True


def miner_config(settings: MinerSettings) -> MinerConfig:
    """Return the service's configuration.

    Raises:
        ConfigurationError: a setting is unusable.
    """
    axon, blacklist, compressor, neuron = settings.axon, settings.blacklist, settings.compressor, settings.neuron
    stake = blacklist.min_stake
    if stake is None:
        stake = _LEAST_STAKE_ON_TEST if _is_testnet(settings.subtensor.endpoint) else _LEAST_STAKE
    return MinerConfig(
        ip=axon.ip,
        port=axon.port,
        external_ip=axon.external_ip,
        external_port=axon.external_port,
        allow_private=axon.allow_private,
        min_stake=stake,
        require_permit=blacklist.force_validator_permit,
        requests_per_minute=blacklist.requests_per_minute,
        total_per_minute=blacklist.total_per_minute,
        connections_per_minute=blacklist.connections_per_minute,
        connections_per_address=blacklist.connections_per_address,
        nonce_store=axon.nonce_store,
        metagraph_seconds=neuron.metagraph_seconds,
        compressor=compressor.name,
        options=CompressorOptions(
            model=compressor.model,
            dtype=compressor.dtype,
            batch_tokens=compressor.batch_tokens,
            threads=compressor.threads,
            compile=compressor.compile,
        ),
        devices=_names(compressor.devices),
        workers=axon.workers,
        fallbacks=() if compressor.fallbacks == "none" else _names(compressor.fallbacks),
        batch_wait=axon.batch_wait / 1000,
        strict_budget=not neuron.allow_over_budget,
        ops_host=settings.ops.host,
        ops_port=settings.ops.port,
    )


def _names(setting: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in setting.split(",") if part.strip())


def _is_testnet(endpoint: str) -> bool:
    return endpoint == "test" or (urlsplit(endpoint).hostname or "").startswith("test.")
