"""Compressors for workers that are processes: each does to its process what its text says."""

import os
import time
from pathlib import Path

from compression_subnet.compressors.base import CompressorOptions


class FirstWords:
    """Keeps the first words, as many as there may be tokens."""

    def compress(self, text, budget):
        return " ".join(text.split()[: budget.tokens])


class Hanging(FirstWords):
    """Hangs on a text that begins with ``hang``, once it has made the file that the text names."""

    def compress(self, text, budget):
        command, *words = text.split()
        if command == "hang":
            Path(words[0]).touch()
            time.sleep(3600)
        return super().compress(text, budget)


class Crashing(FirstWords):
    """Ends its process on a text that begins with ``crash``, as a fault in a library does."""

    def compress(self, text, budget):
        if text.startswith("crash"):
            os._exit(139)
        return super().compress(text, budget)


class Printing(FirstWords):
    """Prints, which must not garble an answer."""

    def compress(self, text, budget):
        print("some library's banner", flush=True)
        return super().compress(text, budget)


class Which:
    """Says which process and device it runs on."""

    def __init__(self, device):
        self.device = device

    @classmethod
    def from_options(cls, options: CompressorOptions):
        return cls(options.device)

    def compress(self, text, budget):
        return f"{os.getpid()} {self.device}"
