import inspect

import pytest

from compression_subnet.challenge.prepare import Preparer
from compression_subnet.settings import ValidatorSettings, load_settings
from compression_subnet.validator import service
from compression_subnet.validator.rounds import supply
from compression_subnet.validator.watching import patience
from compression_subnet.validator.watching.patience import longest_silence


def settings(*argv: str) -> ValidatorSettings:
    return load_settings(ValidatorSettings, ("--netuid", "1", *argv), "validator.py")


def test_the_default_is_the_sum_that_is_documented() -> None:
    # 256 miners in four turns of 64, for two challenges at once, 30 s and half a second of jitter each.
    assert longest_silence(settings(), is_prepared=False) == 8 * 30.5 + 300 + 2 * 60 + 6 + 300 + 60
    assert longest_silence(settings(), is_prepared=True) == longest_silence(settings(), is_prepared=False) + 1800


@pytest.mark.parametrize(
    "argv",
    [
        ("--dendrite.timeout", "60"),
        ("--dendrite.concurrency", "8"),
        ("--dendrite.jitter", "5"),
        ("--neuron.parallel", "4"),
        ("--judge.reply-timeout", "900"),
        ("--subtensor.timeout", "120"),
        ("--neuron.poll-seconds", "60"),
    ],
)
def test_whatever_makes_a_round_slower_makes_the_watchdog_more_patient(argv: tuple[str, ...]) -> None:
    assert longest_silence(settings(*argv), is_prepared=False) > longest_silence(settings(), is_prepared=False)


def test_bounds_that_it_rests_on_are_those_of_the_code() -> None:
    assert inspect.signature(Preparer).parameters["article_seconds"].default == patience.ARTICLE_SECONDS
    assert service.MAX_BACKOFF_SECONDS == supply.MAX_BACKOFF_SECONDS == patience.BACKOFF_SECONDS
