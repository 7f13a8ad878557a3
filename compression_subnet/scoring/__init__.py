"""Scoring: from a reply and its answers to weights. Pure: no clock, no chance, no model, no network."""

from compression_subnet.scoring.averages import Average, ChallengeScore, Standing, Tally, challenge_score
from compression_subnet.scoring.compliance import Compliance, ComplianceCheck, Reason, check_compliance
from compression_subnet.scoring.copies import copy_groups
from compression_subnet.scoring.f1 import is_supported, normalise, token_f1
from compression_subnet.scoring.levels import LEVELS, aggregate, budget_tokens, level_shares, level_weight
from compression_subnet.scoring.precision import challenges_for_half_error
from compression_subnet.scoring.weights import WeightRule, earned_weights, quantise, shares

__all__ = [
    "LEVELS",
    "Average",
    "ChallengeScore",
    "Compliance",
    "ComplianceCheck",
    "Reason",
    "Standing",
    "Tally",
    "WeightRule",
    "aggregate",
    "budget_tokens",
    "challenge_score",
    "challenges_for_half_error",
    "check_compliance",
    "copy_groups",
    "earned_weights",
    "is_supported",
    "level_shares",
    "level_weight",
    "normalise",
    "quantise",
    "shares",
    "token_f1",
]
