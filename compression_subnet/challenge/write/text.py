"""A text written from a brief, section by section, until it states the brief's facts."""

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from compression_subnet.challenge.admission import admit_text
from compression_subnet.challenge.types import Span
from compression_subnet.challenge.write.brief import Brief
from compression_subnet.challenge.write.facts import Fact, contradicts, find_statement
from compression_subnet.challenge.write.prompting import load_writer_prompt
from compression_subnet.challenge.write.prose import ProseFault, clean_prose
from compression_subnet.errors import ContentFault, InputError
from compression_subnet.judge.chat import ChatModel

__all__ = ["BriefedText", "Statement", "check_text", "write_text"]

_TRIES: Final = 2
_REPAIRS: Final = 2
_SEED_BITS: Final = 31
_TAIL: Final = 400
_WORDS_A_SENTENCE: Final = 16


@dataclass(frozen=True, slots=True)
class Statement:
    """A fact and the sentence of the text that states it."""

    fact: Fact
    evidence: Span


@dataclass(frozen=True, slots=True)
class BriefedText:
    """A text that a model wrote from a brief, and what our checks found.

    Attributes:
        text: admitted base text.
        stated: the facts that it states word for word and does not contradict, with their sentences.
        missing: facts that no sentence states.
        contradicted: facts beside which another value of the same sort stands; not to be asked about.
        discarded: what was wrong with versions of sections that were thrown away, and how often.
        repairs: how often sections were sent back for missing facts.
    """

    text: str
    stated: tuple[Statement, ...]
    missing: tuple[Fact, ...]
    contradicted: tuple[Fact, ...]
    discarded: Mapping[ProseFault, int]
    repairs: int


async def write_text(model: ChatModel, brief: Brief) -> BriefedText:
    """Return the text that the model writes from ``brief``.

    A section is written at most twice, and sent back at most twice for facts that it does not state.

    Raises:
        ProviderFault: the provider failed.
        ContentFault: the model gave no usable version of some section.
    """
    discarded: Counter[ProseFault] = Counter()
    repairs = 0
    sections: list[str] = []
    rng = random.Random(f"{brief.seed}:text")
    for number in range(len(brief.sections)):
        section = await _section(model, brief, number, sections, rng, discarded)
        section, sent = await _repaired(model, brief, number, section, rng, discarded)
        repairs += sent
        sections.append(section)
    try:
        text = admit_text("\n\n".join(sections))
    except InputError as error:
        raise ContentFault("the sections make no base text together") from error
    stated, missing, contradicted = check_text(text, brief.facts)
    return BriefedText(text, stated, missing, contradicted, dict(discarded), repairs)


def check_text(text: str, facts: Sequence[Fact]) -> tuple[tuple[Statement, ...], tuple[Fact, ...], tuple[Fact, ...]]:
    """Return the facts that ``text`` states, with their sentences; those that it lacks; those that it contradicts."""
    stated, missing, contradicted = [], [], []
    for fact in facts:
        allowed = frozenset(other.value for other in facts if other is not fact)
        evidence = find_statement(text, fact)
        if evidence is None:
            missing.append(fact)
        elif contradicts(text, fact, allowed):
            contradicted.append(fact)
        else:
            stated.append(Statement(fact, evidence))
    return tuple(stated), tuple(missing), tuple(contradicted)


async def _section(
    model: ChatModel,
    brief: Brief,
    number: int,
    before: Sequence[str],
    rng: random.Random,
    discarded: Counter[ProseFault],
) -> str:
    parts = len(brief.sections)
    words = brief.words // parts
    values = {
        "genre": brief.genre,
        "manner": brief.manner,
        "setting": brief.setting,
        "subject": brief.subject,
        "number": number + 1,
        "parts": parts,
        "words": words,
        # Models that are given facts tend to write these and little else.
        "sentences": max(2, words // _WORDS_A_SENTENCE - len(brief.sections[number])),
        "before": f"\nThe part before ends so; go on from there:\n{before[-1][-_TAIL:]}" if before else "",
        "facts": _listed(brief.sections[number]),
    }
    messages = load_writer_prompt("section-v1").messages(values)
    for _ in range(_TRIES):
        version = clean_prose(await model.write(messages, seed=rng.getrandbits(_SEED_BITS)), words)
        if not isinstance(version, ProseFault):
            return version
        discarded[version] += 1
    raise ContentFault(f"no usable version of a section: {', '.join(discarded)}")


async def _repaired(
    model: ChatModel, brief: Brief, number: int, section: str, rng: random.Random, discarded: Counter[ProseFault]
) -> tuple[str, int]:
    """Return the section with as many of its facts as could be had, and how often it was sent back."""
    facts = brief.sections[number]
    words = len(section.split())
    for sent in range(_REPAIRS):
        missing = [fact for fact in facts if find_statement(section, fact) is None]
        if not missing:
            return section, sent
        values = {"subject": brief.subject, "part": section, "facts": _listed(missing)}
        messages = load_writer_prompt("repair-v1").messages(values)
        try:
            version = clean_prose(await model.write(messages, seed=rng.getrandbits(_SEED_BITS)), words)
        except ContentFault:
            continue
        if isinstance(version, ProseFault):
            discarded[version] += 1
        elif sum(find_statement(version, fact) is None for fact in facts) < len(missing):
            section = version
    return section, _REPAIRS


def _listed(facts: Sequence[Fact]) -> str:
    return "\n".join(f"{i}. {fact.marked}" for i, fact in enumerate(facts, start=1))
