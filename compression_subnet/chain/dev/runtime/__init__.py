"""The dev chain's runtime: the part of Subtensor's public interface that the SDK and btcli touch.

Pallet, call, event and error numbers, type layouts, hashers and defaults are the live chain's, so that a payload
signed for the dev chain is laid out exactly as on mainnet.
"""

from compression_subnet.chain.dev.runtime.codec import Codec, runtime_codec

__all__ = ["Codec", "runtime_codec"]
