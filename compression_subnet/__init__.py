"""A Bittensor subnet that pays miners for compressing text without losing what matters.

Text flows one way, and the folders tell it in order: ``challenge`` builds what is asked, ``transport`` carries
it, ``compressors`` answer it, ``judge`` reads the reply, ``scoring`` turns answers into numbers, ``validator``
runs the round and ``chain`` carries the weights.
"""

__version__ = "0.1.0"

__all__ = ["__version__"]
