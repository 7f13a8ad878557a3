"""Settings of a validator and a miner: flags, environment and a TOML file, in this order of precedence.

Flags are the dotted ones that subnet operators know (``--wallet.name``), with ``-`` or ``_`` within a name. The
environment holds ``CS_`` plus the flag with ``__`` for the dot (``CS_WALLET__NAME``), and the ``BT_*`` variables of
bittensor. ``CS_CONFIG`` names the file. A secret is never a flag, since flags show in the list of processes.
"""

import argparse
import difflib
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, NoReturn, TypeVar

from pydantic import Field, ValidationError
from pydantic_settings import (
    BaseSettings,
    CliApp,
    CliSettingsSource,
    InitSettingsSource,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

from compression_subnet.errors import ConfigurationError
from compression_subnet.setting_groups import (
    AxonSettings,
    BlacklistSettings,
    ChallengeSettings,
    CompressorSettings,
    DendriteSettings,
    JudgeSettings,
    LoggingSettings,
    MinerNeuronSettings,
    MinerOpsSettings,
    OpsSettings,
    SubtensorSettings,
    ValidatorNeuronSettings,
    WalletSettings,
    WriterSettings,
)

__all__ = [
    "AuditSettings",
    "MinerSettings",
    "NeuronSettings",
    "OfflineSettings",
    "SettingsT",
    "ValidatorSettings",
    "WritingSettings",
    "load_settings",
]

# Short flags, and what each stands for.
_SHORT: Final = {"--compressor": "--compressor.name", "--compressor.device": "--compressor.devices"}

# What bittensor's own tools read, and which of our settings each stands for.
_BT_ENVIRONMENT: Final = {
    "BT_NETWORK": ("subtensor", "network"),
    "BT_CHAIN_ENDPOINT": ("subtensor", "chain_endpoint"),
    "BT_WALLET": ("wallet", "name"),
    "BT_WALLET_HOTKEY": ("wallet", "hotkey"),
    "BT_WALLET_PATH": ("wallet", "path"),
}


class _Sources(BaseSettings):
    model_config = SettingsConfigDict(env_prefix="CS_", env_nested_delimiter="__", extra="forbid", frozen=True)

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Order the sources; flags, given to the loader, come before all of these."""
        bittensor = InitSettingsSource(settings_cls, _from_bittensor_environment())
        sources: tuple[PydanticBaseSettingsSource, ...] = (init_settings, env_settings, bittensor)
        if "CS_CONFIG" in os.environ:
            path = Path(os.environ["CS_CONFIG"])
            if not path.is_file():
                raise ConfigurationError(f"CS_CONFIG names {path}, which is no file")
            sources = (*sources, TomlConfigSettingsSource(settings_cls, path))
        return sources


class NeuronSettings(_Sources):
    """What a validator and a miner have in common."""

    netuid: int = Field(ge=0, le=65535, description="number of the subnet")
    wallet: WalletSettings = WalletSettings()
    subtensor: SubtensorSettings = SubtensorSettings()
    logging: LoggingSettings = LoggingSettings()


class OfflineSettings(_Sources):
    """What a command that only judges can be told; other settings in the environment and the file are passed over."""

    model_config = SettingsConfigDict(extra="ignore")

    judge: JudgeSettings = JudgeSettings()


class WritingSettings(_Sources):
    """What a command that writes texts can be told; other settings in the environment and the file are passed over."""

    model_config = SettingsConfigDict(extra="ignore")

    judge: JudgeSettings = JudgeSettings()
    writer: WriterSettings = WriterSettings()


class AuditSettings(_Sources):
    """What a command that publishes or checks a record can be told; other settings are passed over."""

    model_config = SettingsConfigDict(extra="ignore")

    wallet: WalletSettings = WalletSettings()
    subtensor: SubtensorSettings = SubtensorSettings()


class ValidatorSettings(NeuronSettings):
    """Everything that a validator can be told."""

    judge: JudgeSettings = JudgeSettings()
    writer: WriterSettings = WriterSettings()
    challenge: ChallengeSettings = ChallengeSettings()
    dendrite: DendriteSettings = DendriteSettings()
    neuron: ValidatorNeuronSettings = ValidatorNeuronSettings()
    ops: OpsSettings = OpsSettings()
    dry_run: bool = Field(False, description="the same as --neuron.disable_set_weights")

    @property
    def sends_weights(self) -> bool:
        """Whether weights are set, and not only shown."""
        return not (self.dry_run or self.neuron.disable_set_weights)


class MinerSettings(NeuronSettings):
    """Everything that a miner can be told."""

    axon: AxonSettings = AxonSettings()
    blacklist: BlacklistSettings = BlacklistSettings()
    compressor: CompressorSettings = CompressorSettings()
    neuron: MinerNeuronSettings = MinerNeuronSettings()
    ops: MinerOpsSettings = MinerOpsSettings()


SettingsT = TypeVar("SettingsT", bound=_Sources)


def load_settings(kind: type[SettingsT], argv: Sequence[str], program: str) -> SettingsT:
    """Return the settings of ``kind`` from flags, environment and file.

    ``--help`` and a flag that does not exist end the process, as argparse does; the latter with a suggestion.

    Raises:
        ConfigurationError: a value is unusable or missing; every such value is named.
    """
    parser = _Parser(prog=program, allow_abbrev=False, description=(kind.__doc__ or "").strip())
    source: CliSettingsSource[Any] = CliSettingsSource(
        kind,
        root_parser=parser,
        cli_implicit_flags=True,
        cli_avoid_json=True,
        cli_hide_none_type=True,
    )
    try:
        return CliApp.run(kind, cli_args=[_full(_underscored(a)) for a in argv], cli_settings_source=source)
    except ValidationError as error:
        problems = "; ".join(f"--{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors())
        raise ConfigurationError(f"{problems} (see {program} --help)") from None


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """Say what is wrong, and which flag may have been meant."""
        prefix = "unrecognized arguments: "
        if message.startswith(prefix):
            wrong = message.removeprefix(prefix).split()[0].partition("=")[0]
            near = difflib.get_close_matches(wrong, self._option_string_actions, n=1)
            message += f" (did you mean {near[0]}?)" if near else f" (see {self.prog} --help)"
        print(f"{self.prog}: {message}", file=sys.stderr)
        sys.exit(2)


def _underscored(argument: str) -> str:
    """Return a flag with ``_`` for ``-`` within its name, values and ``--no-`` left alone."""
    if not argument.startswith("--"):
        return argument
    name, equals, value = argument[2:].partition("=")
    negation = "no-" if name.startswith("no-") else ""
    return f"--{negation}{name.removeprefix('no-').replace('-', '_')}{equals}{value}"


def _full(argument: str) -> str:
    """Return a flag under its full name, where it is one of the short ones."""
    name, equals, value = argument.partition("=")
    return f"{_SHORT[name]}{equals}{value}" if name in _SHORT else argument


def _from_bittensor_environment() -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    for variable, (group, name) in _BT_ENVIRONMENT.items():
        if variable in os.environ:
            found.setdefault(group, {})[name] = os.environ[variable]
    return found
