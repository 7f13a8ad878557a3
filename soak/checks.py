"""What must hold whatever happens: checked after each epoch and each death, from the record and the chain."""

import asyncio
from collections.abc import Callable, Mapping, Set
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from soak.damage import digests, forget, keep
from soak.final import recompute
from soak.ledger import Ledger, expected_vectors, follow, is_warm, last_counted
from soak.network import Setting
from soak.outcome import Outcome

__all__ = ["Checks"]

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Caught:
    """Weights that a block brought, and the last round that counted then: what they must be made of."""

    setting: Setting
    source: int


class Checks:
    """Compares record, chain and what was seen before; each breach is added to ``outcome.problems``.

    Args:
        path: the record.
        folder: for copies of records that are damaged later.
        pool: processes in which rounds are recomputed, so that the miners here stay quick.
        outcome: what is filled in.
        published: hotkeys that ever had an address; it grows.
    """

    def __init__(self, path: Path, folder: Path, pool: Executor, outcome: Outcome, published: Set[str]):
        self._path = path
        self._folder = folder
        self._pool = pool
        self._outcome = outcome
        self._published = published
        self._ledger = Ledger()
        self._caught: list[_Caught] = []
        self._on_chain: dict[int, Mapping[int, int]] = {}
        self._damaged: dict[str, str] = {}
        self._way = ""
        self._aside: set[Path] = set()
        self._copies: list[Path] = []
        self._lock = asyncio.Lock()

    @property
    def copies(self) -> tuple[Path, ...]:
        """Records as they were before they were damaged, and were set aside."""
        return tuple(self._copies)

    def caught(self, setting: Setting) -> None:
        """Take note of weights, at the moment of their block."""
        self._caught.append(_Caught(setting, last_counted(self._path)))
        self._on_chain[setting.block] = setting.by_uid

    async def check(self, *, closed: bool) -> None:
        """Read on in the record; ``closed`` says that no process has it open."""
        async with self._lock:
            if not self._path.exists() or not await self._is_settled():
                return
            seen = await self._in_pool(follow, self._path, self._ledger, closed)
            self._ledger = seen.ledger
            self._problems(*seen.problems)
            made = {one.block: one for one in seen.made if one.block is not None}
            for block, one in made.items():
                if self._on_chain.get(block) != one.by_uid:
                    self._problems(f"the record says that block {block} has weights that the chain has not")
            waiting, self._caught = self._caught, []
            for caught in waiting:
                block = caught.setting.block
                if block in made:
                    await self._recorded(caught, made[block].round)
                elif closed or caught is not waiting[-1]:
                    await self._unrecorded(caught)
                else:
                    self._caught.append(caught)  # its row may be written at this very moment

    async def damage(self, way: str, do: Callable[[], None]) -> None:
        """Let the record be damaged; it was checked just before, and no process has it open."""
        async with self._lock:
            copy = self._folder / f"before-damage-{len(self._copies) + 1}.sqlite"
            keep(self._path, copy)
            do()
            self._damaged, self._way, self._aside = digests(self._path), way, set(self._set_aside())
            self._copies.append(copy)

    async def _is_settled(self) -> bool:
        """Whether a record that was damaged has been set aside as it was, or is in use, with all that it had."""
        if not self._damaged:
            return True
        if digests(self._path) == self._damaged:
            return False
        there = {content for file in self._set_aside() - self._aside for content in digests(file).values()}
        if there >= set(self._damaged.values()):
            self._outcome.set_aside += 1
            self._ledger = Ledger()
        else:
            # The damage was to what holds nothing, or the log repairs it; or else it went unnoticed.
            forget(self._copies.pop())
            found = await self._in_pool(recompute, self._path)
            self._problems(*(f"{self._way} was damaged, and the record is in use: {one}" for one in found.problems))
        self._damaged = {}
        return True

    def _set_aside(self) -> set[Path]:
        return set(self._path.parent.glob(f"{self._path.name}.damaged-*"))

    async def _recorded(self, one: _Caught, round_number: int) -> None:
        self._outcome.vectors += 1
        if round_number != one.source:
            self._problems(f"block {one.setting.block} has weights of round {round_number}, not {one.source}")
        await self._made_warm(one)

    async def _unrecorded(self, one: _Caught) -> None:
        """Check weights that the record does not have against those that its averages make."""
        self._outcome.vectors += 1
        self._outcome.unrecorded += 1
        expected: list[dict[int, int]] = []
        if one.source:
            expected = await self._in_pool(expected_vectors, self._path, one.source, one.setting.holders)
            await self._made_warm(one)
        if dict(one.setting.by_uid) not in expected:
            self._problems(f"block {one.setting.block} has weights that round {one.source}'s averages do not make")

    async def _made_warm(self, one: _Caught) -> None:
        published = frozenset(self._published)
        if not await self._in_pool(is_warm, self._path, one.source, published, one.setting.serving):
            self._problems(f"block {one.setting.block} has weights of round {one.source}, which was not warm")

    def _problems(self, *problems: str) -> None:
        self._outcome.problems += [f"epoch {self._outcome.first + self._outcome.epochs}: {one}" for one in problems]

    async def _in_pool(self, work: Callable[..., T], *arguments: object) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._pool, work, *arguments)
