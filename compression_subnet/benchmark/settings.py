"""Settings of a benchmark: those of a validator that say what is asked, judged, and how long a reply may take."""

from typing import Final

from pydantic_settings import SettingsConfigDict

from compression_subnet.setting_groups import ChallengeSettings, DendriteSettings
from compression_subnet.settings import OfflineSettings

__all__ = ["BenchmarkSettings", "changed_flags"]

# The source has a place of its own in a result; the others say nothing about a benchmark's challenges.
_ELSEWHERE: Final = frozenset({"source", "pool", "ready"})


class BenchmarkSettings(OfflineSettings):
    """A validator's settings of judge, challenges and deadline; others in the environment and the file are ignored."""

    model_config = SettingsConfigDict(extra="ignore")

    challenge: ChallengeSettings = ChallengeSettings()
    dendrite: DendriteSettings = DendriteSettings()


def changed_flags(settings: ChallengeSettings) -> tuple[str, ...]:
    """Return the flags that give these settings, beside the source, to a command that knows only the defaults."""
    defaults = ChallengeSettings()
    flags: list[str] = []
    for name in type(settings).model_fields:
        value = getattr(settings, name)
        if name in _ELSEWHERE or value == getattr(defaults, name):
            continue
        if isinstance(value, bool):
            flags.append(f"--{'' if value else 'no-'}challenge.{name}")
        else:
            flags += [f"--challenge.{name}", str(value)]
    return tuple(flags)
