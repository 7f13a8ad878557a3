"""What the settings pay: strategies of miners and validators, played through with the real scoring and consensus."""

from compression_subnet.incentives.results import KindSummary, ScenarioResult, ValidatorSummary
from compression_subnet.incentives.scenarios import SCENARIOS, Kind, Scenario

__all__ = ["SCENARIOS", "Kind", "KindSummary", "Scenario", "ScenarioResult", "ValidatorSummary"]
