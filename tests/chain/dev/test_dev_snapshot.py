"""A chain in a file: it goes on where it was, and a damaged file is never overwritten."""

import json
from pathlib import Path
from typing import Any

import pytest
from dev_bench import NETUID, SLOT, address, make_bench

from compression_subnet.chain.dev.chain import HISTORY, Chain
from compression_subnet.chain.dev.errors import RpcFailure
from compression_subnet.chain.dev.node import Node
from compression_subnet.chain.dev.runtime import runtime_codec
from compression_subnet.chain.dev.snapshot import load_snapshot, save_snapshot
from compression_subnet.errors import ConfigurationError

WEIGHTS = {"netuid": NETUID, "mecid": 0, "dests": [0], "weights": [1], "version_key": 0}


def empty_chain(slot: int = SLOT) -> Chain:
    return Chain(runtime_codec(slot), now=lambda: 1)


def test_state_and_hashes_survive_and_the_chain_goes_on(tmp_path: Path) -> None:
    bench = make_bench(commit_reveal=False)
    bench.register("//m0", alpha=5)
    bench.dispatch("//Alice", "set_mechanism_weights", WEIGHTS)
    bench.blocks(20)
    save_snapshot(bench.chain, tmp_path / "state")
    chain = empty_chain()
    assert load_snapshot(chain, tmp_path / "state")
    assert chain.head == bench.chain.head
    assert chain.state.newest() == bench.chain.state.newest()
    assert [block.hash for block in chain.ledger.recent()] == [block.hash for block in bench.chain.ledger.recent()]
    chain.new_block()
    assert (chain.head.number, chain.head.parent) == (bench.chain.head.number + 1, bench.chain.head.hash)


def test_an_extrinsic_made_before_the_restart_is_valid_after_it(tmp_path: Path) -> None:
    bench = make_bench(commit_reveal=False)
    raw = bench.sign("//Alice", "set_mechanism_weights", WEIGHTS, era={"period": 128, "current": 1})
    bench.blocks(10)
    save_snapshot(bench.chain, tmp_path / "state")
    chain = empty_chain()
    load_snapshot(chain, tmp_path / "state")
    chain.submit(raw)
    chain.new_block()
    assert chain.storage.get("Weights", NETUID, 0) == [(0, 65_535)]


def test_the_state_before_a_restart_is_gone_and_says_so(tmp_path: Path) -> None:
    bench = make_bench()
    bench.blocks(5)
    save_snapshot(bench.chain, tmp_path / "state")
    chain = empty_chain()
    load_snapshot(chain, tmp_path / "state")
    assert chain.number_at(chain.head.hash) == chain.head.number
    with pytest.raises(RpcFailure, match="State already discarded"):
        chain.number_at(chain.head.parent)


def test_without_a_file_a_new_chain_begins(tmp_path: Path) -> None:
    assert not load_snapshot(empty_chain(), tmp_path / "none")


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: "",
        lambda text: text[:-100],
        lambda text: text.replace('"state"', '"stale"'),
        lambda text: text.replace("dev chain 1", "dev chain 9"),
        lambda text: "nonsense\n" + text,
    ],
)
def test_a_damaged_file_is_an_error_that_names_the_fix_and_stays_as_it_is(tmp_path: Path, damage: Any) -> None:
    path = tmp_path / "state"
    save_snapshot(make_bench().chain, path)
    path.write_text(damaged := damage(path.read_text()))
    with pytest.raises(ConfigurationError, match="move it away") as caught:
        load_snapshot(empty_chain(), path)
    assert str(path) in str(caught.value)
    assert path.read_text() == damaged


def test_a_file_of_another_block_time_is_not_taken(tmp_path: Path) -> None:
    save_snapshot(make_bench().chain, tmp_path / "state")
    with pytest.raises(ConfigurationError, match="--block-time"):
        load_snapshot(empty_chain(slot=250), tmp_path / "state")


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="--state"):
        save_snapshot(make_bench().chain, tmp_path / "no such folder" / "state")


def test_saving_leaves_no_other_file(tmp_path: Path) -> None:
    bench = make_bench()
    for _ in range(3):
        save_snapshot(bench.chain, tmp_path / "state")
        bench.blocks()
    assert [path.name for path in tmp_path.iterdir()] == ["state"]


def test_a_block_that_somebody_waits_for_is_saved_before_anybody_is_told(tmp_path: Path) -> None:
    bench = make_bench(commit_reveal=False)
    node = Node(bench.chain, 0.0, clock=lambda: 0.0, state=tmp_path / "state")
    told = []

    def included(block: Any) -> None:
        saved = json.loads((tmp_path / "state").read_text().splitlines()[1])
        told.append((saved["blocks"][-1]["hash"], block.hash.hex()))

    bench.chain.submit(bench.sign("//Alice", "set_mechanism_weights", WEIGHTS), included)
    node.after_request()
    assert len(told) == 1 and told[0][0] == told[0][1]


def test_blocks_with_nothing_in_them_are_saved_once_a_second_at_most(tmp_path: Path) -> None:
    bench = make_bench()
    time = [0.0]
    node = Node(bench.chain, 0.25, clock=lambda: time[0], state=tmp_path / "state")
    node.build(3)
    assert not (tmp_path / "state").exists()
    time[0] = 1.0
    node.build()
    assert (tmp_path / "state").exists()


def test_memory_and_file_stay_bounded_over_many_blocks(tmp_path: Path) -> None:
    bench = make_bench(tempo=50)
    bench.blocks(HISTORY + 600)
    chain = bench.chain
    assert len(chain.ledger.recent()) <= HISTORY + 1
    assert max(map(len, chain.state._values.values())) <= HISTORY + 2
    oldest = chain.ledger.by_number(chain.state.oldest + 1)
    assert oldest is not None and chain.number_at(oldest.hash) == oldest.number
    assert chain.ledger.by_number(chain.state.oldest - 1) is None
    assert chain.ledger.by_number(0) == chain.ledger.genesis
    save_snapshot(chain, tmp_path / "state")
    assert (tmp_path / "state").stat().st_size < 300_000


def test_reveals_that_wait_survive(tmp_path: Path) -> None:
    bench = make_bench()
    bench.storage.put_note("reveals", {"1/0/x": {"uids": [1]}})
    save_snapshot(bench.chain, tmp_path / "state")
    chain = empty_chain()
    load_snapshot(chain, tmp_path / "state")
    assert chain.storage.get_note("reveals") == {"1/0/x": {"uids": [1]}}
    assert chain.storage.get("Keys", NETUID, 0) == address("//Alice")
