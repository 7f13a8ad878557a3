"""Running windows: each by itself on a CPU, in fixed shapes on a GPU, and nothing global changed."""

import random
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import torch

from compression_subnet.compressors.learned.runner import BUCKETS, CpuRunner, GpuRunner

ROWS = [np.arange(n) % 50 for n in (3, 64, 65, 300, 512, 7, 1)]


def forward(ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    return torch.stack([ids.float() * mask, mask.float()], dim=-1)


def check(values: list[torch.Tensor]) -> None:
    assert len(values) == len(ROWS)
    for row, value in zip(ROWS, values, strict=True):
        assert torch.equal(value, torch.stack([torch.from_numpy(row).float(), torch.ones(len(row))], dim=-1))


@pytest.mark.parametrize("threads", [1, 3])
def test_cpu_windows_come_back_in_order_at_their_own_length(threads: int) -> None:
    check(CpuRunner(threads).windows(forward, ROWS, 1))
    assert CpuRunner(threads).windows(forward, [], 1) == []


@pytest.mark.parametrize("batch_tokens", [1, 1000, 10**6])
def test_gpu_windows_come_back_in_order_whatever_the_batch(batch_tokens: int) -> None:
    check(GpuRunner(torch.device("cpu"), 1, 512).windows(forward, ROWS, batch_tokens))
    assert GpuRunner(torch.device("cpu"), 1, 512).windows(forward, [], batch_tokens) == []


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
