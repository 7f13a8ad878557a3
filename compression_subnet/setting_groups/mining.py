"""A miner's settings: where it listens, whom it answers, and with which compressor."""

from pydantic import Field

from compression_subnet.setting_groups.base import Group, Port, Positive

__all__ = ["AxonSettings", "BlacklistSettings", "CompressorSettings", "MinerNeuronSettings"]


class AxonSettings(Group):
    """Where the miner listens, and what address it publishes."""

    ip: str = Field("0.0.0.0", description="address to listen on")
    port: Port = Field(8091, description="port to listen on")
    external_ip: str | None = Field(None, description="address to publish, where it differs")
    external_port: Port | None = Field(None, description="port to publish, where it differs")
    allow_private: bool = Field(False, description="publish a private or loopback address: for a local network")
    workers: int = Field(1, ge=1, description="worker processes on each device of the compressor")
    batch_wait: float = Field(
        10.0, ge=0, le=1000, description="milliseconds that a free worker waits for more texts, if it takes batches"
    )
    nonce_store: str = Field(
        "memory",
        description="where nonces are kept: memory, sqlite:FILE, or redis://HOST:PORT/DATABASE for several machines "
        "(a password belongs in CS_AXON__NONCE_STORE, not in a flag)",
    )


class BlacklistSettings(Group):
    """Who may ask."""

    min_stake: float | None = Field(
        None, ge=0, allow_inf_nan=False, description="least stake of a caller, in alpha; 1000 if not given, 10 on test"
    )
    force_validator_permit: bool = Field(True, description="callers need a validator permit")
    requests_per_minute: int = Field(600, ge=1, description="most requests a minute of one caller")
    total_per_minute: int = Field(3000, ge=1, description="most requests a minute of all callers")
    connections_per_minute: int = Field(1200, ge=1, description="most connections a minute of one network address")
    connections_per_address: int = Field(64, ge=1, description="most open connections of one network address")


class CompressorSettings(Group):
    """The miner's compressor, and what replaces it where it fails or is late."""

    name: str = Field(
        "reference", description="an entry point's name, or module:attribute; --compressor NAME says the same"
    )
    model: str | None = Field(None, description="name on the hub or folder of its model; its own if not given")
    devices: str = Field(
        "auto", description="auto, cpu, cuda:0 and so on; several, with commas, have a worker process each"
    )
    dtype: str = Field("auto", description="auto, float32, bfloat16, float16 or, on a CPU, int8")
    batch_tokens: int = Field(16_384, ge=1, description="most tokens of a batch")
    threads: int | None = Field(None, ge=1, description="threads of a worker for arithmetic on the CPU")
    compile: bool = Field(False, description="compile the model at the start: minutes on a GPU, which then is faster")
    fallbacks: str = Field(
        "lexical,truncation",
        description="compressors that replace it, each cheaper than the one before, with commas; or none",
    )


class MinerNeuronSettings(Group):
    """The miner's ways."""

    allow_over_budget: bool = Field(False, description="send a reply over the budget as it is; for tests only")
    metagraph_seconds: Positive = Field(60.0, description="how often the list of validators is read anew")
