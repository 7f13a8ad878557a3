from dataclasses import replace

import pytest
from validator_fakes import ME, ScriptedChain

from compression_subnet.chain.port import Metagraph, TooEarly, Unreachable, WeightsSet
from compression_subnet.errors import ChainError
from compression_subnet.validator.rewarding.weighting import WeightSetter, WeightSettings

SETTINGS = WeightSettings(send=True, burn=False, margin_blocks=2, poll_seconds=1, tries=4)
EARNED = {"good": 0.2, "fair": 0.1}


async def no_sleep(seconds: float) -> None:
    pass


def setter(chain: ScriptedChain, settings: WeightSettings = SETTINGS) -> WeightSetter:
    return WeightSetter(ME, chain, settings, no_sleep)


async def test_the_vector_is_in_proportion_and_near_the_end_of_the_epoch() -> None:
    chain = ScriptedChain([ME, "good", "fair"])
    attempt = await setter(chain).set(EARNED)
    ((block, sent),) = chain.sent
    assert sent == {1: 65535, 2: 32768}
    assert attempt.vector == {"good": 65535, "fair": 32768}
    assert attempt.confirmed
    assert chain.next_epoch - block in {2, 3}


async def test_uids_are_those_of_the_moment_of_setting() -> None:
    """While the validator waits for its block, one hotkey loses its uid to a stranger and another one moves."""

    class Moving(ScriptedChain):
        async def metagraph(self) -> Metagraph:
            if self.number > 104:
                self.hotkeys = [ME, "stranger", "x", "good"]
            return await super().metagraph()

    chain = Moving([ME, "good", "fair"])
    attempt = await setter(chain).set(EARNED)
    assert chain.sent[0][1] == {3: 65535}
    assert attempt.vector == {"good": 65535}


@pytest.mark.parametrize("earned", [{}, {"deregistered": 1.0}])
async def test_nothing_earned_nothing_set(earned: dict[str, float]) -> None:
    chain = ScriptedChain([ME, "good"])
    attempt = await setter(chain).set(earned)
    assert (chain.sent, attempt.vector, attempt.outcome) == ([], {}, None)


async def test_nothing_earned_is_burned_to_the_owners_uid_of_that_moment() -> None:
    chain = ScriptedChain(["good", ME])  # the fake subnet's owner is this validator's hotkey
    attempt = await setter(chain, replace(SETTINGS, burn=True)).set({})
    assert chain.sent[0][1] == {1: 65535}
    assert attempt.vector == {ME: 65535}


async def test_an_owner_who_is_not_registered_gets_nothing_and_nor_does_anybody_else() -> None:
    class Orphaned(ScriptedChain):
        async def metagraph(self) -> Metagraph:
            return replace(await super().metagraph(), owner_hotkey="somebody else")

    chain = Orphaned(["good", ME])
    attempt = await setter(chain, replace(SETTINGS, burn=True)).set({})
    assert (chain.sent, attempt.vector) == ([], {})


@pytest.mark.parametrize(
    ("share", "sent"), [(0.25, {0: 21845, 1: 65535}), (0.8, {0: 65535, 1: 16384}), (1, {0: 65535})]
)
async def test_a_share_of_all_weight_is_burned_to_the_owners_uid_of_that_moment(
    share: float, sent: dict[int, int]
) -> None:
    chain = ScriptedChain([ME, "good"])  # the fake subnet's owner is this validator's hotkey
    await setter(chain, replace(SETTINGS, burn_share=share)).set({"good": 0.001})
    assert chain.sent[0][1] == sent


async def test_what_the_owner_earns_comes_on_top_of_the_share() -> None:
    chain = ScriptedChain([ME, "good"])
    await setter(chain, replace(SETTINGS, burn_share=0.5)).set({"good": 0.1, ME: 0.1})
    assert chain.sent[0][1] == {0: 65535, 1: 21845}


async def test_a_share_that_cannot_be_burned_is_paid_to_nobody() -> None:
    """Another hotkey holds the uid that was the owner's: nothing is sent, least of all to that uid."""

    class Orphaned(ScriptedChain):
        async def metagraph(self) -> Metagraph:
            return replace(await super().metagraph(), owner_hotkey="somebody else")

    chain = Orphaned([ME, "good"])
    attempt = await setter(chain, replace(SETTINGS, burn_share=0.5)).set({"good": 0.1})
    assert (chain.sent, attempt.vector) == ([], {})


async def test_a_share_is_burned_only_where_somebody_has_earned_the_rest() -> None:
    chain = ScriptedChain([ME, "good"])
    await setter(chain, replace(SETTINGS, burn_share=0.5)).set({})
    assert chain.sent == []
    await setter(chain, replace(SETTINGS, burn=True, burn_share=0.5)).set({})
    assert chain.sent[0][1] == {0: 65535}


async def test_what_is_earned_is_never_burned() -> None:
    chain = ScriptedChain([ME, "good"])
    await setter(chain, replace(SETTINGS, burn=True)).set({"good": 0.001})
    assert chain.sent[0][1] == {1: 65535}


async def test_a_chain_that_comes_back_is_tried_again() -> None:
    class Flickering(ScriptedChain):
        failures = 2

        async def metagraph(self) -> Metagraph:
            if self.failures:
                self.failures -= 1
                raise ChainError("not now")
            return await super().metagraph()

    chain = Flickering([ME, "good"], [Unreachable("no answer"), WeightsSet(1, "0x1")])
    assert (await setter(chain).set({"good": 1.0})).confirmed


async def test_tries_end() -> None:
    chain = ScriptedChain([ME, "good"], [Unreachable("no answer")] * 10)
    attempt = await setter(chain).set({"good": 1.0})
    assert attempt.outcome == Unreachable("no answer")
    assert len(chain.sent) == SETTINGS.tries


async def test_too_early_waits_for_the_block_that_the_chain_names() -> None:
    chain = ScriptedChain([ME, "good"], [TooEarly(next_block=180), WeightsSet(181, "0x2")])
    assert (await setter(chain).set({"good": 1.0})).confirmed
    assert [block >= 180 for block, _ in chain.sent] == [False, True]


async def test_a_dry_run_makes_the_vector_and_sends_nothing() -> None:
    chain = ScriptedChain([ME, "good", "fair"])
    attempt = await setter(chain, replace(SETTINGS, send=False)).set(EARNED)
    assert (chain.sent, attempt.outcome) == ([], None)
    assert attempt.by_uid == {1: 65535, 2: 32768}
