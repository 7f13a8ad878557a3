import asyncio
import json
import random
import socket

import pytest
from bittensor.sp_core import Keypair
from hostile_peers import MINER, VALIDATOR, outcome_of, reply_json, sending, signed_http

from compression_subnet.chain.port import Axon
from compression_subnet.errors import TransportError
from compression_subnet.protocol import MAX_REQUEST_BYTES
from compression_subnet.transport import Dendrite, Failed, Failure, Replied, RequestVerifier, Target


async def test_a_signed_reply_in_time_is_a_reply_with_its_size_and_time(peer, dendrite, request_of):
    body = reply_json("Short — words.")
    outcome = await outcome_of(peer, dendrite, request_of(), sending(lambda asked: signed_http(asked, body)))
    assert isinstance(outcome, Replied)
    assert (outcome.compressed_text, outcome.size) == ("Short — words.", len(body))
    assert 0 < outcome.seconds < 5


async def test_what_is_sent_is_the_request_signed_for_the_miner_and_little_else(peer, dendrite, request_of):
    seen = []

    def make(asked):
        seen.append(asked)
        return signed_http(asked, reply_json("x"))

    await outcome_of(peer, dendrite, request_of(), sending(make))
    (asked,) = seen
    assert asked.line == b"POST /v1/compress HTTP/1.1"
    assert json.loads(asked.body) == json.loads(request_of().model_dump_json())
    caller = RequestVerifier(MINER.ss58_address).verify(asked.headers, asked.body, path="/v1/compress")
    assert caller.hotkey == VALIDATOR.ss58_address
    assert (asked.headers["accept-encoding"], asked.headers["connection"]) == ("identity", "close")
    assert "cookie" not in asked.headers


async def test_nobody_there_is_unreachable(dendrite, request_of):
    with socket.socket() as sock:  # bound, but it does not listen
        sock.bind(("127.0.0.3", 0))
        outcome = await dendrite.ask(
            Target(MINER.ss58_address, Axon("127.0.0.3", sock.getsockname()[1])), request_of(), 5
        )
    assert outcome.reason is Failure.UNREACHABLE


async def test_addresses_that_are_not_called_get_nothing(peer, request_of):
    called = []

    async def trap(asked, writer):
        called.append(asked)

    target = await peer(trap)
    async with Dendrite(VALIDATOR) as dendrite:
        for axon in (target.axon, Axon("169.254.169.254", 80), Axon("0.0.0.0", 80), Axon("8.8.8.8", 0), None):
            outcome = await dendrite.ask(Target(MINER.ss58_address, axon), request_of(), 5)
            assert outcome == Failed(Failure.ADDRESS_REFUSED, 0.0)
    assert called == []


async def test_all_are_asked_in_an_order_of_the_rngs_and_no_more_at_a_time_than_allowed(peer, dendrite, request_of):
    keys = [Keypair.create_from_uri(f"//Miner{i}") for i in range(12)]
    order, open_now, most = [], 0, 0

    def behaviour(key):
        async def behave(asked, writer):
            nonlocal open_now, most
            order.append(key.ss58_address)
            open_now += 1
            most = max(most, open_now)
            await asyncio.sleep(0.05)
            open_now -= 1
            writer.write(signed_http(asked, reply_json(key.ss58_address[:20]), by=key))

        return behave

    targets = [await peer(behaviour(key), hotkey=key.ss58_address) for key in keys]
    outcomes = await dendrite.ask_all(targets, request_of(), 5, concurrency=3, rng=random.Random(1))
    assert list(outcomes) == [target.hotkey for target in targets]
    assert all(isinstance(o, Replied) and o.compressed_text == hotkey[:20] for hotkey, o in outcomes.items())
    assert most <= 3
    assert order != list(outcomes) and sorted(order) == sorted(outcomes)


async def test_waiting_for_a_turn_does_not_use_up_the_deadline(peer, request_of):
    async def slow(asked, writer):
        await asyncio.sleep(0.4)
        writer.write(signed_http(asked, reply_json("x")))

    target = await peer(slow)
    async with Dendrite(VALIDATOR, allow_private=True, max_connections=1) as dendrite:
        outcomes = await asyncio.gather(*(dendrite.ask(target, request_of(), 1.4) for _ in range(5)))
    assert all(isinstance(outcome, Replied) for outcome in outcomes)


async def test_a_slow_miner_delays_no_other(peer, dendrite, request_of):
    async def silent(asked, writer):
        await asyncio.sleep(60)

    slow = [await peer(silent, hotkey=f"slow{i}") for i in range(3)]
    good = await peer(sending(lambda a: signed_http(a, reply_json("x"))))
    outcomes = await dendrite.ask_all([*slow, good], request_of(), 0.5, concurrency=4, rng=random.Random(0))
    assert isinstance(outcomes[good.hotkey], Replied)
    assert [outcomes[t.hotkey].reason for t in slow] == [Failure.TIMEOUT] * 3


async def test_no_targets_are_no_outcomes_and_twice_the_same_is_an_error(dendrite, request_of):
    assert await dendrite.ask_all([], request_of(), 1, concurrency=4, rng=random.Random(0)) == {}
    twice = [Target("a", None), Target("a", None)]
    with pytest.raises(TransportError, match="twice"):
        await dendrite.ask_all(twice, request_of(), 1, concurrency=4, rng=random.Random(0))


async def test_a_request_that_no_miner_would_take_is_the_validators_error(dendrite, request_of):
    with pytest.raises(TransportError, match="shorten"):
        await dendrite.ask(Target("a", Axon("127.0.0.3", 1)), request_of('"' * (MAX_REQUEST_BYTES - 1000)), 1)


async def test_cancelling_the_caller_cancels_the_exchange(peer, dendrite, request_of):
    async def silent(asked, writer):
        await asyncio.sleep(60)

    target = await peer(silent)
    task = asyncio.create_task(dendrite.ask(target, request_of(), 30))
    await asyncio.sleep(0.1)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
