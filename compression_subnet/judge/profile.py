"""The profile: everything that scores depend on besides the texts. Scores of two profiles cannot be compared."""

import hashlib
import json
from dataclasses import asdict, dataclass

from compression_subnet.errors import ConfigurationError
from compression_subnet.text.special import SPECIAL_TOKENS

__all__ = ["Profile"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """What a validator scores with; its hash goes with every score.

    Attributes:
        model: a dated version, or the name of a file of weights.
        model_sha256: of the weights, hexadecimal; empty for a hosted model, whose weights nobody can hash.
        engine: what runs the model, with its version, such as ``llama.cpp b6900``.
        quantisation: such as ``float32`` or ``Q4_K_M``; empty for a hosted model.
        prompt_sha256: of the prompt's file.
        seed: sent with every call; None where the provider refuses one.
        max_answer_tokens: a longer answer is a length stop.
        tokenizer: in which budgets are counted.
        tokenizer_sha256: of its vocabulary.
        question_min_f1: a question is kept if it is answered at least so well from the full text,
        question_max_blind_f1: and at most so well from no text.
        ceiling_min_f1: a round is void below this mean over the full texts.
        special_tokens: spellings that no reply may hold.
    """

    model: str
    model_sha256: str
    engine: str
    quantisation: str
    prompt_sha256: str
    seed: int | None
    max_answer_tokens: int
    tokenizer: str
    tokenizer_sha256: str
    question_min_f1: float = 0.8
    question_max_blind_f1: float = 0.3
    ceiling_min_f1: float = 0.8
    special_tokens: tuple[str, ...] = SPECIAL_TOKENS

    def __post_init__(self) -> None:
        """Check what can be checked."""
        for name in ("model_sha256", "prompt_sha256", "tokenizer_sha256"):
            digest = getattr(self, name)
            optional = name == "model_sha256" and not digest
            if not optional and (len(digest) != 64 or set(digest) - set("0123456789abcdef")):
                raise ConfigurationError(f"{name} must be a SHA-256 in 64 hexadecimal digits, not {digest!r}")
        for name in _FLOATS:
            if not 0 <= getattr(self, name) <= 1:
                raise ConfigurationError(f"{name} must be within 0 and 1, not {getattr(self, name)}")

    @property
    def sha256(self) -> str:
        """SHA-256 of the profile as JSON: keys sorted, no spaces, ASCII only. Equal profiles have equal hashes."""
        fields = asdict(self) | {name: float(getattr(self, name)) for name in _FLOATS}
        return hashlib.sha256(json.dumps(fields, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


_FLOATS = ("question_min_f1", "question_max_blind_f1", "ceiling_min_f1")
