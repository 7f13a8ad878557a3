"""Texts for the tests, made up by rule."""

import random

NOUNS = ["harbour", "ferry", "keeper", "lantern", "orchard", "bridge", "archive", "mill", "quarry", "chapel", "market"]
NAMES = ["Mara", "Olav", "Ines", "Tobias", "Ragna", "Pavel", "Aino", "Luca", "Brecht", "Solveig", "Emeka", "Hana"]
PLACES = ["Oslo", "Bergen", "Turku", "Ghent", "Porto", "Gdansk", "Riga", "Cork", "Malmo", "Lund"]
VERBS = ["repaired", "sold", "painted", "inspected", "described", "measured", "bought", "closed", "opened", "moved"]


def article(sentences: int, seed: int = 0) -> str:
    """Return a text of so many sentences, in paragraphs of five."""
    rng = random.Random(seed)
    parts = []
    for number in range(sentences):
        noun, other = rng.sample(NOUNS, 2)
        parts.append(
            f"{rng.choice(NAMES)} {rng.choice(VERBS)} the {noun} of {rng.choice(PLACES)} in {rng.randint(1700, 2020)}, "
            f"but {rng.randint(2, 99)} people had not yet seen the {other} (a gift of {rng.choice(NAMES)})."
        )
        parts.append("\n\n" if number % 5 == 4 else " ")
    return "".join(parts).strip()


FERRY = [
    "The ferry Lindholm carried passengers between Varberg and Grenaa for nineteen years.",
    "Captain Ingrid Solberg commanded the ferry until the winter of 1987.",
    "The ferry Lindholm could hold 412 passengers and sixty cars on its lower deck.",
    "In 1979 a storm held the ferry and its passengers at sea for two nights.",
    "Passengers of the ferry paid eleven crowns for the crossing to Grenaa.",
    "The harbour of Varberg was deepened so that the ferry could dock at low tide.",
    "Solberg wrote in her log that the storm broke a window on the lower deck.",
    "The crossing from Varberg took the ferry four hours in calm weather.",
    "After the storm the owners of the ferry bought a second radio.",
    "The ferry Lindholm was sold to a harbour museum in Grenaa in 1991.",
]
FOREIGN = [
    "Basil grows best in a pot with plenty of drainage and morning sunlight.",
    "The violin maker let the spruce dry for eleven winters before carving.",
    "Quadratic residues modulo a prime form a subgroup of index two.",
    "Her grandmother seasoned the stew with smoked paprika and vinegar.",
]
