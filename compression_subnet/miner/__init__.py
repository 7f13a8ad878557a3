"""The service around a compressor: who may ask, within which limits, in what time, and how it is found."""

from compression_subnet.miner.config import MinerConfig
from compression_subnet.miner.gate import Gate, MetagraphGate, Refusal

__all__ = ["Gate", "MetagraphGate", "MinerConfig", "Refusal"]
