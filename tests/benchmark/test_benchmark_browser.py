"""The page in a real browser: clicked through, by mouse and by keyboard, on a desktop, a phone and paper."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from browser import Page, browser_page, chromium
from test_benchmark_page import EVIL, reply, result

from compression_subnet.report.benchmark import benchmark_page

TAB, ENTER = ("Tab", 9), ("Enter", 13, "\r")


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    chromium()
    folder = tmp_path_factory.mktemp("browser")
    found = result(("mine", f"theirs {EVIL}"))
    evil = reply(5, found.summaries[1].name, EVIL + " The ferry")
    file = folder / "index.html"
    file.write_text(benchmark_page(replace(found, replies=(*found.replies[:-1], evil))), encoding="utf-8")
    with browser_page(folder) as page:
        page.size(1200)
        page.open(file)
        yield page


def visible(page: Page, selector: str) -> bool:
    return bool(page.run(f"document.querySelector({selector!r}).checkVisibility()"))


def test_it_loads_nothing_and_complains_of_nothing(page: Page) -> None:
    requested = [e["params"]["request"]["url"] for e in page.events if e["method"] == "Network.requestWillBeSent"]
    assert [url.split(":")[0] for url in requested] == ["file"]
    assert not [e for e in page.events if e["method"] in ("Log.entryAdded", "Runtime.exceptionThrown")]
    assert page.run("document.scripts.length") == 1
    assert page.run("document.images.length") == 0


def test_a_challenge_unfolds_where_it_is_clicked(page: Page) -> None:
    assert not visible(page, "#challenge-1 .questions")
    page.click("#challenge-1 > summary")
    assert visible(page, "#challenge-1 .questions")
    assert visible(page, "#challenge-1 .reply .marked")
    assert page.run("document.querySelectorAll('#challenge-2 .reply')[1].open") is False
    page.click("#challenge-1 > summary")
    assert not visible(page, "#challenge-1 .questions")


def test_filters_and_buttons_do_what_they_say(page: Page) -> None:
    page.run(
        "(() => {const s = document.getElementById('level'); s.value = '40'; s.dispatchEvent(new Event('change'))})()"
    )
    assert page.run("document.getElementById('shown').textContent") == "2 of 6 shown"
    assert not visible(page, "#challenge-1") and visible(page, "#challenge-3")
    page.click("#unfold")
    opened = "[...document.querySelectorAll('details.challenge')].map(d => d.open)"
    assert page.run(opened) == [False, False, True, True, False, False]
    page.click("#fold")
    assert not any(page.run(opened))
    page.run(
        "(() => {const s = document.getElementById('level'); s.value = ''; s.dispatchEvent(new Event('change'))})()"
    )
    assert page.run("document.getElementById('shown').textContent") == "6 of 6 shown"


def test_the_keyboard_reaches_everything_and_shows_where_it_is(page: Page) -> None:
    page.run("document.querySelector('.skip').focus()")
    seen = ["skip"]
    for _ in range(40):
        page.press(*TAB)
        seen.append(
            page.run("document.activeElement.id || document.activeElement.className || document.activeElement.tagName")
        )
        if page.run("document.activeElement.matches('#challenge-2 > summary')"):
            break
    assert {"skip", "scroll", "level", "lost", "unfold", "fold"} <= set(seen)
    assert page.run("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    page.press(*ENTER)
    assert visible(page, "#challenge-2 .questions")
    page.press(*ENTER)
    assert not visible(page, "#challenge-2 .questions")


@pytest.mark.parametrize("width", [320, 390, 768])
def test_a_narrow_screen_scrolls_in_one_direction_only(page: Page, width: int) -> None:
    page.size(width, 800)
    page.click("#unfold")
    try:
        assert page.run("document.documentElement.scrollWidth") <= width
        # Fingers need room.
        assert page.run("Math.min(...[...document.querySelectorAll('button, select')].map(b => b.offsetHeight))") >= 40
    finally:
        page.click("#fold")
        page.size(1200)


def test_it_prints(page: Page) -> None:
    assert page.pdf().startswith(b"%PDF")


def test_what_others_wrote_never_runs(page: Page) -> None:
    page.click("#unfold")
    page.run("document.querySelectorAll('details').forEach(d => d.open = true)")
    assert page.run("document.querySelectorAll('img, script').length") == 1
    assert not [e for e in page.events if e["method"] == "Page.javascriptDialogOpening"]
