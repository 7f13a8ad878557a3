"""Settings of a benchmark: those of a validator that say what is asked, judged, and how long a reply may take."""

from pydantic_settings import SettingsConfigDict

from compression_subnet.settings import ChallengeSettings, DendriteSettings, OfflineSettings

__all__ = ["BenchmarkSettings"]


class BenchmarkSettings(OfflineSettings):
    """A validator's settings of judge, challenges and deadline; others in the environment and the file are ignored."""

    model_config = SettingsConfigDict(extra="ignore")

    challenge: ChallengeSettings = ChallengeSettings()
    dendrite: DendriteSettings = DendriteSettings()
