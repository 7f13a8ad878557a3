import pytest
from hypothesis import given
from hypothesis import strategies as st

from compression_subnet.errors import CompressorError
from compression_subnet.miner.batching import Job, choose_batch
from compression_subnet.miner.speed import Speed
from compression_subnet.miner.work import Fault, Work, do_work, takes_batches
from compression_subnet.text.canonical import canonical
from compression_subnet.text.tokens import get_tokenizer

TEXT = "one two three four five six seven eight nine ten"


class Fixed:
    """Returns a value, or raises it."""

    def __init__(self, value):
        self.value = value

    def compress(self, text, budget):
        if isinstance(self.value, BaseException):
            raise self.value
        return self.value


WILD = st.one_of(
    st.text(max_size=200),
    st.sampled_from([None, 5, b"bytes", ValueError("x"), SystemExit(1), KeyboardInterrupt(), MemoryError()]),
    st.text(alphabet="\u200b\ufeff \n\r\tﬁé田", max_size=50),
)


@given(WILD, st.integers(1, 20))
def test_whatever_a_compressor_does_what_is_sent_is_canonical_not_empty_and_within_the_budget(value, budget):
    (result,) = do_work(Fixed(value), [Work(TEXT, budget)], get_tokenizer(), strict=True)
    if result.fault is None:
        assert result.text == canonical(result.text).strip() != ""
        assert get_tokenizer().count(result.text) == result.tokens_out <= budget
        assert result.tokens_in == get_tokenizer().count(TEXT)
    else:
        assert result.text == ""
        assert result.detail.isprintable()


@pytest.mark.parametrize(
    ("value", "fault"),
    [
        (TEXT, Fault.OVER_BUDGET),
        (" \u200b ", Fault.EMPTY),
        (None, Fault.FAILED),
        (CompressorError("no model"), Fault.FAILED),
        ("one two", None),
    ],
)
def test_each_fault_is_told_apart(value, fault):
    (result,) = do_work(Fixed(value), [Work(TEXT, 4)], get_tokenizer(), strict=True)
    assert result.fault is fault


def test_where_it_is_allowed_a_result_over_the_budget_is_sent():
    (result,) = do_work(Fixed(TEXT), [Work(TEXT, 4)], get_tokenizer(), strict=False)
    assert (result.text, result.fault) == (TEXT, None)


class Memory:
    """Takes batches of up to ``most`` texts, as a GPU does."""

    def __init__(self, most, *, short=False):
        self.most = most
        self.short = short
        self.calls = []

    def compress(self, text, budget):
        self.calls.append(1)
        if text == "poison":
            raise ValueError
        return text.split()[0]

    def compress_batch(self, requests):
        self.calls.append(len(requests))
        if len(requests) > self.most:
            raise CompressorError("out of memory")
        return [text.split()[0] for text, _ in requests][: 1 if self.short else None]


WORDS = [Work(f"{word} and more", 4) for word in ("red", "green", "blue")]


def test_a_batch_is_given_as_one():
    memory = Memory(10)
    assert [r.text for r in do_work(memory, WORDS, get_tokenizer(), strict=True)] == ["red", "green", "blue"]
    assert memory.calls == [3]


@pytest.mark.parametrize("memory", [Memory(2), Memory(10, short=True)])
def test_a_batch_that_fails_is_tried_once_more_text_by_text(memory):
    results = do_work(memory, [*WORDS, Work("poison", 4)], get_tokenizer(), strict=True)
    assert [r.text for r in results] == ["red", "green", "blue", ""]
    assert results[3].fault is Fault.FAILED
    assert memory.calls == [4, 1, 1, 1, 1]


def test_what_takes_batches_is_known_by_its_method():
    assert takes_batches(Memory(1)) and not takes_batches(Fixed(""))


def job(tokens, until):
    return Job(Work("x", 1), tokens, 0.0, until, None)


@given(
    st.lists(st.tuples(st.integers(1, 5000), st.floats(0, 100)), min_size=1, max_size=30),
    st.integers(1, 20_000),
    st.floats(0, 0.1),
)
def test_a_batch_is_a_head_of_the_queue_within_its_tokens_and_its_time(waiting, budget, per_token):
    jobs, speed = [job(*values) for values in waiting], Speed(per_token)
    batch = choose_batch(jobs, budget=budget, now=0.0, speed=speed)
    assert batch and batch == jobs[: len(batch)]
    if len(batch) > 1:
        tokens = sum(one.tokens for one in batch)
        assert tokens <= budget
        assert speed.seconds(tokens) <= min(one.until for one in batch) / 2


def test_a_speed_learns_slowness_quickly_and_quickness_slowly():
    speed = Speed.measured(1000, 1.0)
    assert speed.seconds(2000) == 2.0
    assert speed.after(1000, 3.0).seconds(1000) == pytest.approx(2.0)
    assert speed.after(1000, 0.0).seconds(1000) == pytest.approx(0.9)
