"""Where hotkeys stand after a round, in one line of the log."""

from collections.abc import Mapping

from loguru import logger

from compression_subnet.scoring import Average, challenges_for_half_error

__all__ = ["log_standings"]


def log_standings(number: int, averages: Mapping[str, Average], challenges: int) -> None:
    """Log the best and the median score with their standard errors, and what half the error takes.

    Args:
        number: of the round.
        averages: after it, by hotkey.
        challenges: that it had.
    """
    ranked = sorted((average.standing() for average in averages.values()), key=lambda standing: standing.score)
    if not ranked:
        return
    best, median = ranked[-1], ranked[len(ranked) // 2]
    logger.info(
        "round {}: best score {:.3f} ± {:.3f}, median {:.3f} ± {:.3f}; for half the error, ask about {} challenges a "
        "round (now {})",
        *(number, best.score, best.stderr, median.score, median.stderr),
        *(challenges_for_half_error(challenges), challenges),
    )
