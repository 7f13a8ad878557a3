"""A miner from its settings."""

from compression_subnet.chain.adapter import open_chain
from compression_subnet.chain.version import spec_version
from compression_subnet.chain.wallets import load_hotkey
from compression_subnet.compressors.registry import find_compressor
from compression_subnet.miner.config import MinerConfig
from compression_subnet.miner.service import run
from compression_subnet.settings import MinerSettings

__all__ = ["run_miner"]


async def run_miner(settings: MinerSettings) -> bool:
    """Run a miner until it is told to stop.

    Raises:
        ConfigurationError: a wallet, address or setting is unusable.
        CompressorError: the compressor cannot be found or does not work.
        TokenizerError: the tokenizer is absent or altered.
        TransportError: the HTTP server failed.
    """
    axon, blacklist, neuron = settings.axon, settings.blacklist, settings.neuron
    config = MinerConfig(
        ip=axon.ip,
        port=axon.port,
        external_ip=axon.external_ip,
        external_port=axon.external_port,
        allow_private=axon.allow_private,
        min_stake=blacklist.min_stake,
        require_permit=blacklist.force_validator_permit,
        requests_per_minute=blacklist.requests_per_minute,
        total_per_minute=blacklist.total_per_minute,
        metagraph_seconds=neuron.metagraph_seconds,
        strict_budget=not neuron.allow_over_budget,
    )
    hotkey = load_hotkey(settings.wallet.name, settings.wallet.hotkey, settings.wallet.path)
    compressor = find_compressor(neuron.compressor)
    chain = await open_chain(
        settings.subtensor.endpoint,
        settings.netuid,
        hotkey,
        spec_version=spec_version(),
        deadline=settings.subtensor.timeout,
    )
    await run(config, chain, hotkey, compressor)
    return True
