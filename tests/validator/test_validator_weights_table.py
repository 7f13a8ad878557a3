from rich.console import Console

from compression_subnet.report.weights import weights_table


def lines(vector: dict[str, int], uids: dict[str, int]) -> list[str]:
    console = Console(width=100, record=True, file=open("/dev/null", "w"))  # noqa: SIM115
    console.print(weights_table(vector, uids))
    console.file.close()
    return console.export_text().splitlines()


def test_a_line_a_hotkey_the_largest_weight_first_with_its_share() -> None:
    title, header, _, *rows = lines({"a": 21845, "b": 65535}, {"a": 4, "b": 9})
    assert title.strip() == "Weights that were not sent"
    assert header.split() == ["uid", "hotkey", "weight", "share"]
    assert [row.split() for row in rows] == [["9", "b", "65535", "0.7500"], ["4", "a", "21845", "0.2500"]]


def test_nothing_earned_is_said() -> None:
    assert "nobody has earned any" in lines({}, {})[-1]
