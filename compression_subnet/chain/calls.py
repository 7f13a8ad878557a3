"""Every call to the chain, under its deadline: reads are tried again, writes are sent once."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeVar

from tenacity import AsyncRetrying, retry_if_exception_type

from compression_subnet.chain.connection import Backoff, Connection
from compression_subnet.errors import ChainError, ChainUnreachable

if TYPE_CHECKING:
    from bittensor import Client

__all__ = ["Caller"]

T = TypeVar("T")


class _NoAnswer(Exception):
    """One attempt got no answer; another may."""


class Caller:
    """Asks the chain.

    Args:
        connection: the connection that everything goes through.
        endpoint: its address, for messages.
        deadline: seconds within which every call ends.
        lost: whether an error of the SDK's says that no answer came (as opposed to an answer that says no).
    """

    def __init__(
        self,
        connection: "Connection[Client]",
        endpoint: str,
        deadline: float,
        lost: Callable[[BaseException], bool],
    ):
        self.connection = connection
        self.endpoint = endpoint
        self.deadline = deadline
        self.lost = lost
        self.backoff = Backoff(first=min(0.25, deadline / 50), most=deadline / 5)

    async def read(self, operation: "Callable[[Client], Awaitable[T]]") -> T:
        """Return the answer of ``operation``, which may run more than once.

        One attempt gets half of the deadline, so that a dead socket costs no more than that.

        Raises:
            ChainUnreachable: no answer within the deadline.
            ChainError: the chain's answer is an error.
        """
        attempts = AsyncRetrying(
            retry=retry_if_exception_type(_NoAnswer), wait=self.backoff.wait(), stop=lambda _: False, reraise=True
        )
        last = ""

        async def once() -> T:
            nonlocal last
            try:
                return await self._attempt(operation, self.deadline / 2)
            except _NoAnswer as error:
                last = str(error)
                raise

        return await self.within_deadline(lambda: attempts(once), lambda: last)

    async def send(self, operation: "Callable[[Client], Awaitable[T]]") -> T:
        """Return the result of ``operation``, which runs once and may take effect even where this raises.

        For use within ``within_deadline``. Where it does not end by itself, the connection is replaced: the SDK
        keeps an account's next number per connection, and it may be off by one now.
        """
        return await self.connection.call(operation, strict=True)

    async def within_deadline(self, operation: Callable[[], Awaitable[T]], last: Callable[[], str] = str) -> T:
        """Run ``operation`` under the deadline; ``last`` tells why it was not done sooner.

        Raises:
            ChainUnreachable: the deadline has passed.
        """
        try:
            async with asyncio.timeout(self.deadline):
                return await operation()
        except TimeoutError:
            reason = last() or self.connection.last_error
            raise ChainUnreachable(
                f"{self.endpoint} gave no answer within {self.deadline:g} s" + (f" ({reason})" if reason else "")
            ) from None

    async def _attempt(self, operation: "Callable[[Client], Awaitable[T]]", seconds: float) -> T:
        try:
            return await self.connection.call(operation, seconds)
        except ChainError:
            raise
        except Exception as error:
            if isinstance(error, TimeoutError) or self.lost(error):
                raise _NoAnswer(str(error) or f"no answer within {seconds:g} s") from error
            # The chain's refusal, or the SDK's failure to understand its answer: neither type leaves this package.
            raise ChainError(str(error) or repr(error)) from error
