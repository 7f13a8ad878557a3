"""Settings of every neuron: its wallet, the chain, its logs, and the local port that it is watched by."""

from pathlib import Path

from pydantic import Field

from compression_subnet.setting_groups.base import Group, Positive

__all__ = ["LoggingSettings", "MinerOpsSettings", "OpsSettings", "SubtensorSettings", "WalletSettings"]


class WalletSettings(Group):
    """The wallet whose hotkey signs."""

    name: str = Field("default", description="name of the wallet (its coldkey)")
    hotkey: str = Field("default", description="name of the hotkey")
    path: Path = Field(Path("~/.bittensor/wallets"), description="folder of the wallets")


class SubtensorSettings(Group):
    """The chain."""

    network: str = Field("finney", description="finney, test, local, or a ws:// or wss:// address")
    chain_endpoint: str | None = Field(None, description="ws:// or wss:// address; goes before the network's name")
    timeout: Positive = Field(60.0, description="deadline of one call to the chain, in seconds")

    @property
    def endpoint(self) -> str:
        """What to connect to: the endpoint if one is given, else the network."""
        return self.chain_endpoint or self.network


class LoggingSettings(Group):
    """Logs."""

    debug: bool = Field(False, description="log more")
    trace: bool = Field(False, description="log everything")
    json_lines: bool = Field(False, description="one JSON object a line instead of text")
    logging_dir: Path | None = Field(None, description="folder for log files of 50 MB; 20 are kept, for 14 days")


class OpsSettings(Group):
    """Metrics and health, served to this machine."""

    host: str = Field("127.0.0.1", description="IP address for /metrics, /healthz and /readyz; they are open to all")
    port: int = Field(9464, ge=0, le=65535, description="their port, another for each neuron on a machine; 0 is none")


class MinerOpsSettings(OpsSettings):
    """Metrics and health, served to this machine."""

    port: int = Field(9465, ge=0, le=65535, description="their port, another for each neuron on a machine; 0 is none")
