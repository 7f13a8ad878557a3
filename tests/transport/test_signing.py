import time

import pytest
from bittensor.sp_core import CRYPTO_ED25519, Keypair

from compression_subnet.errors import TransportError
from compression_subnet.transport.signing import (
    Caller,
    RequestRefused,
    RequestVerifier,
    claimed_hotkey,
    reply_is_signed,
    sign_reply,
    sign_request,
)

ALICE, BOB, EVE = (Keypair.create_from_uri(uri) for uri in ("//Alice", "//Bob", "//Eve"))
PATH, BODY = "/v1/compress", b'{"a": 1}'
SECOND = 10**9


def signed(by=ALICE, to=BOB, path=PATH, body=BODY, nonce=None):
    return sign_request(by, path=path, body=body, receiver=to.ss58_address, nonce=nonce)


@pytest.fixture
def verifier():
    return RequestVerifier(BOB.ss58_address)


def test_a_signed_request_proves_its_sender(verifier):
    headers = signed(nonce=time.time_ns())
    caller = verifier.verify(headers, BODY, path=PATH)
    assert caller.hotkey == ALICE.ss58_address == claimed_hotkey(headers)
    assert headers["X-Bittensor-Nonce"] == caller.nonce


def test_header_names_may_be_in_any_case(verifier):
    headers = {name.lower(): value for name, value in signed().items()}
    assert verifier.verify(headers, BODY, path=PATH).hotkey == ALICE.ss58_address


def test_a_request_is_taken_once(verifier):
    headers = signed()
    verifier.verify(headers, BODY, path=PATH)
    with pytest.raises(RequestRefused, match="ReplayedRequest"):
        verifier.verify(headers, BODY, path=PATH)


def changed(headers, **changes):
    return headers | {name.replace("_", "-"): value for name, value in changes.items()}


@pytest.mark.parametrize(
    "headers, reason",
    [
        (lambda: {}, "MalformedAuth"),
        (lambda: signed(to=EVE), "WrongReceiver"),
        (lambda: {k: v for k, v in signed().items() if k != "X-Bittensor-Receiver"}, "WrongReceiver"),
        (lambda: signed(nonce=time.time_ns() - 11 * SECOND), "StaleRequest"),
        (lambda: signed(nonce=time.time_ns() + 4 * SECOND), "StaleRequest"),
        (lambda: signed(body=b"other"), "BadSignature"),
        (lambda: signed(path="/v1/other"), "BadSignature"),
        (lambda: changed(signed(), X_Bittensor_Hotkey=EVE.ss58_address), "BadSignature"),
        (lambda: changed(signed(), X_Bittensor_Hotkey="not an address"), "MalformedAuth"),
        (lambda: changed(signed(), X_Bittensor_Hotkey="é"), "MalformedAuth"),
        (lambda: changed(signed(), X_Bittensor_Nonce="9" * 5000), "MalformedAuth"),
        (lambda: changed(signed(), X_Bittensor_Nonce="9" * 4000), "StaleRequest"),
        (lambda: changed(signed(), X_Bittensor_Signature="0x00"), "MalformedAuth"),
        (lambda: changed(signed(), X_Bittensor_Signature=""), "MalformedAuth"),
        (lambda: changed(signed(), X_Bittensor_Signature="0x" + "00" * 64), "BadSignature"),
        (lambda: changed(signed(), X_Bittensor_Crypto="rot13"), "MalformedAuth"),
        (lambda: changed(signed(), X_Bittensor_Crypto="ed25519"), "BadSignature"),
    ],
)
def test_whatever_does_not_prove_its_sender_is_refused_with_one_type_of_error(verifier, headers, reason):
    with pytest.raises(RequestRefused, match=reason):
        verifier.verify(headers(), BODY, path=PATH)
    assert issubclass(RequestRefused, TransportError)


REQUEST = signed(nonce=123)
CALLER = Caller(ALICE.ss58_address, "123")
REPLY = b'{"compressed_text": "x"}'


def proves(headers, body=REPLY, miner=BOB, request=REQUEST, request_body=BODY):
    return reply_is_signed(headers, body, miner=miner.ss58_address, request_headers=request, request_body=request_body)


@pytest.mark.parametrize("miner", [BOB, Keypair.create_from_uri("//Bob", CRYPTO_ED25519)])
def test_a_reply_proves_its_miner_under_either_scheme(miner):
    headers = sign_reply(miner, CALLER, request_body=BODY, body=REPLY)
    assert proves(headers, miner=miner)
    assert not proves(headers, miner=EVE)


def test_a_reply_is_bound_to_its_bytes_and_to_the_request_it_answers():
    headers = sign_reply(BOB, CALLER, request_body=BODY, body=REPLY)
    assert not proves(headers, body=REPLY + b" ")
    assert not proves(headers, request=signed(nonce=124))
    assert not proves(headers, request=signed(by=EVE, nonce=123))
    assert not proves(headers, request_body=b"other")


@pytest.mark.parametrize(
    "signature, scheme",
    [
        ("", "sr25519"),
        ("0x", "sr25519"),
        ("0x00", "sr25519"),
        ("zz", "sr25519"),
        ("0x" + "00" * 64, "sr25519"),
        ("é", "é"),
    ],
)
def test_nothing_in_a_signature_raises(signature, scheme):
    assert not proves({"X-Compression-Signature": signature, "X-Compression-Crypto": scheme})
    assert not proves({})
