"""The benchmark's page: one HTML file that needs nothing else, on paper, on a phone and without a network."""

import base64
import hashlib
import shlex
from collections import defaultdict
from dataclasses import replace
from importlib.resources import files

from compression_subnet.benchmark.records import ReplyRecord
from compression_subnet.benchmark.results import BenchmarkResult, CompressorSummary, Mode
from compression_subnet.report.benchmark.challenge_view import challenge_view
from compression_subnet.report.benchmark.charts import fate_bars, letter, score_rows, time_plot
from compression_subnet.report.benchmark.figures import (
    bytes_shown,
    correlation_shown,
    interval,
    judge_shown,
    mean,
    percent,
    seconds_shown,
    short_names,
    signed,
)
from compression_subnet.report.benchmark.html import Html, element, joined
from compression_subnet.report.benchmark.marked import legend
from compression_subnet.report.precision import half_error_note

__all__ = ["benchmark_page"]


def benchmark_page(result: BenchmarkResult) -> str:
    """Return the page. Every text in it that others wrote is escaped; its own script is the only one that may run."""
    command = _command(result)
    result = _with_short_names(result)
    css, script = (_asset(name) for name in ("page.css", "page.js"))
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'; base-uri 'none'"
    title = "Benchmark: " + ", ".join(s.name for s in result.summaries)
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=policy),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("title", title),
        element("style", Html(css)),
    )
    body = element(
        "body",
        element("a", "To the challenges", href="#challenges", class_="skip"),
        element(
            "main",
            element("h1", "How well they compress"),
            _introduction(result),
            _scores(result),
            _lost(result),
            _time(result),
            _challenges(result),
        ),
        _footer(result, command),
        element("script", Html(script)),
    )
    return f"<!doctype html>\n{element('html', head, body, lang='en')}\n"


def _introduction(result: BenchmarkResult) -> Html:
    questions = sum(len(c.questions) for c in result.challenges)
    how = (
        "A score is the share of questions of which an accepted answer still stands in the reply, word for word: a "
        "proxy, which needs no model and is not what a validator pays for."
        if result.mode is Mode.PROXY
        else "A score is token F1 of a language model's answers from the reply alone, as a validator computes it."
    )
    notes = [
        f"{len(result.challenges)} challenges with {questions} questions, from {result.data}; scored by "
        f"{judge_shown(result)}. {how} Intervals are 95 %, over challenges.",
    ]
    if result.correlation is not None:
        notes.append(correlation_shown(result.correlation))
    if result.void is not None:
        notes.append(f"A validator's round with these controls would be void ({result.void}): trust no number here.")
    if result.unscored:
        notes.append(f"The judge was at fault: {result.unscored} of {len(result.replies)} replies are left unscored.")
    return joined(*(element("p", note, class_="lead" if n == 0 else None) for n, note in enumerate(notes)))


def _scores(result: BenchmarkResult) -> Html:
    headings = ("compressor", "score", "interval", "to the first", "interval", "compliant", "budget used", "memory")
    rows = [_score_row(n, s) for n, s in enumerate(result.summaries)]
    table = element(
        "table",
        element("caption", "Weighted score and what it cost", class_="unseen"),
        element("thead", element("tr", *(element("th", h, scope="col") for h in headings))),
        element("tbody", *rows),
    )
    controls = result.controls
    known = (("the full text", controls.ceiling), ("no text", controls.floor), ("head truncation", controls.baseline))
    said = ", ".join(f"{name} {mean(value)}" for name, value in known if value is not None)
    return element(
        "section",
        element("h2", "Scores"),
        element("div", table, class_="scroll", tabindex="0", role="region", aria_label="Table of scores"),
        element("p", f"The same questions from {said}.") if said else Html(""),
        element("p", half_error_note(len(result.challenges))),
        score_rows(result),
    )


def _score_row(number: int, summary: CompressorSummary) -> Html:
    difference = summary.difference
    cells = (
        mean(summary.score.mean),
        interval(summary.score),
        "is the first" if difference is None else signed(difference.mean),
        "" if difference is None else interval(difference, difference=True),
        f"{summary.compliant} of {summary.replies}",
        percent(summary.used),
        bytes_shown(summary.peak_bytes),
    )
    name = element("th", letter(number), " ", summary.name, scope="row")
    return element("tr", name, *(element("td", cell) for cell in cells))


def _lost(result: BenchmarkResult) -> Html:
    kept = [
        element(
            "tr",
            element("th", letter(n), " ", s.name, scope="row"),
            element("td", percent(s.noise_kept)),
            element("td", percent(s.evidence_kept)),
            element("td", ", ".join(f"{count} {reason.replace('_', ' ')}" for reason, count in s.reasons.items())),
        )
        for n, s in enumerate(result.summaries)
    ]
    headings = ("compressor", "noise kept", "evidence kept", "verdicts")
    table = element(
        "table",
        element("caption", "What replies kept, by characters", class_="unseen"),
        element("thead", element("tr", *(element("th", h, scope="col") for h in headings))),
        element("tbody", *kept),
    )
    return element(
        "section",
        element("h2", "Where answers were lost"),
        fate_bars(result.summaries),
        element("div", table, class_="scroll", tabindex="0", role="region", aria_label="Table of what was kept"),
    )


def _time(result: BenchmarkResult) -> Html:
    said = [
        element("li", letter(n), f" {s.name}: {seconds_shown(s.seconds)} a text, {seconds_shown(s.slowest)} at most")
        for n, s in enumerate(result.summaries)
    ]
    return element(
        "section",
        element("h2", "Score against time"),
        element("p", f"Each text alone, on the machine of this run; a reply after {result.deadline:g} s scores 0."),
        time_plot(result.summaries),
        element("ul", *said, class_="plain"),
    )


def _challenges(result: BenchmarkResult) -> Html:
    by_challenge: dict[str, list[ReplyRecord]] = defaultdict(list)
    for reply in result.replies:
        by_challenge[reply.challenge_id].append(reply)
    views = [challenge_view(n, c, by_challenge[c.id]) for n, c in enumerate(result.challenges, start=1)]
    return element(
        "section",
        element("h2", "Challenges", id="challenges"),
        _controls(result),
        legend(),
        *views,
    )


def _controls(result: BenchmarkResult) -> Html:
    levels = [element("option", f"{level} %", value=level) for level in sorted(result.levels)]
    losers = [element("option", f"{s.name} lost an answer", value=n) for n, s in enumerate(result.summaries)]
    return element(
        "form",
        element("label", "Level ", element("select", element("option", "all", value=""), *levels, id="level")),
        element("label", "Where ", element("select", element("option", "all", value=""), *losers, id="lost")),
        element("button", "Unfold all", type="button", id="unfold"),
        element("button", "Fold all", type="button", id="fold"),
        element("output", id="shown", aria_live="polite"),
        class_="controls",
        hidden=True,
    )


def _with_short_names(result: BenchmarkResult) -> BenchmarkResult:
    short = short_names([s.name for s in result.summaries])
    return replace(
        result,
        summaries=tuple(replace(s, name=short[s.name]) for s in result.summaries),
        replies=tuple(replace(r, compressor=short[r.compressor]) for r in result.replies),
    )


def _command(result: BenchmarkResult) -> str:
    words = ["compression-subnet", "benchmark"]
    for summary in result.summaries:
        words += ["--compressor", summary.name]
    words += ["--data", result.data, "--levels", *map(str, result.levels)]
    words += ["--challenges", str(len(result.challenges)), "--seed", str(result.seed), *result.flags]
    return shlex.join([*words, *(["--proxy"] if result.mode is Mode.PROXY else [])])


def _footer(result: BenchmarkResult, command: str) -> Html:
    profile = f" Profile {result.profile}." if result.profile else ""
    return element(
        "footer",
        element("p", f"compression-subnet {result.version}.{profile} The same challenges again:"),
        element("pre", command, tabindex="0"),
    )


def _asset(name: str) -> str:
    return (files(__package__) / "assets" / name).read_text(encoding="utf-8")
