"""The training loop on a network of one number: averages, rates by part, and what a checkpoint keeps."""

from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from compression_subnet.encoders.training import Schedule, Trainer


class Line(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.slope = torch.nn.Parameter(torch.tensor(0.0))
        self.fixed = torch.nn.Parameter(torch.tensor(5.0), requires_grad=False)


def trainer_of(line: Line, averaging: float | None = None, **options: object) -> Trainer[float]:
    def loss_of(target: float) -> torch.Tensor:
        return (line.slope - target) ** 2

    return Trainer(line, loss_of, Schedule(1e6, 40, 0.1), 0, "line", averaging=averaging, **options)  # type: ignore[arg-type]


def record(line: Line, into: list[float]) -> Callable[..., None]:
    return lambda *_: into.append(line.slope.item())


def test_an_average_lies_among_the_values_that_it_is_of_and_replaces_the_last() -> None:
    line = Line()
    trainer = trainer_of(line, 0.9)
    path: list[float] = []
    trainer.run(lambda _: [1.0, -1.0], record(line, path))
    last = line.slope.item()
    trainer.use_average()
    assert min(path) < line.slope.item() < max(path)
    assert line.slope.item() != last
    assert line.fixed.item() == 5


def test_without_averaging_the_last_values_stay() -> None:
    line = Line()
    trainer = trainer_of(line)
    trainer.run(lambda _: [1.0], record(line, []))
    last = line.slope.item()
    trainer.use_average()
    assert line.slope.item() == last


def test_a_resumed_run_has_the_average_of_one_in_a_piece(tmp_path: Path) -> None:
    whole, cut, resumed = Line(), Line(), Line()
    trainer = trainer_of(whole, 0.9)
    trainer.run(lambda _: [1.0, 2.0], record(whole, []))
    trainer.use_average()

    first = trainer_of(cut, 0.9)

    def stop(*_: object) -> None:
        if first.progress.step == 17:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        first.run(lambda _: [1.0, 2.0], stop)
    first.save(tmp_path / "checkpoint.pt")
    second = trainer_of(resumed, 0.9)
    second.resume(tmp_path / "checkpoint.pt")
    second.run(lambda _: [1.0, 2.0], record(resumed, []))
    second.use_average()
    assert resumed.slope.item() == whole.slope.item()


def test_a_part_can_learn_faster_and_a_frozen_one_is_not_kept() -> None:
    slow, fast = Line(), Line()
    trainer_of(slow).run(lambda _: [9.0], record(slow, []))
    trainer = trainer_of(fast, faster={"slope": 3.0})
    trainer.run(lambda _: [9.0], record(fast, []))
    assert fast.slope.item() > slow.slope.item() > 0
    assert trainer.trained().keys() == {"slope"}
