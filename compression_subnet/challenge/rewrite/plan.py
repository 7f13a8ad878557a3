"""Making the map of a rewriting: what every name, date and number of some texts becomes."""

import random
from collections.abc import Sequence
from decimal import Decimal
from types import MappingProxyType
from typing import Final

from compression_subnet.challenge.rewrite.draw import draw_counts, draw_values
from compression_subnet.challenge.rewrite.inventory import invent, invent_acronym, invent_code
from compression_subnet.challenge.rewrite.lexicon import NATIONS, ordinary_words
from compression_subnet.challenge.rewrite.names import Names, find_names, nation_forms
from compression_subnet.challenge.rewrite.reading import Reading, read
from compression_subnet.challenge.rewrite.relations import find_relations
from compression_subnet.challenge.rewrite.schedule import draw_calendar
from compression_subnet.challenge.rewrite.staying import durations, listed
from compression_subnet.challenge.rewrite.types import Kept, NameRule, QuantityMap, RewriteMap
from compression_subnet.text.tokens import get_tokenizer

__all__ = ["make_map", "map_of"]

_INITIALS: Final = "ABCDEGHJLMNPRSTVW"


def make_map(
    texts: Sequence[str], rng: random.Random, base: RewriteMap | None = None
) -> tuple[RewriteMap, tuple[Kept, ...]]:
    """Return what names, dates and numbers of ``texts`` become, and what of them has to stay.

    Args:
        texts: an article's text first, then what else speaks of the same things (title, questions).
        rng: source of every choice.
        base: a map to go on from, for noise of the same challenge: its names, numbers and shift of dates stay, and
            what only ``texts`` hold is added.
    """
    return map_of([read(text) for text in texts], rng, base)


def map_of(
    readings: Sequence[Reading], rng: random.Random, base: RewriteMap | None = None
) -> tuple[RewriteMap, tuple[Kept, ...]]:
    """Return what ``make_map`` does, for texts that have been read."""
    names = find_names([reading.words for reading in readings])
    rules = _name_rules(names, rng, base)
    kept: list[Kept] = []
    if base is None:
        shift, kept = draw_calendar(readings, rng)
    else:
        shift = base.calendar
    numbers = _draw_numbers(readings, rng, base, kept)
    pairs = frozenset(names.pairs) | (base.pairs if base else frozenset())
    return RewriteMap(MappingProxyType(rules), pairs, shift, numbers), tuple(kept)


def _name_rules(names: Names, rng: random.Random, base: RewriteMap | None) -> dict[str, NameRule]:
    rules = dict(base.names) if base else {}
    # Replacements are about as long in tokens as what they replace.
    count = get_tokenizer().count
    taken = {*ordinary_words(), *names.words, *(rule.new.lower() for rule in rules.values()), *map(str.lower, rules)}
    letters = dict(zip(names.initials, rng.sample(_INITIALS, min(len(names.initials), len(_INITIALS))), strict=False))
    for letter, new in letters.items():
        rules.setdefault(letter, NameRule(new, "initial"))
    _add_nations(names, rules, rng)
    for word, found in names.found.items():
        if word in rules:
            continue
        stem = word[:-1]
        if word.endswith("s") and stem in rules and rules[stem].kind != "nation":
            new = rules[stem].new + ("es" if rules[stem].new[-1] in "sxz" else "s")
            kind = rules[stem].kind
        else:
            kind = found.kind
            style = {"given": found.gender, "body": "place"}.get(kind, kind)
            known = rules.get(word[0])
            initial = known.new if kind == "given" and known and known.kind == "initial" else ""
            new = invent(style, word, taken, count, rng, initial)
        taken.add(new.lower())
        rules[word] = NameRule(new, kind, found.ordinary)
    for word in names.acronyms:
        # A name in capitals follows its name.
        if word not in rules and word.capitalize() not in rules:
            rules[word] = NameRule(invent_acronym(word, taken, count, rng), "acronym")
            rules[f"{word}s"] = NameRule(f"{rules[word].new}s", "acronym")
            taken.add(rules[word].new.lower())
    for word in names.codes:
        if word not in rules:
            rules[word] = NameRule(invent_code(word, taken, rng), "code")
            taken.add(rules[word].new.lower())
    return rules


def _add_nations(names: Names, rules: dict[str, NameRule], rng: random.Random) -> None:
    """Add rules that exchange the nations that occur for others, in all their forms."""
    forms = nation_forms()
    used = {forms[rule.new][0] for rule in rules.values() if rule.kind == "nation" and rule.new in forms}
    regular = {row for row, (_, adjective) in enumerate(NATIONS) if adjective.endswith("n")}
    for row in names.nations:
        if NATIONS[row][0] in rules:
            continue
        # "Germans" needs a nation with such a plural; so may noise, which is not known yet.
        free = [
            other
            for other in range(len(NATIONS))
            if other not in names.nations and other not in used and (row not in regular or other in regular)
        ]
        if not free:
            continue
        new = rng.choice(free)
        used.add(new)
        for form, (of, column, ending) in forms.items():
            if of == row:
                rules[form] = NameRule(NATIONS[new][column] + ending, "nation")


def _draw_numbers(
    readings: Sequence[Reading], rng: random.Random, base: RewriteMap | None, kept: list[Kept]
) -> QuantityMap:
    stay = listed(readings[0]) | durations(readings[0]) if readings else set()
    pinned: set[Decimal] = set()
    grains: dict[Decimal, Decimal] = {}
    counts: dict[str, set[Decimal]] = {}
    fixed_counts: dict[str, set[Decimal]] = {}
    for reading in readings:
        for quantity in reading.quantities:
            stays = quantity.fixed or ("stated or listed in the text" if quantity in stay else "")
            if quantity.is_count:
                if not quantity.fixed or quantity.head:
                    counts.setdefault(quantity.head, set()).add(quantity.value)
                if stays:
                    fixed_counts.setdefault(quantity.head, set()).add(quantity.value)
            else:
                known = grains.get(quantity.value)
                grains[quantity.value] = quantity.grain if known is None else max(known, quantity.grain)
                if stays:
                    pinned.add(quantity.value)
            if stays and not quantity.is_trivial:
                kept.append(Kept("quantity", quantity.text, stays))
    known_values = base.quantities.values if base else {}
    known_counts = base.quantities.counts if base else {}
    relations = find_relations(readings[0].text, readings[0].quantities) if readings and base is None else []
    fresh = {value: grain for value, grain in grains.items() if value not in known_values}
    values = draw_values(fresh, pinned & set(fresh), relations, rng)
    kept += [
        Kept("quantity", f"{value.normalize():f}", "no other number keeps the order and the sums of the text")
        for value in sorted(set(fresh) - set(values) - pinned)
    ]
    drawn: dict[str, dict[Decimal, Decimal]] = {}
    for head, counted in counts.items():
        drawn[head] = dict(known_counts.get(head, {}))
        new = draw_counts(counted, fixed_counts.get(head, ()), rng)
        for value in sorted(counted):
            if value in new:
                drawn[head].setdefault(value, new[value])
            elif value not in drawn[head]:
                # Known to stay: what is not here is taken from what other things' counts become.
                drawn[head][value] = value
    merged = {head: MappingProxyType(dict(known)) for head, known in known_counts.items()}
    merged |= {head: MappingProxyType(known) for head, known in drawn.items()}
    return QuantityMap(MappingProxyType(dict(known_values) | values), MappingProxyType(merged))
