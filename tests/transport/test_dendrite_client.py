import asyncio
import gc
import os

import httpx2
from hostile_peers import VALIDATOR, reply_json, sending, signed_http

from compression_subnet.transport import Dendrite, Replied


async def test_a_proxy_of_the_environment_is_not_used(peer, request_of, monkeypatch):
    called = []

    async def trap(asked, writer):
        called.append(asked)

    proxy = await peer(trap, ip="127.0.0.4")
    target = await peer(sending(lambda asked: signed_http(asked, reply_json("x"))))
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, f"http://127.0.0.4:{proxy.axon.port}")
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    async with Dendrite(VALIDATOR, allow_private=True) as dendrite:
        assert isinstance(await dendrite.ask(target, request_of(), 5), Replied)
    assert called == []


async def test_one_client_for_its_life_and_no_descriptor_left_by_any_outcome(peer, request_of, monkeypatch):
    made = []
    make = httpx2.AsyncClient

    def counted(*arguments, **settings):
        made.append(settings)
        return make(*arguments, **settings)

    async def silent(asked, writer):
        await asyncio.sleep(60)

    async def reset(asked, writer):
        writer.transport.abort()

    monkeypatch.setattr(httpx2, "AsyncClient", counted)
    targets = [await peer(sending(lambda a: signed_http(a, reply_json("x")))), await peer(silent), await peer(reset)]
    async with Dendrite(VALIDATOR, allow_private=True) as dendrite:

        async def ask_all():
            for target in targets:
                await dendrite.ask(target, request_of(), 0.1)

        await ask_all()
        gc.collect()
        before = len(os.listdir("/proc/self/fd"))
        for _ in range(10):
            await ask_all()
        await asyncio.sleep(0.1)
        gc.collect()
        after = len(os.listdir("/proc/self/fd"))
    assert len(made) == 1
    # The peers keep what is silent towards them open on their side: one each.
    assert after - before <= 10 + 1
