import pytest

from compression_subnet.errors import ConfigurationError
from compression_subnet.miner.config import MinerConfig


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
        ({"external_ip": "8.8.8.8", "requests_per_minute": 0}, "requests_per_minute"),
    ],
)
def test_an_unusable_setting_is_named(values, hint):
    with pytest.raises(ConfigurationError, match=hint):
        MinerConfig(**({"min_stake": 1.0} | values))


def test_a_private_address_is_for_who_says_so():
    assert MinerConfig(ip="127.0.0.2", port=0, allow_private=True, min_stake=0).external_ip is None
