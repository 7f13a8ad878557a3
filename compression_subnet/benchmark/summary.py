"""From records to one summary a compressor, the controls' means, and the proxy's correlation to the score."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

from compression_subnet.benchmark.estimates import estimate, pearson, weighted_estimate
from compression_subnet.benchmark.records import AskedChallenge, ReplyRecord
from compression_subnet.benchmark.results import CompressorSummary, ControlMeans, Correlation, Estimate
from compression_subnet.scoring import Reason

__all__ = ["control_means", "correlation", "summarise"]


def summarise(
    names: Sequence[str], challenges: Sequence[AskedChallenge], replies: Sequence[ReplyRecord]
) -> tuple[CompressorSummary, ...]:
    """Return a summary of every compressor, in the order of ``names``."""
    by_name: dict[str, list[ReplyRecord]] = {name: [] for name in names}
    for reply in replies:
        by_name[reply.compressor].append(reply)
    first = {r.challenge_id: r.score for r in by_name[names[0]]}
    budgets = {c.id: c.budget_tokens for c in challenges}
    levels = {c.id: c.level for c in challenges}
    return tuple(_summary(name, by_name[name], levels, budgets, None if name == names[0] else first) for name in names)


def control_means(challenges: Sequence[AskedChallenge]) -> ControlMeans:
    """Return the controls' scores over the challenges where they are known, weighted over levels as all scores are."""
    means = []
    for name in ("ceiling", "floor", "baseline"):
        by_level: dict[int, list[Fraction]] = {c.level: [] for c in challenges}
        for challenge in challenges:
            value: float | None = getattr(challenge, name)
            if value is not None:
                by_level[challenge.level].append(Fraction(value))
        means.append(weighted_estimate(by_level).mean)
    return ControlMeans(*means)


def correlation(replies: Iterable[ReplyRecord]) -> Correlation:
    """Return how the proxy goes with the judge's score, over compliant replies that were scored.

    Those that do not comply are left out: both are 0 there, which would flatter the proxy.
    """
    counted = [r for r in replies if r.reason == Reason.OK and r.score is not None]
    answers = [a for r in counted for a in r.answers if a.f1 is not None]
    return Correlation(
        questions=pearson([a.f1 or 0.0 for a in answers], [float(a.stands) for a in answers]),
        replies=pearson([r.score or 0.0 for r in counted], [r.proxy for r in counted]),
        count=len(counted),
    )


def _summary(
    name: str,
    replies: Sequence[ReplyRecord],
    levels: Mapping[str, int],
    budgets: Mapping[str, int],
    first: Mapping[str, float | None] | None,
) -> CompressorSummary:
    scores: dict[int, list[Fraction]] = {level: [] for level in sorted(set(levels.values()))}
    proxies: dict[int, list[Fraction]] = {level: [] for level in scores}
    differences: dict[int, list[Fraction]] = {level: [] for level in scores}
    for reply in replies:
        level = levels[reply.challenge_id]
        proxies[level].append(Fraction(reply.proxy))
        if reply.score is None:
            continue
        scores[level].append(Fraction(reply.score))
        if first is not None and (other := first[reply.challenge_id]) is not None:
            differences[level].append(Fraction(reply.score) - Fraction(other))
    compliant = [r for r in replies if r.reason == Reason.OK]
    difference: Estimate | None = None
    if first is not None:
        difference = weighted_estimate(differences, bounds=(-1.0, 1.0))
    peaks = [r.peak_bytes for r in replies if r.peak_bytes is not None]
    seconds = [r.seconds for r in replies]
    return CompressorSummary(
        name=name,
        levels={level: estimate(values) for level, values in scores.items()},
        score=weighted_estimate(scores),
        difference=difference,
        proxy=weighted_estimate(proxies),
        replies=len(replies),
        compliant=len(compliant),
        reasons=dict(sorted(Counter(r.reason for r in replies).items())),
        used=_mean(r.tokens / budgets[r.challenge_id] for r in compliant),
        seconds=math.fsum(seconds) / len(seconds),
        slowest=max(seconds),
        peak_bytes=max(peaks, default=None),
        noise_kept=_mean(r.noise_kept for r in compliant),
        evidence_kept=_mean(r.evidence_kept for r in compliant),
        fates=dict(sorted(Counter(a.fate.value for r in replies for a in r.answers).items())),
    )


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return math.fsum(known) / len(known) if known else None
