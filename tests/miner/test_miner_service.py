import asyncio
import os
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path

import httpx2
import pytest
from miner_chain import FakeChain, neuron
from miner_harness import FirstWords, Keys

from compression_subnet.chain.port import Axon
from compression_subnet.compressors.base import TokenBudget
from compression_subnet.compressors.baselines import head_truncation
from compression_subnet.errors import ChainUnreachable, CompressorError, ConfigurationError, TransportError
from compression_subnet.miner import MinerConfig
from compression_subnet.miner.follower import Follower
from compression_subnet.miner.gate import MetagraphGate
from compression_subnet.miner.service import _work, run
from compression_subnet.text.tokens import get_tokenizer
from compression_subnet.transport import Dendrite, Failed, Failure, Replied, Target

ME, VALIDATOR = Keys.miner.ss58_address, Keys.validator.ss58_address
CONFIG = MinerConfig(ip="127.0.0.2", port=0, allow_private=True, min_stake=100, metagraph_seconds=0.05)


def chain(**values):
    return FakeChain(neuron(0, VALIDATOR), neuron(1, ME), neuron(2, "poor", stake=1.0), hotkey=ME, **values)


class Running:
    """A miner in a task, and the address it has published."""

    def __init__(self, chain, compressor, config=CONFIG):
        self.chain = chain
        self.stop = asyncio.Event()
        self.task = asyncio.create_task(run(config, chain, Keys.miner, compressor, stop=self.stop))

    async def __aenter__(self):
        async with asyncio.timeout(20):
            while not self.chain.served and not self.task.done():
                await asyncio.sleep(0.01)
        if self.task.done():
            self.task.result()
        self.target = Target(ME, self.chain.served[0])
        return self

    async def __aexit__(self, *error):
        self.stop.set()
        async with asyncio.timeout(10):
            await self.task


async def ask(target, synapse, by=Keys.validator):
    async with Dendrite(by, allow_private=True) as dendrite:
        return await dendrite.ask(target, synapse, synapse.deadline_seconds)


async def test_a_miner_publishes_itself_answers_validators_and_closes_everything(synapse):
    fake = chain()
    async with Running(fake, FirstWords()) as miner:
        outcome = await ask(miner.target, synapse())
        assert isinstance(outcome, Replied) and outcome.compressed_text == "one two three four"
        refused = await ask(miner.target, synapse(), by=Keys.stranger)
        assert (refused.reason, refused.status) == (Failure.STATUS, 403)
    assert fake.closed and len(fake.served) == 1
    gone = await ask(miner.target, synapse())
    assert isinstance(gone, Failed) and gone.reason is Failure.UNREACHABLE


async def test_a_validator_that_registers_later_is_answered_from_the_next_look_on(synapse):
    fake = FakeChain(neuron(1, ME), hotkey=ME)
    async with Running(fake, FirstWords()) as miner:
        assert (await ask(miner.target, synapse())).status == 403
        fake.neurons.append(neuron(0, VALIDATOR))
        async with asyncio.timeout(10):
            while not isinstance(await ask(miner.target, synapse()), Replied):
                await asyncio.sleep(0.05)


async def test_a_chain_that_is_away_at_the_start_is_waited_for(synapse):
    fake = chain()
    fake.fault = ChainUnreachable("no reply")
    with socket.socket() as probe:
        probe.bind(("127.0.0.2", 0))
        port = probe.getsockname()[1]
    config = MinerConfig(ip="127.0.0.2", port=port, allow_private=True, min_stake=100, metagraph_seconds=0.05)
    stop = asyncio.Event()
    task = asyncio.create_task(run(config, fake, Keys.miner, FirstWords(), stop=stop))
    async with httpx2.AsyncClient(trust_env=False) as client, asyncio.timeout(10):
        while True:
            try:
                assert (await client.get(f"http://127.0.0.2:{port}/healthz")).status_code == 200
                break
            except httpx2.TransportError:
                await asyncio.sleep(0.02)
    assert fake.served == []
    fake.fault = None
    async with asyncio.timeout(10):
        while not fake.served:
            await asyncio.sleep(0.02)
    stop.set()
    await task


async def test_over_budget_results_become_head_truncations(synapse):
    class Whole:
        def compress(self, text, budget):
            return text

    request = synapse("The quick brown fox jumps over the lazy dog. " * 5)
    async with Running(chain(), Whole()) as miner:
        outcome = await ask(miner.target, request)
    budget = TokenBudget(request.budget_tokens, get_tokenizer())
    assert outcome.compressed_text == head_truncation(request.text, budget)
    assert 0 < get_tokenizer().count(outcome.compressed_text) <= request.budget_tokens


async def test_a_compressor_that_does_not_work_ends_the_miner_before_it_is_published():
    class Broken:
        def compress(self, text, budget):
            raise CompressorError("no model")

    fake = chain()
    with pytest.raises(CompressorError):
        await run(CONFIG, fake, Keys.miner, Broken(), stop=asyncio.Event())
    assert fake.served == [] and fake.closed


async def test_a_taken_port_ends_the_miner_before_anything_else():
    fake = chain()
    with socket.socket() as taken:
        taken.bind(("127.0.0.2", 0))
        taken.listen()
        config = MinerConfig(ip="127.0.0.2", port=taken.getsockname()[1], allow_private=True, min_stake=1)
        with pytest.raises(ConfigurationError, match="choose another"):
            await run(config, fake, Keys.miner, FirstWords(), stop=asyncio.Event())
    assert fake.served == [] and fake.closed


async def test_a_fault_in_the_chain_adapter_ends_the_miner_loudly():
    fake = chain()
    fake.fault = RuntimeError("a bug")
    with pytest.raises(RuntimeError, match="a bug"):
        await run(CONFIG, fake, Keys.miner, FirstWords(), stop=asyncio.Event())
    assert fake.closed


async def test_stopping_while_it_warms_up_does_not_wait_for_the_compressor():
    gate = threading.Event()

    class Loading:
        def compress(self, text, budget):
            gate.wait()
            return ""

    fake, stop = chain(), asyncio.Event()
    task = asyncio.create_task(run(CONFIG, fake, Keys.miner, Loading(), stop=stop))
    await asyncio.sleep(0.1)
    stop.set()
    async with asyncio.timeout(5):
        await task
    gate.set()
    assert fake.served == [] and fake.closed


async def test_a_server_that_ends_by_itself_ends_the_miner_loudly():
    async def ended():
        raise OSError("no more sockets")

    gate = MetagraphGate(min_stake=0, require_permit=True)
    follower = Follower(chain(), gate, ME, Axon("127.0.0.2", 1), seconds=60)
    with pytest.raises(TransportError, match="ended by itself") as caught:
        await _work(follower, asyncio.create_task(ended()))
    assert isinstance(caught.value.__cause__, OSError)


async def test_a_chain_that_does_not_close_holds_nobody_up(monkeypatch):
    monkeypatch.setattr("compression_subnet.miner.service._CHAIN_CLOSE_SECONDS", 0.05)

    class Clinging(FakeChain):
        async def close(self):
            await asyncio.Event().wait()

    async with Running(Clinging(neuron(1, ME), hotkey=ME), FirstWords()):
        pass


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_signal_stops_the_miner_and_is_given_back(number):
    fake = chain()
    task = asyncio.create_task(run(CONFIG, fake, Keys.miner, FirstWords()))
    async with asyncio.timeout(20):
        while not fake.served:
            await asyncio.sleep(0.01)
        os.kill(os.getpid(), number)
        await task
    assert fake.closed
    assert signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler)


PROGRAM = """
import asyncio, time
from miner_chain import FakeChain, neuron
from miner_harness import Keys
from compression_subnet.miner import MinerConfig
from compression_subnet.miner.service import run

class Hanging:
    calls = 0
    def compress(self, text, budget):
        self.calls += 1
        if self.calls > 1:
            print("hanging", flush=True)
            time.sleep(3600)
        return ""

class Chain(FakeChain):
    async def serve_axon(self, axon):
        print(axon.port, flush=True)
        return await super().serve_axon(axon)

me = Keys.miner.ss58_address
chain = Chain(neuron(0, Keys.validator.ss58_address), neuron(1, me), hotkey=me)
config = MinerConfig(ip="127.0.0.2", port=0, allow_private=True, min_stake=100, shutdown_seconds=1)
asyncio.run(run(config, chain, Keys.miner, Hanging()))
print("ended", flush=True)
"""


async def test_sigterm_ends_the_process_within_ten_seconds_even_if_the_compressor_hangs(synapse):
    here = str(Path(__file__).parent)
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM], env=os.environ | {"PYTHONPATH": here}, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            port = int(await asyncio.to_thread(process.stdout.readline))
            target = Target(ME, Axon("127.0.0.2", port))
            asking = asyncio.create_task(ask(target, synapse(deadline_seconds=60.0)))
            assert await asyncio.to_thread(process.stdout.readline) == "hanging\n"
            process.terminate()
            assert await asyncio.to_thread(process.wait, 10) == 0
            assert process.stdout.read() == "ended\n"
            assert isinstance(await asking, Failed)
        finally:
            process.kill()
