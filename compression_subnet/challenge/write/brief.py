"""A brief: what a text that nobody has is to say, drawn from a secret seed."""

import hashlib
import json
import random
from dataclasses import asdict, dataclass
from itertools import pairwise
from math import prod
from typing import Final

from compression_subnet.challenge.write import vocabulary as words
from compression_subnet.challenge.write.drawing import Drawer, fewest_values
from compression_subnet.challenge.write.facts import Fact
from compression_subnet.challenge.write.kinds import Kind, draw_kinds
from compression_subnet.challenge.write.makers import make_fact
from compression_subnet.challenge.write.topics import TOPICS
from compression_subnet.errors import ConfigurationError

__all__ = ["MAX_WORDS", "MIN_WORDS", "Brief", "distinct_briefs", "draw_brief"]

MIN_WORDS: Final = 280
# Beyond this a brief would run out of names that differ at a glance.
MAX_WORDS: Final = 2400
_WORDS_A_FACT: Final = 40
_WORDS_A_SECTION: Final = 170


@dataclass(frozen=True, slots=True)
class Brief:
    """What a text is to be and to say.

    Attributes:
        seed: what it was drawn from; secret until the text is spent.
        genre: kind of text.
        manner: how it is written.
        setting: where it is set, in a phrase.
        subject: the name of what it is about, with its article.
        words: about how long it is.
        sections: the facts, section by section, in the order of the text.
    """

    seed: int
    genre: str
    manner: str
    setting: str
    subject: str
    words: int
    sections: tuple[tuple[Fact, ...], ...]

    @property
    def facts(self) -> tuple[Fact, ...]:
        """All facts in the order of the text."""
        return tuple(fact for section in self.sections for fact in section)

    @property
    def sha256(self) -> str:
        """SHA-256 over everything but the seed: equal for equal briefs."""
        contents = {name: value for name, value in asdict(self).items() if name != "seed"}
        return hashlib.sha256(json.dumps(contents, sort_keys=True).encode()).hexdigest()


def draw_brief(seed: int, length: int = 600) -> Brief:
    """Return the brief that the seed determines, on every platform.

    Args:
        seed: from the system's randomness (``secrets``), never from anything public.
        length: words of the text, about; a fact comes to every 40 of them.

    Raises:
        ConfigurationError: the length is out of range.
    """
    if not MIN_WORDS <= length <= MAX_WORDS:
        raise ConfigurationError(f"a text of {length} words cannot be briefed; give {MIN_WORDS} to {MAX_WORDS}")
    rng = random.Random(f"{seed}:brief")
    draw = Drawer(rng)
    subject = f"the {draw.place()} {draw.topic.noun}"
    n_facts, n_sections = _sizes(length)
    facts = [make_fact(draw, subject, kind) for kind in draw_kinds(n_facts, rng)]
    bounds = [n_facts * i // n_sections for i in range(n_sections + 1)]
    return Brief(
        seed=seed,
        genre=rng.choice(words.GENRES),
        manner=rng.choice(words.MANNERS),
        setting=rng.choice(words.SETTINGS),
        subject=subject,
        words=length,
        sections=tuple(tuple(facts[a:b]) for a, b in pairwise(bounds)),
    )


def distinct_briefs(length: int = 600) -> int:
    """Return a lower bound on the number of different briefs of this length.

    The frame (genre, manner, setting, topic) times the fewest values of each fact whose sort cannot run out; works,
    wordings, the order of the facts and the other sorts would multiply it further.
    """
    n_facts = _sizes(length)[0]
    frame = len(words.GENRES) * len(words.MANNERS) * len(words.SETTINGS) * len(TOPICS)
    # Kinds are balanced, so each comes at least so often.
    values: int = prod(fewest_values(n_facts).values()) ** (n_facts // len(Kind))
    return frame * values


def _sizes(length: int) -> tuple[int, int]:
    """Return the number of facts and of sections."""
    return length // _WORDS_A_FACT, max(1, round(length / _WORDS_A_SECTION))
