"""Checks of what answers over the network: the miner's own axon, and the judge."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

from compression_subnet.chain import Axon
from compression_subnet.doctor.check import Check, fail, ok, skipped, warn
from compression_subnet.doctor.facts import Facts
from compression_subnet.judge.types import Answerer, AnswerStatus
from compression_subnet.transport.addresses import address_fault

__all__ = ["CANARY", "check_axon", "check_judge"]

CANARY: Final = ("The lighthouse at Corran was painted green in 1931.", "What colour was the lighthouse painted?")
"""A text and a question that any answering model gets right, with the word ``green``."""
_EXPECTED: Final = "green"
_SET_ADDRESS: Final = "set axon.external_ip and axon.external_port to what the internet reaches this machine by"


async def check_axon(
    facts: Facts, configured: Axon | None, health: Callable[[Axon], Awaitable[int]], *, allow_private: bool
) -> Check:
    """Whether validators can find the miner, and it answers there.

    Args:
        facts: what the chain says.
        configured: the address that the miner would publish, None where it is not known.
        health: asks an address for its health and returns the HTTP status; raises OSError or TimeoutError.
        allow_private: whether private addresses will do, as on a local network.
    """
    if facts.neuron is None:
        return skipped("axon", "the hotkey is not known to be registered")
    published = facts.neuron.axon
    if published is None and configured is not None:
        fault = address_fault(configured.ip, configured.port, allow_private=allow_private)
        if fault is not None:
            return fail("axon", f"validators cannot call {configured.ip}:{configured.port}: {fault}", _SET_ADDRESS)
    if published is None:
        return warn("axon", "no address is on chain", "start the miner: it publishes its address once it can answer")
    where = f"{published.ip}:{published.port}"
    fault = address_fault(published.ip, published.port, allow_private=allow_private)
    if fault is not None:
        return fail("axon", f"{where} is {fault}", f"{_SET_ADDRESS}, and restart the miner")
    if configured is not None and configured != published:
        return warn(
            "axon",
            f"{where} is on chain, {configured.ip}:{configured.port} is configured",
            "restart the miner, which publishes its address when it starts",
        )
    try:
        status = await health(published)
    except (OSError, TimeoutError) as error:
        return fail(
            "axon",
            f"{where} does not answer ({str(error) or type(error).__name__})",
            "open the port in the firewall and forward it to this machine; if only this machine cannot reach it, "
            "try from another",
        )
    if status != 200:
        return fail("axon", f"{where} answers with HTTP {status}", "something else than the miner listens there")
    return ok("axon", f"{where} answers")


async def check_judge(judge: Answerer | None, deadline: float) -> Check:
    """Whether the answering model answers a question that cannot be missed."""
    if judge is None:
        return skipped("judge", "no judge is configured")
    try:
        async with asyncio.timeout(deadline):
            answers = await judge.answer(CANARY[0], [CANARY[1]])
    except TimeoutError:
        return fail("judge", f"no answer within {deadline:g} s", "check judge.base_url, and that its server runs")
    if len(answers) != 1 or answers[0].status is AnswerStatus.PROVIDER_FAULT:
        detail = answers[0].detail if answers else ""
        return fail("judge", detail or "no answer", "check judge.base_url, judge.model and the API key")
    answer = answers[0]
    if answer.status is not AnswerStatus.ANSWERED or _EXPECTED not in answer.text.casefold():
        return fail(
            "judge",
            f"it answers {answer.text[:40]!r} where {_EXPECTED!r} is meant ({answer.detail or answer.status})",
            "set judge.model to a model that answers from a text",
        )
    return ok("judge", f"answers; {answer.usage.prompt_tokens} prompt tokens for a canary")
