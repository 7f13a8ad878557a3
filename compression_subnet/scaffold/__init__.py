"""A package to start a compressor of one's own from: ``create`` writes it."""

__all__: list[str] = []
