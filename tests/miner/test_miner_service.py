import asyncio
import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

import httpx2
import pytest
from miner_chain import FakeChain, neuron
from miner_harness import Cut, FirstWords, Keys, Slow, ThreadWorker, lane

from compression_subnet.chain.port import Axon
from compression_subnet.errors import ChainUnreachable, CompressorError, ConfigurationError, TransportError
from compression_subnet.miner import MinerConfig
from compression_subnet.miner.answerer import Answerer
from compression_subnet.miner.follower import Follower
from compression_subnet.miner.gate import MetagraphGate
from compression_subnet.miner.metrics import MinerMetrics
from compression_subnet.miner.service import _work, run
from compression_subnet.ops import Conditions, Progress
from compression_subnet.process import run_until_signalled
from compression_subnet.transport import Dendrite, Failed, Failure, Replied, Target

ME, VALIDATOR = Keys.miner.ss58_address, Keys.validator.ss58_address
CONFIG = MinerConfig(
    ip="127.0.0.2", port=0, allow_private=True, min_stake=100, metagraph_seconds=0.05, fallbacks=("cut",)
)


def chain(**values):
    return FakeChain(neuron(0, VALIDATOR), neuron(1, ME), neuron(2, "poor", stake=1.0), hotkey=ME, **values)


def serve(chain, compressor, config=CONFIG):
    """A miner whose workers are threads: of ``compressor``, and of a fall-back."""

    def make_worker(spec):
        return ThreadWorker(Cut() if spec.compressor == "cut" else compressor, strict=spec.strict)

    return run(config, chain, Keys.miner, make_worker=make_worker)


async def cancelled(task):
    task.cancel()
    async with asyncio.timeout(10):
        with contextlib.suppress(asyncio.CancelledError):
            await task


class Running:
    """A miner in a task, and the address it has published."""

    def __init__(self, chain, compressor, config=CONFIG):
        self.chain = chain
        self.task = asyncio.create_task(serve(chain, compressor, config))

    async def __aenter__(self):
        async with asyncio.timeout(20):
            while not self.chain.served and not self.task.done():
                await asyncio.sleep(0.01)
        if self.task.done():
            self.task.result()
        self.target = Target(ME, self.chain.served[0])
        return self

    async def __aexit__(self, *error):
        await cancelled(self.task)


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
    task = asyncio.create_task(serve(fake, FirstWords(), replace(CONFIG, port=port)))
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
    await cancelled(task)


async def test_over_budget_results_become_the_fall_backs(synapse):
    class Whole:
        def compress(self, text, budget):
            return text

    request = synapse("The quick brown fox jumps over the lazy dog. " * 5)
    async with Running(chain(), Whole()) as miner:
        outcome = await ask(miner.target, request)
    assert outcome.compressed_text == request.text[: request.budget_tokens].strip()


async def test_a_compressor_that_does_not_work_ends_the_miner_before_it_is_published():
    class Broken:
        def compress(self, text, budget):
            raise CompressorError("no model")

    fake = chain()
    with pytest.raises(CompressorError):
        await serve(fake, Broken())
    assert fake.served == [] and fake.closed


async def test_a_taken_port_ends_the_miner_before_anything_else():
    fake = chain()
    with socket.socket() as taken:
        taken.bind(("127.0.0.2", 0))
        taken.listen()
        with pytest.raises(ConfigurationError, match="choose another"):
            await serve(fake, FirstWords(), replace(CONFIG, port=taken.getsockname()[1]))
    assert fake.served == [] and fake.closed


async def test_a_fault_in_the_chain_adapter_ends_the_miner_loudly():
    fake = chain()
    fake.fault = RuntimeError("a bug")
    with pytest.raises(RuntimeError, match="a bug"):
        await serve(fake, FirstWords())
    assert fake.closed


async def test_stopping_while_it_warms_up_does_not_wait_for_the_compressor():
    gate = threading.Event()

    class Loading:
        def compress(self, text, budget):
            gate.wait()
            return ""

    fake = chain()
    task = asyncio.create_task(serve(fake, Loading()))
    await asyncio.sleep(0.1)
    await cancelled(task)
    gate.set()
    assert fake.served == [] and fake.closed


async def test_what_is_under_way_when_the_miner_is_told_to_stop_is_finished(synapse):
    async with Running(chain(), Slow(0.5)) as miner:
        asking = asyncio.create_task(ask(miner.target, synapse()))
        await asyncio.sleep(0.2)
    outcome = await asking
    assert isinstance(outcome, Replied) and outcome.compressed_text == "slow"


async def test_a_server_that_ends_by_itself_ends_the_miner_loudly():
    async def ended():
        raise OSError("no more sockets")

    gate = MetagraphGate(min_stake=0, require_permit=True)
    conditions = Conditions()
    follower = Follower(chain(), gate, ME, Axon("127.0.0.2", 1), conditions, seconds=60)
    metrics = MinerMetrics()
    answerer = Answerer([lane(metrics, "first", ThreadWorker(FirstWords()))], metrics)
    await answerer.start()
    with pytest.raises(TransportError, match="ended by itself") as caught:
        await _work(follower, asyncio.create_task(ended()), answerer, conditions, Progress())
    await answerer.close()
    assert isinstance(caught.value.__cause__, OSError)


async def test_a_chain_that_does_not_close_holds_nobody_up(monkeypatch):
    monkeypatch.setattr("compression_subnet.miner.service._CHAIN_CLOSE_SECONDS", 0.05)

    class Clinging(FakeChain):
        async def close(self):
            await asyncio.Event().wait()

    async with Running(Clinging(neuron(1, ME), hotkey=ME), FirstWords()):
        pass


async def test_metrics_and_health_are_on_a_port_of_their_own(synapse):
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    async with (
        httpx2.AsyncClient(trust_env=False, base_url=f"http://127.0.0.1:{port}") as client,
        Running(chain(), FirstWords(), replace(CONFIG, ops_port=port)) as miner,
    ):
        await ask(miner.target, synapse())
        await ask(miner.target, synapse(), by=Keys.stranger)
        async with asyncio.timeout(10):
            while (ready := await client.get("/readyz")).status_code != 200:
                await asyncio.sleep(0.05)
        assert json.loads(ready.text) == {"axon": "ok", "chain": "ok", "compressor": "ok"}
        assert (await client.get("/healthz")).status_code == 200
        text = (await client.get("/metrics")).text
        assert 'compression_subnet_miner_requests_total{outcome="answered"} 1.0' in text
        assert 'compression_subnet_miner_refusals_total{reason="not registered on this subnet"} 1.0' in text
        assert 'compression_subnet_miner_workers_ready{compressor="reference"} 1.0' in text
        public = f"http://{miner.target.axon.ip}:{miner.target.axon.port}"
        assert (await client.get(f"{public}/metrics")).status_code == 404


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_stops_the_miner(number):
    fake = chain()

    async def work():
        asyncio.get_running_loop().create_task(told())
        await serve(fake, FirstWords())
        return True

    async def told():
        while not fake.served:
            await asyncio.sleep(0.01)
        os.kill(os.getpid(), number)

    before = signal.getsignal(number)
    assert run_until_signalled(work()) == 0
    assert fake.closed
    assert signal.getsignal(number) == before


PROGRAM = """
import asyncio, sys
from miner_chain import FakeChain, neuron
from miner_harness import Keys
from compression_subnet.miner import MinerConfig
from compression_subnet.miner.service import run
from compression_subnet.process import run_until_signalled

class Chain(FakeChain):
    async def serve_axon(self, axon):
        print(axon.port, flush=True)
        return await super().serve_axon(axon)

me = Keys.miner.ss58_address
chain = Chain(neuron(0, Keys.validator.ss58_address), neuron(1, me), hotkey=me)
config = MinerConfig(
    ip="127.0.0.2", port=0, allow_private=True, min_stake=100, shutdown_seconds=1, fallbacks=(),
    compressor=sys.argv[1],
)

async def main():
    await run(config, chain, Keys.miner)
    return True

status = run_until_signalled(main())
heavy = [name for name in ("bpe_openai", "torch", "transformers") if name in sys.modules]
print("ended", heavy, flush=True)
sys.exit(status)
"""


def workers_of(pid):
    """Process ids of a process's children."""
    return [int(number) for number in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def alive(pid):
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


class Program:
    """A miner in a process of its own, with workers as on a network."""

    def __init__(self, compressor):
        here = str(Path(__file__).parent)
        self.process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, compressor],
            env=os.environ | {"PYTHONPATH": here},
            stdout=subprocess.PIPE,
            text=True,
        )

    async def __aenter__(self):
        port = int(await asyncio.to_thread(self.process.stdout.readline))
        self.target = Target(ME, Axon("127.0.0.2", port))
        return self

    async def __aexit__(self, *error):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


async def test_sigterm_ends_the_process_within_ten_seconds_even_if_the_compressor_hangs(synapse, tmp_path):
    async with Program("process_compressors:Hanging") as program:
        asking = asyncio.create_task(ask(program.target, synapse(f"hang {tmp_path}/here", deadline_seconds=60.0)))
        while not (tmp_path / "here").exists():
            await asyncio.sleep(0.02)
        (worker,) = workers_of(program.process.pid)
        program.process.terminate()
        assert await asyncio.to_thread(program.process.wait, 10) == 0
        # Nothing was ever counted or compressed here, where it would have blocked the event loop.
        assert program.process.stdout.read() == "ended []\n"
        assert not alive(worker)
        assert isinstance(await asking, Failed)


async def test_a_miner_that_is_killed_leaves_no_worker_behind(synapse, tmp_path):
    async with Program("process_compressors:Hanging") as program:
        asking = asyncio.create_task(ask(program.target, synapse(f"hang {tmp_path}/here", deadline_seconds=60.0)))
        while not (tmp_path / "here").exists():
            await asyncio.sleep(0.02)
        (worker,) = workers_of(program.process.pid)
        program.process.kill()
        async with asyncio.timeout(20):
            while alive(worker):
                await asyncio.sleep(0.05)
        assert isinstance(await asking, Failed)
