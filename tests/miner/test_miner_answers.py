import asyncio
import gzip
import json
import threading
import time

import httpx2
import pytest
from miner_harness import FirstWords, Keys, Slow, body_of, said

from compression_subnet.errors import CompressorError
from compression_subnet.miner.app import create_app
from compression_subnet.miner.metrics import MinerMetrics
from compression_subnet.text.tokens import DEFAULT_TOKENIZER, get_tokenizer
from compression_subnet.transport import Dendrite, Replied

FORBIDDEN = (403, {"error": "forbidden"})


async def test_a_validator_gets_a_signed_compressed_text_within_the_budget(start_miner, synapse):
    miner = await start_miner()
    async with Dendrite(Keys.validator, allow_private=True) as dendrite:
        outcome = await dendrite.ask(miner.target, synapse(), 5)
    assert isinstance(outcome, Replied)
    assert outcome.compressed_text == "one two three four"


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[" * 100_000,
        b'{"text": "\xff"}',
        json.dumps({"text": 5}).encode(),
        b"[[5], null, true]",
        b'{"deadline_seconds": NaN}',
        gzip.compress(b"0" * 100_000_000),
        json.dumps({"protocol_version": 2}).encode(),
    ],
)
async def test_a_validator_hears_what_is_wrong_with_its_request(start_miner, body):
    miner = await start_miner()
    status, answer = said(await miner.post(body))
    assert status == 422
    assert answer["error"].startswith("not a request of this protocol version")
    assert len(answer["error"]) < 1000


async def test_another_vocabulary_is_refused_with_the_miners_own(start_miner, synapse):
    miner = await start_miner()
    for values in ({"tokenizer_sha256": "0" * 64}, {"tokenizer": "cl100k_base"}):
        status, answer = said(await miner.post(body_of(synapse(**values))))
        assert status == 422
        assert get_tokenizer().sha256 in answer["error"]


class FailsLater:
    """Fails on all texts but the first, with which a miner starts."""

    def __init__(self, error):
        self.error = error
        self.calls = 0

    def compress(self, text, budget):
        self.calls += 1
        if self.calls > 1:
            raise self.error
        return "first"


@pytest.mark.parametrize(
    "error", [CompressorError("no model"), ValueError("{x}\x1b[31m"), SystemExit(3), StopIteration()]
)
async def test_a_compressor_that_fails_is_a_constant_500_and_the_miner_goes_on(start_miner, synapse, error, lines):
    miner = await start_miner(FailsLater(error), fallbacks=())
    for _ in range(2):
        assert said(await miner.post(body_of(synapse()))) == (500, {"error": "the compressor failed"})
    assert miner.counted("requests_total", outcome="failed") == 2
    assert type(error).__name__ in "".join(lines)
    assert "\x1b" not in "".join(lines)


class Whole:
    def compress(self, text, budget):
        return text


async def test_a_result_over_the_budget_is_replaced_where_budgets_are_strict_and_sent_where_not(start_miner, synapse):
    request = synapse()
    strict = await start_miner(Whole())
    assert (await strict.post(body_of(request))).json()["compressed_text"] == request.text[
        : request.budget_tokens
    ].strip()
    loose = await start_miner(Whole(), strict=False)
    assert (await loose.post(body_of(request))).json()["compressed_text"] == request.text


class Echo:
    def __init__(self):
        self.texts = []

    def compress(self, text, budget):
        self.texts.append(text)
        return f"  {text}\u200b\r\n"


async def test_the_compressor_sees_canonical_text_and_its_result_is_sent_canonical(start_miner, synapse):
    echo = Echo()
    miner = await start_miner(echo)
    answer = await miner.post(body_of(synapse("a\r\nb\u200bc ﬁ", budget_tokens=100)))
    assert echo.texts[1:] == ["a\nbc fi"]
    assert answer.json() == {"compressed_text": "a\nbc fi"}


async def test_a_compressor_that_fails_leaves_the_text_to_the_next_one(start_miner, synapse):
    miner = await start_miner(FailsLater(ValueError()))
    request = synapse()
    answer = await miner.post(body_of(request))
    assert said(answer) == (200, {"compressed_text": request.text[: request.budget_tokens].strip()})
    assert miner.counted("fallbacks_total", compressor="first", kind="failed") == 1
    assert miner.counted("requests_total", outcome="answered") == 1
    assert 0 < miner.counted("tokens_out_total") < miner.counted("tokens_in_total")


class Empty:
    def compress(self, text, budget):
        return " \u200b\n"


async def test_an_empty_result_is_sent_only_where_nobody_has_more(start_miner, synapse):
    request = synapse()
    miner = await start_miner(Empty())
    assert (await miner.post(body_of(request))).json()["compressed_text"] == request.text[
        : request.budget_tokens
    ].strip()
    miner = await start_miner(Empty(), fallbacks=(FailsLater(ValueError()),))
    assert said(await miner.post(body_of(request))) == (200, {"compressed_text": ""})


async def test_a_late_compressor_is_replaced_by_the_fall_back_before_the_deadline(start_miner, synapse):
    miner = await start_miner(Slow(2.0))
    request = synapse(deadline_seconds=1.6)
    async with Dendrite(Keys.validator, allow_private=True) as dendrite:
        outcome = await dendrite.ask(miner.target, request, request.deadline_seconds)
        assert isinstance(outcome, Replied)
        assert outcome.compressed_text == request.text[: request.budget_tokens].strip()
        # The thread is still busy with the first: a second request is late too, and no worse.
        assert isinstance(await dendrite.ask(miner.target, request, request.deadline_seconds), Replied)


async def test_where_not_even_the_fall_back_is_in_time_the_answer_says_so(start_miner, synapse):
    miner = await start_miner(Slow(1.0), fallbacks=(Slow(1.0),))
    response = await miner.post(body_of(synapse(deadline_seconds=0.3)))
    assert said(response) == (503, {"error": "too late"})


class Held:
    """Works until it is let go."""

    def __init__(self):
        self.begun, self.go = threading.Event(), threading.Event()

    def compress(self, text, budget):
        self.begun.set()
        self.go.wait(30)
        return "done"


async def test_while_a_compressor_works_the_miner_still_answers_others(start_miner, synapse):
    held = Held()
    held.go.set()
    miner = await start_miner(held)
    held.go.clear()
    held.begun.clear()
    asking = asyncio.create_task(miner.post(body_of(synapse(deadline_seconds=60.0))))
    await asyncio.to_thread(held.begun.wait, 30)
    assert said(await miner.client.get(miner.url + "/healthz")) == (200, {"status": "ok"})
    held.go.set()
    assert (await asking).json() == {"compressed_text": "done"}


async def test_a_miner_whose_workers_are_all_stuck_says_so():
    class Stuck:
        seconds = 0.0

        def blocked_seconds(self):
            return self.seconds

    stuck = Stuck()
    app = create_app(stuck, Keys.miner, admission=None, metrics=MinerMetrics(), tokenizer=DEFAULT_TOKENIZER)
    transport = httpx2.ASGITransport(app)
    async with httpx2.AsyncClient(transport=transport, base_url="http://miner") as client:
        assert said(await client.get("/healthz")) == (200, {"status": "ok"})
        stuck.seconds = 1000.0
        assert said(await client.get("/healthz")) == (503, {"status": "stuck"})


async def test_a_worker_has_one_text_at_a_time(start_miner, synapse):
    slow = Slow(0.05)
    miner = await start_miner(slow)
    answers = await asyncio.gather(*(miner.post(body_of(synapse())) for _ in range(3)))
    assert [answer.status_code for answer in answers] == [200] * 3
    assert slow.most == 1


class Meeting:
    """Returns only when three calls are in it together, once that is asked for."""

    def __init__(self):
        self.barrier = threading.Barrier(3, timeout=30)
        self.together = False

    def compress(self, text, budget):
        if self.together:
            self.barrier.wait()
        return "met"


async def test_with_more_workers_as_many_texts_are_compressed_at_a_time(start_miner, synapse):
    meeting = Meeting()
    miner = await start_miner(meeting, workers=3)
    meeting.together = True
    request = synapse(deadline_seconds=60.0)
    answers = await asyncio.gather(*(miner.post(body_of(request)) for _ in range(3)))
    assert [answer.json() for answer in answers] == [{"compressed_text": "met"}] * 3


class Batches:
    """Compresses batches, and remembers how large they were."""

    def __init__(self):
        self.sizes = []

    def compress(self, text, budget):
        return self.compress_batch([(text, budget)])[0]

    def compress_batch(self, requests):
        self.sizes.append(len(requests))
        time.sleep(0.05)
        return [FirstWords().compress(text, budget) for text, budget in requests]


async def test_requests_that_come_together_are_compressed_together_and_each_gets_its_own(start_miner, synapse):
    batches = Batches()
    miner = await start_miner(batches)
    requests = [synapse(f"{word} two three four five six seven eight nine ten") for word in ("red", "green", "blue")]
    answers = await asyncio.gather(*(miner.post(body_of(request)) for request in requests * 4))
    texts = [answer.json()["compressed_text"] for answer in answers]
    assert texts == ["red two three four", "green two three four", "blue two three four"] * 4
    assert len(batches.sizes) < 1 + 12 and max(batches.sizes) > 1
    assert miner.counted("batch_texts_sum", compressor="first") == 12
