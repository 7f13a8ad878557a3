import asyncio
import contextlib
import gzip
import resource
import time

import pytest
from miner_harness import Keys, Slow, body_of, head, raw, said

from compression_subnet.errors import ConfigurationError
from compression_subnet.listening import bound_socket
from compression_subnet.miner.gate import Refusal
from compression_subnet.protocol import COMPRESS_PATH, MAX_REQUEST_BYTES
from compression_subnet.transport.signing import sign_request

SECOND = 10**9


FORBIDDEN = (403, {"error": "forbidden"})


async def test_whoever_does_not_prove_to_be_a_validator_hears_the_same_one_word(start_miner, synapse):
    miner = await start_miner()
    body = body_of(synapse())
    good = sign_request(Keys.validator, path=COMPRESS_PATH, body=body, receiver=Keys.miner.ss58_address)
    forged = good | {"X-Bittensor-Signature": "0x" + "00" * 64}
    borrowed = sign_request(Keys.stranger, path=COMPRESS_PATH, body=body, receiver=Keys.miner.ss58_address)
    borrowed |= {"X-Bittensor-Hotkey": Keys.validator.ss58_address}
    unbound = {k: v for k, v in good.items() if k != "X-Bittensor-Receiver"}
    empty = good | {"X-Bittensor-Signature": ""}
    for headers in ({}, forged, borrowed, unbound, empty):
        assert said(await miner.post(body, headers)) == FORBIDDEN
    for signing in (
        {"by": Keys.stranger},
        {"by": Keys.no_permit},
        {"to": Keys.stranger},
        {"nonce": time.time_ns() - 11 * SECOND},
        {"nonce": time.time_ns() + 4 * SECOND},
    ):
        assert said(await miner.post(body, **signing)) == FORBIDDEN
    # None of these has used up what the validator signed.
    assert (await miner.post(body, good)).status_code == 200
    assert said(await miner.post(body, good)) == FORBIDDEN  # a replay


async def test_a_changed_body_or_path_is_forbidden(start_miner, synapse):
    miner = await start_miner()
    body = body_of(synapse())
    headers = sign_request(Keys.validator, path=COMPRESS_PATH, body=body, receiver=Keys.miner.ss58_address)
    assert said(await miner.post(body + b" ", headers)) == FORBIDDEN
    assert said(await miner.post(body, headers, path=COMPRESS_PATH + "?x=1")) == FORBIDDEN
    assert (await miner.post(body, path=COMPRESS_PATH + "?a=%2F&b=%C3%A9")).status_code == 200


async def test_a_validator_that_leaves_the_subnet_is_forbidden_at_once(start_miner, synapse, gate):
    miner = await start_miner()
    assert (await miner.post(body_of(synapse()))).status_code == 200
    gate.refusals[Keys.validator.ss58_address] = Refusal.UNREGISTERED
    assert said(await miner.post(body_of(synapse()))) == FORBIDDEN


async def test_before_the_metagraph_is_known_the_miner_is_not_ready(start_miner, synapse, gate):
    gate.refusals[Keys.validator.ss58_address] = Refusal.NOT_READY
    miner = await start_miner()
    assert said(await miner.post(body_of(synapse()))) == (503, {"error": "not ready"})


async def test_a_huge_body_is_refused_by_its_length_and_by_its_bytes(start_miner):
    miner = await start_miner()
    huge = b"x" * (MAX_REQUEST_BYTES + 1)
    headers = sign_request(Keys.validator, path=COMPRESS_PATH, body=huge, receiver=Keys.miner.ss58_address)
    for length in (str(len(huge)), "9" * 300):
        answer = await raw(miner, head(headers, f"content-length: {length}"))
        assert answer.startswith(b"HTTP/1.1 413") or answer.startswith(b"HTTP/1.1 400")
    answer = await raw(miner, head(headers, "transfer-encoding: chunked"), [b"%x\r\n%s\r\n" % (len(huge), huge)])
    assert answer.startswith(b"HTTP/1.1 413")


async def test_a_stranger_with_a_huge_body_is_forbidden_before_it_is_read(start_miner):
    miner = await start_miner()
    answer = await raw(miner, head({"X-Bittensor-Hotkey": "x"}, "content-length: 1000000000"))
    assert answer.startswith(b"HTTP/1.1 403")


async def test_a_slow_body_ends_at_a_deadline(start_miner, synapse):
    miner = await start_miner(body_seconds=0.3)
    body = body_of(synapse())
    headers = sign_request(Keys.validator, path=COMPRESS_PATH, body=body, receiver=Keys.miner.ss58_address)
    async with asyncio.timeout(5):
        answer = await raw(miner, head(headers, f"content-length: {len(body)}"), [bytes([b]) for b in body], 0.05)
    assert answer.startswith(b"HTTP/1.1 408")


async def test_a_caller_that_hangs_up_in_its_body_leaves_no_trace(start_miner, synapse, lines):
    miner = await start_miner()
    _, writer = await asyncio.open_connection(miner.axon.ip, miner.axon.port)
    writer.write(head({"X-Bittensor-Hotkey": Keys.validator.ss58_address}, "content-length: 100"))
    await writer.drain()
    await asyncio.sleep(0.1)
    writer.close()
    await writer.wait_closed()
    assert (await miner.post(body_of(synapse()))).status_code == 200
    assert lines == []


async def test_a_head_that_does_not_come_is_cut_off(start_miner, monkeypatch):
    monkeypatch.setattr("compression_subnet.miner.listen._HEADER_SECONDS", 0.2)
    miner = await start_miner()
    async with asyncio.timeout(5):
        for start in (b"", b"POST /v1/com"):
            assert await raw(miner, start) == b""


async def test_one_validator_is_limited_and_others_are_not(start_miner, synapse, gate):
    gate.refusals[Keys.no_permit.ss58_address] = None
    miner = await start_miner(per_minute=12)  # two at once
    answers = [said(await miner.post(body_of(synapse())))[0] for _ in range(3)]
    assert answers == [200, 200, 429]
    assert (await miner.post(body_of(synapse()), by=Keys.no_permit)).status_code == 200


async def test_strangers_do_not_use_up_the_limit(start_miner, synapse):
    miner = await start_miner(per_minute=6, total=6)  # one at once
    for _ in range(5):
        await miner.post(body_of(synapse()), by=Keys.stranger)
    assert (await miner.post(body_of(synapse()))).status_code == 200


async def test_a_stranger_learns_nothing_from_other_paths(start_miner):
    miner = await start_miner()
    for path in ("/", "/docs", "/openapi.json", "/redoc", COMPRESS_PATH + "/", "/v1"):
        response = await miner.client.get(miner.url + path)
        assert said(response) == (404, {"detail": "Not Found"})
        assert "server" not in response.headers
    assert (await miner.client.get(miner.url + COMPRESS_PATH)).status_code == 405


async def test_refusals_are_logged_once_a_caller_and_hold_nothing_a_stranger_wrote(start_miner, synapse, lines):
    miner = await start_miner()
    body = body_of(synapse())
    for _ in range(3):
        await miner.post(body, by=Keys.no_permit)
        await miner.post(body, {"X-Bittensor-Hotkey": "{x} \\x1b[31m <red>"})
    assert len(lines) == 2
    assert Keys.no_permit.ss58_address in lines[0] and Refusal.NO_PERMIT in lines[0]
    assert "{x}" not in lines[1] and "31m" not in lines[1]


async def test_a_taken_port_is_an_error_that_names_it(start_miner):
    miner = await start_miner()
    with pytest.raises(ConfigurationError, match=f"port {miner.axon.port}"):
        bound_socket(miner.axon.ip, miner.axon.port)
    with pytest.raises(ConfigurationError, match="not an IP address"):
        bound_socket("localhost", 0)


async def test_beyond_the_most_connections_a_caller_is_told_to_wait(start_miner, synapse):
    miner = await start_miner(Slow(0.5), workers=1)
    held = [await asyncio.open_connection(miner.axon.ip, miner.axon.port) for _ in range(64)]
    await asyncio.sleep(0.1)
    assert (await miner.post(body_of(synapse()))).status_code == 503
    for _, writer in held:
        writer.close()
        await writer.wait_closed()


async def test_a_compressed_body_is_read_as_it_is_and_never_inflated(start_miner):
    miner = await start_miner()
    bomb = gzip.compress(b"[" * 200_000_000)
    assert len(bomb) < MAX_REQUEST_BYTES
    headers = sign_request(Keys.validator, path=COMPRESS_PATH, body=bomb, receiver=Keys.miner.ss58_address)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert (await miner.post(bomb, headers | {"Content-Encoding": "gzip"})).status_code == 422
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 50_000  # KiB


async def test_one_address_cannot_take_all_connections(start_miner, synapse):
    miner = await start_miner(at_once=4)
    held = [await asyncio.open_connection(*miner.where, local_addr=("127.0.0.3", 0)) for _ in range(8)]
    async with asyncio.timeout(5):
        assert [await reader.read() for reader, _ in held[4:]] == [b""] * 4
    assert (await miner.post(body_of(synapse()))).status_code == 200
    for _, writer in held:
        writer.close()
        with contextlib.suppress(ConnectionError):
            await writer.wait_closed()


async def test_an_address_of_which_nothing_good_comes_is_soon_cut_off_and_others_are_not(start_miner, synapse):
    miner = await start_miner(per_address=600)  # a hundred at once, of which a refusal costs ten more
    body = body_of(synapse())
    stranger = sign_request(Keys.stranger, path=COMPRESS_PATH, body=body, receiver=Keys.miner.ss58_address)
    request = head(stranger, f"content-length: {len(body)}") + body
    answers = [await raw(miner, request, source="127.0.0.3") for _ in range(15)]
    refused = [answer for answer in answers if answer.startswith(b"HTTP/1.1 403")]
    assert answers == refused + [b""] * (15 - len(refused)) and len(refused) < 12
    assert (await miner.post(body_of(synapse()))).status_code == 200
