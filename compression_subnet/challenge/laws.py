"""The laws of MECHANISM 5 that a challenge can be checked for without a model."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from compression_subnet.challenge.admission import admit_question, admit_text, contains_tokens, reveals, token_string
from compression_subnet.challenge.stats import retention
from compression_subnet.challenge.types import Challenge, Question, Span
from compression_subnet.errors import InputError
from compression_subnet.scoring.levels import LEVELS
from compression_subnet.text.canonical import canonical
from compression_subnet.text.special import find_special_token
from compression_subnet.text.tokens import Tokenizer

__all__ = ["Fault", "first_fault_of", "spread_fault"]

# Fewer questions say too little of how evidence is spread: at 200, two standard errors are some 7 points.
_ENOUGH_QUESTIONS = 200
_SPREAD_POINTS = 0.10


@dataclass(frozen=True, slots=True)
class Fault:
    """A law that is broken.

    Attributes:
        line: of the file; 0 where it is about the file as a whole.
        message: the law, and where it is broken.
    """

    line: int
    message: str


@dataclass(slots=True)
class _Seen:
    """What earlier lines held."""

    ids: dict[str, int] = field(default_factory=dict)
    bases: dict[str, int] = field(default_factory=dict)
    noise: dict[str, int] = field(default_factory=dict)


def first_fault_of(
    challenges: Iterable[tuple[int, Challenge]], tokenizer: Tokenizer, *, single_use: bool = False
) -> Fault | None:
    """Return the first broken law among numbered challenges, or None.

    Args:
        challenges: with the numbers of their lines.
        tokenizer: the pinned tokenizer.
        single_use: whether no base text and no noise sentence may occur twice, as on a network.
    """
    seen = _Seen()
    for line, challenge in challenges:
        messages = (*_of_text(challenge, tokenizer), *_of_questions(challenge), *_of_reuse(challenge, seen, line))
        for concerns_reuse, message in messages:
            if single_use or not concerns_reuse:
                return Fault(line, message)
    return None


def spread_fault(challenges: Iterable[Challenge], tokenizer: Tokenizer) -> Fault | None:
    """Return that evidence is not spread over many challenges, or None, also where there are too few to tell.

    Keeping the first or last b % of the tokens keeps b % of the evidence within 10 points; a file of few texts
    cannot do better than they do.
    """
    totals = {level: [0.0, 0.0] for level in LEVELS}
    questions = 0
    for challenge in challenges:
        questions += len(challenge.questions)
        for level, ends in retention(challenge, tokenizer, LEVELS).items():
            for end, share in enumerate(ends):
                totals[level][end] += share * len(challenge.questions)
    if questions < _ENOUGH_QUESTIONS:
        return None
    for level, kept in totals.items():
        for side, total in zip(("first", "last"), kept, strict=True):
            share = total / questions
            if abs(share - level / 100) > _SPREAD_POINTS:
                return Fault(0, f"the {side} {level} % of the tokens hold {share:.0%} of the evidence; spread it")
    return None


def _of_text(c: Challenge, tokenizer: Tokenizer) -> Iterator[tuple[bool, str]]:
    if c.text != canonical(c.text):
        yield False, "the text is not in canonical form"
    if token := find_special_token(c.text):
        yield False, f"the text holds the special token {token!r}"
    if (count := tokenizer.count(c.text)) != c.n_tokens:
        yield False, f"n_tokens is {c.n_tokens}, and the text has {count}"
    try:
        if admit_text(c.base_text) != c.base_text:
            yield False, "the base text is not in canonical form, stripped"
    except InputError as error:
        yield False, f"the base text is not admissible: {error}"
    end = 0
    for span in c.noise:
        if not end <= span.start < span.end <= len(c.text):
            yield False, f"the noise {_shown(span)} is out of order or outside the text"
        end = span.end
    if _without(c.text, c.noise) != c.base_text:
        yield False, "the text without its noise is not the base text"


def _of_questions(c: Challenge) -> Iterator[tuple[bool, str]]:
    if not c.questions:
        yield False, "there is no question"
    if len({q.text for q in c.questions}) < len(c.questions):
        yield False, "a question is asked twice"
    noise = [token_string(span.of(c.text)) for span in c.noise]
    base = token_string(c.base_text)
    for q in c.questions:
        yield from ((False, message) for message in _of_question(q, c, base, noise))


def _of_question(q: Question, c: Challenge, base: str, noise: list[str]) -> Iterator[str]:
    try:
        if admit_question(q, c.text) != q:
            yield f"{q.text!r} is not canonical, or its gold list lacks a number's other spelling"
    except InputError as error:
        yield str(error)
        return
    if any(q.evidence.start < span.end and span.start < q.evidence.end for span in c.noise):
        yield f"noise stands in the evidence of {q.text!r}"
    golds = [token_string(gold) for gold in q.gold]
    if not any(contains_tokens(base, gold) for gold in golds):
        yield f"no gold answer of {q.text!r} is supported by the base text"
    for number, tokens in enumerate(noise):
        # Neighbouring noise is read as one: an answer may stand across two sentences.
        touching = number + 1 < len(noise) and c.noise[number].end == c.noise[number + 1].start
        if reveals(tokens + (noise[number + 1].lstrip() if touching else ""), golds):
            yield f"a gold answer of {q.text!r} occurs in the noise {_shown(c.noise[number])}"


def _of_reuse(c: Challenge, seen: _Seen, line: int) -> Iterator[tuple[bool, str]]:
    if c.id in seen.ids:
        yield False, f"the id {c.id!r} is that of line {seen.ids[c.id]}"
    seen.ids[c.id] = line
    if c.base_text in seen.bases:
        yield True, f"the base text is that of line {seen.bases[c.base_text]}"
    seen.bases[c.base_text] = line
    for span in c.noise:
        sentence = span.of(c.text).strip()
        if sentence in seen.noise:
            yield True, f"the noise {_shown(span)} is that of line {seen.noise[sentence]}"
        seen.noise[sentence] = line


def _without(text: str, spans: Iterable[Span]) -> str:
    kept, done = [], 0
    for span in spans:
        kept.append(text[done : span.start])
        done = span.end
    return "".join((*kept, text[done:]))


def _shown(span: Span) -> str:
    return f"[{span.start}, {span.end}]"
