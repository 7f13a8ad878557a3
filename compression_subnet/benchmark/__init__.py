"""The benchmark: compressors on the work that a validator gives, judged and scored as it would, offline.

``run`` makes a ``results.BenchmarkResult``; ``compression_subnet.report.benchmark`` shows it.
"""

__all__: list[str] = []
