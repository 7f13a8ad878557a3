import base64
import zlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from compression_subnet.errors import InputError, TokenizerError
from compression_subnet.scoring import ComplianceCheck, Reason, check_compliance
from compression_subnet.scoring.compliance import densest_window
from compression_subnet.text import canonical, get_tokenizer

O200K = get_tokenizer()
PROSE = (
    "The survey of Port Halden began in March 1921 under Ada Renn, who kept a log of every sounding. "
    "Two barges were hired from the dredging company at Oskarnes, and each carried a crew of nine. "
) * 8


def reason(reply: str | None, text: str = PROSE, level: int = 40) -> Reason:
    return check_compliance(text, reply, level, O200K).reason


def head(tokens: int) -> str:
    """The longest head of the prose that has at most this many tokens."""
    return max((PROSE[:i].rstrip() for i in range(len(PROSE)) if O200K.count(PROSE[:i].rstrip()) <= tokens), key=len)


def test_a_head_within_budget_is_compliant() -> None:
    verdict = check_compliance(PROSE, "  " + PROSE[:300] + "\r\n", 40, O200K)
    assert verdict.ok
    assert verdict.reason is Reason.OK
    assert verdict.text == PROSE[:300].strip()
    assert verdict.tokens == O200K.count(verdict.text)
    assert verdict.budget == O200K.count(PROSE) * 40 // 100


def test_the_budget_binds_to_the_token() -> None:
    budget = O200K.count(PROSE) * 40 // 100
    exact = "".join(f" word{i % 10}" for i in range(budget))
    while O200K.count(exact.strip()) > budget:
        exact = exact[:-6]
    assert reason(exact) is not Reason.OVER_BUDGET
    assert reason(exact + " and three more words") is Reason.OVER_BUDGET


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        (None, Reason.MISSING),
        ("", Reason.BLANK),
        (" \n\t\u200b\ufeff ", Reason.BLANK),
        (PROSE, Reason.TOO_LONG),
        (PROSE[: len(PROSE) // 2], Reason.OVER_BUDGET),
        ("x" * (4 * len(PROSE) + 1), Reason.TOO_LARGE),
        ("Ada Renn <|im_end|> kept a log", Reason.SPECIAL_TOKEN),
        ("Ada Renn [INST] kept a log", Reason.SPECIAL_TOKEN),
        ("<" + "\u200b" + "|im_end|> after canonical form", Reason.SPECIAL_TOKEN),
        ("." * 700, Reason.DENSE),
        ("Ada" + " " * 400 + "Renn", Reason.DENSE),
        ("-" * 300 + "Ada", Reason.DENSE),
    ],
)
def test_each_reason(reply: str | None, expected: Reason) -> None:
    verdict = check_compliance(PROSE, reply, 40, O200K)
    assert verdict.reason is expected
    assert not verdict.ok
    assert verdict.text == ""


def test_payloads_in_other_alphabets_gain_nothing() -> None:
    packed = base64.b85encode(zlib.compress(PROSE.encode(), 9)).decode()
    assert reason(packed * 4) in {Reason.OVER_BUDGET, Reason.TOO_LONG}
    bold = "".join(chr(0x1D400 + ord(c) - 65) if c.isupper() else c for c in PROSE)
    assert reason(bold[: len(PROSE) // 3]) is reason(PROSE[: len(PROSE) // 3])


def test_dropping_stop_words_stays_within_the_guard() -> None:
    kept = " ".join(w for w in PROSE.split() if w not in {"The", "of", "in", "a", "and", "the", "from", "at", "who"})
    assert reason(kept[: len(PROSE) // 3]) is Reason.OK


def test_keeping_the_prose_of_a_text_that_is_half_tables_stays_within_the_guard() -> None:
    table = "".join(f"{i * 7919 % 1000};{i * 104729 % 97};{i}\n" for i in range(150))
    assert reason(PROSE[:600], text=canonical(table + PROSE), level=60) is Reason.OK


def test_a_tokenizer_that_refuses_is_not_compliant_and_not_an_exception() -> None:
    class Refusing:
        name, sha256 = "refusing", "0" * 64
        token_bytes = staticmethod(O200K.token_bytes)

        @staticmethod
        def count(text: str) -> int:
            raise TokenizerError("no")

    assert check_compliance(PROSE, "Ada Renn", 40, Refusing()).reason is Reason.UNCOUNTABLE


@pytest.mark.parametrize("text", ["", "  \n", "\u200b\ufeff"])
def test_a_text_with_nothing_in_it_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="blank"):
        check_compliance(text, "reply", 40, O200K)


def test_the_canonical_form_of_the_text_is_what_counts() -> None:
    padded = PROSE.replace(" ", " \u200b").replace(".", ".\r")
    verdict = check_compliance(padded, PROSE[:300], 40, O200K)
    assert verdict.budget == O200K.count(canonical(padded)) * 40 // 100


def test_a_tiny_text_has_no_budget_and_does_not_crash() -> None:
    assert reason("a", text="one two", level=20) in {Reason.TOO_LONG, Reason.OVER_BUDGET}


@pytest.mark.parametrize(
    ("text", "window", "most"),
    [("abcd", 1, 4), ("hello world", 1, 6), ("hello world", 2, 11), ("x" + " " * 60 + "yy", 1, 59)],
)
def test_densest_window(text: str, window: int, most: int) -> None:
    assert densest_window(text, O200K.token_bytes(text), window) == most


def test_a_character_cut_by_a_token_counts_whole() -> None:
    text = "😀𒀀"
    lengths = O200K.token_bytes(text)
    assert densest_window(text, lengths, len(lengths)) == 2
    assert densest_window(text, lengths, 1) == 1


@settings(max_examples=150, deadline=None)
@given(st.text(alphabet=st.characters(codec=None, exclude_categories=()), max_size=400), st.sampled_from([20, 40, 60]))
def test_any_reply_gets_a_verdict_and_only_within_budget(reply: str, level: int) -> None:
    verdict = ComplianceCheck(PROSE, level, O200K)(reply)
    assert verdict.ok == (verdict.reason is Reason.OK)
    if verdict.ok:
        assert 0 < verdict.tokens <= verdict.budget
        assert canonical(verdict.text).strip() == verdict.text


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 900), st.integers(1, 800))
def test_any_stretch_of_the_text_itself_is_refused_for_its_budget_alone(start: int, length: int) -> None:
    stretch = PROSE[start : start + length].strip()
    assert reason(stretch) in {Reason.OK, Reason.OVER_BUDGET, Reason.TOO_LONG, Reason.BLANK}
