"""Words that end in a full stop without ending a sentence, by what may follow them. Case matters."""

from typing import Final

__all__ = ["ALWAYS_INSIDE", "BEFORE_NUMBER", "SENTENCE_OPENERS", "SOMETIMES_LAST", "TIMES_OF_DAY"]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


ALWAYS_INSIDE: Final = _words(
    """
    Mr Mrs Ms Mx Messrs Mme Mlle Dr Prof Rev Fr Hon Gov Sen Rep Pres Gen Col Lt Sgt Capt Cmdr Adm Maj Cpl Pvt
    Supt Insp Msgr MR MRS DR e.g i.e E.g I.e eg ie viz cf Cf vs v.s approx ca incl excl esp resp
    """
)
"""Titles, and links such as *e.g.*: something always follows."""

BEFORE_NUMBER: Final = _words(
    """
    no nos nr p pp fig figs eq eqs sec sect ch chap vol vols art para ref refs ed eds tab app c v ver
    """
)
"""Labels of a number, in small letters: the sentence goes on if a number follows."""

SOMETIMES_LAST: Final = _words(
    """
    Inc Ltd Co Corp Bros Jr Sr St Ste Ave Blvd Rd Mt Ft Dept dept Univ Assn est al op cit Ph.D
    Jan Feb Mar Apr Jun Jul Aug Sep Sept Oct Nov Dec Mon Tue Tues Wed Thu Thur Thurs Fri
    Cal Calif Fla Ill Mass Mich Minn Penn Tex Wash Va Md Ga Ariz Colo Conn Wis Ind Tenn
    lb lbs oz ft yd sq cu max min avg
    """
)
"""Abbreviations that may end a sentence: they do if a word follows that commonly opens one."""

TIMES_OF_DAY: Final = _words("a.m p.m A.M P.M am pm")
"""These end a sentence before a capital, unless it names a time zone, a day or a month."""

SENTENCE_OPENERS: Final = _words(
    """
    a about after afterwards all also although among an and another any are as at because before both but by
    can could despite did do does during each either even every few finally first for four from given had has
    have he hence her here his how however i if in indeed instead into is it its just last later like many may
    meanwhile more moreover most much my near neither never nevertheless next no nobody none not nothing now
    of often on once one only other others our over perhaps several she should since so some sometimes soon still
    such than that the their then there therefore these they this those though three through thus to today
    together two under unlike until up upon was we were what when where whereas whether which while who whose
    why will with within without would yes yet you your
    """
)
"""Words, in small letters, that commonly open a sentence and are rarely names."""
