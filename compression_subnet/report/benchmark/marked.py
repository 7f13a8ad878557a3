"""A challenge's text with what a reply kept and dropped, noise and evidence marked, by signs as well as colours."""

from collections import defaultdict
from itertools import pairwise

from compression_subnet.benchmark.records import AskedChallenge, Range, ReplyRecord
from compression_subnet.report.benchmark.html import Html, element, joined

__all__ = ["legend", "marked_text"]


def legend() -> Html:
    """Return what the marks mean."""
    items = (
        (element("span", "kept", class_="kept"), "stands in the reply"),
        (element("del", "dropped"), "does not"),
        (joined(_noise("["), element("span", "noise", class_="kept noise"), _noise("]")), "noise that was kept"),
        (joined(_noise("["), element("del", "noise", class_="noise"), _noise("]")), "noise that was dropped"),
        (
            joined(_label("Q1{"), element("span", "evidence", class_="kept evidence"), _label("}Q1")),
            "what question 1 is answered by",
        ),
    )
    return element("ul", *(element("li", mark, f" {what}") for mark, what in items), class_="legend")


def marked_text(challenge: AskedChallenge, reply: ReplyRecord) -> Html:
    """Return the text of ``challenge``, marked by ``reply``."""
    text = challenge.text
    opened: dict[int, list[Html]] = defaultdict(list)
    closed: dict[int, list[Html]] = defaultdict(list)
    noise = [_without_space(text, span) for span in challenge.noise]
    evidence = [q.evidence for q in challenge.questions]
    for start, end in noise:
        opened[start].append(_noise("["))
        closed[end].append(_noise("]"))
    for number, (start, end) in enumerate(evidence, start=1):
        opened[start].append(_label(f"Q{number}{{"))
        closed[end].insert(0, _label(f"}}Q{number}"))
    ends = {place for ranges in (noise, evidence, reply.kept) for span in ranges for place in span}
    places = sorted({0, len(text), *ends})
    pieces: list[str] = []
    for start, end in pairwise(places):
        pieces += closed[start] + opened[start]
        classes = [
            name
            for name, ranges in (("kept", reply.kept), ("noise", noise), ("evidence", evidence))
            if any(a <= start < b for a, b in ranges)
        ]
        kept = "kept" in classes
        stretch = text[start:end]
        if stretch.isspace():
            pieces.append(stretch)
        else:
            pieces.append(element("span" if kept else "del", stretch, class_=" ".join(classes) or None))
    pieces += closed[len(text)]
    return element("p", *pieces, class_="marked")


def _without_space(text: str, span: Range) -> Range:
    stretch = text[span[0] : span[1]]
    start = span[0] + len(stretch) - len(stretch.lstrip())
    return start, start + len(stretch.strip())


def _noise(sign: str) -> Html:
    return element("b", sign, class_="sign noise-sign")


def _label(sign: str) -> Html:
    return element("b", sign, class_="sign")
