"""Finding names by our own rules: who, where and which body, word by word."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

from compression_subnet.challenge.rewrite.dates import is_calendar_word
from compression_subnet.challenge.rewrite.inventory import gender_of_name
from compression_subnet.challenge.rewrite.kinds import STREETS, gender_before, is_noun, is_title, kinds_of
from compression_subnet.challenge.rewrite.lexicon import (
    BODY_NOUNS,
    FUNCTION_WORDS,
    KEPT,
    KEPT_ACRONYMS,
    LEADING_NOUNS,
    NATIONS,
    PLACE_NOUNS,
    TITLES,
    gender_of,
    is_roman,
    ordinary_words,
)
from compression_subnet.challenge.rewrite.scan import Word, runs
from compression_subnet.text.abbreviations import ALWAYS_INSIDE, BEFORE_NUMBER, SOMETIMES_LAST

__all__ = ["FoundName", "Names", "find_names", "nation_forms"]

_PRONOUNS: Final = {"he": "male", "his": "male", "him": "male", "she": "female", "her": "female", "hers": "female"}
# The weight of a title among votes on a gender; a pronoun has one vote, and no name so many mentions.
_SURE: Final = 1000
# Words behind a name among which the first pronoun tells its gender.
_PRONOUN_REACH: Final = 45


def nation_forms() -> dict[str, tuple[int, int, str]]:
    """Return for each form of a nation's name its row, its column and its ending (plural ``s``)."""
    forms: dict[str, tuple[int, int, str]] = {}
    for row, columns in enumerate(NATIONS):
        for column, word in enumerate(columns):
            forms[word] = (row, column, "")
        if columns[1].endswith("n"):
            forms[f"{columns[1]}s"] = (row, 1, "s")
    return forms


@dataclass(slots=True)
class FoundName:
    """A word that names something, with the votes on what: given, family, place, body."""

    word: str
    ordinary: bool
    votes: Counter[str] = field(default_factory=Counter)
    genders: Counter[str] = field(default_factory=Counter)

    @property
    def kind(self) -> str:
        """The kind with most votes; persons before places before bodies."""
        order = ("given", "family", "place", "body")
        best = max(order, key=lambda kind: (self.votes[kind], -order.index(kind)))
        return best if self.votes[best] else "family"

    @property
    def gender(self) -> str:
        """``female`` or ``male`` where a title, a pronoun or the name itself tells, else ``given``."""
        told = self.genders.most_common(1)
        # A title or a word of kinship is sure, the name itself nearly so, the next pronoun the least.
        shown = gender_of_name(self.word)
        if told and (told[0][1] >= _SURE or shown == "given"):
            return told[0][0]
        return shown


@dataclass(slots=True)
class Names:
    """All names of some texts.

    Attributes:
        found: by word, in order of first place.
        pairs: neighbours of which the first is ordinary.
        initials: single letters that stand for given names.
        acronyms: runs of capitals.
        codes: identifiers of letters and digits.
        nations: rows of ``NATIONS`` that occur.
        words: every word of the texts, in small letters.
    """

    found: dict[str, FoundName] = field(default_factory=dict)
    pairs: set[tuple[str, str]] = field(default_factory=set)
    initials: dict[str, None] = field(default_factory=dict)
    acronyms: dict[str, None] = field(default_factory=dict)
    codes: dict[str, None] = field(default_factory=dict)
    nations: dict[int, None] = field(default_factory=dict)
    words: set[str] = field(default_factory=set)


def find_names(scanned: Sequence[Sequence[Word]]) -> Names:
    """Return the names among the words of texts that are of one world (an article and its questions, say)."""
    names = Names()
    small = {word.text for words in scanned for word in words if word.text[0].islower()}
    names.words = {word.text.lower() for words in scanned for word in words}
    nations = nation_forms()
    finder = _Finder(names, small | ordinary_words(), set(nations))
    for words in scanned:
        for word in words:
            if word.code:
                names.codes.setdefault(word.text)
            elif word.text in nations:
                names.nations.setdefault(nations[word.text][0])
        for first, last in runs(words):
            finder.read(words, first, last)
    return names


class _Finder:
    """Reads the runs of capitalised words; ``ordinary`` words need company to be names."""

    def __init__(self, names: Names, ordinary: set[str] | frozenset[str], nations: set[str]):
        self._names = names
        self._ordinary = ordinary
        self._nations = nations

    def read(self, words: Sequence[Word], first: int, last: int) -> None:
        start = first
        for i in range(first, last + 1):
            if i == last or words[i].text in self._nations or is_calendar_word(words[i].text):
                self._read_run(words, start, i)
                start = i + 1

    def _read_run(self, words: Sequence[Word], first: int, last: int) -> None:
        # What opens a sentence has its capital from there, unless it is no ordinary word.
        if first < last and words[first].opens and self._plain(words[first].text):
            follows = first + 1 < last and words[first].text not in TITLES
            noun = follows and is_noun(words[first + 1].text)
            if words[first].text.lower() in FUNCTION_WORDS:
                first += 1
            elif not noun:
                if words[first].text not in TITLES:
                    first += 1
            elif first + 2 < last or words[first].text in KEPT:
                first += 1
        titled = gender = ""
        while first < last and is_title(words[first].text):
            titled, gender = words[first].text, gender or gender_of(words[first].text)
            first += 1
        run = words[first:last]
        for word in run:
            self._note_letters(word)
        before = words[max(0, first - 2) : first]
        gender = gender or (gender_before(run, before) if run else "")
        person = bool(titled) or self._is_person(run, before)
        core = [word for i, word in enumerate(run) if self._names_something(word, 0 if person else len(run), i)]
        if not core or (len(core) == 1 and not self._alone(core[0], run, bool(titled))):
            return
        ordinary = not person and len(run) > 1 and self._plain(run[-1].text)
        kinds = kinds_of(core, run, before, person, ordinary)
        for word, (kind, weight) in zip(core, kinds, strict=True):
            found = self._names.found.setdefault(word.text, FoundName(word.text, self._plain(word.text)))
            found.votes[kind] += weight
            if kind == "given" and (told := gender or _pronoun(words, last)):
                found.genders[told] += _SURE if gender else 1
        for a, b in pairwise(run):
            if self._plain(a.text):
                self._names.pairs.add((a.text, b.text))

    def _plain(self, word: str) -> bool:
        return word.lower() in self._ordinary or word in KEPT or word in TITLES

    def _is_person(self, run: Sequence[Word], before: Sequence[Word]) -> bool:
        """Whether two words are a person's, though the second is an ordinary one: ", Rowena Castle"."""
        if len(run) != 2 or run[1].text in BODY_NOUNS or self._plain(run[0].text) or run[1].joint != " ":
            return False
        if not self._plain(run[1].text) and run[1].text not in PLACE_NOUNS:
            return False
        apposed = bool(before) and run[0].joint == ", " and before[-1].text[0].islower()
        return apposed or (gender_of_name(run[0].text) != "given" and run[1].text not in STREETS)

    def _note_letters(self, word: Word) -> None:
        text = word.text
        if len(text) == 1 and text != "I":
            self._names.initials.setdefault(text)
        elif _is_acronym_plural(text):
            self._names.acronyms.setdefault(text[:-1])
        elif _is_acronym(text) and text.lower() not in self._ordinary:
            self._names.acronyms.setdefault(text)

    def _names_something(self, word: Word, size: int, place: int) -> bool:
        text = word.text
        if _is_acronym_plural(text) or text in KEPT_ACRONYMS:
            return False
        if text.lower() in BEFORE_NUMBER or text in ALWAYS_INSIDE or text in SOMETIMES_LAST:
            # "Vol." and the like, or a sentence would end there.
            return False
        if len(text) == 1 or text in KEPT or is_title(text) or (text.isupper() and len(text) > 1):
            return False
        if not size:
            return True
        if size == 1:
            return not is_noun(text)
        # "Gannet Point", and "Point Gannet"
        return not (is_noun(text) if place > 0 else text in LEADING_NOUNS)

    def _alone(self, word: Word, run: Sequence[Word], titled: bool) -> bool:
        """Whether a single core word is a name: a strange word, or an ordinary one in company."""
        if not self._plain(word.text):
            # At an opening a strange word may still be ordinary: it must stand within a sentence too.
            return not word.opens or len(run) > 1
        if word.opens and len(run) == 1:
            return False
        return titled or (len(run) > 1 and run[-1] is not word and is_noun(run[-1].text))


def _pronoun(words: Sequence[Word], after: int) -> str:
    for word in words[after : after + _PRONOUN_REACH]:
        if gender := _PRONOUNS.get(word.text.lower()):
            return gender
    return ""


def _is_acronym_plural(word: str) -> bool:
    return word.endswith("s") and _is_acronym(word[:-1])


def _is_acronym(word: str) -> bool:
    return (
        2 <= len(word) <= 6 and word.isascii() and word.isupper() and word not in KEPT_ACRONYMS and not is_roman(word)
    )
