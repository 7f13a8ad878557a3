import random

import pytest
from hostile_peers import reply_json, sending, signed_http

from compression_subnet.transport import Replied, Target
from compression_subnet.transport.dendrite import MAX_JITTER_SHARE, most_jitter


class Waits:
    def __init__(self):
        self.seconds = []

    async def __call__(self, seconds):
        self.seconds.append(seconds)


async def ask(peer, dendrite, request_of, jitter, deadline=8.0, miners=6):
    target = await peer(sending(lambda asked: signed_http(asked, reply_json("x"))))
    targets = [target, *(Target(f"dark{i}", None) for i in range(miners - 1))]
    waits = Waits()
    outcomes = await dendrite.ask_all(
        targets, request_of(), deadline, concurrency=2, rng=random.Random(3), jitter=jitter, sleep=waits
    )
    assert isinstance(outcomes[target.hotkey], Replied)
    return waits.seconds


async def test_every_request_waits_for_a_time_of_its_own(peer, dendrite, request_of):
    waits = await ask(peer, dendrite, request_of, jitter=1.0)
    assert len(set(waits)) == len(waits) == 6
    assert all(0 <= seconds <= 1.0 for seconds in waits)


async def test_the_same_rng_waits_the_same(peer, dendrite, request_of):
    assert await ask(peer, dendrite, request_of, 1.0) == await ask(peer, dendrite, request_of, 1.0)


async def test_without_jitter_nothing_waits(peer, dendrite, request_of):
    assert await ask(peer, dendrite, request_of, jitter=0.0) == []


async def test_jitter_is_bounded_by_a_share_of_the_deadline(peer, dendrite, request_of):
    waits = await ask(peer, dendrite, request_of, jitter=3600.0)
    assert max(waits) <= MAX_JITTER_SHARE * 8.0


@pytest.mark.parametrize(("jitter", "deadline", "most"), [(0.5, 30, 0.5), (0.5, 1, 0.25), (0, 30, 0)])
def test_most_jitter(jitter, deadline, most):
    assert most_jitter(jitter, deadline) == most
