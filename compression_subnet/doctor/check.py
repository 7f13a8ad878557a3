"""One finding of an examination, as data."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

__all__ = ["Check", "Status", "fail", "ok", "skipped", "warn", "worst"]


class Status(StrEnum):
    """How a check ended."""

    OK = "ok"
    SKIPPED = "skipped"
    """It does not apply, or what it needs is not there."""
    WARN = "warn"
    """The neuron runs, but not as well as it could, or not for long."""
    FAIL = "fail"
    """The neuron cannot do its work."""


@dataclass(frozen=True, slots=True)
class Check:
    """One finding."""

    name: str
    """Short and stable, such as ``clock``."""
    status: Status
    detail: str
    """What was found, with its figures."""
    remedy: str = ""
    """What to do about it; empty unless the status is ``warn`` or ``fail``."""


def ok(name: str, detail: str) -> Check:
    """Return a finding that nothing is wrong."""
    return Check(name, Status.OK, detail)


def skipped(name: str, detail: str) -> Check:
    """Return a finding that could not be, or need not be, made."""
    return Check(name, Status.SKIPPED, detail)


def warn(name: str, detail: str, remedy: str) -> Check:
    """Return a finding that an operator should know of."""
    return Check(name, Status.WARN, detail, remedy)


def fail(name: str, detail: str, remedy: str) -> Check:
    """Return a finding that stops the neuron's work."""
    return Check(name, Status.FAIL, detail, remedy)


def worst(checks: Iterable[Check]) -> Status:
    """Return the gravest status of ``checks``; ``ok`` for none."""
    order = list(Status)
    return max((check.status for check in checks), key=order.index, default=Status.OK)
