"""What stays in a record, and what leaves next. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["RetentionPolicy", "StoredRound", "next_to_archive"]


@dataclass(frozen=True, slots=True)
class RetentionPolicy:
    """What is kept.

    Attributes:
        seconds: that a round stays in the record after its end; None is for ever.
        record_bytes: that the record may take; None is any number.
        archive_bytes: that all archives may take, before the oldest are deleted; None is any number.
        free_bytes: to be left on the disk: where there are fewer, rounds leave sooner. Archives take a tenth.
    """

    seconds: float | None
    record_bytes: int | None
    archive_bytes: int | None
    free_bytes: int = 0


@dataclass(frozen=True, slots=True)
class StoredRound:
    """A round whose rows are in the record, and when it ended, or began if it never did, in seconds since 1970."""

    number: int
    at: float


def next_to_archive(
    rounds: Sequence[StoredRound], policy: RetentionPolicy, now: float, used_bytes: int, free_bytes: int
) -> StoredRound | None:
    """Return the round that is to leave next, always the oldest; None where all may stay.

    Args:
        rounds: those that may leave, the oldest first.
        policy: what is kept.
        now: seconds since 1970.
        used_bytes: by the record, pages that wait to be used again left out.
        free_bytes: on the disk, with those pages.
    """
    if not rounds:
        return None
    oldest = rounds[0]
    too_old = policy.seconds is not None and now - oldest.at > policy.seconds
    too_much = policy.record_bytes is not None and used_bytes > policy.record_bytes
    too_tight = free_bytes < policy.free_bytes
    return oldest if too_old or too_much or too_tight else None
