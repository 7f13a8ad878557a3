"""Prepared articles in the pool's file: each opened until spent, over restarts; no source twice."""

from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
from prepare_cases import long_article

from compression_subnet.challenge.made import Recipe
from compression_subnet.challenge.prepare import Draft
from compression_subnet.challenge.store import ChallengeStore

ARTICLES = [long_article(number) for number in range(4)]


def draft(number: int, origin: str = "a") -> Draft:
    article = ARTICLES[number]
    return Draft(article, f"{origin}#{article.id}", article.text, ("A miss.",), {"rewritten": {"seed": 2**127}})


STEPS = st.lists(
    st.one_of(
        st.sampled_from(["open", "retire", "restart", "other settings"]),
        st.tuples(st.integers(0, 3), st.sampled_from(["a", "b"])),
    ),
    max_size=20,
)


@settings(max_examples=40, deadline=None)
@given(STEPS)
def test_an_article_waits_until_it_is_spent_and_no_text_is_put_twice(tmp_path_factory, steps) -> None:
    path = tmp_path_factory.mktemp("shelf") / "pool.sqlite"
    settings_hash = "s"
    put: list[int] = []  # in the order of putting
    waiting: dict[str, list[int]] = {"s": [], "t": []}
    opened: dict[str, list[int]] = {"s": [], "t": []}
    store = ChallengeStore(path, Recipe(settings_hash, "judge"))
    shelf = store.shelf()
    for step in steps:
        if step == "open":
            assert [d.article for d in shelf.open()] == [ARTICLES[n] for n in waiting[settings_hash]]
            opened[settings_hash] += waiting[settings_hash]
            waiting[settings_hash] = []
        elif step == "retire":
            shelf.retire()
            opened[settings_hash] = []
        elif isinstance(step, str):
            store.close()
            settings_hash = {"s": "t", "t": "s"}[settings_hash] if step == "other settings" else settings_hash
            store = ChallengeStore(path, Recipe(settings_hash, "judge"))
            shelf = store.shelf()
            waiting[settings_hash] = sorted(waiting[settings_hash] + opened[settings_hash], key=put.index)
            opened[settings_hash] = []
        else:
            number, origin = step
            is_new = shelf.put(draft(number, origin))
            assert is_new == (number not in put)
            if is_new:
                put.append(number)
                waiting[settings_hash].append(number)
        assert shelf.waiting() == len(waiting[settings_hash])
    store.close()


def test_a_draft_comes_back_as_it_was_put(tmp_path: Path) -> None:
    with ChallengeStore(tmp_path / "pool.sqlite", Recipe("s", "judge")) as store:
        shelf = store.shelf()
        shelf.put(draft(2))
        assert shelf.open() == [draft(2)]


def test_a_text_with_mostly_the_same_sentences_was_used(tmp_path: Path) -> None:
    with ChallengeStore(tmp_path / "pool.sqlite", Recipe("s", "judge")) as store:
        shelf = store.shelf()
        assert shelf.put(draft(0))
        text = ARTICLES[0].text
        assert shelf.is_used("b#x", text[: len(text) * 3 // 4] + "\n\nThis sentence is another one.")
        assert not shelf.is_used("b#x", ARTICLES[1].text + "\n\n" + text[: len(text) // 4])
        assert shelf.is_used("a#a0", "Another text under the same name.")
