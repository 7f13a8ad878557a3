"""The pure parts around the chain: versions, burning, the SDK's values and errors as ours."""

from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import pytest

from compression_subnet import __version__
from compression_subnet.chain.burn import burn_uid
from compression_subnet.chain.outcomes import (
    Inclusion,
    RateLimited,
    event_of,
    failure,
    inclusion,
    refusal,
    reveal_round,
)
from compression_subnet.chain.port import Axon, Hyperparameters, Metagraph, Neuron, Refused, Unreachable
from compression_subnet.chain.reads import check_weights, metagraph_of, parse_axon
from compression_subnet.chain.standing import next_epoch
from compression_subnet.chain.version import spec_version
from compression_subnet.errors import ChainError, InputError


@pytest.mark.parametrize(
    ("version", "expected"), [("0.1.0", 10), ("1.2.3", 1023), ("12.99.9rc1", 12999), ("2.0.0.dev4", 2000)]
)
def test_spec_versions(version: str, expected: int) -> None:
    assert spec_version(version) == expected


def test_our_own_version_has_a_spec_version() -> None:
    major, minor, patch = (int(part) for part in __version__.split("."))
    assert spec_version() == 1000 * major + 10 * minor + patch


@pytest.mark.parametrize("version", ["1.2", "x", "0.100.0", "0.1.10"])
def test_a_version_that_would_collide_is_refused(version: str) -> None:
    with pytest.raises(ValueError, match=r"version"):
        spec_version(version)


def graph(owner: str, *hotkeys: str) -> Metagraph:
    neurons = tuple(
        Neuron(uid, hotkey, "cold", 0.0, False, None, 0, 0, 0.0, 0.0, 0.0) for uid, hotkey in enumerate(hotkeys)
    )
    return Metagraph(1, 5, owner, neurons, Hyperparameters(360, 100, 1, 0, False, 1, 5000, 50, 256))


def test_burning_goes_to_the_owner_wherever_its_hotkey_stands_now() -> None:
    assert burn_uid(graph("owner", "owner", "a")) == 0
    assert burn_uid(graph("owner", "a", "b", "owner")) == 2


def test_nothing_burns_where_the_owner_is_not_registered() -> None:
    assert burn_uid(graph("owner", "a", "b")) is None
    assert burn_uid(graph("", "a", "")) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1.2.3.4:8091", Axon("1.2.3.4", 8091)),
        ("[2001:db8::1]:80", Axon("2001:db8::1", 80)),
        ("1.2.3.4:0", None),
        (None, None),
        ("", None),
    ],
)
def test_axon_addresses(text: str | None, expected: Axon | None) -> None:
    assert parse_axon(text) == expected


def test_a_metagraph_that_lacks_a_field_is_an_error_that_names_the_fix() -> None:
    with pytest.raises(ChainError, match="upgrade bittensor"):
        metagraph_of(SimpleNamespace(netuid=1, block=2, owner_hotkey="o", neurons=[], raw={"tempo": 3}))


@pytest.mark.parametrize(
    "weights",
    [
        {},
        {0: 0},
        {0: 1},
        {0: 65535, 1: -1},
        {0: 65536},
        {0: 65535, 1: 0.5},
        {0: 65535, 1: float("nan")},
        {0: True, 1: 65535},
        {-1: 65535},
        {65536: 65535},
        {"0": 65535},
    ],
)
def test_weights_that_the_chain_would_not_get_as_they_are_never_leave(weights: Any) -> None:
    with pytest.raises(InputError):
        check_weights(weights)


def test_zeros_are_left_out() -> None:
    assert check_weights({3: 0, 2: 65535, 1: 7}) == {1: 7, 2: 65535}


@dataclass
class Result:
    """The shape of the SDK's ``ExtrinsicResult``."""

    success: Any = True
    block_hash: Any = "0xab"
    extrinsic_id: Any = "12-0001"
    events: Any = field(
        default_factory=lambda: [
            {"event": {"module_id": "SubtensorModule", "event_id": "WeightsSet", "attributes": (1, 3)}}
        ]
    )
    error: Any = None
    message: str = ""


class Error(Exception):
    def __init__(self, text: str, name: str | None = None, code: str | None = None, remediation: str = ""):
        super().__init__(text)
        self.name, self.remediation = name, remediation
        self.code = SimpleNamespace(name=code) if code else None


def test_success_is_what_a_block_and_an_event_prove() -> None:
    assert inclusion(Result(), ["WeightsSet"]) == Inclusion("WeightsSet", 12, "0xab", (1, 3))


@pytest.mark.parametrize(
    "result",
    [
        None,
        True,
        (True, "set"),
        (False, "x"),
        SimpleNamespace(success=True),
        Result(success=False),
        Result(success="yes"),
        Result(success=1),
        Result(block_hash=None),
        Result(extrinsic_id=None),
        Result(extrinsic_id="?-1"),
        Result(events=[]),
        Result(events=None),
        Result(events=["WeightsSet"]),
        Result(events=[{"event": {"module_id": "Balances", "event_id": "WeightsSet"}}]),
        Result(events=[{"event": {"module_id": "SubtensorModule", "event_id": "AxonServed"}}]),
    ],
)
def test_every_other_shape_is_a_failure(result: Any) -> None:
    assert inclusion(result, ["WeightsSet"]) is None
    assert isinstance(failure(result, answered=True), Refused | Unreachable)


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (Error("x", "SettingWeightsTooFast", "RATE_LIMITED"), RateLimited),
        (Error("x", "CommittingWeightsTooFast", "RATE_LIMITED"), RateLimited),
        (Error("x", "RateLimitExceeded", "RATE_LIMITED"), RateLimited),
        (Error("last set 2 blocks ago", None, "RATE_LIMITED"), RateLimited),
        (Error("x", "NeuronNoValidatorPermit", "NOT_AUTHORIZED"), Refused),
        (Error("x", "Retracted"), Unreachable),
        (Error("x", "FinalityTimeout"), Unreachable),
        (Error("x", "Dropped"), Refused),
        (ValueError("x"), Refused),
    ],
)
def test_kinds_of_refusal(error: Exception, expected: type) -> None:
    assert isinstance(refusal(error), expected)
    assert isinstance(failure(Result(success=False, error=error), answered=True), expected)


def test_an_error_without_an_answer_leaves_the_fate_open() -> None:
    assert refusal(Error("connection lost"), answered=False) == Unreachable("connection lost")


def test_a_named_refusal_stands_whatever_became_of_the_connection() -> None:
    assert isinstance(refusal(Error("x", "BadProof"), answered=False), Refused)


def test_remedies_name_the_fix() -> None:
    said = refusal(Error("IncorrectWeightVersionKey", "IncorrectWeightVersionKey", "INVALID_ARGUMENT"))
    assert isinstance(said, Refused) and said.reason == "IncorrectWeightVersionKey" and "upgrade" in said.remedy
    said = refusal(Error("only 1", None, "INVALID_ARGUMENT", "check the values"))
    assert said == Refused("INVALID_ARGUMENT", "check the values (only 1)")


@pytest.mark.parametrize(
    ("attributes", "expected"),
    [
        ((1, 3), (1, 3)),
        ([1, 3], (1, 3)),
        (((1,), 3), (1, 3)),
        ({"netuid": (1,), "uid": 3}, (1, 3)),
        (None, ()),
        ("x", ()),
    ],
)
def test_an_event_says_the_same_in_every_form_that_runtimes_give_it(attributes: Any, expected: tuple[int, ...]) -> None:
    record = {"module_id": "SubtensorModule", "event_id": "WeightsSet", "attributes": attributes}
    assert event_of(record) == event_of({"event": record}) == ("WeightsSet", expected)


def test_a_reveal_round_is_read_or_none() -> None:
    assert reveal_round(("5x", 1, "0xab", 77)) == 77
    assert reveal_round(("5x", 1, "0xab")) is None
    assert reveal_round(("5x", 1, "0xab", "soon")) is None


class OldRuntime:
    """A client whose runtime has no call for the next epoch, as far as ``next_epoch`` asks it."""

    def __init__(self, error: str, last: int | None, tempo: int | None):
        self.error, self.values = error, {"LastEpochBlock": last, "Tempo": tempo}
        self.epochs = self

    async def next_epoch_start_block(self, netuid: int) -> int:
        import bittensor

        raise bittensor.ChainError(self.error)

    async def at(self) -> "OldRuntime":
        return self

    async def query(self, item: Any, keys: list[int]) -> int | None:
        return self.values[item.name]


async def test_the_next_epoch_on_a_runtime_without_a_call_for_it() -> None:
    missing = "Client error: Exported method SubnetInfoRuntimeApi_get_next_epoch_start_block is not found"
    assert await next_epoch(OldRuntime(missing, 40, 20), 1) == 60  # type: ignore[arg-type]
    assert await next_epoch(OldRuntime(missing, 40, None), 1) is None  # type: ignore[arg-type]
    with pytest.raises(Exception, match="out of memory"):
        await next_epoch(OldRuntime("out of memory", 40, 20), 1)  # type: ignore[arg-type]
