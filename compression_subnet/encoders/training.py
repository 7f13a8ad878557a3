"""A training loop: one step, the schedule, and checkpoints to resume from."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from pickle import UnpicklingError
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

from compression_subnet.errors import ConfigurationError

if TYPE_CHECKING:
    import torch

__all__ = ["Progress", "Schedule", "Trainer"]

WARM_UP_STEPS: Final = 100

Batch = TypeVar("Batch")


@dataclass(frozen=True, slots=True)
class Schedule:
    """When to stop, and how fast to learn: the rate rises over 100 steps and falls linearly to the end.

    Attributes:
        seconds: time budget.
        steps: step budget; with it alone deciding, a run is reproducible. None leaves the time to decide.
        learning_rate: the highest.
    """

    seconds: float
    steps: int | None = None
    learning_rate: float = 2e-4

    def __post_init__(self) -> None:
        """Refuse what would train nothing."""
        if self.seconds <= 0 or self.learning_rate <= 0 or (self.steps is not None and self.steps <= 0):
            raise ConfigurationError("seconds, steps and learning rate of a training must be positive")

    def done(self, step: int, elapsed: float) -> float:
        """Return the share of the run that is over, 1 or more at its end."""
        return elapsed / self.seconds if self.steps is None else step / self.steps

    def rate(self, step: int, elapsed: float) -> float:
        """Return the learning rate of step number ``step``, counted from 0."""
        left = max(0.01, 1 - self.done(step, elapsed))
        return self.learning_rate * min((step + 1) / WARM_UP_STEPS, left)


@dataclass(slots=True)
class Progress:
    """How far a run is."""

    epoch: int = 0
    batch: int = 0
    """Batches of this epoch that are done."""
    step: int = 0
    seen: int = 0
    elapsed: float = 0.0


class Trainer(Generic[Batch]):
    """Trains those parameters of a network that are not frozen."""

    def __init__(
        self,
        network: "torch.nn.Module",
        loss_of: "Callable[[Batch], torch.Tensor]",
        schedule: Schedule,
        seed: int,
        run_id: str,
        *,
        bfloat16: bool = False,
        faster: Mapping[str, float] | None = None,
        averaging: float | None = None,
    ):
        """Prepare ``network`` for training.

        Args:
            network: its parameters that need a gradient are trained, and kept in checkpoints.
            loss_of: computes the loss of a batch, a scalar, by ``network``.
            schedule: how long, how fast.
            seed: of dropout.
            run_id: a checkpoint of another run is refused.
            bfloat16: whether matrices are multiplied in bfloat16 (the weights stay float32): on a CPU with AMX a
                step then takes two thirds of the time, on one without more.
            faster: prefixes of parameters' names, each with what their learning rate is multiplied by.
            averaging: what a running average of the parameters keeps of itself in each step, below 1; None for no
                average. ``use_average`` puts it in their place.
        """
        import torch

        self._bfloat16 = bfloat16
        self._network = network
        self._loss_of = loss_of
        self._schedule = schedule
        self._seed = seed
        self._run_id = run_id
        groups: dict[float, list[torch.nn.Parameter]] = {}
        for name, parameter in network.named_parameters():
            if parameter.requires_grad:
                factor = next((f for prefix, f in (faster or {}).items() if name.startswith(prefix)), 1.0)
                groups.setdefault(factor, []).append(parameter)
        self._factors = list(groups)
        self._parameters = [p for group in groups.values() for p in group]
        self._optimizer = torch.optim.AdamW(
            [{"params": group} for group in groups.values()], lr=schedule.learning_rate, weight_decay=0.01
        )
        self._averaging = averaging
        self._average = {} if averaging is None else {n: p.clone() for n, p in self.trained().items()}
        self.progress = Progress()

    def run(
        self,
        batches_of: Callable[[int], Sequence[Batch]],
        after_step: Callable[[Progress, float], None],
        clock: Callable[[], float] = time.monotonic,
        size: Callable[[Batch], int] = lambda _: 1,
    ) -> None:
        """Train until the schedule is over.

        Args:
            batches_of: gives the batches of an epoch, the same whenever it is asked.
            after_step: told of the progress and the loss after each step.
            clock: seconds.
            size: number of examples of a batch, for ``Progress.seen``.

        Raises:
            ConfigurationError: an epoch has no batch.
        """
        progress, before = self.progress, clock()
        while True:
            batches = batches_of(progress.epoch)
            if not batches:
                raise ConfigurationError("no example could be used: each answer is too long or its text blank")
            for batch in batches[progress.batch :]:
                if self._schedule.done(progress.step, progress.elapsed) >= 1:
                    return
                loss = self._step(batch)
                now = clock()
                progress.elapsed, before = progress.elapsed + now - before, now
                progress.batch += 1
                progress.step += 1
                progress.seen += size(batch)
                after_step(progress, loss)
                before = clock()  # what is done between steps, such as measuring, is not training
            progress.epoch, progress.batch = progress.epoch + 1, 0

    def trained(self) -> "dict[str, torch.Tensor]":
        """Return the tensors that training changes, by name."""
        return {name: p.detach() for name, p in self._network.named_parameters() if p.requires_grad}

    def use_average(self) -> None:
        """Put the average of the parameters in their place: it generalises better than where the last step ended."""
        for name, parameter in self.trained().items():
            parameter.copy_(self._average.get(name, parameter))

    def save(self, path: Path) -> None:
        """Write a checkpoint; a crash while writing leaves the one before intact."""
        import torch

        p = self.progress
        state = {
            "progress": [p.epoch, p.batch, p.step, p.seen, p.elapsed],
            "run_id": self._run_id,
            "network": self.trained(),
            "average": self._average,
            "optimizer": self._optimizer.state_dict(),
        }
        partial = path.with_suffix(".partial")
        torch.save(state, partial)
        partial.replace(path)

    def resume(self, path: Path) -> None:
        """Go on from a checkpoint.

        Raises:
            ConfigurationError: it is damaged, or of another run.
        """
        import torch

        try:
            state = torch.load(path, map_location="cpu", weights_only=True)
            epoch, batch, step, seen, elapsed = state["progress"]
            if state["run_id"] != self._run_id:
                raise ConfigurationError(f"{path} is of other data or another seed; choose another folder")
            current: dict[str, Any] = self._network.state_dict()
            self._network.load_state_dict(current | state["network"])
            self._optimizer.load_state_dict(state["optimizer"])
            for name, tensor in state["average"].items():
                self._average[name].copy_(tensor)
        except (RuntimeError, KeyError, ValueError, TypeError, OSError, EOFError, UnpicklingError) as error:
            raise ConfigurationError(f"{path} is no checkpoint of this training; delete it to start anew") from error
        self.progress = Progress(epoch, batch, step, seen, elapsed)

    def _step(self, batch: Batch) -> float:
        import torch

        step = self.progress.step
        torch.manual_seed(hash((self._seed, step)) & 0x7FFFFFFF)  # dropout as in a run without a break
        rate = self._schedule.rate(step, self.progress.elapsed)
        for group, factor in zip(self._optimizer.param_groups, self._factors, strict=True):
            group["lr"] = rate * factor
        self._network.train()
        with torch.autocast(self._parameters[0].device.type, torch.bfloat16, enabled=self._bfloat16):
            loss = self._loss_of(batch)
        torch.autograd.backward(loss.float())
        torch.nn.utils.clip_grad_norm_(self._parameters, 1.0)
        self._optimizer.step()
        self._optimizer.zero_grad()
        if self._averaging is not None:
            # At the start the average forgets fast, since there is nothing yet to remember.
            kept = min(self._averaging, (1 + step) / (10 + step))
            for name, parameter in self.trained().items():
                self._average[name].lerp_(parameter, 1 - kept)
        return float(loss.detach())
