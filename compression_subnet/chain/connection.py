"""One connection to one chain, however often it has to be opened again.

A single task opens, probes and closes it; calls borrow it. A call that gets no answer raises doubt about it: the
owner asks it for a block, and where that fails too, closes it and opens another. So one slow call does not cost
the others their connection, and a socket that is half dead is not kept.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from loguru import logger
from tenacity import AsyncRetrying, RetryCallState, wait_exponential_jitter

from compression_subnet.errors import ChainError

__all__ = ["Backoff", "Closable", "Connection"]


class Closable(Protocol):
    """What the owner must be able to do with what it opened."""

    async def close(self) -> None:
        """Release the socket; ends soon, whatever the peer does."""


C = TypeVar("C", bound=Closable)
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Backoff:
    """Waits between attempts to connect, in seconds: doubled each time, with jitter, from first to most."""

    first: float = 0.25
    most: float = 15.0

    def wait(self) -> wait_exponential_jitter:
        """Return the schedule in the form that tenacity takes."""
        return wait_exponential_jitter(multiplier=self.first, max=self.most, jitter=self.first)


class Connection(Generic[C]):
    """The owner of one connection.

    Args:
        dial: opens a connection, or raises; leaves nothing behind when cancelled.
        probe: asks it something cheap; any exception means that it is dead.
        lost: whether an error of an operation means that the connection is gone.
        patience: seconds that an attempt to open may take, and, at most, a probe.
        backoff: waits between attempts to open.
    """

    def __init__(
        self,
        dial: Callable[[], Awaitable[C]],
        probe: Callable[[C], Awaitable[object]],
        lost: Callable[[BaseException], bool],
        patience: float,
        backoff: Backoff,
    ):
        self._dial = dial
        self._probe = probe
        self._lost = lost
        self._patience = patience
        self._backoff = backoff
        self._client: C | None = None
        self._closed = False
        self._waiting = 0
        self._wanted = asyncio.Event()
        self._ready = asyncio.Event()
        self._doubted = asyncio.Event()
        self._strays: set[asyncio.Task[object]] = set()
        self._owner: asyncio.Task[None] | None = None
        self.opened = 0
        """How many connections have been opened so far."""
        self.last_error = ""
        """Why the last attempt to open failed."""

    async def call(
        self, operation: Callable[[C], Awaitable[T]], seconds: float | None = None, *, strict: bool = False
    ) -> T:
        """Run ``operation`` on the connection, opening one where there is none.

        Ends within ``seconds``, or at once when cancelled, whatever the operation does, even where it ignores its
        cancellation: it is then left to itself until the owner closes the connection under it. ``strict`` has the
        connection replaced, not only probed, when the operation does not end by itself.

        Raises:
            TimeoutError: it has not ended after ``seconds``.
            ChainError: this connection was closed for good.
        """
        async with asyncio.timeout(seconds):
            client = await self._borrow()
            task: asyncio.Task[T] = asyncio.ensure_future(_coroutine(operation, client))
            try:
                # wait() ends at once on cancellation; awaiting the task itself would wait for its clean-up,
                # which asks the dead socket for an answer.
                await asyncio.wait({task})
            except BaseException:
                self._let_go(task)
                self.doubt(client, condemn=strict)
                raise
            error = task.exception()
            if error is not None and self._lost(error):
                self.doubt(client, condemn=True)
            return task.result()

    def doubt(self, client: C | None = None, *, condemn: bool = False) -> None:
        """Have the connection probed, or, where ``condemn`` is set, replaced without asking it."""
        if self._client is None or (client is not None and client is not self._client):
            return  # another one by now
        if condemn:
            self._withdraw()
        self._doubted.set()

    async def close(self) -> None:
        """Close it for good; returns when every task of its own has ended, or has had its time to."""
        self._closed = True
        for event in (self._ready, self._wanted, self._doubted):
            event.set()
        # The SDK may swallow a cancellation while it cleans up; the owner looks at ``_closed`` as well.
        if self._owner is not None:
            self._owner.cancel()
            await asyncio.wait({self._owner}, timeout=self._patience)
        if self._strays:
            await asyncio.wait(set(self._strays), timeout=self._patience)

    async def _borrow(self) -> C:
        self._waiting += 1
        try:
            while True:
                if self._closed:
                    raise ChainError("this connection to the chain is closed")
                if self._owner is None or self._owner.done():
                    self._owner = asyncio.create_task(self._own(), name="chain-connection")
                if self._client is not None:
                    return self._client
                self._wanted.set()
                await self._ready.wait()
        finally:
            self._waiting -= 1

    async def _own(self) -> None:
        while not self._closed:
            await self._wanted.wait()
            client = await self._open()
            if client is None:
                continue
            try:
                if not self._closed:
                    self._wanted.clear()
                    self._doubted.clear()
                    self._client = client
                    self._ready.set()
                    await self._until_dead(client)
            finally:
                self._withdraw()
                try:
                    await client.close()
                except Exception as error:
                    logger.warning("closing the connection to the chain failed: {!r}", error)

    def _withdraw(self) -> None:
        """Lend the connection to nobody any more."""
        self._client = None
        if not self._closed:
            self._ready.clear()

    async def _open(self) -> C | None:
        """Return a new connection, or None once nobody waits for one any more."""

        def report(state: RetryCallState) -> None:
            error = state.outcome.exception() if state.outcome else None
            self.last_error = str(error) or type(error).__name__
            logger.info("no connection to the chain yet (attempt {}): {}", state.attempt_number, self.last_error)

        attempts = AsyncRetrying(
            wait=self._backoff.wait(),
            stop=lambda _: self._closed or self._waiting == 0,
            before_sleep=report,
            retry_error_callback=lambda _: None,
        )
        client: C | None = await attempts(self._dial_once)
        if client is None and not self._closed:
            self._wanted.clear()
        return client

    async def _dial_once(self) -> C:
        async with asyncio.timeout(self._patience):
            client = await self._dial()
        self.opened += 1
        return client

    async def _until_dead(self, client: C) -> None:
        while True:
            await self._doubted.wait()
            self._doubted.clear()
            if self._closed or self._client is not client:
                return
            task: asyncio.Task[object] = asyncio.ensure_future(_coroutine(self._probe, client))
            try:
                await asyncio.wait({task}, timeout=self._patience)
            finally:
                self._let_go(task)
            if not task.done() or task.cancelled() or task.exception() is not None:
                logger.info("the connection to the chain gives no answer; opening another")
                return

    def _let_go(self, task: "asyncio.Task[T]") -> None:
        if task.done():
            return
        task.cancel()
        self._strays.add(task)
        task.add_done_callback(self._swept)

    def _swept(self, task: "asyncio.Task[T]") -> None:
        self._strays.discard(task)
        if not task.cancelled():
            task.exception()  # seen: nobody waits for this one any more


async def _coroutine(operation: Callable[[C], Awaitable[T]], client: C) -> T:
    return await operation(client)
