"""Every error that this package raises on purpose.

CompressionSubnetError
├── ConfigurationError       a setting, file or argument is unusable; the message names the fix
├── InputError               a text, challenge or reply handed to us is unusable
│   └── BudgetTooSmall       a compressor cannot meet the token budget
├── TokenizerError           the pinned tokenizer is absent, altered or refuses its input
├── CompressorError          a compressor cannot be found, loaded or run
├── TransportError           a signed request could not be made, carried or accepted
├── JudgeError               the answering model gave no usable answer
│   ├── ProviderFault        the provider's side: retried, then nobody is scored
│   └── ContentFault         the text's side: the answer scores 0
├── ChainError               the chain could not be read or written
│   └── ChainUnreachable     no connection, or no reply within the deadline
└── StoreError               the record cannot be read or written
    ├── StoreFull            there is no room to write it
    └── AuditError           a published record is altered, unsigned or not to be published
"""

__all__ = [
    "AuditError",
    "BudgetTooSmall",
    "ChainError",
    "ChainUnreachable",
    "CompressionSubnetError",
    "CompressorError",
    "ConfigurationError",
    "ContentFault",
    "InputError",
    "JudgeError",
    "ProviderFault",
    "StoreError",
    "StoreFull",
    "TokenizerError",
    "TransportError",
]


class CompressionSubnetError(Exception):
    """Root of every error raised on purpose by this package."""


class ConfigurationError(CompressionSubnetError):
    """A setting, file or argument is unusable; the message names the fix."""


class InputError(CompressionSubnetError):
    """A text, challenge or reply handed to us is unusable."""


class BudgetTooSmall(InputError):
    """A compressor cannot meet the token budget."""


class TokenizerError(CompressionSubnetError):
    """The pinned tokenizer is absent, altered or refuses its input."""


class CompressorError(CompressionSubnetError):
    """A compressor cannot be found, loaded or run."""


class TransportError(CompressionSubnetError):
    """A signed request could not be made, carried or accepted."""


class JudgeError(CompressionSubnetError):
    """The answering model gave no usable answer."""


class ProviderFault(JudgeError):
    """The provider's side failed: retried, then the challenge is left unscored for all it touched."""


class ContentFault(JudgeError):
    """The text's side failed (refusal, unparsable answer, length stop): the answer scores 0."""


class ChainError(CompressionSubnetError):
    """The chain could not be read or written."""


class ChainUnreachable(ChainError):
    """There was no connection to the chain, or no reply within the deadline."""


class StoreError(CompressionSubnetError):
    """The validator's record cannot be read or written."""


class StoreFull(StoreError):
    """There is no room to write the validator's record, or too little to begin a round."""


class AuditError(StoreError):
    """A published record is altered, unsigned or cut off, or may not be published; the message says which."""
