"""What a benchmark finds out, as values: written as JSON beside the page, and all that the page is made of."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from compression_subnet.benchmark.records import AskedChallenge, ReplyRecord
from compression_subnet.challenge.corpus import first_fault
from compression_subnet.errors import ConfigurationError

__all__ = [
    "BenchmarkResult",
    "CompressorSummary",
    "ControlMeans",
    "Correlation",
    "Estimate",
    "Mode",
    "read_result",
    "write_result",
]


class Mode(StrEnum):
    """What scores are made of."""

    JUDGE = "judge"
    """A model's answers: the mechanism's own score."""
    PROXY = "proxy"
    """No model: whether a gold answer still stands in the reply."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean over challenges with its 95 % interval; without bounds where there are too few challenges for one.

    Attributes:
        mean: None where nothing was scored.
        low: lower bound.
        high: upper bound.
        count: challenges that it is over.
    """

    mean: float | None
    low: float | None
    high: float | None
    count: int


@dataclass(frozen=True, slots=True)
class CompressorSummary:
    """One compressor over all challenges.

    Attributes:
        name: as it was named.
        levels: S by level.
        score: the weighted score.
        difference: the score's, to the first compressor's on the same challenges; None for the first itself.
        proxy: the weighted score that the proxy gives.
        replies: challenges that it was asked.
        compliant: of these, how many of its replies comply.
        reasons: verdict to how many there are.
        used: mean share of the budget that compliant replies use; None without any.
        seconds: mean time of a text.
        slowest: longest time of a text, in seconds.
        peak_bytes: most memory that its process had; None where the system does not tell.
        noise_kept: mean share of the noise that compliant replies keep; None without any.
        evidence_kept: mean share of the evidence that compliant replies keep; None without any.
        fates: what became of its answers, by ``Fate``'s value.
    """

    name: str
    levels: Mapping[int, Estimate]
    score: Estimate
    difference: Estimate | None
    proxy: Estimate
    replies: int
    compliant: int
    reasons: Mapping[str, int]
    used: float | None
    seconds: float
    slowest: float
    peak_bytes: int | None
    noise_kept: float | None
    evidence_kept: float | None
    fates: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Correlation:
    """How well the proxy tells the judge's score, by Pearson's r over the run's compliant replies.

    Attributes:
        questions: of F1 and standing, over single answers; None where one of both does not vary.
        replies: of F and the proxy's share, over replies; likewise.
        count: replies.
    """

    questions: float | None
    replies: float | None
    count: int


@dataclass(frozen=True, slots=True)
class ControlMeans:
    """Weighted scores of the full text, of no text, and of head truncation; None where they are not known."""

    ceiling: float | None
    floor: float | None
    baseline: float | None


@dataclass(frozen=True, slots=True)
class BenchmarkResult:
    """Everything that a run found out.

    Attributes:
        version: of this package.
        mode: what scores are made of.
        model: the judge's name; empty in proxy mode.
        profile: hash of what the scores depend on; empty in proxy mode.
        data: specification of the corpus.
        seed: that the challenges come from.
        levels: that were asked, in per cent.
        deadline: of a reply, in seconds.
        flags: further settings of the challenges that differ from their defaults, as flags.
        cost: what the judge's answers cost, of this run and of those before it in its folder, at the given prices.
        void: why a validator's round with these controls would not count, or None.
        unscored: replies that the judge left unscored.
        controls: what the judge makes of the full text, of no text, and of head truncation.
        correlation: of proxy and score; None in proxy mode.
        challenges: what was asked, in order.
        summaries: one a compressor, as they were named.
        replies: all of them, by challenge, then compressor.
    """

    version: str
    mode: Mode
    model: str
    profile: str
    data: str
    seed: int
    levels: tuple[int, ...]
    deadline: float
    flags: tuple[str, ...]
    cost: float
    void: str | None
    unscored: int
    controls: ControlMeans
    correlation: Correlation | None
    challenges: tuple[AskedChallenge, ...]
    summaries: tuple[CompressorSummary, ...]
    replies: tuple[ReplyRecord, ...]


def write_result(path: Path, result: BenchmarkResult) -> None:
    """Write ``result`` to the file ``path`` as JSON.

    Raises:
        ConfigurationError: the file cannot be written.
    """
    # In ASCII: lone surrogates, which a faulty compressor can return, have no place in UTF-8.
    data = json.dumps(asdict(result), ensure_ascii=True, indent=1)
    try:
        path.write_text(f"{data}\n", encoding="ascii")
    except OSError as error:
        raise ConfigurationError(f"{path} cannot be written ({error.strerror}); name another file") from error


def read_result(path: Path) -> BenchmarkResult:
    """Return the result that ``write_result`` wrote.

    Raises:
        ConfigurationError: the file cannot be read, or is none of this release's.
    """
    try:
        # By json, which takes the lone surrogates that pydantic's own parser refuses.
        return TypeAdapter(BenchmarkResult).validate_python(json.loads(path.read_bytes()))
    except OSError as error:
        raise ConfigurationError(f"{path} cannot be read ({error.strerror}); name a readable file") from error
    except json.JSONDecodeError as error:
        raise ConfigurationError(f"{path} is no JSON ({error}); run the benchmark again") from error
    except ValidationError as error:
        raise ConfigurationError(
            f"{path} is no benchmark of this release: {first_fault(error)}; run it again"
        ) from error
