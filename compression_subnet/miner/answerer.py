"""From a request to a compressed text, in time and within the budget, whatever the compressor does."""

import asyncio
import time
import traceback
from collections.abc import Callable

from loguru import logger

from compression_subnet.compressors.base import Compressor, TokenBudget
from compression_subnet.errors import CompressorError
from compression_subnet.miner.log import quoted
from compression_subnet.miner.workers import Workers
from compression_subnet.protocol import CompressionSynapse
from compression_subnet.text.canonical import canonical
from compression_subnet.text.tokens import Tokenizer

__all__ = ["Answerer"]

# Kept back of a request's deadline for the fall-back and for the way to the validator: this share, or this long.
_RESERVED_SHARE = 0.25
_RESERVED_SECONDS = 2.0

_WARM_UP_TEXT = (
    "The observatory was opened in 1931 by a society of amateurs. Its first telescope had a mirror of 0.6 metres. "
    "A larger one followed in 1958, and the old dome became a library. Rain fell on most days of that autumn."
)


class Answerer:
    """Runs a compressor in threads of its own, under deadlines.

    Args:
        compressor: called from ``workers`` threads, never from two at a time where that is 1.
        tokenizer: counts budgets; requests that name another are refused before they come here.
        workers: threads.
        fallback: replaces a result that is late or over the budget; must be quick and never over it.
        strict_budget: whether a result over the budget is replaced at all.
        clock: monotonic, in seconds.
    """

    def __init__(
        self,
        compressor: Compressor,
        tokenizer: Tokenizer,
        *,
        fallback: Callable[[str, TokenBudget], str],
        workers: int = 1,
        strict_budget: bool = True,
        clock: Callable[[], float] = time.monotonic,
    ):
        self.tokenizer = tokenizer
        self._compressor = compressor
        self._fallback = fallback
        self._strict = strict_budget
        self._workers = Workers(workers, clock)
        self._spare = Workers(1, clock)  # for the fall-back: the others may all be busy, which is why it is wanted

    async def warm_up(self) -> None:
        """Compress a short text once, so that models are loaded before the first request.

        Raises:
            CompressorError: the compressor does not work.
        """
        budget = TokenBudget(self.tokenizer.count(_WARM_UP_TEXT) * 40 // 100, self.tokenizer)
        await self._workers.run(lambda: self._compress(_WARM_UP_TEXT, budget))

    async def answer(self, request: CompressionSynapse, seconds: float) -> str:
        """Return the compressed text of ``request``: the compressor's, or the fall-back's where it is late.

        Args:
            request: with the tokenizer that this object counts with.
            seconds: what is left of the request's deadline.

        Raises:
            CompressorError: the compressor failed.
            TimeoutError: not even the fall-back was ready in time.
        """
        budget = TokenBudget(request.budget_tokens, self.tokenizer)
        async with asyncio.timeout(seconds):
            try:
                async with asyncio.timeout(seconds - min(_RESERVED_SECONDS, _RESERVED_SHARE * seconds)):
                    return await self._workers.run(lambda: self._compress(request.text, budget))
            except TimeoutError:
                logger.warning("challenge {}: the compressor was late; sending the fall-back", request.challenge_id)
                return await self._spare.run(lambda: self._fallback(canonical(request.text), budget))

    def blocked_seconds(self) -> float:
        """Return for how long no thread has been free to compress: 0 where one is."""
        return self._workers.blocked_seconds()

    def close(self) -> None:
        """Let the threads end. Does not wait for them."""
        self._workers.close()
        self._spare.close()

    def _compress(self, text: str, budget: TokenBudget) -> str:
        text = canonical(text)
        try:
            # Stripped and canonical is what a validator counts and reads; see MECHANISM.
            result = canonical(self._compressor.compress(text, budget)).strip()
            over = not budget.fits(result)
        except BaseException as error:  # a compressor that calls sys.exit ends its own request, not the miner
            # Frames without their values: those may hold a validator's text.
            frames = "".join(traceback.format_tb(error.__traceback__))
            logger.error("the compressor failed: {} {}\n{}", type(error).__name__, quoted(str(error)), frames)
            raise CompressorError(f"the compressor failed: {type(error).__name__}") from error
        if over and self._strict:
            logger.error(
                "the compressor went over its budget of {} tokens, which scores 0; sending the fall-back",
                budget.tokens,
            )
            return self._fallback(text, budget)
        return result
