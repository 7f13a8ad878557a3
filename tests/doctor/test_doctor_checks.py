"""Each check alone: from facts to findings, with no chain and no network."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from compression_subnet.chain import Axon, Hyperparameters, Metagraph, Neuron, spec_version
from compression_subnet.doctor import Check, Status, subnet, worst
from compression_subnet.doctor.facts import Facts
from compression_subnet.doctor.machine import check_coldkey, check_disk, check_tokenizer, check_wallet
from compression_subnet.doctor.services import check_axon, check_judge
from compression_subnet.errors import TokenizerError
from compression_subnet.judge.types import Answer, AnswerStatus

NEURON = Neuron(3, "hot", "cold", 1500.0, True, Axon("8.8.8.8", 8091), 900, 10, 0.0, 0.0, 0.0)
SETTINGS = Hyperparameters(360, 100, 1, 0, True, 1, 5000, 50, 256)
GRAPH = Metagraph(7, 1000, "owner", (NEURON,), SETTINGS)
FACTS = Facts("hot", GRAPH, block=1000, seconds=0.02, age=1.0, next_epoch=1100, stake_threshold=1000.0)
GIB = 2**30


def with_neuron(**changes: object) -> Facts:
    return replace(FACTS, metagraph=replace(GRAPH, neurons=(replace(NEURON, **changes),)))


def with_settings(**changes: object) -> Facts:
    return replace(FACTS, metagraph=replace(GRAPH, hyperparameters=replace(SETTINGS, **changes)))


CHECKS = [getattr(subnet, name) for name in subnet.__all__]


@pytest.mark.parametrize("check", CHECKS)
def test_all_is_well_with_a_neuron_in_order(check) -> None:  # type: ignore[no-untyped-def]
    found = check(FACTS)
    assert (found.status, found.remedy) == (Status.OK, ""), found


@pytest.mark.parametrize("check", CHECKS)
def test_nothing_is_claimed_of_a_chain_that_does_not_answer(check) -> None:  # type: ignore[no-untyped-def]
    found = check(Facts("hot", error="no answer from ws://x"))
    assert found.status in (Status.SKIPPED, Status.FAIL)
    if found.name == "endpoint":
        assert found.status is Status.FAIL and "ws://x" in found.detail and found.remedy


@pytest.mark.parametrize("check", [subnet.check_stake, subnet.check_permit, subnet.check_rate_limit])
@pytest.mark.parametrize("facts", [replace(FACTS, hotkey="stranger"), replace(FACTS, hotkey=None)])
def test_what_needs_a_place_on_the_subnet_is_skipped_without_one(check, facts: Facts) -> None:  # type: ignore[no-untyped-def]
    assert check(facts).status is Status.SKIPPED


@pytest.mark.parametrize(
    ("found", "status", "words"),
    [
        (subnet.check_registered(replace(FACTS, hotkey="stranger")), Status.FAIL, "btcli subnets register --netuid 7"),
        (subnet.check_registered(replace(FACTS, hotkey=None)), Status.SKIPPED, "no hotkey"),
        (subnet.check_stake(with_neuron(stake=999.0)), Status.FAIL, "btcli stake add"),
        (subnet.check_stake(with_neuron(stake=1000.0)), Status.OK, "threshold 1,000.00"),
        (subnet.check_permit(with_neuron(validator_permit=False)), Status.FAIL, "wait for one"),
        (subnet.check_rate_limit(with_neuron(last_update=950)), Status.OK, "next from block 1050 (now 1000)"),
        (subnet.check_rate_limit(with_neuron(last_update=0)), Status.OK, "next from block 1000"),
        (subnet.check_rate_limit(with_settings(weights_rate_limit=361)), Status.WARN, "outlasts the tempo"),
        (subnet.check_tempo(replace(FACTS, next_epoch=None)), Status.FAIL, "no next epoch"),
        (subnet.check_commit_reveal(with_settings(commit_reveal=False)), Status.WARN, "copy"),
        (subnet.check_version(with_settings(weights_version=spec_version() + 1)), Status.FAIL, "upgrade"),
        (subnet.check_version(with_settings(weights_version=spec_version())), Status.OK, "this release"),
        (subnet.check_immunity(with_settings(immunity_period=720)), Status.WARN, "immunity_period"),
        (subnet.check_immunity(with_settings(immunity_period=721)), Status.OK, "within 720"),
        (subnet.check_immunity(with_settings(immunity_period=361, commit_reveal=False)), Status.OK, "within 360"),
        (subnet.check_serving_limit(with_settings(serving_rate_limit=301)), Status.WARN, "before the first start"),
    ],
)
def test_findings_on_the_subnet(found: Check, status: Status, words: str) -> None:
    assert found.status is status and words in f"{found.detail} {found.remedy}", found
    assert bool(found.remedy) == (status in (Status.WARN, Status.FAIL))


@pytest.mark.parametrize(
    ("age", "status"),
    [
        (-600.0, Status.FAIL),
        (-2.1, Status.FAIL),
        (-1.9, Status.OK),
        (0.0, Status.OK),
        (5.9, Status.OK),
        (6.1, Status.WARN),
        (15.9, Status.WARN),
        (16.1, Status.FAIL),
        (None, Status.SKIPPED),
    ],
)
def test_the_clock(age: float | None, status: Status) -> None:
    assert subnet.check_clock(replace(FACTS, age=age)).status is status


def test_a_key_file_that_others_can_read_is_a_warning(tmp_path: Path) -> None:
    file = tmp_path / "key"
    file.write_text("{}")
    file.chmod(0o600)
    assert check_wallet(file, "").status is Status.OK
    assert check_coldkey(file).status is Status.OK
    file.chmod(0o644)
    assert check_wallet(file, "") == Check(
        "wallet", Status.WARN, f"{file} can be read by others (mode 644)", f"chmod 600 {file}"
    )
    assert check_coldkey(file).status is Status.WARN
    assert check_coldkey(tmp_path / "none").status is Status.OK


def test_a_wallet_that_cannot_be_loaded_carries_its_remedy(tmp_path: Path) -> None:
    found = check_wallet(tmp_path / "none", "make one with: btcli wallet create")
    assert found.status is Status.FAIL and "btcli wallet create" in found.remedy


@pytest.mark.parametrize(("free", "status"), [(0, Status.FAIL), (2 * GIB, Status.WARN), (50 * GIB, Status.OK)])
def test_disk_space_is_that_of_the_nearest_folder_there_is(tmp_path: Path, free: int, status: Status) -> None:
    asked: list[Path] = []

    def probe(place: Path) -> int:
        asked.append(place)
        return free

    assert check_disk(tmp_path / "not" / "yet", probe).status is status
    assert asked == [tmp_path]


def test_a_disk_that_cannot_be_asked_is_skipped(tmp_path: Path) -> None:
    def probe(_: Path) -> int:
        raise OSError(5, "Input/output error")

    assert check_disk(tmp_path, probe).status is Status.SKIPPED


def test_the_tokenizer() -> None:
    def altered() -> str:
        raise TokenizerError("the installed vocabulary has another SHA-256")

    assert check_tokenizer(lambda: "ab" * 32).status is Status.OK
    found = check_tokenizer(altered)
    assert found.status is Status.FAIL and "reinstall" in found.remedy


class Judge:
    def __init__(self, *answers: Answer, seconds: float = 0.0):
        self.answers = list(answers)
        self.seconds = seconds

    async def answer(self, text: str, questions: Sequence[str]) -> list[Answer]:
        import asyncio

        await asyncio.sleep(self.seconds)
        return self.answers


@pytest.mark.parametrize(
    ("judge", "status"),
    [
        (None, Status.SKIPPED),
        (Judge(Answer(AnswerStatus.ANSWERED, "Green.")), Status.OK),
        (Judge(Answer(AnswerStatus.ANSWERED, "red")), Status.FAIL),
        (Judge(Answer(AnswerStatus.ANSWERED, "")), Status.FAIL),
        (Judge(Answer(AnswerStatus.CONTENT_FAULT, "", "refusal")), Status.FAIL),
        (Judge(Answer(AnswerStatus.PROVIDER_FAULT, "", "401")), Status.FAIL),
        (Judge(), Status.FAIL),
        (Judge(seconds=30.0), Status.FAIL),
    ],
)
async def test_the_judge(judge: Judge | None, status: Status) -> None:
    assert (await check_judge(judge, 0.05)).status is status


async def answering(status: int) -> int:
    return status


@pytest.mark.parametrize(
    ("facts", "configured", "http", "status", "words"),
    [
        (FACTS, None, 200, Status.OK, "8.8.8.8:8091 answers"),
        (FACTS, NEURON.axon, 200, Status.OK, "answers"),
        (FACTS, Axon("8.8.4.4", 8091), 200, Status.WARN, "8.8.4.4:8091 is configured"),
        (FACTS, None, 404, Status.FAIL, "HTTP 404"),
        (with_neuron(axon=None), None, 200, Status.WARN, "start the miner"),
        (with_neuron(axon=Axon("10.0.0.1", 8091)), None, 200, Status.FAIL, "axon.external_ip"),
        (replace(FACTS, hotkey="stranger"), None, 200, Status.SKIPPED, "registered"),
    ],
)
async def test_the_axon(facts: Facts, configured: Axon | None, http: int, status: Status, words: str) -> None:
    found = await check_axon(facts, configured, lambda _: answering(http), allow_private=False)
    assert found.status is status and words in f"{found.detail} {found.remedy}", found


@pytest.mark.parametrize("error", [OSError("refused"), TimeoutError()])
async def test_an_axon_that_cannot_be_reached(error: Exception) -> None:
    async def health(_: Axon) -> int:
        raise error

    found = await check_axon(FACTS, None, health, allow_private=False)
    assert found.status is Status.FAIL and "firewall" in found.remedy


def test_the_worst_finding_counts() -> None:
    def found(*statuses: Status) -> list[Check]:
        return [Check("x", status, "") for status in statuses]

    assert worst([]) is Status.OK
    assert worst(found(Status.OK, Status.SKIPPED)) is Status.SKIPPED
    assert worst(found(Status.FAIL, Status.OK, Status.WARN)) is Status.FAIL
