"""Running windows: each by itself on a CPU, in fixed shapes on a GPU, and nothing global changed."""

import random
import shutil
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import torch

from compression_subnet.compressors.learned.runner import BUCKETS, CpuRunner, GpuRunner
from compression_subnet.errors import CompressorError

ROWS = [np.arange(n) % 50 for n in (3, 64, 65, 300, 512, 7, 1)]


def forward(ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    return torch.stack([ids.float() * mask, mask.float()], dim=-1)


def check(values: list[torch.Tensor], rows: Sequence[np.ndarray] = ROWS) -> None:
    assert len(values) == len(rows)
    for row, value in zip(rows, values, strict=True):
        assert torch.equal(value, torch.stack([torch.from_numpy(row).float(), torch.ones(len(row))], dim=-1))


@pytest.mark.parametrize("threads", [1, 3])
def test_cpu_windows_come_back_in_order_at_their_own_length(threads: int) -> None:
    check(CpuRunner(threads).windows(forward, ROWS, 1))
    assert CpuRunner(threads).windows(forward, [], 1) == []


@pytest.mark.parametrize("batch_tokens", [1, 1000, 10**6])
def test_gpu_windows_come_back_in_order_whatever_the_batch(batch_tokens: int) -> None:
    check(GpuRunner(torch.device("cpu"), 1, 512).windows(forward, ROWS, batch_tokens))
    assert GpuRunner(torch.device("cpu"), 1, 512).windows(forward, [], batch_tokens) == []


@pytest.mark.skipif(shutil.which("g++") is None, reason="needs a compiler")
@pytest.mark.filterwarnings("ignore::DeprecationWarning:torch")  # of torch's own compiler
def test_compiled_windows_are_the_same_and_each_shape_is_compiled_once_at_the_start() -> None:
    rows = [row for row in ROWS if len(row) <= 100]
    runner = GpuRunner(torch.device("cpu"), 1, 100, compiled=True)
    with torch.compiler.set_stance("fail_on_recompile"), pytest.raises(RuntimeError, match="recompile"):
        runner.windows(forward, rows, 1000)
    runner.warm_up(forward, 1000)
    with torch.compiler.set_stance("fail_on_recompile"):
        check(runner.windows(forward, rows, 1000), rows)


def test_what_cannot_be_compiled_is_an_error_that_names_the_fix() -> None:
    def broken(ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        raise RuntimeError("no compiler")

    with pytest.raises(CompressorError, match=r"no compiler.*leave out --compressor\.compile"):
        GpuRunner(torch.device("cpu"), 1, 512).warm_up(broken, 1000)


def test_gpu_batches_have_one_shape_a_bucket_and_keep_to_the_limit() -> None:
    shapes: set[tuple[int, ...]] = set()

    def record(ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        assert (mask.sum(1) > 0).all()
        shapes.add(tuple(ids.shape))
        return forward(ids, mask)

    runner = GpuRunner(torch.device("cpu"), 0, 512)
    for seed in range(10):
        rows = random.Random(seed).choices(ROWS, k=seed)
        runner.windows(record, rows, 2048)
    assert shapes <= {(2048 // length, length) for length in BUCKETS}


def test_threads_within_a_window_are_one_and_the_processs_own_number_stays() -> None:
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        runner = CpuRunner(3)
        assert set(runner.each(lambda _: torch.get_num_threads(), range(12))) == {1}
        assert torch.get_num_threads() == 2
        # A thread that is started later takes the process's number.
        with ThreadPoolExecutor(1) as other:
            assert other.submit(torch.get_num_threads).result() == 2
    finally:
        torch.set_num_threads(before)
