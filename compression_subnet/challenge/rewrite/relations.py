"""Arithmetic that a text states among its numbers: sums, products and ratios, found to be kept."""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import combinations
from typing import Final

from compression_subnet.challenge.rewrite.quantities import Quantity

__all__ = ["Relation", "find_relations", "holds", "result_of"]

# Sums of smaller numbers come about by chance, so those must count the same thing within a few sentences.
_TELLING: Final = 20
# So many characters apart, small numbers may still be one reckoning.
_NEAR: Final = 400
# Beyond so many distinct numbers (tables) triples by chance would outnumber stated ones.
_MOST: Final = 80
# Of the numbers near a total, so many are tried as its parts.
_CLOSEST: Final = 7
# Phrases of a ratio, each with its words: found as plain characters, which is much faster than a pattern.
_RATIOS: Final = (
    (Decimal(2), ("twice", "double", "doubles", "doubled", "half", "halved")),
    (Decimal(3), ("three times", "treble", "trebles", "trebled", "triple", "tripled", "a third", "thrice")),
    (Decimal(4), ("four times", "quadruple", "quadrupled", "a quarter")),
    (Decimal(5), ("five times", "a fifth")),
    (Decimal(10), ("ten times", "tenfold", "a tenth")),
)


@dataclass(frozen=True, slots=True)
class Relation:
    """``operands`` give ``result`` by ``kind``: sum (a + b + ...), product (a · b) or ratio (a · ``factor``)."""

    kind: str
    operands: tuple[Decimal, ...]
    result: Decimal
    factor: Decimal = Decimal(1)


def find_relations(text: str, quantities: Sequence[Quantity]) -> list[Relation]:
    """Return the relations between the numbers of ``text`` that are no counts ("twelve" and below)."""
    places: dict[Decimal, list[Quantity]] = {}
    for quantity in quantities:
        if not quantity.is_count:
            places.setdefault(quantity.value, []).append(quantity)
    values = sorted(places)
    if len(values) > _MOST:
        return [relation for relation in _ratios(text, values, places)]
    known = set(values)
    found = _ratios(text, values, places)
    for i, a in enumerate(values):
        for b in values[i:]:
            if (c := a + b) in known and (a != b or len(places[a]) > 1) and _stated(a, b, c, places):
                found.append(Relation("sum", (a, b), c))
            if a >= 2 and (c := a * b) in known and c not in (a, b) and _near((a, b, c), places):
                found.append(Relation("product", (a, b), c))
    # Products of a small count and a number: "three wagons of 18 tonnes", 54 tonnes.
    counts = sorted({q.value for q in quantities if q.is_count and q.value > 1})
    for a in counts:
        for b in values:
            if (c := a * b) in known and b >= _TELLING and _near((b, c), places):
                found.append(Relation("ratio", (b,), c, a))
    found.extend(_percentages(values, quantities, places))
    found.extend(_long_sums(values, places))
    return list(dict.fromkeys(found))


def result_of(relation: Relation, operands: Sequence[Decimal]) -> Decimal:
    """Return what the relation makes of other operands."""
    if relation.kind == "sum":
        return sum(operands, Decimal(0))
    if relation.kind == "product":
        return operands[0] * operands[1]
    return operands[0] * relation.factor


def holds(relation: Relation, become: dict[Decimal, Decimal]) -> bool:
    """Whether the relation still holds between what its numbers become (a number not in ``become`` stays)."""
    operands = [become.get(value, value) for value in relation.operands]
    return result_of(relation, operands) == become.get(relation.result, relation.result)


def _stated(a: Decimal, b: Decimal, c: Decimal, places: dict[Decimal, list[Quantity]]) -> bool:
    if min(a, b) >= _TELLING and max(a, b) >= 5 * _TELLING:
        return True
    heads = [{q.head for q in places[value]} for value in (a, b, c)]
    if not heads[0] & heads[1] & heads[2]:
        return False
    return _near((a, b, c), places)


def _near(values: Sequence[Decimal], places: dict[Decimal, list[Quantity]]) -> bool:
    """Whether the numbers stand together within a few sentences somewhere."""
    others = [[q.start for q in places[value]] for value in values[1:]]
    return any(
        all(any(abs(start - first.start) <= _NEAR for start in starts) for starts in others)
        for first in places[values[0]]
    )


def _long_sums(values: Sequence[Decimal], places: dict[Decimal, list[Quantity]]) -> list[Relation]:
    """Return the sums of three or four numbers that stand together, as accounts and tables in prose have them."""
    ordered = sorted((q.start, value) for value in values if value >= _TELLING for q in places[value])
    found = []
    for at, total in ordered:
        close = sorted({(abs(start - at), v) for start, v in ordered if v < total and abs(start - at) <= 2 * _NEAR})
        # Whole numbers of ten-thousandths: a few hundred sums a number, so they have to be fast.
        parts = list(dict.fromkeys(value for _, value in close))[:_CLOSEST]
        scaled, wanted = [int(value * 10000) for value in parts], int(total * 10000)
        if sum(scaled) < wanted:
            continue
        for size in (3, 4):
            for chosen in combinations(range(len(parts)), size):
                if sum(scaled[i] for i in chosen) == wanted:
                    found.append(Relation("sum", tuple(parts[i] for i in chosen), total))
    return found


def _ratios(text: str, values: Sequence[Decimal], places: dict[Decimal, list[Quantity]]) -> list[Relation]:
    known = set(values)
    found = []
    lowered = text.lower()
    for factor, phrases in _RATIOS:
        stated = sorted(place for phrase in phrases for place in _places(lowered, phrase))
        if not stated:
            continue
        for value in values:
            result = value * factor
            if result in known and any(_within(stated, q.start) for q in (*places[value], *places[result])):
                found.append(Relation("ratio", (value,), result, factor))
    return found


def _places(text: str, phrase: str) -> list[int]:
    """Return where a phrase stands as whole words."""
    places = []
    at = text.find(phrase)
    while at >= 0:
        end = at + len(phrase)
        if not text[at - 1 : at].isalnum() and not text[end : end + 1].isalnum():
            places.append(at)
        at = text.find(phrase, end)
    return places


def _within(stated: Sequence[int], at: int) -> bool:
    i = bisect_left(stated, at)
    return any(abs(place - at) <= _NEAR for place in stated[max(0, i - 1) : i + 1])


def _percentages(
    values: Sequence[Decimal], quantities: Sequence[Quantity], places: dict[Decimal, list[Quantity]]
) -> list[Relation]:
    """Return "p per cent of a is c", and "c is p per cent more or less than a", where the numbers are exact."""
    known = set(values)
    shares = {
        q.value for q in quantities if q.value in places and q.head in ("%", "per", "percent") and 1 < q.value < 100
    }
    found = []
    for p in sorted(shares):
        for factor in (p / 100, 1 + p / 100, 1 - p / 100):
            for a in values:
                if a >= _TELLING and (c := a * factor) in known and c != a and _near((p, a, c), places):
                    # The share itself must stay for the others to follow it.
                    found.append(Relation("ratio", (a,), c, factor))
                    found.append(Relation("ratio", (p,), p, Decimal(1)))
    return found
