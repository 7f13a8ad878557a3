"""Progress of the demo: a bar where there is a terminal, lines where there is none."""

import contextlib
import time
from collections.abc import Iterator
from typing import Final

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as RichProgress

__all__ = ["Bar", "Progress"]

LINE_SECONDS: Final = 15.0
LINE_WIDTH: Final = 60


class Bar:
    """How far a round is."""

    def __init__(self, progress: "Progress", rich: RichProgress):
        self._progress = progress
        self._rich = rich
        self._task = rich.add_task("round", total=None)
        self._shown = time.monotonic()

    def update(self, done: int, total: int, note: str) -> None:
        """Show that ``done`` of ``total`` challenges are scored (0 of 0: they are being made), and a note."""
        text = note[:LINE_WIDTH]
        if self._progress.interactive:
            self._rich.update(self._task, completed=done, total=total or None, description=text)
        elif time.monotonic() - self._shown > LINE_SECONDS:
            self._shown = time.monotonic()
            self._progress.line(f"{done} of {total} challenges are scored; {text}" if total else text)


class Progress:
    """Tells what the demo is doing.

    Args:
        console: where.
        start: when the demo started, by ``time.monotonic``.
    """

    def __init__(self, console: Console, start: float):
        self._console = console
        self._start = start
        self.interactive = console.is_terminal

    def done(self, what: str) -> None:
        """Say that a stage is behind us."""
        self.line(what)

    def line(self, text: str) -> None:
        """Print one line, with the time since the start."""
        self._console.print(
            f"{time.monotonic() - self._start:6.1f} s  {text}", markup=False, highlight=False, soft_wrap=True
        )

    @contextlib.contextmanager
    def bar(self) -> Iterator[Bar]:
        """Show a bar for as long as the context lasts."""
        rich = RichProgress(
            SpinnerColumn(),
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=24),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            console=self._console,
            transient=True,
            disable=not self.interactive,
        )
        with rich:
            yield Bar(self, rich)
