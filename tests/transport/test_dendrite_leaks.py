"""Nothing of an exchange is left in the client, whenever its deadline falls: a validator asks millions of times."""

import asyncio
import contextlib
import gc
import random
import time

from hostile_peers import reply_json, signed_http
from httpcore2._async.connection_pool import AsyncPoolRequest

from compression_subnet.transport import Dendrite, Failed, Failure

AT_ONCE = 40
ROUNDS = 8


def kept() -> int:
    gc.collect()
    # By type alone: asking an object for its class wakes up what libraries defer, such as deprecated names.
    return sum(type(thing) is AsyncPoolRequest for thing in gc.get_objects())


async def be_busy() -> None:
    """Make each turn of the event loop take long, as scoring does: deadlines then fall between any two steps."""
    while True:
        time.sleep(0.003)
        await asyncio.sleep(0)


async def test_deadlines_that_fall_anywhere_leave_nothing_behind(peer, dendrite: Dendrite, request_of) -> None:
    rng = random.Random(0)

    async def behave(asked, writer) -> None:
        writer.write(signed_http(asked, reply_json("short")))
        await writer.drain()

    target = await peer(behave)
    before, outcomes = kept(), []
    busy = asyncio.create_task(be_busy())
    for _ in range(ROUNDS):
        deadlines = [rng.uniform(0.0, 0.3) for _ in range(AT_ONCE)]
        outcomes += await asyncio.gather(*(dendrite.ask(target, request_of(), deadline) for deadline in deadlines))
    busy.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await busy
    assert kept() == before
    # Some were in time and some were not, so deadlines did fall into every step.
    late = sum(isinstance(one, Failed) and one.reason is Failure.TIMEOUT for one in outcomes)
    assert 0 < late < len(outcomes)
