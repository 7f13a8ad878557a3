"""What a miner's service can be told."""

from dataclasses import dataclass, field

from compression_subnet.compressors.base import CompressorOptions
from compression_subnet.errors import ConfigurationError
from compression_subnet.text.tokens import DEFAULT_TOKENIZER
from compression_subnet.transport.addresses import AddressFault, address_fault

__all__ = ["MinerConfig"]


@dataclass(frozen=True, slots=True, kw_only=True)
class MinerConfig:
    """Settings of ``miner.service.run``, checked on construction.

    Attributes:
        ip: address to listen on; ``0.0.0.0`` is all of this machine's.
        port: port to listen on; 0 lets the system choose.
        external_ip: address that validators call, published on chain; ``ip`` where None.
        external_port: port that validators call; the one listened on where None.
        allow_private: whether ``external_ip`` may be a private address (a subnet on one machine).
        min_stake: least stake weight, in alpha, of a validator that is answered.
        require_permit: whether a validator must hold a permit.
        allow_unregistered: whether anyone with a key pair is answered; for a test bench only.
        metagraph_seconds: time between two looks at the metagraph.
        requests_per_minute: most requests a minute of one validator, a sixth of them at once.
        total_per_minute: most requests a minute of all validators together, a sixth of them at once.
        connections_per_minute: most connections a minute of one network address, a sixth of them at once.
        connections_per_address: most connections of one network address that are open at a time.
        nonce_store: ``memory``, ``sqlite:FILE`` or an address of a Redis server; see ``open_nonces``.
        compressor: a registered name, or ``module:attribute``.
        options: for its model; the device is that of ``devices``.
        devices: a worker process on each, or several.
        workers: worker processes on each device.
        fallbacks: compressors that replace it where it fails or is late, each cheaper than the one before it.
        batch_wait: seconds that a free worker waits for more texts, where the compressor takes batches.
        strict_budget: whether a result over the budget is replaced by a fall-back's; off lets it go out as it is,
            and score 0.
        tokenizer: name of the tokenizer that budgets are counted in.
        ops_host: address on which metrics and health are served.
        ops_port: their port; 0 serves none.
        body_seconds: time that a request's body may take to arrive.
        max_connections: connections open at a time; those beyond are answered 503.
        shutdown_seconds: time that requests under way have to finish after SIGTERM.

    Raises:
        ConfigurationError: a value is out of range; the message names the setting.
    """

    ip: str = "0.0.0.0"
    port: int = 8091
    external_ip: str | None = None
    external_port: int | None = None
    allow_private: bool = False
    min_stake: float
    require_permit: bool = True
    allow_unregistered: bool = False
    metagraph_seconds: float = 60.0
    requests_per_minute: int = 600
    total_per_minute: int = 3000
    connections_per_minute: int = 1200
    connections_per_address: int = 64
    nonce_store: str = "memory"
    compressor: str = "reference"
    options: CompressorOptions = field(default_factory=CompressorOptions)
    devices: tuple[str, ...] = ("auto",)
    workers: int = 1
    fallbacks: tuple[str, ...] = ("lexical", "truncation")
    batch_wait: float = 0.01
    strict_budget: bool = True
    tokenizer: str = DEFAULT_TOKENIZER
    ops_host: str = "127.0.0.1"
    ops_port: int = 0
    body_seconds: float = 5.0
    max_connections: int = 512
    shutdown_seconds: float = 5.0

    def __post_init__(self) -> None:
        for name in ("metagraph_seconds", "body_seconds", "shutdown_seconds"):
            if not 0 < getattr(self, name) < float("inf"):
                raise ConfigurationError(f"miner setting {name} must be a number above 0")
        for name in (
            *("requests_per_minute", "total_per_minute", "connections_per_minute", "connections_per_address"),
            *("workers", "max_connections"),
        ):
            if getattr(self, name) < 1:
                raise ConfigurationError(f"miner setting {name} must be at least 1")
        if not 0 <= self.min_stake < float("inf"):
            raise ConfigurationError("miner setting min_stake must be 0 or more")
        if not 0 <= self.batch_wait <= 1:
            raise ConfigurationError("miner setting batch_wait must be between 0 and 1 s")
        if not self.devices or not all(self.devices):
            raise ConfigurationError("miner setting devices must name one, such as auto, cpu or cuda:0")
        if self.options.batch_tokens < 1:
            raise ConfigurationError("miner setting batch_tokens must be at least 1")
        if not 0 <= self.port <= 65535:
            raise ConfigurationError("axon port must be between 0 and 65535")
        address = self.external_ip if self.external_ip is not None else self.ip
        # A port of 0 is not known yet; any other number stands in for it.
        port = self.external_port if self.external_port is not None else self.port or 1
        if (fault := address_fault(address, port, allow_private=self.allow_private)) is not None:
            hint = (
                "a miner without a public address sets allow_private, on a subnet whose validators do the same"
                if fault is AddressFault.PRIVATE
                else "give the address at which the internet reaches this machine"
            )
            raise ConfigurationError(f"validators cannot call {address} port {port}: {fault}; set external_ip ({hint})")
