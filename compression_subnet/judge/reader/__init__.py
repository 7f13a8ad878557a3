"""The embedded judge: a small extractive reader that runs on a CPU (``load_reader``)."""

from compression_subnet.judge.reader.extractive import Precision, Reader, Reading, load_reader

__all__ = ["Precision", "Reader", "Reading", "load_reader"]
