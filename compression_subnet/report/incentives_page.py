"""What settings pay, as one HTML file that needs nothing else."""

from collections.abc import Sequence
from importlib.resources import files
from typing import Final

from compression_subnet.incentives.results import ScenarioResult
from compression_subnet.report.benchmark.html import Html, element, joined
from compression_subnet.report.incentives_plot import LETTERS, incentive_plot, shown_kinds
from compression_subnet.report.incentives_words import (
    ABOUT,
    command,
    findings,
    kind_cells,
    settings_shown,
    validator_cells,
    validators_note,
)

__all__ = ["incentives_page"]

_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'"
# Each hue has a contrast of 4.5 to 1 or more with paper, and dashes and marks of its own.
_CSS: Final = """
.plot.wide { max-width: 46rem; }
.plot .line { fill: none; stroke-width: 2; stroke-linejoin: round; }
.line-0 { stroke: #0b4f8a; } .line-1 { stroke: #8f1d12; stroke-dasharray: 7 4; }
.line-2 { stroke: #0b5d3b; stroke-dasharray: 2 3; } .line-3 { stroke: #6b3600; stroke-dasharray: 9 3 2 3; }
.mark { stroke: #fff; stroke-width: 1; }
.mark-0 { fill: #0b4f8a; } .mark-1 { fill: #8f1d12; } .mark-2 { fill: #0b5d3b; } .mark-3 { fill: #6b3600; }
.plot .point-0 { stroke: #0b4f8a; } .plot .point-1 { stroke: #8f1d12; }
.plot .point-2 { stroke: #0b5d3b; } .plot .point-3 { stroke: #6b3600; }
@media (max-width: 600px) {
  .plot.wide text, .plot.wide .axis { font-size: 15px; } .plot.wide text.letter { font-size: 12px; }
}
@media print { .line, .mark { print-color-adjust: exact; -webkit-print-color-adjust: exact; } }
"""


def incentives_page(results: Sequence[ScenarioResult]) -> str:
    """Return the page.

    Args:
        results: of the same settings, one at least.
    """
    css = (files("compression_subnet.report.benchmark") / "assets" / "page.css").read_text(encoding="utf-8")
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=_POLICY),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("title", "Incentives: what the settings pay"),
        element("style", Html(css + _CSS)),
    )
    body = element(
        "body",
        element(
            "main",
            element("h1", "What the settings pay"),
            element("p", settings_shown(results[0].terms), class_="lead"),
            element(
                "p",
                "Scores are drawn from a distribution with the moments of a measured benchmark; averages, margins, "
                "copies and weights are the validator's own code, and consensus, incentive and dividends the "
                f"development chain's. Head truncation scores {results[0].baseline:.3f}.",
            ),
            element("p", ABOUT),
            *map(_scenario, results),
            _validators(results),
        ),
        element("footer", element("p", "The same again:"), element("pre", command(results), tabindex="0")),
    )
    return f"<!doctype html>\n{element('html', head, body, lang='en')}\n"


def _scenario(result: ScenarioResult) -> Html:
    letters = {kind.name: LETTERS[number] for number, kind in enumerate(shown_kinds(result))}
    rows = []
    for kind in result.kinds:
        sign = element("b", letters[kind.name], class_="letter") if kind.name in letters else ""
        rows.append((joined(sign, " ", kind.name) if sign else kind.name, kind_cells(kind)))
    return element(
        "section",
        element("h2", result.name.capitalize()),
        element("p", result.title, class_="lead"),
        incentive_plot(result),
        _table(
            f"What miners are paid: {result.name}",
            ("miners", "hotkeys", "score", "weight", "paid", "alpha", "to one honest"),
            rows,
        ),
        element("ul", *(element("li", sentence) for sentence in findings(result))),
    )


def _validators(results: Sequence[ScenarioResult]) -> Html:
    rows = [
        (f"{result.name}: {validator.name}", validator_cells(validator))
        for result in results
        for validator in result.validators
    ]
    return element(
        "section",
        element("h2", "Validators"),
        element("p", validators_note(results)),
        _table("What validators are paid", ("validator", "stake", "dividends", "on stake", "trust"), rows),
    )


def _table(caption: str, headings: Sequence[str], rows: Sequence[tuple[str, Sequence[str]]]) -> Html:
    table = element(
        "table",
        element("caption", caption, class_="unseen"),
        element("thead", element("tr", *(element("th", h, scope="col") for h in headings))),
        element(
            "tbody",
            *(
                element("tr", element("th", name, scope="row"), *(element("td", cell) for cell in cells))
                for name, cells in rows
            ),
        ),
    )
    return element("div", table, class_="scroll", tabindex="0", role="region", aria_label=caption)
