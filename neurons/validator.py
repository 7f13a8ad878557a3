"""The validator: ``python neurons/validator.py --netuid N --wallet.name W --wallet.hotkey H`` (see ``--help``)."""

import sys

from compression_subnet.process import run_neuron
from compression_subnet.settings import ValidatorSettings
from compression_subnet.validator.main import run_validator

if __name__ == "__main__":
    sys.exit(run_neuron(ValidatorSettings, sys.argv[1:], "validator.py", run_validator))
