"""The benchmark: compressors on the work that a validator gives, judged and scored as it would, offline."""

from compression_subnet.benchmark.results import BenchmarkResult, read_result

__all__ = ["BenchmarkResult", "read_result"]
