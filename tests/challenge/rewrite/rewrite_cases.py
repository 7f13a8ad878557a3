"""Small articles for tests of rewriting, and a strategy that draws them."""

import random

from hypothesis import strategies as st

from compression_subnet.challenge.admission import admit_question, admit_text
from compression_subnet.challenge.rewrite import Rewritten, rewrite_article
from compression_subnet.challenge.types import Article, Question, Span

PEOPLE = ("Ingrid Pellow", "Tobias Wrencliff", "Dr. Maren Aldous", "Mrs. Odile Carrick", "J. R. Harker", "Captain Holm")
PLACES = ("Skarrow Haven", "Dunmerrow", "Gannet Point", "Port Averill", "Estermark", "the river Tarve")
BODIES = ("the Harbour Commission", "Brayle and Sons", "the Estermark Institute", "the KTWZ", "Vanterpool Marine")
DATES = ("4 May 2015", "June 2014", "1978", "22 October 2016", "the 1970s", "March 9, 1871", "17 January 2019")
NUMBERS = ("1,100 barrels", "2.3 metres", "$740", "31 per cent", "two hundred and fourteen houses", "seven months")
NOUNS = ("harbour", "ledger", "naïve clerk", "orchard", "council", "hour", "engine")
SHAPES = (
    "The {noun} was opened by {person} in {date}.",
    "In {place} an {noun} of {number} was found.",
    "{person} wrote to {body} about {number} and a {noun}.",
    "On {date} the {noun} left {place}, where {body} had {number}.",
    '"Nobody saw it," said {person}, and {number} were lost.',
    "A {place} {noun} and an {body} {noun} cost {number}.",
)


def article(text: str, *asked: tuple[str, str], title: str = "") -> Article:
    """Return an admitted article; each question is given with its answer, and its evidence is the whole text."""
    text = admit_text(text)
    questions = tuple(admit_question(Question(q, (gold,), Span(0, len(text)), "what"), text) for q, gold in asked)
    return Article("case", title, text, questions)


def rewritten(text: str, *asked: tuple[str, str], seed: int = 1) -> Rewritten:
    return rewrite_article(article(text, *asked), random.Random(seed))


@st.composite
def articles(draw: st.DrawFn) -> Article:
    """Draw an article of names, dates and numbers in sentences, with a question about one thing of most of them."""
    rng = random.Random(draw(st.integers(0, 2**32)))
    text = ""
    marks: list[tuple[int, int, str]] = []
    for _ in range(draw(st.integers(1, 12))):
        filled = {
            "noun": rng.choice(NOUNS), "person": rng.choice(PEOPLE), "place": rng.choice(PLACES),
            "body": rng.choice(BODIES), "date": rng.choice(DATES), "number": rng.choice(NUMBERS),
        }  # fmt: skip
        shape = rng.choice(SHAPES)
        sentence = shape.format(**filled)
        gold = filled[rng.choice([key for key in filled if f"{{{key}}}" in shape])]
        marks.append((len(text), len(text) + len(sentence), gold))
        text += sentence + rng.choice([" ", "\n\n"])
    text = admit_text(text)
    questions = tuple(
        admit_question(Question(f"What is told {i} about {gold}?", (gold,), Span(a, b), "what"), text)
        for i, (a, b, gold) in enumerate(marks)
        if rng.random() < 0.8
    )
    return Article("drawn", f"On {rng.choice(PLACES)}", text, questions)
