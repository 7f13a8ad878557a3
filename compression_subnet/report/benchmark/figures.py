"""Numbers as they are shown, in the table and on the page alike."""

from collections import Counter
from collections.abc import Sequence

from compression_subnet.benchmark.results import BenchmarkResult, Correlation, Estimate, Mode

__all__ = [
    "bytes_shown",
    "correlation_shown",
    "interval",
    "judge_shown",
    "mean",
    "percent",
    "seconds_shown",
    "short_names",
    "signed",
]

NOTHING = "–"


def mean(value: float | None, places: int = 3) -> str:
    """Return a score."""
    return NOTHING if value is None else f"{value:.{places}f}"


def signed(value: float | None, places: int = 3) -> str:
    """Return a difference with its sign."""
    return NOTHING if value is None else f"{value:+.{places}f}".replace("-", "−")


def short_names(names: Sequence[str]) -> dict[str, str]:
    """Return for each name what is shown: of ``module:attribute`` the attribute, where no other is called so."""
    ends = Counter(name.rpartition(":")[2] for name in names)
    return {name: end if ends[end := name.rpartition(":")[2]] == 1 else name for name in names}


def percent(share: float | None) -> str:
    """Return a share as whole per cents."""
    return NOTHING if share is None else f"{share:.0%}"


def interval(estimate: Estimate, *, difference: bool = False) -> str:
    """Return the bounds of a 95 % interval, to two places; a dash where there are too few challenges for one."""
    if estimate.low is None or estimate.high is None:
        return NOTHING
    shown = signed if difference else mean
    return f"{shown(estimate.low, 2)} to {shown(estimate.high, 2)}"


def seconds_shown(seconds: float) -> str:
    """Return a time to two or three figures, in milliseconds or seconds."""
    return f"{1000 * seconds:.0f} ms" if seconds < 1 else f"{seconds:.1f} s" if seconds < 100 else f"{seconds:.0f} s"


def bytes_shown(count: int | None) -> str:
    """Return an amount of memory in whole mebibytes."""
    return NOTHING if count is None else f"{count / 2**20:,.0f} MiB"


def judge_shown(result: BenchmarkResult) -> str:
    """Return what scores are made of."""
    return "the proxy, without a model" if result.mode is Mode.PROXY else f"judge {result.model}"


def correlation_shown(found: Correlation) -> str:
    """Return the sentence that says how far the proxy can be trusted."""
    r = [NOTHING if x is None else f"{x:.2f}".replace("-", "−") for x in (found.replies, found.questions)]
    return (
        f"Proxy and score over {found.count} compliant replies of this run: Pearson's r {r[0]} by reply, "
        f"{r[1]} by question."
    )
