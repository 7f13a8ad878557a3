import pytest
from bittensor.sp_core import Keypair
from hypothesis import given
from hypothesis import strategies as st
from loguru import logger

from compression_subnet.miner.log import RefusalLog, quoted

ALICE = Keypair.create_from_uri("//Alice").ss58_address


@pytest.fixture
def lines():
    found = []
    number = logger.add(found.append, format="{message}", colorize=False)
    yield found
    logger.remove(number)


@given(st.text())
def test_quoted_text_is_one_short_line_of_printable_ascii(text):
    line = quoted(text)
    assert line.isascii() and line.isprintable() and len(line) <= 12 * 210


def test_a_caller_and_reason_are_logged_once(lines):
    log = RefusalLog(lambda: 0.0)
    for _ in range(3):
        log.note(ALICE, "one reason")
        log.note(ALICE, "another")
    assert len(lines) == 2 and ALICE in lines[0]


@pytest.mark.parametrize("caller", ["{0}", "\x1b[31mred", "a\nb", "<red>x</red>", "1" * 10_000, "", None])
def test_what_is_no_address_is_not_repeated(lines, caller):
    RefusalLog(lambda: 0.0).note(caller, "a reason")
    assert lines == ["refused someone without an address: a reason (further refusals for this reason are not logged)\n"]


def test_many_callers_do_not_flood_the_log_nor_the_memory(lines):
    now = 0.0
    log = RefusalLog(lambda: now)
    for i in range(1000):
        log.note(f"5{i:046d}".replace("0", "z"), "a reason")
    assert len(lines) == 20
    now = 3600.0
    for i in range(10_000):
        now += 1
        log.note(f"5{i:046d}".replace("0", "z"), "a reason")
    assert len(log._seen) <= 4096
