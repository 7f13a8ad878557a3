"""What crosses the wire between a validator and a miner, and how large it may be.

A validator posts a ``CompressionSynapse`` to ``COMPRESS_PATH``; the miner answers with a ``CompressionReply``. The
request holds nothing that tells noise from text: no base text, question, answer or seed. Of the reply one field
is read. Both are strict: a number in the place of a string is an error, not something to convert.
"""

from typing import Annotated, Final, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

__all__ = [
    "COMPRESS_PATH",
    "HEALTH_PATH",
    "MAX_REQUEST_BYTES",
    "PROTOCOL_VERSION",
    "CompressionReply",
    "CompressionSynapse",
    "max_reply_bytes",
    "max_reply_characters",
]

PROTOCOL_VERSION: Final = 1
COMPRESS_PATH: Final = "/v1/compress"
HEALTH_PATH: Final = "/healthz"

# A challenge is some thousands of characters; four bytes each and as much again for JSON's escapes fit often.
MAX_REQUEST_BYTES: Final = 1 << 20
MAX_DEADLINE_SECONDS: Final = 600.0

_MIN_REPLY_ALLOWANCE: Final = 64 * 1024
_REPLY_BYTES_PER_TEXT_BYTE: Final = 8
_REPLY_CHARACTERS_PER_TEXT_CHARACTER: Final = 4
_LEVEL_BY_RATIO: Final = {0.2: 20, 0.4: 40, 0.6: 60}


def max_reply_bytes(text: str) -> int:
    """Return how many bytes of a reply to ``text`` are read before it is refused: max(64 KiB, 8 x bytes of text)."""
    return max(_MIN_REPLY_ALLOWANCE, _REPLY_BYTES_PER_TEXT_BYTE * len(text.encode()))


def max_reply_characters(text: str) -> int:
    """Return how many characters a reply to ``text`` may have before it is refused: 4 x characters of text."""
    return _REPLY_CHARACTERS_PER_TEXT_CHARACTER * len(text)


def _known_ratio(ratio: float) -> float:
    if ratio not in _LEVEL_BY_RATIO:
        raise ValueError("must be 0.2, 0.4 or 0.6")
    return ratio


class CompressionSynapse(BaseModel):
    """A request: this text, in at most this many tokens, within this time.

    Attributes:
        protocol_version: of this model; another version is another model.
        challenge_id: names the challenge in both sides' logs; it tells nothing of its content.
        text: what is to be compressed, in canonical form.
        target_ratio: 0.2, 0.4 or 0.6; for the reader. The budget binds.
        budget_tokens: the most tokens that the reply may have.
        tokenizer: name of the tokenizer that counts them.
        tokenizer_sha256: hexadecimal SHA-256 of its vocabulary.
        deadline_seconds: how long the validator waits, connection and transfer included.
    """

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid", allow_inf_nan=False)

    protocol_version: Literal[1] = PROTOCOL_VERSION
    challenge_id: Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,64}$")]
    text: Annotated[str, Field(min_length=1, max_length=MAX_REQUEST_BYTES)]
    target_ratio: Annotated[float, AfterValidator(_known_ratio)]
    budget_tokens: Annotated[int, Field(ge=1)]
    tokenizer: Annotated[str, Field(pattern=r"^[A-Za-z0-9_.-]{1,64}$")]
    tokenizer_sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
    deadline_seconds: Annotated[float, Field(gt=0, le=MAX_DEADLINE_SECONDS)]

    @property
    def level(self) -> int:
        """The target ratio in per cent: 20, 40 or 60."""
        return _LEVEL_BY_RATIO[self.target_ratio]

    @classmethod
    def at_level(
        cls,
        level: int,
        *,
        challenge_id: str,
        text: str,
        n_tokens: int,
        tokenizer: str,
        tokenizer_sha256: str,
        deadline_seconds: float,
    ) -> Self:
        """Return the request for ``level`` per cent of a text of ``n_tokens`` tokens.

        The budget is ``n_tokens * level // 100``, in integers.

        Raises:
            pydantic.ValidationError: a value is out of range (a text so short that its budget is 0, say).
        """
        return cls(
            challenge_id=challenge_id,
            text=text,
            target_ratio=level / 100,
            budget_tokens=n_tokens * level // 100,
            tokenizer=tokenizer,
            tokenizer_sha256=tokenizer_sha256,
            deadline_seconds=deadline_seconds,
        )


class CompressionReply(BaseModel):
    """A reply: the one field that is read. Whatever else a miner sends is ignored.

    Attributes:
        compressed_text: may be empty, which scores 0.
    """

    model_config = ConfigDict(frozen=True, strict=True, extra="ignore")

    compressed_text: str
