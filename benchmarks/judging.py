"""Who answers the questions of the quality benchmark: the embedded reader, another model, or a proxy."""

import argparse
import asyncio
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Final

from compression_subnet.benchmark.assess import proxy_of, standing_answers
from compression_subnet.challenge.types import Challenge
from compression_subnet.errors import JudgeError
from compression_subnet.judge.endpoint import CallLimits, Endpoint
from compression_subnet.judge.openai_answerer import OpenAIAnswerer
from compression_subnet.judge.reader.extractive import load_reader
from compression_subnet.judge.types import AnswerStatus
from compression_subnet.scoring.f1 import token_f1

__all__ = ["Judge", "judge_of"]

# A small machine reads a long prompt for minutes.
PATIENCE: Final = CallLimits(call_seconds=600, reply_seconds=1800, concurrency=1)

Judge = Callable[[str, Challenge], Fraction]
"""Gives the mean token F1 of the answers from a text."""


def judge_of(arguments: argparse.Namespace) -> Judge:
    """Return the judge that is asked for."""
    if arguments.proxy:
        return lambda text, challenge: proxy_of(standing_answers(text, challenge.questions))
    if arguments.judge_url:
        return lambda text, challenge: f1_of(asyncio.run(asked(arguments, text, challenge)), challenge)
    reader = load_reader(threads=arguments.threads, precision=arguments.precision)

    def read(text: str, challenge: Challenge) -> Fraction:
        readings = reader.read([(text, question.text) for question in challenge.questions])
        return f1_of([reading.answer for reading in readings], challenge)

    return read


async def asked(arguments: argparse.Namespace, text: str, challenge: Challenge) -> list[str]:
    """Return the answers of a model at an OpenAI-compatible address."""
    if not text:
        return [""] * len(challenge.questions)
    async with OpenAIAnswerer(Endpoint(arguments.judge_url, arguments.judge_model), PATIENCE) as answerer:
        answers = await answerer.answer(text, [question.text for question in challenge.questions])
    for answer in answers:
        if answer.status is AnswerStatus.PROVIDER_FAULT:
            raise JudgeError(f"{arguments.judge_url} gave no answer: {answer.detail}")
    return [answer.text for answer in answers]


def f1_of(answers: Sequence[str], challenge: Challenge) -> Fraction:
    """Return the mean token F1 of ``answers``, one a question."""
    scores = [token_f1(answer, q.gold) for answer, q in zip(answers, challenge.questions, strict=True)]
    return sum(scores, Fraction(0)) / len(scores)
