"""The one file that reaches into the SDK's transport, so that no connection can be lost track of.

Importing it imports bittensor (1.2 s): import it inside a function. Three things need the private layer of 11.3:
a dial whose closing handshake ends soon (the SDK's waits 10 s for a peer that is gone), a list of the connections
opened (cancelling the SDK's ``connect`` leaves its socket and its task behind), and a socket whose orderly end is
an error (the SDK's receiver dies of one that comes while a question is open, and the question is never answered).
"""

import contextlib
from typing import Any

import bittensor
from bittensor._transport import SubstrateConnection
from bittensor._transport.errors import BlockNotFound, StateDiscardedError, SubstrateRequestException
from bittensor.settings import default_archive_endpoints, default_fallback_endpoints, resolve_endpoint
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosedOK, WebSocketException

from compression_subnet.errors import ConfigurationError

__all__ = ["fate_open", "open_client", "resolve", "state_gone", "transport_failed"]

_CLOSE_SECONDS = 1.0
_MAX_FRAME = 64 * 2**20


class _Socket:
    """A websocket as the SDK's session takes it, whose end is always an error."""

    def __init__(self, socket: ClientConnection):
        self._socket = socket

    async def send(self, message: str) -> None:
        await self._socket.send(message)

    async def recv(self) -> str | bytes:
        try:
            return await self._socket.recv()
        except ConnectionClosedOK as error:
            raise ConnectionError("the node closed the connection") from error

    async def close(self) -> None:
        await self._socket.close()


class _Dial:
    """Opens one socket, and no other after it.

    The SDK would dial again by itself, and go on with what it keeps per connection, such as the next number of an
    account's calls; whoever owns the connection replaces all of it instead.
    """

    def __init__(self, timeout: float):
        self._timeout = timeout
        self._spent = False

    async def __call__(self, url: str) -> _Socket:
        if self._spent:
            raise ConnectionError("the connection was lost")
        socket = await connect(url, open_timeout=self._timeout, close_timeout=_CLOSE_SECONDS, max_size=_MAX_FRAME)
        self._spent = True
        return _Socket(socket)


class _OwnedSubstrate(bittensor.RpcSubstrate):
    """The SDK's chain access, with every connection that it opens on record."""

    def __init__(self, endpoint: str, fallbacks: list[str], archives: list[str], timeout: float):
        super().__init__(endpoint, fallback_endpoints=fallbacks, archive_endpoints=archives)
        self._timeout = timeout
        self._opened: list[SubstrateConnection] = []

    def _interface(self, endpoint: str, fallbacks: list[str]) -> SubstrateConnection:
        # One failure ends the SDK's own attempts: ours know the caller's deadline, its do not.
        connection = SubstrateConnection(
            endpoint,
            ss58_format=bittensor.settings.SS58_FORMAT,
            fallback_urls=fallbacks,
            max_retries=1,
            response_timeout=self._timeout,
            connect_factory=_Dial(self._timeout),
        )
        self._opened.append(connection)
        return connection

    def _failed_submit(self, error: Exception, signer_address: str) -> bittensor.ExtrinsicResult:
        # The SDK drops the cause here, and with it the difference that ``transport_failed`` looks for.
        result = super()._failed_submit(error, signer_address)
        if result.error is not None:
            result.error.__cause__ = error
        return result

    async def close(self) -> None:
        with contextlib.suppress(SubstrateRequestException, WebSocketException, OSError):
            await super().close()
        while self._opened:
            with contextlib.suppress(SubstrateRequestException, WebSocketException, OSError):
                await self._opened.pop().close()


def resolve(network: str) -> str:
    """Return the endpoint of a network's name or of a ``ws://`` or ``wss://`` address.

    Raises:
        ConfigurationError: it is neither.
    """
    try:
        return str(resolve_endpoint(network)[1])
    except ValueError as error:
        raise ConfigurationError(str(error)) from error


async def open_client(network: str, timeout: float) -> bittensor.Client:
    """Return a connected client of ``network``; on any failure, cancellation included, nothing stays open."""
    label, endpoint = resolve_endpoint(network)
    fallbacks = [url for url in default_fallback_endpoints(label) if url != endpoint]
    substrate = _OwnedSubstrate(endpoint, fallbacks, default_archive_endpoints(label), timeout)
    client = bittensor.Client(network, substrate=substrate)
    try:
        await client.connect()
    except BaseException:
        await substrate.close()
        raise
    return client


def transport_failed(error: BaseException) -> bool:
    """Whether ``error`` says that no answer came, as opposed to an answer that says no.

    The SDK turns both into ``ChainError``; only the cause beneath tells them apart: an answer has a payload.
    """
    if isinstance(error, bittensor.ChainError):
        cause: Any = error.__cause__
        if isinstance(cause, SubstrateRequestException):
            return cause.payload is None and not isinstance(cause, BlockNotFound | StateDiscardedError)
        return isinstance(cause, WebSocketException | OSError | TimeoutError)
    return isinstance(
        error,
        bittensor.RpcConnectionError
        | bittensor.ConnectionNotReady
        | WebSocketException
        | OSError
        | TimeoutError
        | SubstrateRequestException,
    )


def state_gone(error: BaseException) -> bool:
    """Whether ``error``, or what it came of, says that the node does not have a block or no longer has its state."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, BlockNotFound | StateDiscardedError) or "UnknownBlock" in str(cause):
            return True
        cause = cause.__cause__
    return False


def fate_open(error: BaseException) -> bool:
    """Whether a call that ended in ``error`` may have taken effect, or may yet.

    It cannot where the SDK stopped it before it was sent (no cause), or where the node answered with a refusal (a
    cause with a payload). Everything else, such as an answer that could not be decoded, leaves it open.
    """
    if not isinstance(error, bittensor.BittensorError):
        return True
    cause: Any = error.__cause__
    if cause is None:
        return isinstance(error, bittensor.RpcConnectionError)
    return getattr(cause, "payload", None) is None
