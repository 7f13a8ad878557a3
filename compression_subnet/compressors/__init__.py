"""Compressors: what shortens a text to a token budget, the reference one and baselines, found by name."""

from compression_subnet.compressors.base import BatchCompressor, Compressor, CompressorOptions, TokenBudget
from compression_subnet.compressors.registry import find_compressor, list_compressors
from compression_subnet.compressors.run import CompressionResult, compress_text

__all__ = [
    "BatchCompressor",
    "CompressionResult",
    "Compressor",
    "CompressorOptions",
    "TokenBudget",
    "compress_text",
    "find_compressor",
    "list_compressors",
]
