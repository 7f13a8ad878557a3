"""What an operator's tools ask of a running neuron: metrics, health, and that a process that hangs ends itself."""

from compression_subnet.ops.conditions import Conditions
from compression_subnet.ops.progress import Progress

__all__ = ["Conditions", "Progress"]
