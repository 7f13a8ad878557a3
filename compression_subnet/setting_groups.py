"""The groups of settings: each is one prefix of flags, such as ``--judge.*``, and each field one flag."""

from pathlib import Path
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

__all__ = [
    "AxonSettings",
    "BlacklistSettings",
    "ChallengeSettings",
    "DendriteSettings",
    "JudgeSettings",
    "LoggingSettings",
    "MinerNeuronSettings",
    "SubtensorSettings",
    "ValidatorNeuronSettings",
    "WalletSettings",
    "WriterSettings",
]

Port = Annotated[int, Field(ge=1, le=65535)]
Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Price = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class _Group(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class WalletSettings(_Group):
    """The wallet whose hotkey signs."""

    name: str = Field("default", description="name of the wallet (its coldkey)")
    hotkey: str = Field("default", description="name of the hotkey")
    path: Path = Field(Path("~/.bittensor/wallets"), description="folder of the wallets")


class SubtensorSettings(_Group):
    """The chain."""

    network: str = Field("finney", description="finney, test, local, or a ws:// or wss:// address")
    chain_endpoint: str | None = Field(None, description="ws:// or wss:// address; goes before the network's name")
    timeout: Positive = Field(60.0, description="deadline of one call to the chain, in seconds")

    @property
    def endpoint(self) -> str:
        """What to connect to: the endpoint if one is given, else the network."""
        return self.chain_endpoint or self.network


class LoggingSettings(_Group):
    """Logs."""

    debug: bool = Field(False, description="log more")
    trace: bool = Field(False, description="log everything")
    json_lines: bool = Field(False, description="one JSON object a line instead of text")
    logging_dir: Path | None = Field(None, description="folder for log files, rotated at 50 MB, kept for 14 days")


class JudgeSettings(_Group):
    """The model that answers the questions, behind any OpenAI-compatible endpoint."""

    base_url: str = Field(
        "http://127.0.0.1:8801/v1",
        description="address of the endpoint; several, separated by commas, share the load of one and the same model",
    )
    model: str = Field("reader", description="name of the model there")
    model_sha256: str = Field("", description="SHA-256 of its weights, where they are known: part of the profile")
    engine: str = Field("", description="what runs it, with its version: part of the profile")
    quantisation: str = Field("", description="such as float32 or Q4_K_M: part of the profile")
    api_key_file: Path | None = Field(None, description="file that holds the key; or set CS_JUDGE_API_KEY")
    concurrency: int = Field(16, ge=1, description="most requests at once; fewer while the endpoint answers 429")
    timeout: Positive = Field(60.0, description="deadline of one call, in seconds")
    reply_timeout: Positive = Field(300.0, description="deadline of all questions of one reply, in seconds")
    warm_prefix: bool = Field(
        True, description="ask a text's first question alone, so that the provider's prefix cache serves the others"
    )
    cache: Path | None = Field(None, description="file of answers to identical texts; beside the record if not given")
    price_prompt: Price = Field(0.0, description="price of a million prompt tokens")
    price_cached: Price | None = Field(None, description="of a million cached ones; price_prompt if not given")
    price_completion: Price = Field(0.0, description="price of a million completion tokens")
    max_cost: Positive | None = Field(
        None, description="most that the answers of one round may cost; no challenge is begun that might not fit"
    )

    @model_validator(mode="after")
    def _priced(self) -> Self:
        if self.max_cost is not None and not (self.price_prompt or self.price_completion):
            raise ValueError("judge.max_cost needs judge.price_prompt or judge.price_completion")
        return self


class WriterSettings(_Group):
    """The model that writes texts and questions, behind any OpenAI-compatible endpoint."""

    base_url: str | None = Field(None, description="address of the endpoint; the judge's if not given")
    model: str = Field("", description="name of the model there; the judge's if not given")
    api_key_file: Path | None = Field(None, description="file that holds the key; or set CS_WRITER_API_KEY")
    concurrency: int = Field(4, ge=1, description="most requests at once")
    timeout: Positive = Field(180.0, description="deadline of one call, in seconds")
    reply_timeout: Positive = Field(600.0, description="deadline of one reply with its retries, in seconds")
    max_tokens: int = Field(4096, ge=256, description="most tokens of a reply")
    temperature: float | None = Field(
        0.8, ge=0, le=2, allow_inf_nan=False, description="of the sampling; none for a provider that takes none"
    )


class ChallengeSettings(_Group):
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


class DendriteSettings(_Group):
    """How miners are asked."""

    timeout: Positive = Field(30.0, description="deadline of a miner's reply, in seconds")
    concurrency: int = Field(64, ge=1, description="most miners asked at once")
    allow_private: bool = Field(False, description="call private and loopback addresses too: for a local network")


class ValidatorNeuronSettings(_Group):
    """The validator's rounds and weights."""

    challenges: int = Field(183, ge=3, description="challenges a round, over all levels")
    rounds: int | None = Field(None, ge=1, description="stop after this many rounds whose weights the chain has")
    parallel: int = Field(2, ge=1, description="challenges in work at once")
    min_challenges: int = Field(40, ge=1, description="scored challenges a level before a hotkey has any weight")
    z: float = Field(2.0, ge=0, allow_inf_nan=False, description="standard errors taken off a margin")
    power: int = Field(2, ge=1, description="exponent of a margin")
    forgetting: float = Field(0.85, gt=0, le=1, description="factor by which an epoch's scores fade in the next")
    margin_blocks: int = Field(20, ge=2, description="how many blocks before an epoch weights are set")
    poll_seconds: Positive = Field(6.0, description="how often the chain is asked for its block while waiting")
    weight_tries: int = Field(10, ge=1, description="attempts to set one round's weights")
    store: Path = Field(Path("validator.sqlite"), description="file of the validator's record")
    burn_unearned: bool = Field(
        False, description="give all weight to the subnet's owner, to be burned, where nobody has earned any"
    )
    disable_set_weights: bool = Field(False, description="do everything but set weights, and log the vector")


class AxonSettings(_Group):
    """Where the miner listens, and what address it publishes."""

    ip: str = Field("0.0.0.0", description="address to listen on")
    port: Port = Field(8091, description="port to listen on")
    external_ip: str | None = Field(None, description="address to publish, where it differs")
    external_port: Port | None = Field(None, description="port to publish, where it differs")
    allow_private: bool = Field(False, description="publish a private or loopback address: for a local network")


class BlacklistSettings(_Group):
    """Who may ask."""

    min_stake: float = Field(1000.0, ge=0, description="least stake of a caller, in alpha")
    force_validator_permit: bool = Field(True, description="callers need a validator permit")
    requests_per_minute: int = Field(600, ge=1, description="most requests a minute of one caller")
    total_per_minute: int = Field(3000, ge=1, description="most requests a minute of all callers")


class MinerNeuronSettings(_Group):
    """The miner's compressor."""

    compressor: str = Field("reference", description="an entry point's name, or module:attribute")
    allow_over_budget: bool = Field(False, description="send a reply over the budget as it is; for tests only")
    metagraph_seconds: Positive = Field(60.0, description="how often the list of validators is read anew")
