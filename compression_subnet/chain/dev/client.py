"""Starting a dev chain as a process, and its development methods from Python.

    async with dev_chain(block_time=0.25) as url, DevClient(url) as dev:
        uid = await dev.register(1, hotkey, coldkey)

Against the same chain, the SDK keeps two caches on disk: metadata, by genesis hash, and token symbols, by network.
The dev chain's genesis hash is derived from its metadata, so the first cannot be stale. Tests still point both at a
folder of their own (``BITTENSOR_RUNTIME_CACHE_DIR``, ``BTCLI_TOKEN_SYMBOLS_CACHE``) so as to leave the user's alone.
"""

import asyncio
import contextlib
import json
import sys
import tempfile
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from itertools import count
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Final, Self

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import WebSocketException

from compression_subnet.errors import ChainError, ChainUnreachable

__all__ = ["DevClient", "dev_chain"]

_STOP_SECONDS: Final = 10.0
_LISTENING: Final = b"listening "


class DevClient:
    """A connection to a dev chain's development methods. One call at a time.

    Args:
        url: address of the chain, such as ``ws://127.0.0.1:9944``.
        deadline: seconds within which each call must be answered.
    """

    def __init__(self, url: str, deadline: float = 30.0):
        self._url = url
        self._deadline = deadline
        self._numbers = count(1)
        self._socket: ClientConnection | None = None

    async def __aenter__(self) -> Self:
        try:
            async with asyncio.timeout(self._deadline):
                self._socket = await connect(self._url, max_size=None)
        except (OSError, TimeoutError, WebSocketException) as error:
            raise ChainUnreachable(f"no dev chain answers at {self._url}: start one, or check the port") from error
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        socket, self._socket = self._socket, None
        if socket is not None:
            await socket.close()

    async def call(self, method: str, *parameters: Any) -> Any:
        """Call any JSON-RPC method of the chain and return its result.

        Raises:
            ChainError: the chain answered with an error.
            ChainUnreachable: it did not answer within the deadline.
        """
        if self._socket is None:
            raise ChainError("the client is closed: use it inside 'async with'")
        number = next(self._numbers)
        request = {"jsonrpc": "2.0", "id": number, "method": method, "params": list(parameters)}
        try:
            async with asyncio.timeout(self._deadline):
                await self._socket.send(json.dumps(request))
                reply = {"id": None}
                while reply["id"] != number:  # what comes late to a call that was given up is passed over
                    reply = json.loads(await self._socket.recv())
        except TimeoutError as error:
            raise ChainUnreachable(f"{method} was not answered within {self._deadline} s") from error
        except (OSError, WebSocketException) as error:
            raise ChainUnreachable(f"the dev chain at {self._url} is gone: {error}") from error
        if "error" in reply:
            problem = reply["error"]
            detail = problem.get("data")
            raise ChainError(f"{method}: {problem['message']}" + (f": {detail}" if detail else ""))
        return reply["result"]

    async def new_block(self, count: int = 1) -> int:
        """Build blocks at once and return the newest one's number."""
        return int(await self.call("dev_newBlock", count))

    async def register(self, netuid: int, hotkey: str, coldkey: str) -> int:
        """Register a hotkey (SS58 addresses), free of price and limits, and return its uid."""
        return int(await self.call("dev_register", netuid, hotkey, coldkey))

    async def set_stake(self, hotkey: str, netuid: int, rao: int) -> None:
        """Set a hotkey's alpha on a subnet, or its TAO on root (0); permits follow at once."""
        await self.call("dev_setStake", hotkey, netuid, rao)

    async def set_hyperparameter(self, netuid: int, name: str, value: int | bool) -> None:
        """Set a hyperparameter, by the name that the SDK reads it under or by its storage item."""
        await self.call("dev_setHyperparameter", netuid, name, value)

    async def set_stake_threshold(self, rao: int) -> None:
        """Set the stake weight that setting weights needs, on all subnets."""
        await self.call("dev_setStakeThreshold", rao)

    async def endow(self, address: str, rao: int) -> None:
        """Set an account's free balance."""
        await self.call("dev_endow", address, rao)

    async def reveal_weights(self, netuid: int, hotkey: str, weights: Mapping[int, int]) -> int:
        """Give the plain weights behind a hotkey's newest commitment; return the epoch's index that applies them.

        For development only: on a real chain drand opens a commitment.
        """
        uids, values = list(weights), list(weights.values())
        return int(await self.call("dev_revealWeights", netuid, hotkey, uids, values))

    async def fault(self, kind: str, arguments: Mapping[str, Any] | None = None) -> None:
        """Make the chain misbehave; see ``faults`` for the kinds."""
        await self.call("dev_fault", kind, dict(arguments or {}))

    async def calls(self) -> dict[str, int]:
        """Return how often each method was called since the chain started."""
        return {str(name): int(number) for name, number in (await self.call("dev_calls")).items()}


@asynccontextmanager
async def dev_chain(
    *,
    host: str = "127.0.0.1",
    port: int = 0,
    block_time: float = 0.0,
    tempo: int | None = None,
    commit_reveal: bool | None = None,
    weights_rate_limit: int | None = None,
    state: Path | None = None,
    start_deadline: float = 30.0,
) -> AsyncIterator[str]:
    """Run a dev chain in a process of its own; yields its URL and stops it at the end.

    Args:
        host: address to listen on.
        port: port to listen on; 0 picks a free one.
        block_time: seconds between blocks; 0 builds one for each extrinsic and on demand.
        tempo: blocks between the epochs of subnet 1.
        commit_reveal: whether subnet 1 hides weights; on, as on the live chain, where it is not given.
        weights_rate_limit: blocks between a validator's weights.
        state: file in which the chain survives a restart.
        start_deadline: seconds within which it must listen.

    Raises:
        ChainError: it did not start; the message holds what it wrote.
    """
    options = ["--host", host, "--port", str(port), "--block-time", str(block_time)]
    options += [] if tempo is None else ["--tempo", str(tempo)]
    options += [] if weights_rate_limit is None else ["--weights-rate-limit", str(weights_rate_limit)]
    options += [] if state is None else ["--state", str(state)]
    if commit_reveal is not None:
        options.append("--commit-reveal" if commit_reveal else "--no-commit-reveal")
    with tempfile.TemporaryFile() as complaints:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "compression_subnet.chain.dev", *options),
            stdout=asyncio.subprocess.PIPE,
            stderr=complaints,  # not a pipe: nobody would empty it
        )
        try:
            yield await _url(process, complaints, start_deadline)
        finally:
            await _stop(process)


async def _url(process: asyncio.subprocess.Process, complaints: IO[bytes], deadline: float) -> str:
    assert process.stdout is not None
    line = b""
    try:
        async with asyncio.timeout(deadline):
            line = await process.stdout.readline()
    except TimeoutError:
        pass
    if line.startswith(_LISTENING):
        return line.removeprefix(_LISTENING).decode().strip()
    complaints.seek(0)
    detail = complaints.read().decode(errors="replace").strip() or f"it did not listen within {deadline} s"
    raise ChainError(f"the dev chain did not start: {detail}")


async def _stop(process: asyncio.subprocess.Process) -> None:
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            process.terminate()
    try:
        async with asyncio.timeout(_STOP_SECONDS):
            await process.communicate()
    except TimeoutError:
        process.kill()
        await process.communicate()
