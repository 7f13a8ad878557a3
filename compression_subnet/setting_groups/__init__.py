"""The groups of settings: each is one prefix of flags, such as ``--judge.*``, and each field one flag."""

from compression_subnet.setting_groups.common import (
    LoggingSettings,
    MinerOpsSettings,
    OpsSettings,
    SubtensorSettings,
    WalletSettings,
)
from compression_subnet.setting_groups.judging import (
    JudgeSettings,
    WriterSettings,
)
from compression_subnet.setting_groups.mining import (
    AxonSettings,
    BlacklistSettings,
    CompressorSettings,
    MinerNeuronSettings,
)
from compression_subnet.setting_groups.validating import (
    ChallengeSettings,
    DendriteSettings,
    ValidatorNeuronSettings,
)

__all__ = [
    "AxonSettings",
    "BlacklistSettings",
    "ChallengeSettings",
    "CompressorSettings",
    "DendriteSettings",
    "JudgeSettings",
    "LoggingSettings",
    "MinerNeuronSettings",
    "MinerOpsSettings",
    "OpsSettings",
    "SubtensorSettings",
    "ValidatorNeuronSettings",
    "WalletSettings",
    "WriterSettings",
]
