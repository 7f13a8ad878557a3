"""What stands under every table of scores: how many challenges a smaller error takes."""

from compression_subnet.scoring import challenges_for_half_error

__all__ = ["half_error_note"]


def half_error_note(challenges: int) -> str:
    """Return the line that says how many challenges would halve the standard errors above it; empty for none."""
    if not challenges:
        return ""
    return f"For half the error, ask about {challenges_for_half_error(challenges):,} challenges (now {challenges:,})."
