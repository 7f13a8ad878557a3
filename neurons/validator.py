"""The validator: ``python neurons/validator.py --netuid N --wallet.name W --wallet.hotkey H`` (see ``--help``)."""

import sys

from compression_subnet.logs import configure_logging
from compression_subnet.process import run_until_signalled
from compression_subnet.settings import ValidatorSettings, load_settings


def main() -> int:
    """Run a validator until its rounds are done or it is told to stop."""
    from compression_subnet.validator.main import run_validator

    settings = load_settings(ValidatorSettings, sys.argv[1:], "validator.py")
    configure_logging(settings.logging)
    return run_until_signalled(run_validator(settings))


if __name__ == "__main__":
    sys.exit(main())
