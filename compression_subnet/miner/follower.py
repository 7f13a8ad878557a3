"""The miner's view of the chain, kept fresh: who may ask, and whether the own address is published."""

import asyncio
from collections.abc import Awaitable, Callable
from ipaddress import ip_address

from loguru import logger

from compression_subnet.chain.port import Axon, Chain, Metagraph, Refused, Served, ServeOutcome, TooEarly, Unreachable
from compression_subnet.errors import ChainError
from compression_subnet.miner.gate import MetagraphGate
from compression_subnet.ops import Conditions

__all__ = ["Follower"]

_FIRST_RETRY_SECONDS = 1.0


class Follower:
    """Reads the metagraph on its own clock, tells the gate, and publishes the axon where the chain lacks it.

    The metagraph says whether a publication took effect, also one that timed out; so each attempt reads it anew.

    Args:
        chain: read and written.
        gate: told of each metagraph.
        hotkey: address of the miner's hotkey.
        axon: where validators reach it.
        conditions: told whether the chain is read, and whether it has the address.
        seconds: between two looks while all is well; the longest back-off, too.
        sleep: waits for a number of seconds.
    """

    def __init__(
        self,
        chain: Chain,
        gate: MetagraphGate,
        hotkey: str,
        axon: Axon,
        conditions: Conditions,
        *,
        seconds: float,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ):
        self._chain = chain
        self._gate = gate
        self._hotkey = hotkey
        self._axon = axon
        self._conditions = conditions
        self._seconds = seconds
        self._sleep = sleep
        self._said: str | None = None
        self._faults = 0

    async def look(self) -> Metagraph | None:
        """Read the metagraph and tell the gate; return None where the chain does not give it."""
        try:
            metagraph = await self._chain.metagraph()
        except ChainError as error:
            self._conditions.ill("chain", "the metagraph could not be read")
            self._say("WARNING", f"the metagraph could not be read ({error}); the last one still counts")
            return None
        self._conditions.well("chain")
        self._gate.update(metagraph)
        return metagraph

    async def publish(self, metagraph: Metagraph) -> ServeOutcome | None:
        """Publish the axon unless ``metagraph`` shows it; return the chain's answer, or None where none was asked."""
        neuron = metagraph.by_hotkey(self._hotkey)
        if neuron is None:
            self._conditions.ill("axon", "the hotkey is not registered")
            self._say(
                "ERROR",
                f"hotkey {self._hotkey} is not registered on subnet {metagraph.netuid}, so nobody will ask it; "
                f"register it: btcli subnets register --netuid {metagraph.netuid}",
            )
            return None
        if neuron.axon is not None and _same(neuron.axon, self._axon):
            self._conditions.well("axon")
            self._say("INFO", f"validators find this miner (uid {neuron.uid}) at {self._axon.ip} {self._axon.port}")
            return None
        self._conditions.ill("axon", "the address is not on chain yet")
        outcome = await self._chain.serve_axon(self._axon)
        match outcome:
            case Served():
                self._say("INFO", f"published the address {self._axon.ip} port {self._axon.port}")
            case TooEarly(next_block):
                self._say("WARNING", f"the chain takes the address from block {next_block} on; waiting")
            case Refused(reason, remedy):
                self._say("ERROR", f"the chain refused the address: {reason}; {remedy}")
            case Unreachable(detail):
                self._say("WARNING", f"no answer about the address from the chain ({detail}); asking again")
        return outcome

    async def follow(self) -> None:
        """Look and publish until cancelled."""
        while True:
            metagraph = await self.look()
            outcome = await self.publish(metagraph) if metagraph is not None else None
            failed = metagraph is None or isinstance(outcome, TooEarly | Refused | Unreachable)
            self._faults = self._faults + 1 if failed else 0
            backoff = _FIRST_RETRY_SECONDS * 2.0 ** min(self._faults - 1, 20)
            await self._sleep(min(self._seconds, backoff) if failed else self._seconds)

    def _say(self, level: str, message: str) -> None:
        # The same state a minute later is no news.
        if message != self._said:
            self._said = message
            logger.log(level, "{}", message)


def _same(a: Axon, b: Axon) -> bool:
    try:
        return a.port == b.port and ip_address(a.ip) == ip_address(b.ip)
    except ValueError:
        return False
