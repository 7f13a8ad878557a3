"""A validator's settings: what it asks, how, and what it makes of the answers."""

from pathlib import Path
from typing import Self

from pydantic import ByteSize, Field, model_validator

from compression_subnet.setting_groups.base import Group, Positive

__all__ = ["ChallengeSettings", "DendriteSettings", "ValidatorNeuronSettings"]


class ChallengeSettings(Group):
    """What is asked."""

    source: str = Field(
        "auto",
        description="written, builtin, jsonl:FILE, squad:FILE, folder:DIR or hf:NAME; with commas: the first that can "
        "be read; auto: written on a network, builtin on a local chain",
    )
    rewrite: bool = Field(False, description="replace names, places, dates and quantities of texts that exist")
    paraphrase: bool = Field(False, description="have the writer reword the sentences of texts that exist")
    write_questions: bool | None = Field(
        None,
        description="have the writer ask afresh, not the source; if not given, on a network for texts that exist",
    )
    near_misses: bool = Field(False, description="have the writer add noise that is like the evidence")
    allow_public: bool = Field(False, description="allow texts that others may hold, as they are, on a network")
    min_tokens: int = Field(600, ge=50, description="fewest tokens of a base text")
    max_tokens: int = Field(2500, ge=50, le=32_768, description="most tokens of a base text")
    join: bool = Field(False, description="join articles shorter than min_tokens: for long contexts")
    questions: int = Field(5, ge=1, description="most questions of a challenge")
    min_questions: int = Field(3, ge=1, description="fewest questions with which a challenge is used")
    candidates: int = Field(12, ge=1, description="questions put to the filter, which keeps the best spread ones")
    noise_share: float | None = Field(
        None, ge=0, le=1, description="noise sentences per base sentence; drawn anew for each challenge if not given"
    )
    pool: Path | None = Field(None, description="file of challenges made ahead; beside neuron.store if not given")
    ready: int | None = Field(
        None, ge=0, description="challenges kept ready; a round's if not given, and none if there is but one round"
    )
    reuse: bool | None = Field(
        None, description="use base texts and noise again; if not given, for the built-in corpus alone, a public one"
    )

    @model_validator(mode="after")
    def _ranges(self) -> Self:
        if self.min_tokens > self.max_tokens:
            raise ValueError("challenge.min_tokens is more than challenge.max_tokens")
        if not self.min_questions <= self.questions <= self.candidates:
            raise ValueError("challenge.min_questions <= challenge.questions <= challenge.candidates is needed")
        return self


class DendriteSettings(Group):
    """How miners are asked."""

    timeout: Positive = Field(30.0, description="deadline of a miner's reply, in seconds")
    concurrency: int = Field(64, ge=1, description="most miners asked at once")
    jitter: float = Field(
        0.5, ge=0, allow_inf_nan=False, description="most seconds, drawn anew, that a request waits before it is sent"
    )
    allow_private: bool = Field(False, description="call private and loopback addresses too: for a local network")


class ValidatorNeuronSettings(Group):
    """The validator's rounds and weights."""

    challenges: int = Field(183, ge=3, description="challenges a round, over all levels")
    rounds: int | None = Field(None, ge=1, description="stop after this many rounds whose weights the chain has")
    parallel: int = Field(2, ge=1, description="challenges in work at once")
    miners_per_challenge: int | None = Field(
        None, ge=1, description="most miners asked one challenge; all if not given, which compares them best"
    )
    quarter_hopeless: bool = Field(
        False, description="ask hotkeys that are three standard errors under the baseline a quarter of the challenges"
    )
    min_challenges: int = Field(40, ge=1, description="scored challenges a level before a hotkey has any weight")
    z: float = Field(2.0, ge=0, allow_inf_nan=False, description="standard errors taken off a margin")
    power: int = Field(2, ge=1, description="exponent of a margin")
    forgetting: float = Field(0.85, gt=0, le=1, description="factor by which an epoch's scores fade in the next")
    margin_blocks: int = Field(20, ge=2, description="how many blocks before an epoch weights are set")
    poll_seconds: Positive = Field(6.0, description="how often the chain is asked for its block while waiting")
    weight_tries: int = Field(10, ge=1, description="attempts to set one round's weights")
    store: Path = Field(Path("validator.sqlite"), description="file of the validator's record")
    keep_days: Positive | None = Field(
        7.0, description="days that a round stays in the record, before it goes to a compressed file; None: for ever"
    )
    keep_bytes: ByteSize | None = Field(
        ByteSize(30 * 10**9), description="most that the record takes, before older rounds go; None: any number"
    )
    archive_bytes: ByteSize | None = Field(
        ByteSize(40 * 10**9), description="most that those files take, before the oldest are deleted; None: any number"
    )
    min_free_bytes: ByteSize = Field(
        ByteSize(10**9), description="no round is begun with less left on the record's disk, and weights go on"
    )
    warm_share: float = Field(
        0.5, ge=0, le=1, description="share of the serving hotkeys that must have min_challenges before weights are set"
    )
    warm_rounds: int = Field(10, ge=1, description="rounds that count after which weights are set in any case")
    burn_unearned: bool = Field(
        False, description="give all weight to the subnet's owner, to be burned, where nobody has earned any"
    )
    burn_share: float = Field(
        0.0, ge=0, le=1, allow_inf_nan=False, description="share of all weight for the subnet's owner, to be burned"
    )
    disable_set_weights: bool = Field(False, description="do everything but set weights, and show the vector")
    watchdog: float | None = Field(
        None,
        ge=0,
        allow_inf_nan=False,
        description="seconds without any progress after which the process leaves, to be started anew; if not given, "
        "longer than the slowest round that is in order; 0 is never",
    )
