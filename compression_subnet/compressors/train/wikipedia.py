"""Plain articles from an XML dump of a MediaWiki: ``python -m compression_subnet.compressors.train.wikipedia``."""

import argparse
import bz2
import contextlib
import json
import re
import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Any, Final

from compression_subnet.errors import CompressionSubnetError, ConfigurationError, InputError

__all__ = ["main", "paragraphs_of", "read_dump"]

_REDIRECT: Final = re.compile(r"\s*#redirect", re.IGNORECASE)
_TABLE: Final = re.compile(r"\{\|.*?\|\}", re.DOTALL)
_NOT_PROSE: Final = ("ref", "gallery", "table", "math")
_NO_LINK: Final = ("file:", "image:", "category:")
_LISTED: Final = re.compile(r"^[*#:;].*$", re.MULTILINE)
_HEADING: Final = re.compile(r"^\s*=+[^=\n]+=+\s*$", re.MULTILINE)
_LAST: Final = re.compile(r"^==\s*(?:See also|References|Notes|Bibliography|Further reading|External links)\s*==", re.M)
# What a template leaves when it is taken out: empty brackets, and blanks before marks.
_LEFT_OVER: Final = ((re.compile(r"\(\s*[,;]?\s*\)"), ""), (re.compile(r"\(\s*[,;]\s*"), "("),
                     (re.compile(r"[ \t\xa0]+"), " "), (re.compile(r" ([,.;:)])"), r"\1"))  # fmt: skip
_SHORTEST: Final = 200
"""Characters: shorter paragraphs are captions and headings as a rule."""
_FEWEST: Final = 3
"""Paragraphs: what has fewer is no article, but a list of meanings."""


def read_dump(file: IO[bytes]) -> Iterator[tuple[str, str]]:
    """Yield the title and the wiki text of each page that is no redirect.

    Raises:
        InputError: it is no dump of a MediaWiki.
    """
    try:
        for _event, element in ElementTree.iterparse(file):
            if not element.tag.endswith("}page"):
                continue
            name = element.tag[: -len("page")]
            title = element.findtext(f"{name}title") or ""
            text = element.findtext(f"{name}revision/{name}text") or ""
            if element.find(f"{name}redirect") is None and not _REDIRECT.match(text):
                yield title, text
            element.clear()
    except (ElementTree.ParseError, OSError, EOFError) as error:
        raise InputError(f"this is no XML dump of a MediaWiki: {error}; take a pages-articles file") from error


def paragraphs_of(wiki_text: str) -> list[str]:
    """Return the paragraphs of prose of a page, without marks, notes, tables and lists.

    Raises:
        ConfigurationError: mwparserfromhell is not installed.
    """
    try:
        import mwparserfromhell
    except ImportError as error:
        raise ConfigurationError(
            "wiki text needs mwparserfromhell; install it: pip install 'compression-subnet[wikipedia]'"
        ) from error
    end = _LAST.search(wiki_text)
    body = wiki_text[: end.start() if end else None]
    code: Any = mwparserfromhell.parse(_LISTED.sub("", _TABLE.sub("", body)))
    unwanted = [
        *code.ifilter_templates(),
        *(tag for tag in code.ifilter_tags() if str(tag.tag).casefold() in _NOT_PROSE),
        *(link for link in code.ifilter_wikilinks() if str(link.title).casefold().startswith(_NO_LINK)),
    ]
    for node in unwanted:
        with contextlib.suppress(ValueError):  # it may have been in one that is gone
            code.remove(node)
    plain = _HEADING.sub("", str(code.strip_code(keep_template_params=False)))
    found: list[str] = []
    for line in plain.splitlines():
        for pattern, instead in _LEFT_OVER:
            line = pattern.sub(instead, line)
        if len(line.strip()) >= _SHORTEST and line.rstrip()[-1] in '.!?"\u201d)':
            found.append(line.strip())
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m compression_subnet.compressors.train.wikipedia",
        description="Turn a dump of a MediaWiki into articles in SQuAD's format, without questions: for --plain.",
    )
    parser.add_argument("dump", type=Path, help="pages-articles, .xml or .xml.bz2")
    parser.add_argument("out", type=Path, help="JSON file to write")
    args = parser.parse_args(arguments)
    try:
        opened = bz2.open if args.dump.suffix == ".bz2" else Path.open
        with opened(args.dump, "rb") as file:
            pages = [(title, paragraphs_of(text)) for title, text in read_dump(file)]
    except OSError as error:
        print(f"error: {args.dump} cannot be read: {error}", file=sys.stderr)
        return 1
    except CompressionSubnetError as error:
        print(f"error: {args.dump}: {error}", file=sys.stderr)
        return 1
    articles = [
        {"title": title, "paragraphs": [{"context": text, "qas": []} for text in paragraphs]}
        for title, paragraphs in pages
        if len(paragraphs) >= _FEWEST
    ]
    args.out.write_text(json.dumps({"version": "1.1", "data": articles}, ensure_ascii=False), encoding="utf-8")
    print(f"{len(articles)} articles, {sum(len(a['paragraphs']) for a in articles)} paragraphs")
    return 0


if __name__ == "__main__":
    sys.exit(main())
