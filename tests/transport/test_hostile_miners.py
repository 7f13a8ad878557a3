import asyncio
import gzip
import random

import pytest
from bittensor.sp_core import Keypair
from hostile_peers import http, outcome_of, reply_json, sending, signed_http

from compression_subnet.transport import Failed, Failure, Replied

BOMB = gzip.compress(b" " * 50_000_000)
EVE = Keypair.create_from_uri("//Eve")


FAULTS = {
    "an empty body": lambda a: signed_http(a, b""),
    "json of another shape": lambda a: signed_http(a, b"[]"),
    "a number for the text": lambda a: signed_http(a, b'{"compressed_text": 5}'),
    "no text": lambda a: signed_http(a, b'{"text": "x"}'),
    "invalid utf-8": lambda a: signed_http(a, b'{"compressed_text": "\xff\xfe"}'),
    "a lone surrogate": lambda a: signed_http(a, b'{"compressed_text": "\\udc00"}'),
    "nested arrays": lambda a: signed_http(a, b"[" * 60_000),
    "nested arrays in an ignored field": lambda a: signed_http(a, b'{"compressed_text":"x","a":' + b"[" * 60_000),
    "a huge number": lambda a: signed_http(a, b'{"compressed_text": ' + b"9" * 60_000 + b"}"),
    "not http": lambda a: b"hello\r\n\r\n",
    "nothing": lambda a: b"",
    "half a head": lambda a: b"HTTP/1.1 200 OK\r\ncontent-le",
    "a body shorter than said": lambda a: signed_http(a, reply_json("x"), length=1000),
    "a bad chunk": lambda a: b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n",
    "two lengths": lambda a: b"HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nxx",
    "a negative length": lambda a: http(b"", length=-1),
    "an endless head": lambda a: b"HTTP/1.1 200 OK\r\n" + b"x: " + b"y" * 2_000_000,
    "another protocol": lambda a: b"SSH-2.0-OpenSSH_9.6\r\n",
    "control bytes in a header": lambda a: b"HTTP/1.1 200 OK\r\nx: \x00\x01\r\n\r\n",
}


@pytest.mark.parametrize("fault", FAULTS)
async def test_what_is_not_a_reply_is_malformed_and_raises_nothing(peer, dendrite, request_of, fault):
    outcome = await outcome_of(peer, dendrite, request_of(), sending(FAULTS[fault]))
    assert isinstance(outcome, Failed)
    assert outcome.reason is Failure.MALFORMED


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br", "gzip, identity", "x"])
async def test_an_encoded_reply_is_refused_and_a_gzip_bomb_is_not_unpacked(peer, dendrite, request_of, encoding):
    for body in (BOMB, reply_json("words")):  # the second would be a reply, but for what it says of itself
        outcome = await outcome_of(
            peer,
            dendrite,
            request_of(),
            sending(lambda a, b=body: signed_http(a, b, headers={"content-encoding": encoding})),
        )
        assert outcome.reason is Failure.MALFORMED


async def test_a_reply_may_say_that_it_is_not_encoded(peer, dendrite, request_of):
    plain = sending(lambda a: signed_http(a, reply_json("words"), headers={"content-encoding": " Identity "}))
    assert isinstance(await outcome_of(peer, dendrite, request_of(), plain), Replied)


@pytest.mark.parametrize("status", [b"204 No Content", b"301 Moved", b"403 Forbidden", b"500 Oh", b"999 Odd"])
async def test_another_status_is_told_with_its_number(peer, dendrite, request_of, status):
    outcome = await outcome_of(
        peer, dendrite, request_of(), sending(lambda a: signed_http(a, reply_json("x"), status=status))
    )
    assert (outcome.reason, outcome.status) == (Failure.STATUS, int(status[:3]))


async def test_a_redirect_is_not_followed_and_a_location_that_is_no_url_does_no_harm(peer, dendrite, request_of):
    called = []

    async def trap(asked, writer):
        called.append(asked)

    elsewhere = await peer(trap, ip="127.0.0.4")
    for location in (f"http://127.0.0.4:{elsewhere.axon.port}/", "http://[", "//:99999999", "\xff\xfe", "http://a b"):
        outcome = await outcome_of(
            peer,
            dendrite,
            request_of(),
            sending(lambda a, to=location: http(b"", status=b"302 Found", headers={"location": to})),
        )
        assert outcome.reason in (Failure.STATUS, Failure.MALFORMED)
    assert called == []


async def test_cookies_are_not_kept(peer, dendrite, request_of):
    seen = []

    def make(asked):
        seen.append("cookie" in asked.headers)
        return signed_http(asked, reply_json("x"), headers={"set-cookie": "a=b; Path=/"})

    target = await peer(sending(make))
    for _ in range(2):
        assert isinstance(await dendrite.ask(target, request_of(), 5), Replied)
    assert seen == [False, False]


UNSIGNED = {
    "no signature": lambda a, body: http(body),
    "another miner's": lambda a, body: signed_http(a, body, by=EVE),
    "of other bytes": lambda a, body: signed_http(a, body).replace(b"words", b"Words"),
    "rubbish": lambda a, body: http(body, headers={"X-Compression-Signature": "é", "X-Compression-Crypto": "\xff"}),
    "two": lambda a, body: signed_http(a, body).replace(b"\r\n\r\n", b"\r\nX-Compression-Signature: 0x00\r\n\r\n", 1),
}


@pytest.mark.parametrize("kind", UNSIGNED)
async def test_a_reply_that_its_miner_did_not_sign_is_no_reply(peer, dendrite, request_of, kind):
    outcome = await outcome_of(
        peer, dendrite, request_of(), sending(lambda a: UNSIGNED[kind](a, reply_json("some words")))
    )
    assert outcome.reason is Failure.BAD_SIGNATURE


async def test_a_reply_to_an_earlier_request_does_not_pass_again(peer, dendrite, request_of):
    kept = []

    def make(asked):
        kept.append(signed_http(asked, reply_json("x")))
        return kept[0]

    target = await peer(sending(make))
    assert isinstance(await dendrite.ask(target, request_of(), 5), Replied)
    assert (await dendrite.ask(target, request_of(), 5)).reason is Failure.BAD_SIGNATURE


async def test_a_body_is_read_up_to_the_cap_and_no_further(peer, dendrite, request_of):
    cap = 64 * 1024
    fits = b'{"compressed_text": "x"}'.ljust(cap)
    outcome = await outcome_of(peer, dendrite, request_of(), sending(lambda a: signed_http(a, fits)))
    assert isinstance(outcome, Replied) and outcome.size == cap
    outcome = await outcome_of(peer, dendrite, request_of(), sending(lambda a: signed_http(a, fits + b" ")))
    assert outcome.reason is Failure.TOO_LARGE


async def test_an_endless_body_ends_at_the_cap(peer, dendrite, request_of):
    sent = 0

    async def flood(asked, writer):
        nonlocal sent
        writer.write(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n")
        while True:
            writer.write(b"10000\r\n" + b"x" * 65536 + b"\r\n")
            await writer.drain()
            sent += 65536

    outcome = await outcome_of(peer, dendrite, request_of(), flood)
    assert outcome.reason is Failure.TOO_LARGE
    assert sent < 50_000_000  # what socket buffers hold, not what the peer had


async def test_a_text_of_more_than_four_times_the_characters_is_too_large(peer, dendrite, request_of):
    request = request_of("x" * 100)
    for length, kind in ((400, Replied), (401, Failed)):
        outcome = await outcome_of(
            peer, dendrite, request, sending(lambda a, n=length: signed_http(a, reply_json("y" * n)))
        )
        assert isinstance(outcome, kind)
    assert outcome.reason is Failure.TOO_LARGE


async def test_a_peer_that_is_silent_or_trickles_ends_at_the_total_deadline(peer, dendrite, request_of):
    async def silent(asked, writer):
        await asyncio.sleep(60)

    async def trickle(asked, writer):
        for byte in signed_http(asked, reply_json("x" * 20_000)):
            writer.write(bytes([byte]))
            await writer.drain()
            await asyncio.sleep(0.01)

    async def head_only(asked, writer):
        while True:
            writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
            await writer.drain()
            await asyncio.sleep(0.01)

    for behave in (silent, trickle, head_only):
        async with asyncio.timeout(5):
            outcome = await outcome_of(peer, dendrite, request_of(), behave, deadline=0.4)
        assert outcome.reason is Failure.TIMEOUT
        assert outcome.seconds >= 0.4


async def test_a_connection_that_is_reset_is_a_failure_and_no_error(peer, dendrite, request_of):
    async def reset(asked, writer):
        writer.transport.abort()

    outcome = await outcome_of(peer, dendrite, request_of(), reset)
    assert outcome.reason in (Failure.UNREACHABLE, Failure.MALFORMED)


async def test_random_bytes_never_raise(peer, dendrite, request_of):
    rng = random.Random(7)
    starts = [b"", b"HTTP/1.1 200 OK\r\n", b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n", b"HTTP/1.1 "]
    alphabet = [b"\r\n", b":", b" ", b"\x00", b"\xff", b"a", b"9", b"chunked", b"transfer-encoding", b"{", b"\r\n\r\n"]

    def noise(asked):
        return rng.choice(starts) + b"".join(rng.choices(alphabet, k=rng.randrange(40)))

    target = await peer(sending(noise))
    for _ in range(150):
        outcome = await dendrite.ask(target, request_of(), 5)
        assert isinstance(outcome, Failed)
