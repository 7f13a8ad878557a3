"""The demo: a whole subnet on one machine, from a chain of its own to weights that are read back from it."""

__all__: list[str] = []
