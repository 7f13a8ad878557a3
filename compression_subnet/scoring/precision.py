"""How many challenges a standard error costs."""

__all__ = ["challenges_for_half_error"]


def challenges_for_half_error(n: int) -> int:
    """Return over how many challenges a standard error is half of what it is over ``n``.

    A mean of independent values has a standard error in proportion to 1/√n, so half of it takes 4n: 3n more. The same
    holds for a decayed average over epochs with ``n`` challenges an epoch, and for a paired difference; the questions
    of one challenge are not independent, and more of them help less.

    Raises:
        ValueError: ``n`` is negative.
    """
    if n < 0:
        raise ValueError(f"there cannot be {n} challenges")
    return 4 * n
