import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from compression_subnet.protocol import (
    CompressionReply,
    CompressionSynapse,
    max_reply_bytes,
    max_reply_characters,
)

GOOD = {
    "protocol_version": 1,
    "challenge_id": "c-1",
    "text": "Some text.",
    "target_ratio": 0.4,
    "budget_tokens": 3,
    "tokenizer": "o200k_base",
    "tokenizer_sha256": "a" * 64,
    "deadline_seconds": 30.0,
}


def parse(**changes):
    return CompressionSynapse.model_validate_json(json.dumps(GOOD | changes))


def test_a_request_carries_these_fields_and_no_others():
    assert set(json.loads(parse().model_dump_json())) == set(GOOD)
    with pytest.raises(ValidationError):
        parse(questions=["Who?"])


@pytest.mark.parametrize("level, budget", [(20, 0), (40, 1), (60, 2)])
def test_the_budget_is_the_floor_of_the_share_in_integers(level, budget):
    values = {"challenge_id": "c", "text": "t", "tokenizer": "t", "tokenizer_sha256": "0" * 64, "deadline_seconds": 1}
    request = CompressionSynapse.at_level(level, n_tokens=1005, **values)
    assert (request.budget_tokens, request.level) == (1005 * level // 100, level)
    if budget == 0:
        with pytest.raises(ValidationError):
            CompressionSynapse.at_level(level, n_tokens=4, **values)
    else:
        assert CompressionSynapse.at_level(level, n_tokens=4, **values).budget_tokens == budget


@pytest.mark.parametrize(
    "changes",
    [
        {"protocol_version": 2},
        {"challenge_id": "a b"},
        {"challenge_id": "a\n"},
        {"challenge_id": "x" * 65},
        {"text": ""},
        {"text": 5},
        {"target_ratio": 0.5},
        {"target_ratio": "0.4"},
        {"budget_tokens": 0},
        {"budget_tokens": 3.0},
        {"budget_tokens": "3"},
        {"budget_tokens": True},
        {"tokenizer_sha256": "A" * 64},
        {"tokenizer": "{x}"},
        {"deadline_seconds": 0},
        {"deadline_seconds": float("nan")},
        {"deadline_seconds": float("inf")},
        {"deadline_seconds": 1e9},
    ],
)
def test_an_unusable_value_is_refused_and_not_converted(changes):
    with pytest.raises(ValidationError):
        parse(**changes)


def test_requests_and_replies_cannot_be_changed():
    with pytest.raises(ValidationError):
        parse().budget_tokens = 9
    with pytest.raises(ValidationError):
        CompressionReply(compressed_text="x").compressed_text = "y"


def test_of_a_reply_only_the_compressed_text_is_kept():
    reply = CompressionReply.model_validate_json('{"compressed_text": "x", "budget_tokens": 9999, "score": 1}')
    assert reply.model_dump() == {"compressed_text": "x"}


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"null",
        b"[]",
        b'"x"',
        b"{}",
        b'{"compressed_text": null}',
        b'{"compressed_text": 1}',
        b'{"compressed_text": ["x"]}',
        b'{"compressed_text": "\xff"}',
        b'{"compressed_text": "\\ud800"}',
        b'{"compressed_text": "x"',
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b'{"compressed_text": "x", "a": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    ],
)
def test_a_reply_of_another_shape_is_one_kind_of_error(body):
    with pytest.raises(ValidationError):
        CompressionReply.model_validate_json(body)


@given(st.text())
def test_any_text_in_canonical_reach_survives_the_wire(text):
    body = CompressionReply(compressed_text=text).model_dump_json().encode()
    assert CompressionReply.model_validate_json(body).compressed_text == text


def test_reply_caps_are_those_of_the_mechanism():
    assert max_reply_bytes("x") == 64 * 1024
    assert max_reply_bytes("x" * 8192) == 64 * 1024
    assert max_reply_bytes("é" * 8192) == 8 * 2 * 8192
    assert max_reply_characters("é" * 10) == 40
