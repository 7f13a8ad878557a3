"""Compressors that misbehave, to be run in a process of their own."""

import os
import subprocess
import sys
import time
from pathlib import Path

from compression_subnet.compressors.base import TokenBudget
from compression_subnet.compressors.baselines import head_truncation

WARM_UP = "The observatory"


class Sleepy:
    """Hangs on texts that begin with 'sleep', with a process of its own that would outlive it."""

    def compress(self, text: str, budget: TokenBudget) -> str:
        if text.startswith("sleep"):
            child = subprocess.Popen(["sleep", "600"])
            Path(os.environ["SLEEPY_PID"]).write_text(str(child.pid))
            time.sleep(600)
        return head_truncation(text, budget)


class Troubled:
    """Raises, exits, dies, prints or returns no text, as the text's first word says."""

    def compress(self, text: str, budget: TokenBudget) -> object:
        match text.split()[0]:
            case "raise":
                raise ValueError("no such luck")
            case "exit":
                sys.exit(7)
            case "die":
                os._exit(9)
            case "print":
                print("{}\nnot a reply", flush=True)
            case "number":
                return 42
            case "surrogate":
                return "\ud800 half"
        return head_truncation(text, budget)


class Broken:
    """Does not even compress the first, short text."""

    def compress(self, text: str, budget: TokenBudget) -> str:
        raise RuntimeError("weights are missing")


class Counting:
    """Truncates, and notes each text that it was given."""

    def compress(self, text: str, budget: TokenBudget) -> str:
        with Path(os.environ["COUNTING_FILE"]).open("a") as file:
            file.write("warm-up\n" if text.startswith(WARM_UP) else "text\n")
        return head_truncation(text, budget)
