"""Reports: tables, plots and pages from results that are data."""

__all__: list[str] = []
