import unicodedata

import pytest

from compression_subnet.text.unicode14 import MARKS, REMOVED


def codes(ranges: str) -> set[int]:
    found: set[int] = set()
    for part in ranges.split():
        low, _, high = part.partition("-")
        found.update(range(int(low, 16), int(high or low, 16) + 1))
    return found


@pytest.mark.parametrize("ranges", [REMOVED, MARKS])
def test_ranges_are_sorted_and_disjoint(ranges: str) -> None:
    bounds = [int(bound, 16) for part in ranges.split() for bound in (part.partition("-")[0], part.rpartition("-")[2])]
    assert bounds == sorted(bounds)


def test_tables_agree_with_this_python_as_far_as_it_is_unicode_14() -> None:
    """Later versions assign more characters; none of them may take one of the others away."""
    removed, marks = codes(REMOVED), codes(MARKS)
    exact = unicodedata.unidata_version == "14.0.0"
    for code in range(0x110000):
        category = unicodedata.category(chr(code))
        hidden = category in {"Cc", "Cf", "Co", "Cs", "Cn"} and chr(code) not in "\n\t"
        if exact:
            assert (code in removed) == hidden
            assert (code in marks) == (category[0] == "M")
        elif hidden:
            assert code in removed
