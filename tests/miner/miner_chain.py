"""A chain of values: what a miner reads is given, what it writes is kept."""

from compression_subnet.chain.port import Hyperparameters, Metagraph, Neuron, Served

HYPERPARAMETERS = Hyperparameters(
    tempo=360,
    weights_rate_limit=100,
    min_allowed_weights=1,
    weights_version=0,
    commit_reveal=False,
    commit_reveal_epochs=1,
    immunity_period=5000,
    serving_rate_limit=50,
    max_uids=256,
)


def neuron(uid, hotkey, **values):
    base = {
        "coldkey": "c",
        "stake": 1000.0,
        "validator_permit": True,
        "axon": None,
        "last_update": 0,
        "registered_at": 0,
        "incentive": 0.0,
        "dividends": 0.0,
        "trust": 0.0,
    }
    return Neuron(uid=uid, hotkey=hotkey, **(base | values))


def metagraph(*neurons):
    return Metagraph(netuid=1, block=100, owner_hotkey="owner", neurons=neurons, hyperparameters=HYPERPARAMETERS)


class FakeChain:
    """Gives the neurons it holds; a served axon shows in them, as on a chain."""

    def __init__(self, *neurons, hotkey=None, outcomes=()):
        self.neurons = list(neurons)
        self.hotkey = hotkey
        self.outcomes = list(outcomes)
        self.fault = None
        self.served = []
        self.closed = False

    async def metagraph(self):
        if self.fault is not None:
            raise self.fault
        return metagraph(*self.neurons)

    async def serve_axon(self, axon):
        self.served.append(axon)
        outcome = self.outcomes.pop(0) if self.outcomes else Served(block_hash="0x1")
        if isinstance(outcome, Served):
            self.neurons = [neuron(n.uid, n.hotkey, axon=axon) if n.hotkey == self.hotkey else n for n in self.neurons]
        return outcome

    async def close(self):
        self.closed = True
