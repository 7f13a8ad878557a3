"""Challenges for the eye: a text with noise and evidence marked, and the figures that say whether it is fair."""

from collections.abc import Iterable, Mapping

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from compression_subnet.challenge.fairness import Fairness
from compression_subnet.challenge.types import Challenge

__all__ = ["balance_table", "challenge_page", "fairness_tables"]

_NOISE = "dim red"
_EVIDENCE = "bold underline green"


def challenge_page(challenge: Challenge) -> Group:
    """Return a challenge: what it is, its text, its questions with their answers.

    Marks are signs as well as colours: noise stands in ``[-`` and ``-]``, evidence of question 1 in ``{1:`` and
    ``:1}``.
    """
    head = Text.assemble(
        (f"{challenge.id}\n", "bold"),
        f"{challenge.n_tokens} tokens, {len(challenge.noise)} noise sentences, from {challenge.source}, ",
        f"seed {challenge.seed}\n",
        ("[-noise-]", _NOISE),
        "  ",
        ("{1:evidence of question 1:1}", _EVIDENCE),
        "\n",
    )
    table = Table("", "kind", "question", "answers", title="Questions", title_justify="left")
    for number, q in enumerate(challenge.questions, start=1):
        table.add_row(str(number), q.kind, Text(q.text), Text(" | ".join(q.gold)))
    return Group(head, _marked(challenge), Text(), table)


def fairness_tables(result: Fairness) -> Group:
    """Return the figures as tables."""
    stats = result.stats
    size = _table("Challenges", ("", "value"))
    for name, value in (
        ("challenges", f"{stats.challenges}"),
        ("base texts", f"{result.base_texts}"),
        ("questions", f"{stats.questions}"),
        ("mean tokens", f"{stats.tokens:.0f}"),
        ("noise, share of characters", f"{stats.noise_share:.1%}"),
        ("without noise", f"{stats.without_noise:.1%}"),
    ):
        size.add_row(name, value)
    told = _table("Telling noise (AUC; 0.5 is chance)", ("by", "AUC"))
    told.add_row("length, punctuation, layout", f"{result.surface:.3f}")
    told.add_row("distance from the topic", f"{result.topic:.3f}")
    evidence = _table("Evidence, uniform over the text", ("of", "n", "KS", "p"))
    for name, test in (("distinct questions", result.distinct), ("all questions", stats.evidence)):
        evidence.add_row(name, str(test.n), f"{test.distance:.3f}", f"{test.p_value:.3f}")
    kept = _table("Evidence kept by truncation", ("level", "first tokens", "last tokens"))
    for level, share in stats.head.items():
        kept.add_row(f"{level} %", f"{share:.1%}", f"{stats.tail[level]:.1%}")
    kinds = _table("Kinds of question", ("kind", "questions", "share"))
    for kind, count in stats.kinds.items():
        kinds.add_row(kind, str(count), f"{count / max(1, stats.questions):.1%}")
    return Group(*_spaced((size, told, evidence, kept, kinds)))


def balance_table(before: Mapping[str, int], after: Mapping[str, int]) -> Table:
    """Return the kinds of question before and after the filter, in counts and shares."""
    table = _table("Kinds of question in the pool", ("kind", "candidates", "share", "kept", "share"))
    for kind in sorted(before, key=lambda kind: -before[kind]):
        counts = []
        for part in (before, after):
            count = part.get(kind, 0)
            counts += [str(count), f"{count / max(1, sum(part.values())):.1%}"]
        table.add_row(kind, *counts)
    return table


def _table(title: str, columns: Iterable[str]) -> Table:
    table = Table(title=title, title_justify="left")
    for number, column in enumerate(columns):
        table.add_column(column, justify="right" if number else "left")
    return table


def _spaced(tables: Iterable[Table]) -> Iterable[RenderableType]:
    for table in tables:
        yield table
        yield Text()


def _marked(challenge: Challenge) -> Text:
    """Return the text with its marks; where ranges overlap, the inner one's style is on top."""
    text = challenge.text
    opened: dict[int, str] = {}
    closed: dict[int, str] = {}
    styles: list[tuple[int, int, str]] = []
    for span in challenge.noise:
        stretch = span.of(text)
        start = span.start + len(stretch) - len(stretch.lstrip())
        end = start + len(stretch.strip())
        styles.append((start, end, _NOISE))
        opened[start] = opened.get(start, "") + "[-"
        closed[end] = "-]" + closed.get(end, "")
    for number, q in enumerate(challenge.questions, start=1):
        start, end = q.evidence.start, q.evidence.end
        styles.append((start, end, _EVIDENCE))
        opened[start] = opened.get(start, "") + f"{{{number}:"
        closed[end] = f":{number}}}" + closed.get(end, "")
    marked = Text()
    places = sorted({0, len(text), *opened, *closed})
    for here, following in zip(places, [*places[1:], len(text)], strict=True):
        marked.append(closed.get(here, ""), "bold")
        marked.append(opened.get(here, ""), "bold")
        style = next((style for a, b, style in styles if a <= here < b), "")
        marked.append(text[here:following], style)
    return marked
