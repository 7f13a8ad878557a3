"""What a validator should know of its subnet's settings: said at the start, and again when it changes."""

from typing import Final

from loguru import logger

from compression_subnet.chain.port import Metagraph
from compression_subnet.doctor.check import Check, Status
from compression_subnet.doctor.facts import Facts
from compression_subnet.doctor.subnet import check_immunity, check_permit, check_version

__all__ = ["SubnetWarnings"]

_CHECKS: Final = (check_version, check_permit, check_immunity)
_LEVELS: Final = {Status.FAIL: "ERROR", Status.WARN: "WARNING"}


class SubnetWarnings:
    """Looks at each metagraph with the doctor's eyes, and logs what is not in order once.

    Among them: weights of this release that the subnet would refuse (``weights_version``), and new miners that may be
    removed before their first weights are revealed (``immunity_period``).

    Args:
        hotkey: the validator's, in SS58.
    """

    def __init__(self, hotkey: str):
        self._hotkey = hotkey
        self._said: dict[str, Check] = {}

    def look(self, metagraph: Metagraph) -> list[Check]:
        """Return the checks that fail or warn now and did not when this was last called, having logged them."""
        facts = Facts(self._hotkey, metagraph)
        new = []
        for check in (one(facts) for one in _CHECKS):
            before = self._said.get(check.name)
            self._said[check.name] = check
            if check.status in _LEVELS and (before is None or before.status is not check.status):
                logger.log(_LEVELS[check.status], "{}: {}; {}", check.name, check.detail, check.remedy)
                new.append(check)
        return new
