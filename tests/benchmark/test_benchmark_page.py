"""The page and the table: all there, nothing from elsewhere, nothing that anybody else can write into it."""

import io
import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from rich.console import Console

from compression_subnet.benchmark.alignment import align
from compression_subnet.benchmark.records import AnswerRecord, AskedChallenge, AskedQuestion, Fate, ReplyRecord
from compression_subnet.benchmark.results import BenchmarkResult, ControlMeans, Correlation, Mode
from compression_subnet.benchmark.summary import summarise
from compression_subnet.report.benchmark import benchmark_page, benchmark_table
from compression_subnet.report.benchmark.html import Html, element
from compression_subnet.report.benchmark.marked import marked_text

EVIL = "</script><script>alert(1)</script><img src=x onerror=alert(2)> \"'&\u202e\x00"
TEXT = "The ferry was built in 1921. A violin is tuned by ear. It sank off Oslo with no loss."
NOISE = (29, 55)


def challenge(number: int, level: int = 40, **changes: object) -> AskedChallenge:
    base = AskedChallenge(
        id=f"id{number}",
        level=level,
        text=TEXT,
        n_tokens=24,
        budget_tokens=24 * level // 100,
        noise=(NOISE,),
        questions=(
            AskedQuestion("When was the ferry built?", ("1921",), (0, 28), "when"),
            AskedQuestion("Where did it sink?", ("off Oslo", "Oslo"), (55, len(TEXT)), "where"),
        ),
        source="test[0:9]",
        ceiling=1.0,
        floor=0.0,
        baseline=0.5,
    )
    return replace(base, **changes)  # type: ignore[arg-type]


def reply(number: int, name: str, text: str | None = "The ferry was built in 1921.", **changes: object) -> ReplyRecord:
    kept = align(TEXT, text or "")
    base = ReplyRecord(
        challenge_id=f"id{number}",
        compressor=name,
        text=text,
        reason="ok",
        detail="",
        tokens=9,
        seconds=0.02,
        peak_bytes=100 * 2**20,
        score=0.5,
        proxy=0.5,
        answers=(AnswerRecord("1921", 1.0, True, Fate.FOUND), AnswerRecord("", 0.0, False, Fate.DROPPED)),
        kept=kept.kept,
        added=kept.added,
        noise_kept=0.0,
        evidence_kept=0.5,
    )
    return replace(base, **changes)  # type: ignore[arg-type]


def refused(number: int, name: str) -> ReplyRecord:
    answers = (AnswerRecord("", 0.0, False, Fate.REFUSED),) * 2
    return reply(
        number, name, TEXT, reason="over_budget", tokens=24, score=0.0, proxy=0.0, answers=answers, kept=(), added=0
    )


def result(names: tuple[str, ...] = ("mine", "theirs")) -> BenchmarkResult:
    levels = (20, 20, 40, 40, 60, 60)
    asked = tuple(challenge(i, level) for i, level in enumerate(levels))
    replies = tuple(
        reply(i, name, score=0.5 if n == 0 else 0.25 + 0.5 * (i % 2)) if i or n == 0 else refused(i, name)
        for i in range(len(levels))
        for n, name in enumerate(names)
    )
    return BenchmarkResult(
        version="1",
        mode=Mode.JUDGE,
        model="m",
        profile="p" * 64,
        data="builtin",
        seed=0,
        levels=(20, 40, 60),
        deadline=30.0,
        flags=("--challenge.max_tokens", "1500"),
        cost=0.0,
        void=None,
        unscored=0,
        controls=ControlMeans(1.0, 0.0, 0.5),
        correlation=Correlation(0.9, None, 11),
        challenges=asked,
        summaries=summarise(names, asked, replies),
        replies=replies,
    )


class Parsed(HTMLParser):
    """Tags with their attributes, and all text by the tag that it stands in."""

    def __init__(self, page: str):
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.stack: list[str] = []
        self.texts: list[tuple[str, str]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in {"meta"}:
            self.stack.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.stack and self.stack[-1] == tag, f"{tag} closes {self.stack[-3:]}"
        self.stack.pop()

    def handle_data(self, data: str) -> None:
        self.texts.append((self.stack[-1] if self.stack else "", data))


def test_the_page_is_well_formed_and_needs_nothing_from_elsewhere() -> None:
    page = benchmark_page(result())
    parsed = Parsed(page)
    assert parsed.stack == []
    assert [tag for tag, _ in parsed.tags].count("script") == 1
    assert not {tag for tag, _ in parsed.tags} & {"link", "img", "iframe", "object", "embed", "base"}
    for tag, attributes in parsed.tags:
        assert not set(attributes) & {"src", "srcset", "action"}, tag
        assert (attributes.get("href") or "#").startswith("#")
        assert not any(name.startswith("on") for name in attributes)
    css = next(text for tag, text in parsed.texts if tag == "style")
    assert "url(" not in css and "@import" not in css
    policy = next(a["content"] for tag, a in parsed.tags if a.get("http-equiv") == "Content-Security-Policy")
    assert policy is not None and "default-src 'none'" in policy


def test_whatever_others_wrote_is_text() -> None:
    base = result((f"a{EVIL}", "b"))
    bad = challenge(
        0,
        20,
        text=TEXT + EVIL,
        source=EVIL,
        id=f"id0{EVIL}",
        questions=(AskedQuestion(EVIL, (EVIL,), (0, 28), EVIL),) * 2,
    )
    answers = (AnswerRecord(EVIL, 0.5, True, Fate.NOT_FOUND),) * 2
    name = base.summaries[0].name
    replies = (
        reply(0, name, EVIL, answers=answers, challenge_id=bad.id),
        reply(0, "b", EVIL, reason=EVIL, detail=EVIL, answers=answers, challenge_id=bad.id),
        *base.replies[2:],
    )
    evil = replace(base, challenges=(bad, *base.challenges[1:]), replies=replies, model=EVIL, data=EVIL, void=EVIL)
    page = benchmark_page(evil)
    parsed = Parsed(page)
    assert [tag for tag, _ in parsed.tags].count("script") == 1
    assert "img" not in {tag for tag, _ in parsed.tags}
    assert "\x00" not in page and "\u202e" not in page
    shown = "".join(text for _, text in parsed.texts)
    assert shown.count("<img src=x onerror=alert(2)>") >= 10


def test_escaping_is_by_construction() -> None:
    assert element("p", "<b>", Html("<i></i>"), title='"x"', hidden=True, lang=None) == (
        '<p title="&quot;x&quot;" hidden>&lt;b&gt;<i></i></p>'
    )
    assert element("line", x1=1.5) == '<line x1="1.5"/>'


def test_the_text_is_whole_and_marked_by_signs() -> None:
    marked = marked_text(challenge(1), reply(1, "mine", "The ferry was built in 1921. It sank off Oslo. ear"))
    plain = re.sub(r"<b class=\"sign[^>]*>[^<]*</b>|<[^>]*>", "", marked)
    assert plain == TEXT
    signs = re.sub(r"<[^>]*>", "", marked)
    assert signs.startswith("Q1{The ferry was built in 1921.}Q1 [A violin is tuned by ear.]")
    assert signs.endswith("Q2{It sank off Oslo with no loss.}Q2")
    assert "<del>" not in marked.split("[")[0]
    assert '<del class="evidence"> with no loss</del>' in marked
    assert '<span class="kept noise">' not in marked


def test_everything_that_was_found_out_is_on_it() -> None:
    found = result()
    page = benchmark_page(found)
    shown = " ".join(text for _, text in Parsed(page).texts)
    for wanted in ("mine", "theirs", "5 of 6", "over budget", "there, not found"[:5], "100 MiB", "1921", "p" * 64):
        assert wanted in shown, wanted
    assert "Pearson's r – by reply, 0.90 by question" in shown
    assert page.count('class="challenge"') == 6
    again = "--compressor mine --compressor theirs --data builtin --levels 20 40 60 --challenges 6 --seed 0"
    assert f"compression-subnet benchmark {again} --challenge.max_tokens 1500" in shown
    unscored = replace(found, unscored=2, void="weak_ceiling")
    shown = benchmark_page(unscored)
    assert "2 of 12 replies are left unscored" in shown and "weak_ceiling" in shown


@pytest.mark.parametrize(
    ("ink", "paper"),
    [("ink", "paper"), ("quiet", "paper"), ("accent", "paper"), ("noise-ink", "paper"), ("noise-ink", "noise"),
     ("evidence", "paper"), ("#1b1b1b", "#dcebf8"), ("#1b1b1b", "#b9e0c8"), ("#1b1b1b", "#f3c4bd"),
     ("#1b1b1b", "#ffe2a8"), ("#1b1b1b", "#d5d5d5"), ("#8f1d12", "paper"), ("#0b5d3b", "paper"),
     ("#6b3600", "paper"), ("ink", "soft")],
)  # fmt: skip
def test_contrast_is_that_of_wcag_aa(ink: str, paper: str) -> None:
    page = benchmark_page(result())
    colours = dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{3,6})", page))
    pair = []
    for colour in (ink, paper):
        value = colours.get(colour, colour)
        assert value in page
        digits = value[1:] if len(value) == 7 else "".join(c * 2 for c in value[1:])
        parts = [int(digits[i : i + 2], 16) / 255 for i in (0, 2, 4)]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
        pair.append(0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2])
    assert (max(pair) + 0.05) / (min(pair) + 0.05) >= 4.5


def test_the_table_has_scores_differences_and_verdicts_within_80_columns() -> None:
    console = Console(width=80, record=True, file=io.StringIO())
    console.print(benchmark_table(result()))
    text = console.export_text()
    assert "0.500" in text and "5/6" in text and "theirs: 5 ok, 1 over_budget." in text
    assert "For half the error, ask about" in text
    assert "full text 1.000, no text 0.000, head truncation 0.500" in text.replace("\n", " ")
    assert all(len(line) <= 80 for line in text.splitlines())


def test_the_table_shortens_names_that_stay_apart() -> None:
    console = Console(width=100, record=True, file=io.StringIO())
    console.print(benchmark_table(result(("some.long.module:Mine", "other.module:Theirs"))))
    console.print(benchmark_table(result(("a:Same", "b:Same"))))
    text = console.export_text()
    assert "Mine  " in text and "some.long.module" not in text
    assert "a:Same" in text and "b:Same" in text
