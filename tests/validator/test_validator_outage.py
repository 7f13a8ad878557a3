"""An outage of the provider, an hour of simulated time long: no average moves, and work goes on after it."""

import asyncio
import json
import random
from dataclasses import replace
from itertools import cycle
from pathlib import Path

import httpx2
from fake_endpoint import completion
from test_validator_service import MINERS, SETTINGS
from validator_fakes import ME, QUESTIONS, FixedSupply, ScriptedChain, ScriptedDendrite

from compression_subnet.judge.endpoint import CallLimits, Endpoint
from compression_subnet.judge.openai_answerer import OpenAIAnswerer
from compression_subnet.judge.prompt import parse_prompt
from compression_subnet.scoring.controls import Void
from compression_subnet.text import get_tokenizer
from compression_subnet.validator.records.store import Store
from compression_subnet.validator.rounds.round import Round, RoundSettings
from compression_subnet.validator.service import Validator

HOUR = 3600.0


class FailingProvider:
    """Answers from the text; from ``down_at`` on, for an hour, fails in every way in turn. Sleeping moves its clock."""

    def __init__(self) -> None:
        self.now = 0.0
        self.down_at = float("inf")
        self.failed = 0
        self._ways = cycle([401, 402, 408, 429, 500, 502, 503, 529, "connection", "half", "html"])

    async def __call__(self, request: httpx2.Request) -> httpx2.Response:
        if self.down_at <= self.now < self.down_at + HOUR:
            self.failed += 1
            match next(self._ways):
                case int(status):
                    return httpx2.Response(status, json={"error": {"message": "down"}}, headers={"retry-after": "5"})
                case "connection":
                    raise httpx2.ConnectError("no route")
                case "half":
                    return httpx2.Response(200, content=b'{"id": "c", ', headers={"content-type": "application/json"})
                case _:
                    return httpx2.Response(200, text="<html>bad gateway</html>")
        pair = parse_prompt(json.loads(request.content)["messages"])
        assert pair is not None
        gold = dict(QUESTIONS).get(pair[1], "noon")
        return httpx2.Response(200, json=completion(gold if gold in pair[0] else "UNANSWERABLE"))

    async def sleep(self, seconds: float) -> None:
        wake = self.now + seconds
        await asyncio.sleep(0)
        self.now = max(self.now, wake)  # who sleeps at the same time wakes at the same time


async def test_no_average_moves_in_an_outage_of_an_hour_and_the_next_round_counts(tmp_path: Path) -> None:
    provider = FailingProvider()
    limits = CallLimits(reply_seconds=120, tries=3)
    with Store(tmp_path / "validator.sqlite", lambda: provider.now) as store:
        async with OpenAIAnswerer(
            Endpoint("http://p.invalid/v1", "m"),
            limits,
            transport=httpx2.MockTransport(provider),
            sleep=provider.sleep,
            clock=lambda: provider.now,
        ) as answerer:
            round_ = Round(
                ScriptedDendrite(MINERS),  # type: ignore[arg-type]
                answerer,
                get_tokenizer(),
                random.Random(0),
                RoundSettings(deadline=1, concurrency=4, parallel=2),
            )
            chain = ScriptedChain([ME, *MINERS])
            validator = Validator(
                ME,
                chain,
                FixedSupply(),
                round_,
                store,
                replace(SETTINGS, challenges=3),
                random.Random(0),
                provider.sleep,  # type: ignore[arg-type]
            )
            assert (await validator.step()).void is None
            before, sent = store.read.averages(), len(chain.sent)
            assert before
            provider.down_at = provider.now
            rounds = 0
            while provider.now < provider.down_at + HOUR:
                step = await validator.step()
                if provider.now < provider.down_at + HOUR:
                    assert step.void is Void.CONTROLS_UNSCORED
                    assert store.read.averages() == before
                    assert len(chain.sent) == sent
                    rounds += 1
                await provider.sleep(1100)
                chain.number += 11
            assert rounds >= 2 and provider.failed > 200
            assert (await validator.step()).void is None
            after = store.read.averages()
    assert set(after) == set(before)
    assert after["good"].standing().score == before["good"].standing().score
    assert after["good"].scores[20].count > before["good"].scores[20].count
