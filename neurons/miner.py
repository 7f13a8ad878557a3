"""The miner: ``python neurons/miner.py --netuid N --wallet.name W --wallet.hotkey H --compressor NAME``."""

import sys

from compression_subnet.miner.main import run_miner
from compression_subnet.process import run_neuron
from compression_subnet.settings import MinerSettings

if __name__ == "__main__":
    sys.exit(run_neuron(MinerSettings, sys.argv[1:], "miner.py", run_miner))
