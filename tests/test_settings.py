from pathlib import Path

import pytest

from compression_subnet.errors import ConfigurationError
from compression_subnet.settings import MinerSettings, ValidatorSettings, load_settings


def validator(*argv: str) -> ValidatorSettings:
    return load_settings(ValidatorSettings, argv, "validator.py")


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    import os

    for name in list(os.environ):
        if name.startswith(("CS_", "BT_")):
            monkeypatch.delenv(name)


def test_the_flags_that_operators_know() -> None:
    settings = validator(
        *("--netuid", "7", "--subtensor.network", "test", "--wallet.name", "v", "--wallet.hotkey", "h"),
        *("--wallet.path", "/w", "--logging.debug", "--neuron.challenges", "30"),
    )
    assert (settings.netuid, settings.subtensor.endpoint, settings.wallet.name) == (7, "test", "v")
    assert (settings.wallet.hotkey, settings.wallet.path, settings.logging.debug) == ("h", Path("/w"), True)
    assert settings.neuron.challenges == 30


@pytest.mark.parametrize("flag", ["--judge.base-url", "--judge.base_url"])
@pytest.mark.parametrize("joined", [True, False])
def test_either_spelling_of_a_flag(flag: str, joined: bool) -> None:
    value = "http://a-b.example/v1-x"
    argv = [f"{flag}={value}"] if joined else [flag, value]
    assert validator("--netuid", "1", *argv).judge.base_url == value


def test_negation() -> None:
    assert validator("--netuid", "1", "--no-judge.warm-prefix").judge.warm_prefix is False


def test_the_endpoint_goes_before_the_network() -> None:
    settings = validator("--netuid", "1", "--subtensor.chain_endpoint", "ws://127.0.0.1:1")
    assert settings.subtensor.endpoint == "ws://127.0.0.1:1"


def test_flags_go_before_our_environment_and_that_before_bittensors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BT_WALLET", "from-bt")
    monkeypatch.setenv("BT_WALLET_HOTKEY", "from-bt")
    monkeypatch.setenv("BT_NETWORK", "from-bt")
    monkeypatch.setenv("CS_WALLET__HOTKEY", "from-cs")
    monkeypatch.setenv("CS_SUBTENSOR__NETWORK", "from-cs")
    settings = validator("--netuid", "1", "--subtensor.network", "from-flag")
    assert settings.wallet.name == "from-bt"
    assert settings.wallet.hotkey == "from-cs"
    assert settings.subtensor.network == "from-flag"


def test_a_toml_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    file = tmp_path / "validator.toml"
    file.write_text('netuid = 9\n[judge]\nmodel = "m"\n')
    monkeypatch.setenv("CS_CONFIG", str(file))
    settings = validator("--judge.concurrency", "3")
    assert (settings.netuid, settings.judge.model, settings.judge.concurrency) == (9, "m", 3)


def test_a_toml_file_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CS_CONFIG", "/nowhere.toml")
    with pytest.raises(ConfigurationError, match=r"/nowhere\.toml"):
        validator("--netuid", "1")


def test_a_misspelt_flag_is_an_error_with_a_suggestion(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        validator("--netuid", "1", "--walet.name", "v")
    assert stop.value.code == 2
    assert "did you mean --wallet.name?" in capsys.readouterr().err


def test_every_unusable_value_is_named() -> None:
    with pytest.raises(ConfigurationError) as error:
        validator("--neuron.challenges", "many", "--judge.timeout", "0")
    for part in ("--netuid", "--neuron.challenges", "--judge.timeout", "--help"):
        assert part in str(error.value)


@pytest.mark.parametrize(
    "argv",
    [
        ("--challenge.min-tokens", "500", "--challenge.max-tokens", "400"),
        ("--challenge.min-questions", "6"),
        ("--challenge.candidates", "2"),
    ],
)
def test_ranges_that_contradict_each_other_are_refused(argv: tuple[str, ...]) -> None:
    with pytest.raises(ConfigurationError, match="challenge"):
        validator("--netuid", "1", *argv)


def test_a_key_is_no_flag(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        validator("--netuid", "1", "--judge.api-key", "secret")
    with pytest.raises(SystemExit):
        validator("--help")
    assert "api_key " not in capsys.readouterr().out


def test_a_miners_flags() -> None:
    argv = ("--netuid", "1", "--axon.port", "8092", "--compressor", "mine:Mine", "--blacklist.min-stake", "5")
    settings = load_settings(MinerSettings, argv, "miner.py")
    assert (settings.axon.port, settings.compressor.name, settings.blacklist.min_stake) == (8092, "mine:Mine", 5)


@pytest.mark.parametrize("flag", ["--dry-run", "--dry_run", "--neuron.disable-set-weights"])
def test_a_dry_run_by_either_name(flag: str) -> None:
    assert not validator("--netuid", "1", flag).sends_weights
    assert validator("--netuid", "1").sends_weights


def test_metrics_and_health_are_served_to_this_machine_alone_and_on_different_ports_by_default() -> None:
    of_validator = validator("--netuid", "1").ops
    of_miner = load_settings(MinerSettings, ("--netuid", "1"), "miner.py").ops
    assert of_validator.host == of_miner.host == "127.0.0.1"
    assert of_validator.port != of_miner.port
    assert validator("--netuid", "1", "--ops.port", "0").ops.port == 0
