"""A model's reply becomes prose of a base text, or is refused with the reason."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compression_subnet.challenge.admission import admit_text
from compression_subnet.challenge.write.prose import ProseFault, clean_prose

GOOD = "The mill stood by the weir. Nobody had painted it for years.\n\nIts wheel turned slowly. The pond froze."


@pytest.mark.parametrize(
    "reply",
    [
        GOOD,
        f"<think>First I plan.</think>\n{GOOD}",
        f"Sure! Here is the part:\n\n{GOOD}",
        f"# The Mill\n\n{GOOD}\n\n---",
        GOOD.replace("The mill", "**The mill**").replace("pond", "[pond]"),
        f"{GOOD} And then it",
        GOOD.replace(". ", ".\n"),
        f"{GOOD} The pond froze.",
    ],
    ids=["good", "thinks", "greets", "heading", "markdown", "cut off", "wrapped", "repeats once"],
)
def test_what_is_no_prose_is_taken_away(reply: str) -> None:
    assert clean_prose(reply, 20) == GOOD


@pytest.mark.parametrize(
    ("reply", "fault"),
    [
        ("", ProseFault.NOT_ADMITTED),
        ("I'm sorry, but I cannot help with that. It is against my rules.", ProseFault.REMARK),
        ("As an AI language model I do not write such texts at all.", ProseFault.REMARK),
        (f"{GOOD} <|im_end|>", ProseFault.SPECIAL_TOKEN),
        (f"[INST] {GOOD} [/INST]", ProseFault.SPECIAL_TOKEN),
        ("It stood.", ProseFault.TOO_SHORT),
        (" ".join(f"Sentence number {i} was long." for i in range(60)), ProseFault.TOO_LONG),
        ("The mill stood by the weir. " * 12, ProseFault.REPETITIVE),
        (f"{GOOD} It held 10² sacks.", ProseFault.NOT_ADMITTED),
        (f"{GOOD} It held 12 000 sacks.", ProseFault.NOT_ADMITTED),
        (f"{GOOD} It held <|im**_end|> sacks.", ProseFault.NOT_ADMITTED),
    ],
)
def test_what_cannot_be_used_is_refused_with_its_reason(reply: str, fault: ProseFault) -> None:
    assert clean_prose(reply, 20) == fault


@given(st.text() | st.lists(st.sampled_from([*GOOD.split(), "**", "\n\n", "#", "- ", "[", "]", "1."])).map(" ".join))
def test_prose_is_always_an_admissible_base_text(reply: str) -> None:
    prose = clean_prose(reply, 3)
    if not isinstance(prose, ProseFault):
        assert admit_text(prose) == prose
