"""Two hundred honest callers of sixty-four hotkeys among those who forge, stall and flood."""

import asyncio

from bittensor.sp_core import Keypair
from miner_harness import FirstWords, Keys, body_of, head, raw

from compression_subnet.protocol import COMPRESS_PATH, MAX_REQUEST_BYTES
from compression_subnet.text.tokens import get_tokenizer
from compression_subnet.transport.signing import reply_is_signed, sign_request

VALIDATORS = [Keypair.create_from_uri(f"//validator/{number}") for number in range(64)]
ATTACKER = "127.0.0.66"


async def honest(miner, key, synapse, number):
    """Ask as a validator does, and check what comes back as one does."""
    request = synapse(f"caller {number} asks for two three four five six seven eight nine ten")
    body = body_of(request)
    headers = sign_request(key, path=COMPRESS_PATH, body=body, receiver=Keys.miner.ss58_address)
    response = await miner.post(body, headers)
    assert response.status_code == 200, response.text
    signed = {"miner": Keys.miner.ss58_address, "request_headers": headers, "request_body": body}
    assert reply_is_signed(response.headers, response.content, **signed)
    text = response.json()["compressed_text"]
    assert text.split()[:2] == ["caller", str(number)] and text != request.text
    assert 0 < get_tokenizer().count(text) <= request.budget_tokens


def forged(body, key):
    """Headers that claim to be a validator's."""
    headers = sign_request(Keys.stranger, path=COMPRESS_PATH, body=body, receiver=Keys.miner.ss58_address)
    return headers | {"X-Bittensor-Hotkey": key.ss58_address}


async def attacks(miner, key, body):
    """One of each kind, all under the name of a validator or of nobody; returns what came back."""
    claim = {"X-Bittensor-Hotkey": key.ss58_address}
    stranger = sign_request(Keys.stranger, path=COMPRESS_PATH, body=body, receiver=Keys.miner.ss58_address)
    elsewhere = sign_request(key, path=COMPRESS_PATH, body=body, receiver=Keys.stranger.ss58_address)
    length = f"content-length: {len(body)}"
    huge = [b"%x\r\n%s\r\n" % (1 << 16, b"x" * (1 << 16))] * (MAX_REQUEST_BYTES // (1 << 16) + 1)
    return await asyncio.gather(
        raw(miner, head(forged(body, key), length) + body, source=ATTACKER),
        raw(miner, head(stranger, length) + body, source=ATTACKER),
        raw(miner, head(elsewhere, length) + body, source=ATTACKER),
        raw(miner, head(claim, length), [bytes([b]) for b in body], 0.05, source=ATTACKER),
        raw(miner, head(claim, "content-length: 1000000000"), source=ATTACKER),
        raw(miner, head(claim, "transfer-encoding: chunked"), huge, source=ATTACKER),
        raw(miner, b"POST /v1/compress HT", source=ATTACKER),
        raw(miner, b"\x16\x03\x01" + b"\xff" * 1000, source=ATTACKER),
    )


async def test_under_attack_nobody_gets_in_nothing_hangs_and_every_honest_caller_is_served(
    start_miner, synapse, gate, monkeypatch
):
    monkeypatch.setattr("compression_subnet.miner.listen._HEADER_SECONDS", 1.0)
    for key in VALIDATORS:
        gate.refusals[key.ss58_address] = None
    miner = await start_miner(FirstWords(), max_connections=512, at_once=250, body_seconds=1.0, total=60_000)
    body = body_of(synapse())
    # What an honest caller has sent is known to the attackers.
    replayed = sign_request(VALIDATORS[0], path=COMPRESS_PATH, body=body, receiver=Keys.miner.ss58_address)
    assert (await miner.post(body, replayed)).status_code == 200
    async with asyncio.timeout(60):
        attacking = [asyncio.create_task(attacks(miner, VALIDATORS[number], body)) for number in range(25)]
        await asyncio.sleep(0.05)
        await asyncio.gather(
            *(honest(miner, VALIDATORS[number % 64], synapse, number) for number in range(200)),
        )
        assert (await miner.post(body, replayed)).status_code == 403
        answers = [answer for task in attacking for answer in await task]
    assert len(answers) == 200
    assert not [answer for answer in answers if b" 200 " in answer.split(b"\r\n")[0]]
    assert {answer.split(b" ")[1] for answer in answers if answer.startswith(b"HTTP")} <= {
        b"400", b"403", b"408", b"413", b"503"
    }  # fmt: skip
    assert miner.counted("requests_total", outcome="answered") == 201
