"""Judging what a model offers as a question: every claim is checked, and what fails is refused with its reason."""

import re
from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import Annotated, Any, Final

from pydantic import BaseModel, ConfigDict, ValidationError, ValidatorFunctionWrapHandler, WrapValidator

from compression_subnet.challenge.admission import admit_question, contains_tokens, reveals, token_string
from compression_subnet.challenge.numbers import with_number_aliases
from compression_subnet.challenge.types import Question, Span
from compression_subnet.challenge.write.kinds import Kind, is_polar, kind_of
from compression_subnet.errors import InputError
from compression_subnet.scoring.f1 import normalise
from compression_subnet.text.canonical import canonical
from compression_subnet.text.sentences import split_sentences
from compression_subnet.text.special import find_special_token

__all__ = ["Candidate", "Candidates", "Refusal", "check_candidate", "form_fault", "is_repeated", "sentence_span"]

_WIRE: Final = ConfigDict(extra="ignore", frozen=True, json_schema_extra={"additionalProperties": False})
_MAX_QUESTION: Final = 300
_MAX_EVIDENCE_SENTENCES: Final = 2
_MAX_ANSWER_TOKENS: Final = {Kind.WHY: 14, Kind.RELATION: 10}
_OTHER_MAX_ANSWER_TOKENS: Final = 8
_SAME_WORDS: Final = 0.8
_SHORT_ANSWER: Final = 4
_NUMBER: Final = re.compile(
    r"\d|\b(?:no|none|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen|twenty|thirty|forty|fifty|"
    r"sixty|seventy|eighty|ninety|hundreds?|thousands?|millions?|billions?|dozens?|half|quarter|twice|once)\b",
    re.IGNORECASE,
)
# Questions are put beside another, compressed text: what points at "the text" or back at a sentence points nowhere.
_POINTS_AT_TEXT: Final = re.compile(
    r"\b(?:(?:the|this) (?:text|passage|paragraph|excerpt|sentence|article|author|part|story|document)|"
    r"above|mentioned|according to)\b",
    re.IGNORECASE,
)
_PRONOUN: Final = re.compile(r"\b(?:he|she|they|him|her|his|hers|their|them|it|its|this|these|those)\b", re.IGNORECASE)
_NAME: Final = re.compile(r"(?<=\w[ \-])[A-Z]\w+|\d{3,}")


class Refusal(StrEnum):
    """Why a candidate is not used."""

    MALFORMED = "malformed"
    SPECIAL_TOKEN = "special token"
    NO_QUESTION = "no question"
    POLAR = "yes or no"
    UNCLEAR = "unclear subject"
    EVIDENCE_NOT_IN_TEXT = "evidence not in text"
    EVIDENCE_NOT_UNIQUE = "evidence not unique"
    EVIDENCE_ELSEWHERE = "evidence outside its part"
    EVIDENCE_TOO_LONG = "evidence too long"
    ANSWER_NOT_IN_EVIDENCE = "answer not in evidence"
    ANSWER_IN_QUESTION = "answer in question"
    ANSWER_TOO_LONG = "answer too long"
    ANSWER_NO_NUMBER = "answer no number"
    DUPLICATE = "duplicate"
    TOO_MANY = "more than asked for"
    NOT_ADMITTED = "not admitted"


class Candidate(BaseModel):
    """A question as a model offers it."""

    model_config = _WIRE

    question: str
    gold: list[str]
    evidence: str
    kind: str


_MALFORMED: Final = Candidate(question="", gold=[], evidence="", kind="")


def _or_malformed(value: Any, handler: ValidatorFunctionWrapHandler) -> Any:
    # One bad entry must not cost the others.
    try:
        return handler(value)
    except ValidationError:
        return _MALFORMED


class Candidates(BaseModel):
    """A reply with questions; an entry that is none becomes a blank one, and is refused as malformed."""

    model_config = _WIRE

    questions: list[Annotated[Candidate, WrapValidator(_or_malformed)]]


def check_candidate(candidate: Candidate, text: str, part: Span, kept: Sequence[Question]) -> Question | Refusal:
    """Return the candidate as a question about ``text``, admitted, or why it is refused.

    The evidence is widened to whole sentences. Gold answers other than the first are kept only if they stand in the
    evidence and share a word with the first; the kind is the one that the wording shows.

    Args:
        candidate: what the model offered.
        text: the admitted base text.
        part: the range of ``text`` that was to be asked about.
        kept: questions that are in use already.
    """
    asked = canonical(candidate.question).strip()
    golds = tuple(dict.fromkeys(g for gold in candidate.gold if (g := canonical(gold).strip())))
    quoted = canonical(candidate.evidence).strip()
    if not asked or not golds or not quoted:
        return Refusal.MALFORMED
    if any(find_special_token(field) for field in (asked, quoted, *golds)):
        return Refusal.SPECIAL_TOKEN
    if fault := form_fault(asked):
        return fault
    found = text.count(quoted)
    if found != 1:
        return Refusal.EVIDENCE_NOT_UNIQUE if found else Refusal.EVIDENCE_NOT_IN_TEXT
    start = text.index(quoted)
    if not part.start <= start < start + len(quoted) <= part.end:
        return Refusal.EVIDENCE_ELSEWHERE
    evidence = sentence_span(text, Span(start, start + len(quoted)))
    if len(split_sentences(evidence.of(text))) > _MAX_EVIDENCE_SENTENCES:
        return Refusal.EVIDENCE_TOO_LONG
    kind = kind_of(asked, asked=candidate.kind.strip().casefold())
    if kind is None:
        return Refusal.NO_QUESTION
    golds = _supported(golds, quoted)
    if not golds:
        return Refusal.ANSWER_NOT_IN_EVIDENCE
    if fault := _answer_fault(golds[0], asked, kind):
        return fault
    golds = tuple(g for g in golds if _answer_fault(g, asked, kind) is None)
    if reveals(token_string(asked), map(token_string, with_number_aliases(golds))):
        return Refusal.ANSWER_IN_QUESTION
    question = Question(asked, golds, evidence, str(kind))
    if is_repeated(question, kept):
        return Refusal.DUPLICATE
    try:
        return admit_question(question, text)
    except InputError:
        return Refusal.NOT_ADMITTED


def form_fault(question: str) -> Refusal | None:
    """Return what is wrong with a question's form, whatever its answer is."""
    if not question.endswith("?") or "\n" in question or len(question) > _MAX_QUESTION or len(question.split()) < 3:
        return Refusal.NO_QUESTION
    if is_polar(question):
        return Refusal.POLAR
    if _POINTS_AT_TEXT.search(question) or (_PRONOUN.search(question) and not _NAME.search(question)):
        return Refusal.UNCLEAR
    return None


def is_repeated(question: Question, kept: Iterable[Question]) -> bool:
    """Whether one of ``kept`` asks the same: in nearly the same words, or of the same evidence with the same answer."""
    words = set(normalise(question.text))
    golds = {tuple(normalise(gold)) for gold in question.gold}
    for other in kept:
        theirs = set(normalise(other.text))
        if len(words & theirs) >= _SAME_WORDS * len(words | theirs):
            return True
        if other.evidence == question.evidence and golds & {tuple(normalise(gold)) for gold in other.gold}:
            return True
    return False


def sentence_span(text: str, span: Span) -> Span:
    """Return the whole sentences that ``span`` touches, without the white space around them."""
    sentences = split_sentences(text)
    start = max((s for s, _ in sentences if s <= span.start), default=0)
    end = min((e for _, e in sentences if e >= span.end), default=len(text))
    stretch = text[start:end]
    return Span(start + len(stretch) - len(stretch.lstrip()), start + len(stretch.rstrip()))


def _supported(golds: Sequence[str], evidence: str) -> tuple[str, ...]:
    """Return the answers that stand in the evidence and share a word with the first that does."""
    within = token_string(evidence)
    standing = [g for g in golds if contains_tokens(within, token_string(g))]
    if not standing:
        return ()
    first = set(normalise(standing[0]))
    return tuple(g for g in standing if first & set(normalise(g)))


def _answer_fault(gold: str, asked: str, kind: Kind) -> Refusal | None:
    if len(normalise(gold)) > _MAX_ANSWER_TOKENS.get(kind, _OTHER_MAX_ANSWER_TOKENS):
        return Refusal.ANSWER_TOO_LONG
    words = set(token_string(asked).split())
    answer = token_string(gold).split()
    # An answer of which half the words are the question's says the question again; "31 boats" does not.
    repeated = 2 * sum(word in words for word in answer)
    if contains_tokens(token_string(asked), token_string(gold)) or repeated >= max(len(answer), _SHORT_ANSWER):
        return Refusal.ANSWER_IN_QUESTION
    if kind is Kind.HOW_MANY and not _NUMBER.search(gold):
        return Refusal.ANSWER_NO_NUMBER
    return None
