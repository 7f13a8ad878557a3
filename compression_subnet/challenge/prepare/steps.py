"""What is done to articles before challenges are made of them: one small class a step."""

import asyncio
import random
import secrets
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from compression_subnet.challenge.excerpt import cut
from compression_subnet.challenge.prepare.draft import Draft
from compression_subnet.challenge.rewrite import paraphrase_article, rewrite_article
from compression_subnet.challenge.write import ModelParaphraser, QuestionWriter, write_near_misses
from compression_subnet.errors import InputError
from compression_subnet.judge.chat import ChatModel
from compression_subnet.judge.types import Answerer
from compression_subnet.text.tokens import Tokenizer

__all__ = ["AddNearMisses", "AskQuestions", "DropQuestions", "Fit", "Paraphrase", "Rewrite"]

_REWRITE_BITS: Final = 128
# What an endpoint takes as a seed.
_SAMPLING_BITS: Final = 31


def _rewrite_seed() -> int:
    return secrets.randbits(_REWRITE_BITS)


def _sampling_seed() -> int:
    return secrets.randbits(_SAMPLING_BITS)


class Rewrite:
    """Replaces names, places, dates and quantities, by a seed of the article's own.

    Args:
        draw_seed: gives the secret seeds; only tests replace it.
    """

    def __init__(self, draw_seed: Callable[[], int] = _rewrite_seed):
        self._draw_seed = draw_seed

    async def __call__(self, draft: Draft) -> Draft:
        """Return the draft rewritten."""
        seed = self._draw_seed()
        # Some tens of milliseconds of computing, during which replies of the judge would wait.
        done = await asyncio.to_thread(rewrite_article, draft.article, random.Random(f"{seed}:rewrite"))
        return draft.after(
            "rewritten",
            done.article,
            seed=seed,
            replacements=sum(r.count for r in done.replacements),
            sentences=done.sentences,
            untouched=done.untouched,
            questions_lost=len(done.lost),
            answers_surviving=len(done.survivors),
        )


class Paraphrase:
    """Has sentences reworded; each whose new wording is refused stays as it is, and is counted.

    Args:
        model: the writer.
        draw_seed: gives the seeds of its sampling.
    """

    def __init__(self, model: ChatModel, draw_seed: Callable[[], int] = _sampling_seed):
        self._model = model
        self._draw_seed = draw_seed

    async def __call__(self, draft: Draft) -> Draft:
        """Return the draft in other words.

        Raises:
            ProviderFault: the writer's provider failed.
        """
        seed = self._draw_seed()
        paraphraser = ModelParaphraser(self._model, seed=seed)
        done = await paraphrase_article(draft.article, paraphraser)
        return draft.after(
            "paraphrased",
            done.article,
            seed=seed,
            accepted=done.accepted,
            refused=dict(done.refused),
            faults=dict(paraphraser.faults),
        )


class DropQuestions:
    """Drops the source's questions, since others may know them; first of all, so that none binds a paraphrase."""

    async def __call__(self, draft: Draft) -> Draft:
        """Return the draft without questions."""
        dropped = len(draft.article.questions)
        return draft.after("dropped", replace(draft.article, questions=()), questions=dropped)


class AskQuestions:
    """Has questions written.

    Args:
        model: the writer.
        tokenizer: counts tokens.
        min_tokens: fewest of a base text.
        max_tokens: most of a base text.
        per_text: questions asked for, for each base text that the article gives.
        least: an article with fewer questions is given more.
        draw_seed: gives the seeds of the kinds asked for and of the model's sampling.
    """

    def __init__(
        self,
        model: ChatModel,
        tokenizer: Tokenizer,
        min_tokens: int,
        max_tokens: int,
        *,
        per_text: int,
        least: int,
        draw_seed: Callable[[], int] = _sampling_seed,
    ):
        self._writer = QuestionWriter(model)
        self._tokenizer = tokenizer
        self._range = (min_tokens, max_tokens)
        self._per_text = per_text
        self._least = least
        self._draw_seed = draw_seed

    async def __call__(self, draft: Draft) -> Draft:
        """Return the draft with enough questions, or as it is where it has them.

        Raises:
            ProviderFault: the writer's provider failed.
        """
        own = draft.article.questions
        if len(own) >= self._least:
            return draft
        seed = self._draw_seed()
        text = draft.article.text
        texts = len(cut(draft.article, self._tokenizer, *self._range))
        written = await self._writer.write(text, self._per_text * texts, seed, own)
        questions = sorted((*own, *written.questions), key=lambda q: q.evidence)
        report = written.report
        return draft.after(
            "questions",
            replace(draft.article, questions=tuple(questions)),
            seed=seed,
            wanted=dict(report.wanted),
            offered=dict(report.offered),
            kept=dict(report.kept),
            refused={str(reason): n for reason, n in report.refused.items()},
            faults=dict(report.faults),
        )


class AddNearMisses:
    """Has noise written that is like the article's evidence, and answers none of its questions.

    Args:
        model: the writer.
        answerer: the judge, by whom the noise is checked.
        draw_seed: gives the seeds of the model's sampling.
    """

    def __init__(self, model: ChatModel, answerer: Answerer, draw_seed: Callable[[], int] = _sampling_seed):
        self._model = model
        self._answerer = answerer
        self._draw_seed = draw_seed

    async def __call__(self, draft: Draft) -> Draft:
        """Return the draft with its near misses.

        Raises:
            ProviderFault: the writer's or the judge's provider failed.
            JudgeError: the judge did not give one answer a question.
        """
        seed = self._draw_seed()
        article = draft.article
        found = await write_near_misses(self._model, article.text, article.questions, self._answerer, seed)
        noted = draft.after(
            "near misses",
            article,
            seed=seed,
            written=len(found.sentences),
            refused={str(reason): n for reason, n in found.refused.items()},
            faults=dict(found.faults),
        )
        return replace(noted, misses=found.sentences)


class Fit:
    """Refuses what gives no base text of the wanted size with enough questions.

    Args:
        tokenizer: counts tokens.
        min_tokens: fewest of a base text.
        max_tokens: most of a base text.
        min_questions: fewest questions; 0 before they are written.
    """

    def __init__(self, tokenizer: Tokenizer, min_tokens: int, max_tokens: int, min_questions: int):
        self._tokenizer = tokenizer
        self._min_tokens = min_tokens
        self._max_tokens = max_tokens
        self._min_questions = min_questions

    async def __call__(self, draft: Draft) -> Draft:
        """Return the draft as it is.

        Raises:
            InputError: it gives no base text.
        """
        excerpts = cut(draft.article, self._tokenizer, self._min_tokens, self._max_tokens)
        fitting = [e for e in excerpts if self._min_tokens <= e.n_tokens <= self._max_tokens]
        if not fitting:
            raise InputError(f"no text of {self._min_tokens} to {self._max_tokens} tokens can be cut from it")
        if all(len(e.questions) < self._min_questions for e in fitting):
            raise InputError(f"it has fewer than {self._min_questions} questions")
        return draft
