from compression_subnet.scoring.copies import copy_groups, jaccard

WORDS = [frozenset(f"w{c}-{i}" for i in range(20)) for c in range(12)]


def replies(change: int = 0, count: int = 12) -> dict[str, frozenset[str]]:
    """Replies to ``count`` challenges, with ``change`` of twenty words of each replaced."""
    return {
        f"c{c}": frozenset(sorted(WORDS[c])[change:]) | frozenset(f"x{c}-{i}" for i in range(change))
        for c in range(count)
    }


def test_jaccard() -> None:
    assert jaccard(frozenset("ab"), frozenset("bc")) == 1 / 3
    assert jaccard(frozenset(), frozenset()) == 0


def test_clones_are_joined_and_others_are_not() -> None:
    groups = copy_groups({"a": replies(), "b": replies(), "c": replies(10), "d": replies()})
    assert groups == [frozenset("abd")]


def test_joining_is_transitive() -> None:
    chain = {
        "a": replies(0),
        "b": replies(1),
        "c": {key: words - {f"x{key[1:]}-0"} | {f"y{key[1:]}"} for key, words in replies(1).items()},
    }
    assert copy_groups(chain) == [frozenset("abc")]


def test_too_few_common_challenges_join_nobody() -> None:
    assert copy_groups({"a": replies(count=9), "b": replies()}) == []


def test_nobody_alone_is_a_group() -> None:
    assert copy_groups({"a": replies(), "b": {}}) == []
    assert copy_groups({}) == []
