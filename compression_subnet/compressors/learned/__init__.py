"""The learned compressor: an encoder that tells noise and foretells what will be asked (``LearnedCompressor``)."""

from compression_subnet.compressors.learned.compressor import LearnedCompressor

__all__ = ["LearnedCompressor"]
