"""Hypothesis strategies and small fixtures for challenges: articles of made-up prose with questions."""

import random

from hypothesis import strategies as st

from compression_subnet.challenge.excerpt import Excerpt, cut
from compression_subnet.challenge.types import Article, Question, Span
from compression_subnet.text.sentences import split_sentences
from compression_subnet.text.tokens import get_tokenizer

WORDS = (
    "harbour", "ledger", "winter", "copper", "valley", "engine", "bishop", "orchard", "signal", "river", "window",
    "letter", "engineer", "market", "bridge", "lantern", "council", "harvest", "railway", "captain", "garden",
    "factory", "teacher", "island", "parcel", "barrel", "notebook", "tunnel", "ferry",
)  # fmt: skip
NAMES = ("Maren", "Tobias", "Elin", "Oskar", "Ingrid", "Pavel", "Ruth", "Anselm", "Dorothea", "Kaspar")


def sentence(rng: random.Random) -> str:
    """Return one sentence of prose that the splitter cannot take for two."""
    words = [rng.choice(WORDS) for _ in range(rng.randint(4, 18))]
    words[rng.randrange(1, len(words))] = rng.choice([*NAMES, str(rng.randint(2, 2000)), "naïve", "twelve"])
    return f"The {' '.join(words)}{rng.choice(['.', '.', '.', '?', '!'])}"


def article(id: str, rng: random.Random, paragraphs: int = 4, joint: str = " ") -> Article:
    """Return an article with a question about most of its sentences."""
    text = "\n\n".join(joint.join(sentence(rng) for _ in range(rng.randint(1, 6))) for _ in range(max(1, paragraphs)))
    questions = []
    for number, (start, end) in enumerate(split_sentences(text)):
        if rng.random() < 0.7:
            evidence = Span(start, start + len(text[start:end].rstrip()))
            gold = " ".join(evidence.of(text).split()[1:3])
            questions.append(Question(f"Question {number} of {id}?", (gold.rstrip(".?!"),), evidence, "what"))
    return Article(id, id.title(), text, tuple(questions))


@st.composite
def articles(draw: st.DrawFn) -> Article:
    """Draw an article of one to eight paragraphs; sentences are a space or two apart."""
    rng = random.Random(draw(st.integers(0, 2**32)))
    return article("base", rng, draw(st.integers(1, 8)), draw(st.sampled_from([" ", "  "])))


@st.composite
def corpora(draw: st.DrawFn) -> list[Article]:
    """Draw a corpus of three to six articles that is big enough for noise."""
    rng = random.Random(draw(st.integers(0, 2**32)))
    return [article(f"article-{i}", rng, rng.randint(3, 8)) for i in range(draw(st.integers(3, 6)))]


def whole(base: Article) -> Excerpt:
    """Return the whole article as one excerpt."""
    (excerpt,) = cut(base, get_tokenizer(), 1, 10**6)
    return excerpt


def without(text: str, spans: tuple[Span, ...]) -> str:
    """Return ``text`` without the ranges."""
    kept, done = [], 0
    for span in spans:
        kept.append(text[done : span.start])
        done = span.end
    return "".join(kept) + text[done:]
