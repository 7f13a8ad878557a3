"""A benchmark's result for the eye: a table for a terminal, and a page that stands alone."""

from compression_subnet.report.benchmark.page import benchmark_page
from compression_subnet.report.benchmark.table import benchmark_table

__all__ = ["benchmark_page", "benchmark_table"]
