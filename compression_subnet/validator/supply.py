"""Where a round's challenges come from: built, then filtered with the very judge that will score them."""

import asyncio
from typing import Final

from loguru import logger

from compression_subnet.challenge import Challenge, ChallengeBuilder, keep_answerable
from compression_subnet.errors import InputError
from compression_subnet.judge.types import Answerer

__all__ = ["Supply"]

# Of a corpus that suits its judge most excerpts pass; one of which so few pass is not worth the judge's time.
TRIES_A_CHALLENGE: Final = 6


class Supply:
    """Draws challenges whose questions the judge answers from the text and not without it.

    Args:
        builder: makes candidates.
        answerer: the judge.
        questions: most questions of a challenge.
        min_questions: fewest.
        candidates: questions put to the filter, of which at most ``questions`` are kept.
        parallel: candidates in work at once.
    """

    def __init__(
        self,
        builder: ChallengeBuilder,
        answerer: Answerer,
        *,
        questions: int,
        min_questions: int,
        candidates: int,
        parallel: int,
    ):
        self._builder = builder
        self._answerer = answerer
        self._questions = questions
        self._min_questions = min_questions
        self._candidates = candidates
        self._parallel = parallel

    async def draw(self, n: int) -> list[Challenge]:
        """Return ``n`` challenges.

        Raises:
            ProviderFault: the judge cannot be reached; nothing is known of the questions.
            InputError: so few candidates pass that the corpus does not suit the judge, or the corpus is used up.
        """
        drawn: list[Challenge] = []
        tries = 0

        async def work() -> None:
            nonlocal tries
            while len(drawn) < n:
                if tries >= TRIES_A_CHALLENGE * n:
                    raise InputError(
                        f"of {tries} candidate challenges only {len(drawn)} have {self._min_questions} questions that "
                        "the judge answers from the text; use another corpus, a stronger judge or fewer questions"
                    )
                tries += 1
                kept = await keep_answerable(
                    self._builder.build(self._candidates),
                    self._answerer,
                    n_questions=self._questions,
                    min_questions=self._min_questions,
                )
                if kept is not None and len(drawn) < n:
                    drawn.append(kept)
                    logger.info("challenge {} of {} is ready: {} questions", len(drawn), n, len(kept.questions))

        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(min(self._parallel, n)):
                    group.create_task(work())
        except* Exception as errors:
            # Workers fail for one and the same reason; the first tells it.
            raise errors.exceptions[0] from None
        return drawn
