"""Work that is done side by side and belongs together."""

import asyncio
from collections.abc import Coroutine, Iterable
from typing import Any, TypeVar

__all__ = ["all_or_none"]

T = TypeVar("T")


async def all_or_none(work: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    """Return the results of ``work``, done side by side; where one raises, the others are cancelled and waited for."""
    tasks = [asyncio.create_task(one) for one in work]
    try:
        return await asyncio.gather(*tasks)
    except BaseException:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
        raise
