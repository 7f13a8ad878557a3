"""A runtime's description in Python and its encoding as Substrate runtime metadata, version 15."""

from compression_subnet.chain.dev.metadata.description import (
    Composite,
    Constant,
    Extension,
    Field,
    Method,
    Pallet,
    Runtime,
    RuntimeApi,
    StorageItem,
    Variant,
    Variants,
    fields,
)
from compression_subnet.chain.dev.metadata.encoder import encode_metadata

__all__ = [
    "Composite",
    "Constant",
    "Extension",
    "Field",
    "Method",
    "Pallet",
    "Runtime",
    "RuntimeApi",
    "StorageItem",
    "Variant",
    "Variants",
    "encode_metadata",
    "fields",
]
