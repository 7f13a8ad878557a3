import pytest
from hypothesis import given
from hypothesis import strategies as st

from compression_subnet.chain.port import Hyperparameters, Metagraph, Neuron
from compression_subnet.chain.schedule import LEAST_MARGIN, Decision, Position, Reason, position, when_to_set
from compression_subnet.errors import ChainError

TEMPO, EPOCH, MARGIN = 360, 1000, 20  # the epoch's blocks are 640 to 999


def at(block: int, last_update: int = 500, rate_limit: int = 100, registered_at: int = 10) -> Position:
    return Position(block, EPOCH, TEMPO, last_update, registered_at, rate_limit)


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        (at(700), Decision("wait", 980, Reason.EARLY)),
        (at(979), Decision("wait", 980, Reason.EARLY)),
        (at(980), Decision("set", 980, Reason.DUE)),
        (at(998), Decision("set", 998, Reason.DUE)),
        (at(999), Decision("skip", 1000, Reason.MISSED)),
        (at(1000), Decision("skip", 1001, Reason.MISSED)),
        (at(985, last_update=985), Decision("skip", 1000, Reason.DONE)),
        (at(700, last_update=640), Decision("skip", 1000, Reason.DONE)),
        (at(980, last_update=639), Decision("set", 980, Reason.DUE)),
        (at(700, last_update=600, rate_limit=390), Decision("wait", 990, Reason.RATE_LIMIT)),
        (at(989, last_update=600, rate_limit=390), Decision("wait", 990, Reason.RATE_LIMIT)),
        (at(990, last_update=600, rate_limit=390), Decision("set", 990, Reason.DUE)),
        (at(700, last_update=600, rate_limit=399), Decision("skip", 1000, Reason.BARRED)),
        (at(700, last_update=600, rate_limit=5000), Decision("skip", 1000, Reason.BARRED)),
        (at(980, last_update=0), Decision("set", 980, Reason.DUE)),
        (at(700, last_update=690, registered_at=690), Decision("wait", 980, Reason.EARLY)),
        (at(985, last_update=890, registered_at=890), Decision("wait", 990, Reason.RATE_LIMIT)),
    ],
)
def test_a_table_of_positions(where: Position, expected: Decision) -> None:
    assert when_to_set(where, MARGIN) == expected


def test_a_margin_of_more_than_the_tempo_means_as_soon_as_the_last_epoch_has_run() -> None:
    assert when_to_set(at(639), 5000) == Decision("wait", 640, Reason.EARLY)
    assert when_to_set(at(640), 5000) == Decision("set", 640, Reason.DUE)


def test_a_margin_that_would_miss_the_epoch_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 2"):
        when_to_set(at(700), LEAST_MARGIN - 1)


def test_a_position_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="not a position"):
        Position(1, 2, 0, 0, 0, 0)


@st.composite
def positions(draw: st.DrawFn) -> Position:
    block = draw(st.integers(0, 3000))
    tempo = draw(st.integers(1, 500))
    registered_at = draw(st.integers(0, block))
    return Position(
        block=block,
        next_epoch=draw(st.integers(0, block + tempo + 5)),
        tempo=tempo,
        last_update=draw(st.integers(registered_at, block)),
        registered_at=registered_at,
        rate_limit=draw(st.integers(0, 1000)),
    )


@given(positions(), st.integers(LEAST_MARGIN, 600))
def test_laws_of_one_decision(where: Position, margin: int) -> None:
    decision = when_to_set(where, margin)
    if decision.action == "set":
        assert decision.block == where.block
        assert not where.last_update or where.block >= where.last_update + where.rate_limit
        assert where.block + 1 < where.next_epoch, "what is sent now lands before the epoch"
    else:
        assert decision.block > where.block
    if decision.action == "wait":
        later = Position(
            decision.block, where.next_epoch, where.tempo, where.last_update, where.registered_at, where.rate_limit
        )
        assert when_to_set(later, margin).action == "set", "a wait ends in setting"


@given(st.integers(2, 60), st.integers(0, 130), st.integers(LEAST_MARGIN, 70), st.integers(1, 80))
def test_a_validator_that_follows_it_sets_at_most_once_a_tempo_and_never_too_early(
    tempo: int, rate_limit: int, margin: int, registered_at: int
) -> None:
    updates, last = [], registered_at
    for block in range(registered_at, registered_at + 12 * tempo):
        epoch = (block // tempo + 1) * tempo
        if when_to_set(Position(block, epoch, tempo, last, registered_at, rate_limit), margin).action == "set":
            assert block >= last + rate_limit
            last = block + 1  # the block that holds the call
            updates.append(last)
    windows = [update // tempo for update in updates]
    assert len(set(windows)) == len(windows)
    if rate_limit < tempo and tempo > 2:
        whole = range(registered_at // tempo + 3, registered_at // tempo + 11)
        missing = [window for window in whole if window not in windows]
        assert not missing, "where the rate limit allows, no epoch goes without weights"


def test_a_position_is_read_from_the_metagraph() -> None:
    neuron = Neuron(3, "hot", "cold", 1.0, True, None, 77, 12, 0.0, 0.0, 0.0)
    settings = Hyperparameters(360, 100, 1, 0, False, 1, 5000, 50, 256)
    graph = Metagraph(1, 200, "owner", (neuron,), settings)
    assert position(graph, "hot", 361) == Position(200, 361, 360, 77, 12, 100)
    with pytest.raises(ChainError, match="btcli subnets register --netuid 1"):
        position(graph, "stranger", 361)
