"""Running a model over the windows of some documents, so that a document's values depend on it alone.

On a CPU each window is computed by itself, at its own length, by one thread; several threads take a window each.
That costs next to nothing beside batches there, and makes the result the same in any batch and on any number of
threads. On a GPU batches have a fixed number of rows for each of a few lengths, whatever they are filled with, so that
the same kernels compute the same sums.
"""

import os
import threading
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from typing import Final, Protocol, TypeVar

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from compression_subnet.errors import CompressorError

__all__ = ["BUCKETS", "CpuRunner", "Forward", "GpuRunner", "Runner", "out_of_memory"]

BUCKETS: Final = (64, 128, 256, 384, 512)
"""Lengths of windows on a GPU; a model with longer ones gets its own length as the last."""
MAX_THREADS: Final = 16

Ints = npt.NDArray[np.int64]
Forward = Callable[[Tensor, Tensor], Tensor]
T = TypeVar("T")
R = TypeVar("R")


class Runner(Protocol):
    """Computes windows, and whatever else is to be computed piece by piece."""

    def windows(self, forward: Forward, rows: Sequence[Ints], batch_tokens: int) -> list[Tensor]:
        """Return ``forward``'s values of each row of ids: ``[length of the row, values]``, on the device."""

    def each(self, function: Callable[[T], R], items: Iterable[T]) -> list[R]:
        """Return ``function`` of each item, in order."""


class CpuRunner:
    """A window a thread."""

    def __init__(self, threads: int | None = None):
        """Start the threads.

        Args:
            threads: how many; None takes as many as this process may use cores, 16 at most.
        """
        count = threads or min(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1, MAX_THREADS)
        own = torch.get_num_threads()
        self._pool = ThreadPoolExecutor(count, "compressor", initializer=_compute_alone)
        # The number belongs to each thread, but is also what new threads of this process start with: put that back.
        started = threading.Barrier(count)
        wait([self._pool.submit(started.wait) for _ in range(count)])
        torch.set_num_threads(own)

    def windows(self, forward: Forward, rows: Sequence[Ints], batch_tokens: int) -> list[Tensor]:
        """Return the values of each row; ``batch_tokens`` is met by any window, as one is computed at a time."""

        def run(row: Ints) -> Tensor:
            ids = torch.from_numpy(row)[None]
            return forward(ids, torch.ones_like(ids))[0]

        return self.each(run, rows)

    def each(self, function: Callable[[T], R], items: Iterable[T]) -> list[R]:
        """Return ``function`` of each item, in order, several at a time."""

        def run(item: T) -> R:
            with torch.inference_mode():
                return function(item)

        return list(self._pool.map(run, items))


def _compute_alone() -> None:
    """Let this thread compute with itself alone."""
    torch.get_num_threads()  # takes the process's number over, which would undo the next line if it came later
    torch.set_num_threads(1)


def out_of_memory(batch_tokens: int) -> CompressorError:
    """Return the error of a device that has not the memory for so many tokens at a time."""
    return CompressorError(f"out of memory with {batch_tokens} tokens at a time; lower --compressor.batch-tokens")


class GpuRunner:
    """Batches of fixed shapes, those of like length together."""

    def __init__(self, device: torch.device, padding: int, longest: int, *, compiled: bool = False):
        """Prepare.

        Args:
            device: where the model is.
            padding: id that fills up windows.
            longest: most tokens of a window, special ones included.
            compiled: compile what is run, once for each shape, when it is first met; see ``warm_up``.
        """
        self._device = device
        self._compiles = compiled
        self._compiled: tuple[Forward, Forward] | None = None
        self._padding = padding
        self._lengths = [*(length for length in BUCKETS if length < longest), longest]

    def warm_up(self, forward: Forward, batch_tokens: int) -> None:
        """Run every shape once, so that no request waits for a compilation.

        Raises:
            CompressorError: the model cannot be compiled here.
        """
        try:
            self.windows(forward, [np.zeros(length, dtype=np.int64) for length in self._lengths], batch_tokens)
        except torch.OutOfMemoryError as error:
            raise out_of_memory(batch_tokens) from error
        except Exception as error:  # whatever a compiler that is missing or fails raises
            raise CompressorError(f"the model cannot be compiled ({error}); leave out --compressor.compile") from error

    def windows(self, forward: Forward, rows: Sequence[Ints], batch_tokens: int) -> list[Tensor]:
        """Return the values of each row, computed with about ``batch_tokens`` at a time, padding included."""
        call = self._called(forward)
        buckets = np.searchsorted(self._lengths, [len(row) for row in rows])
        results: dict[int, Tensor] = {}
        for bucket, length in enumerate(self._lengths):
            members = np.flatnonzero(buckets == bucket).tolist()
            size = max(1, batch_tokens // length)
            for at in range(0, len(members), size):
                chosen = members[at : at + size]
                table = np.full((size, length), self._padding, dtype=np.int64)
                mask = np.zeros_like(table)
                mask[:, 0] = 1  # rows that are left over attend to something
                for number, member in enumerate(chosen):
                    table[number, : len(rows[member])] = rows[member]
                    mask[number, : len(rows[member])] = 1
                with torch.inference_mode():
                    values = call(self._moved(table), self._moved(mask))
                for number, member in enumerate(chosen):
                    results[member] = values[number, : len(rows[member])]
        return [results[number] for number in range(len(rows))]

    def each(self, function: Callable[[T], R], items: Iterable[T]) -> list[R]:
        """Return ``function`` of each item, in order; the GPU works behind."""
        with torch.inference_mode():
            return [function(item) for item in items]

    def _called(self, forward: Forward) -> Forward:
        if not self._compiles:
            return forward
        if self._compiled is None or self._compiled[0] != forward:
            self._compiled = forward, torch.compile(forward, dynamic=False)
        return self._compiled[1]

    def _moved(self, table: Ints) -> Tensor:
        tensor = torch.from_numpy(table)
        if self._device.type == "cuda":
            tensor = tensor.pin_memory()
        return tensor.to(self._device, non_blocking=True)
