"""One function a sort of fact: what is said, what is asked, and what the answer is."""

from collections.abc import Callable, Mapping
from typing import Final

from compression_subnet.challenge.numbers import with_number_aliases
from compression_subnet.challenge.write.drawing import Drawer
from compression_subnet.challenge.write.facts import Fact, FactType
from compression_subnet.challenge.write.kinds import Kind

__all__ = ["MAKERS", "make_fact"]

Maker = Callable[[Drawer, str], Fact | None]
"""Takes the subject's name; gives None where the topic has no more of this sort."""


def make_fact(draw: Drawer, subject: str, kind: Kind) -> Fact:
    """Return a new fact of the wanted kind, or of another where that kind is used up."""
    makers = list(MAKERS[kind])
    draw.rng.shuffle(makers)
    for maker in (*makers, _dated):
        if (fact := maker(draw, subject)) is not None:
            return fact
    raise AssertionError("dates are never used up")


def _holder(draw: Drawer, subject: str) -> Fact | None:
    if (office := draw.office()) is None:
        return None
    person = draw.person()
    return Fact(
        Kind.WHO, FactType.HOLDER, person, _name(person), (office,),
        f"[{person}] was the [{office}].",
        draw.rng.choice((f"Who was the {office} of {subject}?", f"Who served {subject} as {office}?")),
    )  # fmt: skip


def _designed(draw: Drawer, subject: str) -> Fact | None:
    person, work = draw.person(), draw.work()
    verb = draw.rng.choice(("designed", "paid for", "condemned", "rebuilt", "inaugurated"))
    return Fact(
        Kind.WHO, FactType.PERSON, person, _name(person), (work, verb),
        f"[{person}] [{verb}] the [{work}].",
        f"Who {verb} the {work} of {subject}?",
    )  # fmt: skip


def _dated(draw: Drawer, subject: str) -> Fact | None:
    date, work = draw.date(), draw.work()
    verb = draw.rng.choice(("opened", "damaged", "demolished", "insured", "repaired", "inspected", "sold"))
    question = draw.rng.choice(
        (f"When was the {work} of {subject} {verb}?", f"On what date was the {work} of {subject} {verb}?")
    )
    return Fact(
        Kind.WHEN, FactType.DATE, date, (date,), (work, verb), f"On [{date}] the [{work}] was [{verb}].", question
    )


def _made_in(draw: Drawer, subject: str) -> Fact | None:
    place, work = draw.place(), draw.work()
    verb = draw.rng.choice(("built", "bought", "assembled", "tested"))
    return Fact(
        Kind.WHERE, FactType.PLACE, place, (place,), (work, verb),
        f"The [{work}] was [{verb}] in [{place}].",
        f"Where was the {work} of {subject} {verb}?",
    )  # fmt: skip


def _came_from(draw: Drawer, subject: str) -> Fact | None:
    if (office := draw.office()) is None:
        return None
    place = draw.place()
    return Fact(
        Kind.WHERE, FactType.PLACE, place, (place,), (office,),
        f"The [{office}] came from [{place}].",
        f"Where did the {office} of {subject} come from?",
    )  # fmt: skip


def _counted(draw: Drawer, subject: str) -> Fact | None:
    if (thing := draw.counted()) is None:
        return None
    number = draw.count()
    return Fact(
        Kind.HOW_MANY, FactType.COUNT, f"{number} {thing}", with_number_aliases((number, f"{number} {thing}")), (),
        f"There were [{number} {thing}].",
        draw.rng.choice((f"How many {thing} did {subject} have?", f"How many {thing} were there at {subject}?")),
    )  # fmt: skip


def _cost(draw: Drawer, subject: str) -> Fact | None:
    cost, work = draw.cost(), draw.work()
    return Fact(
        Kind.HOW_MANY, FactType.AMOUNT, cost, (cost, cost.partition(" ")[0]), (work,),
        f"The [{work}] cost [{cost}].",
        draw.rng.choice(
            (f"How much did the {work} of {subject} cost?", f"How much was paid for the {work} of {subject}?")
        ),
    )  # fmt: skip


def _length(draw: Drawer, subject: str) -> Fact | None:
    metres, work = draw.measure(), draw.work()
    golds = with_number_aliases((f"{metres} metres", metres))
    return Fact(
        Kind.HOW_MANY, FactType.AMOUNT, f"{metres} metres", golds, (work, "from"),
        f"The [{work}] stood [{metres} metres] [from] the gate.",
        f"How many metres from the gate did the {work} of {subject} stand?",
    )  # fmt: skip


def _supplied(draw: Drawer, subject: str) -> Fact | None:
    company, work = draw.organisation(), draw.work()
    verb = draw.rng.choice(("supplied", "financed", "surveyed", "restored"))
    return Fact(
        Kind.WHICH, FactType.ORGANISATION, company, (company, company.partition(" ")[0]), (work, verb),
        f"[{company}] [{verb}] the [{work}].",
        f"Which company {verb} the {work} of {subject}?",
    )  # fmt: skip


def _made_of(draw: Drawer, subject: str) -> Fact | None:
    if (material := draw.material()) is None:
        return None
    work = draw.work()
    return Fact(
        Kind.WHICH, FactType.MATERIAL, material, (material,), (work, "made of"),
        f"The [{work}] was [made of] [{material}].",
        draw.rng.choice(
            (f"Which material was the {work} of {subject} made of?", f"What was the {work} of {subject} made of?")
        ),
    )  # fmt: skip


def _why(draw: Drawer, subject: str) -> Fact | None:
    if (cause := draw.cause()) is None:
        return None
    work = draw.work()
    verb = draw.rng.choice(("delayed", "closed", "abandoned", "moved", "left unfinished"))
    return Fact(
        Kind.WHY, FactType.CAUSE, cause, (cause, f"because of {cause}"), (work, verb),
        f"The [{work}] was [{verb}] because of [{cause}].",
        draw.rng.choice(
            (f"Why was the {work} of {subject} {verb}?", f"For what reason was the {work} of {subject} {verb}?")
        ),
    )  # fmt: skip


def _succession(draw: Drawer, subject: str) -> Fact | None:
    if (office := draw.office()) is None:
        return None
    first, second = draw.person(), draw.person()
    return Fact(
        Kind.RELATION, FactType.PERSON, second, _name(second), (first, office),
        f"After [{first}], [{second}] became [{office}].",
        draw.rng.choice(
            (f"Who followed {first} as {office} of {subject}?", f"Who became {office} of {subject} after {first}?")
        ),
    )  # fmt: skip


def _interval(draw: Drawer, subject: str) -> Fact | None:
    if (number := draw.interval()) is None:
        return None
    first, second = draw.work(), draw.work()
    golds = with_number_aliases((f"{number} years", number))
    return Fact(
        Kind.RELATION, FactType.AMOUNT, f"{number} years", golds, (first, second, "after"),
        f"The [{second}] was finished [{number} years] [after] the [{first}].",
        f"How many years after the {first} was the {second} of {subject} finished?",
    )  # fmt: skip


def _name(person: str) -> tuple[str, ...]:
    return person, person.rpartition(" ")[2]


MAKERS: Final[Mapping[Kind, tuple[Maker, ...]]] = {
    Kind.WHO: (_holder, _designed),
    Kind.WHEN: (_dated,),
    Kind.WHERE: (_made_in, _came_from),
    Kind.HOW_MANY: (_counted, _cost, _length),
    Kind.WHICH: (_supplied, _made_of),
    Kind.WHY: (_why,),
    Kind.RELATION: (_succession, _interval),
}
"""Kind of question to the sorts of fact that answer one."""
