"""Plain articles out of a dump of a MediaWiki."""

import bz2
import json
import sys
from pathlib import Path
from xml.sax.saxutils import escape

import pytest

from compression_subnet.compressors.train.wikipedia import main, paragraphs_of

FERRY = (
    "The '''ferry''' ({{lang|de|Fähre}}) at [[Oldmoor|the old moor]] has crossed the river since 1871<ref>Log</ref>, "
    "when the bridge of the [[mill]]ers fell. It carries forty people and their dogs, and leaves whenever the bell of "
    "the chapel rings twice, in winter once."
)
LONG = "Nobody knows why the bell was moved to the other bank of the river in that year. " * 3
PAGE = f"""{{{{Infobox ferry|name=Oldmoor}}}}
[[File:Ferry.jpg|thumb|The ferry in {LONG}]]
{FERRY}

== History ==
{{|class="wikitable"
| {LONG}
|}}
* a list: {LONG}
{LONG}

A caption.

{LONG}
== References ==
{LONG}
"""


def dump(*pages: tuple[str, str]) -> bytes:
    made = "".join(
        f"<page><title>{title}</title><revision><text>{escape(text)}</text></revision></page>" for title, text in pages
    )
    return f'<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.10/">{made}</mediawiki>'.encode()


def test_prose_alone_is_left_of_a_page() -> None:
    first, second, third = paragraphs_of(PAGE)
    assert first == (
        "The ferry at the old moor has crossed the river since 1871, when the bridge of the millers fell. It carries "
        "forty people and their dogs, and leaves whenever the bell of the chapel rings twice, in winter once."
    )
    assert second == third == LONG.strip()


@pytest.mark.parametrize("packed", [True, False])
def test_a_dump_becomes_a_file_to_train_on(tmp_path: Path, packed: bool, capsys: pytest.CaptureFixture[str]) -> None:
    content = dump(("Ferry", PAGE), ("Boat", "#REDIRECT [[Ferry]]"), ("Ferry (disambiguation)", "Many ferries."))
    source = tmp_path / ("dump.xml.bz2" if packed else "dump.xml")
    source.write_bytes(bz2.compress(content) if packed else content)
    assert main([str(source), str(tmp_path / "out.json")]) == 0
    (article,) = json.loads((tmp_path / "out.json").read_text("utf-8"))["data"]
    assert article["title"] == "Ferry" and len(article["paragraphs"]) == 3
    assert all(paragraph["qas"] == [] for paragraph in article["paragraphs"])
    assert capsys.readouterr().out == "1 articles, 3 paragraphs\n"


@pytest.mark.parametrize("content", [b"<mediawiki><page>", b"no xml", b""])
def test_what_is_no_dump_is_refused_in_one_line(
    tmp_path: Path, content: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    source = tmp_path / "dump.xml"
    source.write_bytes(content)
    assert main([str(source), str(tmp_path / "out.json")]) == 1
    said = capsys.readouterr().err
    assert said.startswith("error: ") and "pages-articles" in said and said.count("\n") == 1
    assert main([str(tmp_path / "missing.bz2"), str(tmp_path / "out.json")]) == 1
    assert not (tmp_path / "out.json").exists()


def test_a_missing_package_is_named_with_its_fix(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "mwparserfromhell", None)
    source = tmp_path / "dump.xml"
    source.write_bytes(dump(("Ferry", PAGE)))
    assert main([str(source), str(tmp_path / "out.json")]) == 1
    assert "pip install 'compression-subnet[wikipedia]'" in capsys.readouterr().err
