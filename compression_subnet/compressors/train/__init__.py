"""Training the learned compressor: ``python -m compression_subnet.compressors.train``."""
