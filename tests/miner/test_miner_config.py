import pytest

from compression_subnet.compressors.base import CompressorOptions
from compression_subnet.errors import ConfigurationError
from compression_subnet.miner.build import lane_specs
from compression_subnet.miner.config import MinerConfig
from compression_subnet.miner.main import miner_config
from compression_subnet.settings import MinerSettings, load_settings


def test_a_public_external_address_is_all_that_is_needed():
    config = MinerConfig(external_ip="8.8.8.8", min_stake=1000)
    assert (config.ip, config.port, config.require_permit, config.strict_budget) == ("0.0.0.0", 8091, True, True)
    assert not config.allow_unregistered


@pytest.mark.parametrize(
    "values, hint",
    [
        ({}, "external_ip"),
        ({"external_ip": "0.0.0.0"}, "external_ip"),
        ({"external_ip": "example.org"}, "not an IP address"),
        ({"external_ip": "10.0.0.1"}, "allow_private"),
        ({"external_ip": "169.254.169.254", "allow_private": True}, "link-local"),
        ({"external_ip": "8.8.8.8", "external_port": 0}, "port"),
        ({"external_ip": "8.8.8.8", "port": 70_000}, "port"),
        ({"external_ip": "8.8.8.8", "min_stake": float("nan")}, "min_stake"),
        ({"external_ip": "8.8.8.8", "workers": 0}, "workers"),
        ({"external_ip": "8.8.8.8", "metagraph_seconds": 0}, "metagraph_seconds"),
        ({"external_ip": "8.8.8.8", "body_seconds": float("inf")}, "body_seconds"),
        ({"external_ip": "8.8.8.8", "connections_per_address": 0}, "connections_per_address"),
        ({"external_ip": "8.8.8.8", "batch_wait": 2.0}, "batch_wait"),
        ({"external_ip": "8.8.8.8", "devices": ()}, "devices"),
        ({"external_ip": "8.8.8.8", "options": CompressorOptions(batch_tokens=0)}, "batch_tokens"),
        ({"external_ip": "8.8.8.8", "requests_per_minute": 0}, "requests_per_minute"),
    ],
)
def test_an_unusable_setting_is_named(values, hint):
    with pytest.raises(ConfigurationError, match=hint):
        MinerConfig(**({"min_stake": 1.0} | values))


def test_a_private_address_is_for_who_says_so():
    assert MinerConfig(ip="127.0.0.2", port=0, allow_private=True, min_stake=0).external_ip is None


def of(*flags):
    argv = ("--netuid", "1", "--axon.external-ip", "8.8.8.8", *flags)
    return miner_config(load_settings(MinerSettings, argv, "miner.py"))


def chain(config):
    return [[(spec.compressor, spec.options.device, spec.strict) for spec in lane] for lane in lane_specs(config)]


def test_by_default_the_reference_falls_back_to_cheaper_ones():
    assert chain(of()) == [[("reference", "auto", True)], [("lexical", "auto", True)], [("truncation", "auto", True)]]


def test_each_device_has_its_workers_with_the_options_given():
    config = of(
        *("--compressor", "mine:Mine", "--compressor.devices", "cuda:0, cuda:1", "--axon.workers", "2"),
        *("--compressor.model", "m", "--compressor.dtype", "float16", "--compressor.batch-tokens", "9"),
        *("--compressor.threads", "3", "--compressor.fallbacks", "none", "--axon.batch-wait", "25"),
    )
    (lane,) = lane_specs(config)
    assert [spec.options.device for spec in lane] == ["cuda:0", "cuda:0", "cuda:1", "cuda:1"]
    options = CompressorOptions(model="m", device="cuda:0", dtype="float16", batch_tokens=9, threads=3)
    assert (lane[0].compressor, lane[0].options, config.batch_wait) == ("mine:Mine", options, 0.025)


def test_a_device_alone_may_be_called_so():
    assert of("--compressor.device=cpu").devices == ("cpu",)


@pytest.mark.parametrize(
    ("compressor", "names"),
    [("lexical", ["lexical", "truncation"]), ("truncation", ["truncation"]), ("random", ["random", "a", "b"])],
)
def test_only_what_is_cheaper_than_the_compressor_replaces_it(compressor, names):
    flags = ("--compressor.fallbacks", "a,b") if compressor == "random" else ()
    assert [lane[0][0] for lane in chain(of("--compressor", compressor, *flags))] == names


def test_only_the_compressor_itself_may_go_over_its_budget():
    config = of("--neuron.allow-over-budget")
    assert [lane[0][2] for lane in chain(config)] == [False, True, True]


@pytest.mark.parametrize(
    ("flags", "stake"),
    [
        ((), 1000.0),
        (("--subtensor.network", "test"), 10.0),
        (("--subtensor.chain-endpoint", "wss://test.finney.opentensor.ai:443"), 10.0),
        (("--subtensor.network", "local"), 1000.0),
        (("--subtensor.network", "test", "--blacklist.min-stake", "0"), 0.0),
    ],
)
def test_a_callers_least_stake_is_lower_on_testnet_unless_it_is_given(flags, stake):
    assert of(*flags).min_stake == stake


def test_a_compressor_can_be_named_in_the_environment_and_by_its_full_flag(monkeypatch):
    monkeypatch.setenv("CS_COMPRESSOR__NAME", "tfidf")
    assert of().compressor == "tfidf"
    assert of("--compressor.name", "random").compressor == "random"
    assert of("--compressor=textrank").compressor == "textrank"
