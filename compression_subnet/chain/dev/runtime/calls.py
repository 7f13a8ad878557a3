"""Calls, events and errors of SubtensorModule, with the live chain's numbers (spec 424 to 446)."""

from typing import Final

from compression_subnet.chain.dev.metadata import Variant, fields

__all__ = ["SUBTENSOR_CALLS", "SUBTENSOR_ERRORS", "SUBTENSOR_EVENTS"]

_AXON: Final = "netuid:u16 version:u32 ip:u128 port:u16 ip_type:u8 protocol:u8 placeholder1:u8 placeholder2:u8"
_ROW: Final = "dests:Vec<u16> weights:Vec<u16> version_key:u64"
_COMMIT: Final = "commit:Vec<u8> reveal_round:u64 commit_reveal_version:u16"

SUBTENSOR_CALLS: Final = (
    Variant(0, "set_weights", fields(f"netuid:u16 {_ROW}")),
    Variant(4, "serve_axon", fields(_AXON)),
    Variant(7, "burned_register", fields("netuid:u16 hotkey:AccountId32")),
    Variant(113, "commit_timelocked_weights", fields(f"netuid:u16 {_COMMIT}")),
    Variant(118, "commit_timelocked_mechanism_weights", fields(f"netuid:u16 mecid:u8 {_COMMIT}")),
    Variant(119, "set_mechanism_weights", fields(f"netuid:u16 mecid:u8 {_ROW}")),
)

SUBTENSOR_EVENTS: Final = (
    Variant(5, "WeightsSet", fields("u16 u16")),
    Variant(6, "NeuronRegistered", fields("u16 u16 AccountId32")),
    Variant(28, "AxonServed", fields("u16 AccountId32")),
    Variant(107, "TimelockedWeightsCommitted", fields("AccountId32 u16 H256 u64")),
    Variant(108, "TimelockedWeightsRevealed", fields("u16 AccountId32")),
)

_ERRORS: Final = """
1 InvalidIpType
2 InvalidIpAddress
3 InvalidPort
4 HotKeyNotRegisteredInSubNet
5 HotKeyAccountNotExists
6 HotKeyNotRegisteredInNetwork
7 NonAssociatedColdKey
10 NotEnoughStakeToSetWeights
12 NotEnoughBalanceToStake
15 NeuronNoValidatorPermit
16 WeightVecNotEqualSize
17 DuplicateUids
18 UidVecContainInvalidOne
19 WeightVecLengthIsLow
21 HotKeyAlreadyRegisteredInSubNet
27 MaxWeightExceeded
29 SettingWeightsTooFast
30 IncorrectWeightVersionKey
31 ServingRateLimitExceeded
32 UidsLengthExceedUidsInSubNet
37 SubNetRegistrationDisabled
42 RegistrationNotPermittedOnRootSubnet
47 CanNotSetRootNetworkWeights
48 NoNeuronIdAvailable
53 CommitRevealEnabled
54 CommitRevealDisabled
74 MechanismDoesNotExist
76 SubnetNotExists
77 TooManyUnrevealedCommits
80 InputLengthsUnequal
81 CommittingWeightsTooFast
110 IncorrectCommitRevealVersion
"""

SUBTENSOR_ERRORS: Final = tuple(
    Variant(int(number), name) for number, name in (line.split() for line in _ERRORS.strip().splitlines())
)
