"""The miner: ``python neurons/miner.py --netuid N --wallet.name W --wallet.hotkey H --neuron.compressor NAME``."""

import sys

from compression_subnet.logs import configure_logging
from compression_subnet.process import run_until_signalled
from compression_subnet.settings import MinerSettings, load_settings


def main() -> int:
    """Run a miner until it is told to stop."""
    from compression_subnet.miner.main import run_miner

    settings = load_settings(MinerSettings, sys.argv[1:], "miner.py")
    configure_logging(settings.logging)
    return run_until_signalled(run_miner(settings))


if __name__ == "__main__":
    sys.exit(main())
