import random
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from challenge_strategies import article
from hypothesis import given, settings
from hypothesis import strategies as st

from compression_subnet.challenge.build import ChallengeBuilder, ChallengeSettings
from compression_subnet.challenge.filters import Checks
from compression_subnet.challenge.made import Made, Recipe
from compression_subnet.challenge.store import ChallengeStore
from compression_subnet.challenge.types import Challenge
from compression_subnet.errors import InputError, StoreError
from compression_subnet.text.tokens import get_tokenizer

RECIPE = Recipe("settings", "judge")
CHECKS = Checks(5, 1, 1, {"what": 5}, {"what": 3})
CORPUS = [article(f"a{i}", random.Random(i), 12) for i in range(8)]
SMALL = ChallengeSettings(min_tokens=60, max_tokens=150, single_use=True)


def builder(seed: int, store: ChallengeStore | None = None, wanted: ChallengeSettings = SMALL) -> ChallengeBuilder:
    return ChallengeBuilder(CORPUS, get_tokenizer(), wanted, random.Random(seed), store)


def made(challenge: Challenge) -> Made:
    return Made(challenge, tuple(range(len(challenge.questions)))[:3], CHECKS)


@settings(max_examples=15, deadline=None)
@given(st.lists(st.one_of(st.just("add"), st.just("restart"), st.integers(1, 5)), max_size=25), st.integers(0, 99))
def test_each_challenge_is_drawn_once_in_the_order_of_making_over_any_restarts(tmp_path_factory, steps, seed):
    path = tmp_path_factory.mktemp("pool") / "pool.sqlite"
    maker = builder(seed)
    store, waiting, drawn = ChallengeStore(path, RECIPE), [], []
    for step in steps:
        if step == "restart":
            store.close()
            store = ChallengeStore(path, RECIPE)
        elif step == "add":
            one = made(maker.build())
            assert store.add(one)
            waiting.append(one.challenge)
        else:
            taken = store.take(step)
            assert taken == (waiting[:step] if len(waiting) >= step else [])
            drawn += taken
            waiting = waiting[len(taken) :]
        assert store.ready() == len(waiting)
    store.close()
    assert len({c.id for c in drawn}) == len(drawn)


def test_neither_a_base_text_nor_a_noise_sentence_comes_back_after_a_restart(tmp_path):
    path = tmp_path / "pool.sqlite"
    bases: list[str] = []
    noise: list[str] = []
    for seed in range(100):
        with ChallengeStore(path, RECIPE) as store:
            maker = builder(seed, store)
            try:
                for _ in range(3):
                    one = maker.build()
                    assert store.add(made(one))
                    bases.append(one.base_text)
                    noise += [span.of(one.text).strip() for span in one.noise]
            except InputError:
                break
    assert len(bases) == len(set(bases)) == len(maker.excerpts)
    assert noise and len(noise) == len(set(noise))


def test_a_base_text_cut_in_another_way_is_known_all_the_same(tmp_path):
    with ChallengeStore(tmp_path / "pool.sqlite", RECIPE) as store:
        maker = builder(1, store)
        for _ in maker.excerpts:
            assert store.add(made(maker.build()))
        longer = builder(2, store, replace(SMALL, min_tokens=100, max_tokens=300))
        with pytest.raises(InputError, match="used once"):
            longer.build()


def test_what_was_used_is_refused_unless_reuse_is_allowed(tmp_path):
    one = builder(1).build()
    again = replace(one, id="another")
    with ChallengeStore(tmp_path / "strict.sqlite", RECIPE) as store:
        assert store.add(made(one))
        assert not store.add(made(again))
        assert store.ready() == 1
    with ChallengeStore(tmp_path / "lax.sqlite", RECIPE, reuse=True) as store:
        assert store.add(made(one)) and store.add(made(again))


def test_a_rejected_candidate_is_used_and_never_drawn(tmp_path):
    one = builder(1).build()
    with ChallengeStore(tmp_path / "pool.sqlite", RECIPE) as store:
        store.reject(one, CHECKS)
        assert store.ready() == 0
        assert store.as_base(one.base_text.split(". ")[0] + ".") or store.as_base(one.base_text)


def test_challenges_of_other_settings_wait_until_those_come_back(tmp_path):
    path, one = tmp_path / "pool.sqlite", builder(1).build()
    with ChallengeStore(path, RECIPE) as store:
        store.add(made(one))
    with ChallengeStore(path, Recipe("others", "judge")) as store:
        assert (store.ready(), store.of_other_settings(), store.stale(), store.take(1)) == (0, 1, None, [])
    with ChallengeStore(path, RECIPE) as store:
        assert [c.id for c in store.take(1)] == [one.id]


def test_provenance_outlives_the_text_and_the_last_draw_keeps_its_text_until_the_next(tmp_path):
    path, maker = tmp_path / "pool.sqlite", builder(1)
    ones = [maker.build() for _ in range(2)]
    with ChallengeStore(path, RECIPE) as store:
        for one in ones:
            store.add(made(one))
        store.take(1)
        store.take(1)
    with closing(sqlite3.connect(path)) as db:
        rows = db.execute("SELECT seed, source, settings, profile, body != '' FROM challenges ORDER BY number")
        assert rows.fetchall() == [(c.seed, c.source, "settings", "judge", i) for i, c in enumerate(ones)]


@pytest.mark.parametrize(
    ("content", "message"),
    [(b"no database at all, but longer than a header " * 50, "no usable pool"), (None, "newer release")],
)
def test_a_file_that_is_no_pool_of_ours_is_refused_and_left_as_it_is(tmp_path, content, message):
    path = tmp_path / "file"
    if content is None:
        with closing(sqlite3.connect(path)) as db:
            db.execute("PRAGMA user_version = 99")
    else:
        path.write_bytes(content)
    with pytest.raises(StoreError, match=message):
        ChallengeStore(path, RECIPE)
    assert content is None or path.read_bytes() == content


# Fills a pool and draws from it for ever, saying what it is about to have drawn only once it has.
CHURN = """
import sys
sys.path.insert(0, {tests!r})
from pathlib import Path
from test_challenge_store import RECIPE, CORPUS, builder, made
from compression_subnet.challenge.store import ChallengeStore
with ChallengeStore(Path({path!r}), RECIPE, reuse=True) as store:
    maker = builder({seed}, None, __import__("dataclasses").replace(__import__("test_challenge_store").SMALL,
                                                                      single_use=False))
    print("ready", flush=True)
    while True:
        for _ in range(3):
            store.add(made(maker.build()))
        print("drawn", *(c.id for c in store.take(2)), flush=True)
"""


def test_a_process_killed_at_any_moment_leaves_a_whole_pool_that_repeats_nothing(tmp_path):
    path, rng = tmp_path / "pool.sqlite", random.Random(7)
    told: list[str] = []
    for seed in range(2):
        code = CHURN.format(tests=str(Path(__file__).parent), path=str(path), seed=seed)
        with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            for _ in range(rng.randint(3, 25)):
                told += process.stdout.readline().split()[1:]
            process.send_signal(signal.SIGKILL)
            told += [id for line in process.stdout for id in line.split()[1:] if len(id) == 32]
        with closing(sqlite3.connect(path)) as db:
            assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
            (without_text,) = db.execute(
                "SELECT count(*) FROM challenges WHERE status = 'ready' AND body = ''"
            ).fetchone()
            assert without_text == 0
            drawn = {row[0] for row in db.execute("SELECT id FROM challenges WHERE status = 'drawn'")}
        # A draw that was told is on disk; at most the one draw that was under way is there untold.
        assert set(told) <= drawn and len(drawn - set(told)) <= 2 * (seed + 1)
        assert len(told) == len(set(told)) > 0
    with ChallengeStore(path, RECIPE, reuse=True) as store:
        rest = store.take(store.ready())
        assert rest and not {c.id for c in rest} & drawn
