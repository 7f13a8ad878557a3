"""What the embedded judge and the learned compressor share: the base encoder, windows, and the training loop."""

from compression_subnet.encoders.minilm import Encoder, find_encoder
from compression_subnet.encoders.windows import best_windows, cut, spread

__all__ = ["Encoder", "best_windows", "cut", "find_encoder", "spread"]
