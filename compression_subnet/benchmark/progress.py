"""How far a run is, shown on a terminal."""

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

__all__ = ["Steps", "progress_bar"]


def progress_bar(console: Console) -> Progress:
    """Return an empty progress display on ``console``, where that is a terminal."""
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )


class Steps:
    """The three steps of a run: challenges made, texts compressed, challenges judged."""

    def __init__(self, progress: Progress, challenges: int, compressors: int):
        self._progress = progress
        self._made = progress.add_task("making challenges", total=challenges)
        self._asked = progress.add_task("compressing", total=challenges * compressors)
        self._judged = progress.add_task("judging", total=challenges)

    def made(self) -> None:
        """Note that a challenge is made."""
        self._progress.advance(self._made)

    def asked(self) -> None:
        """Note that a text is compressed."""
        self._progress.advance(self._asked)

    def judged(self) -> None:
        """Note that a challenge is judged."""
        self._progress.advance(self._judged)
