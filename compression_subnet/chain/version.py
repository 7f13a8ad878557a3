"""The number by which the chain knows a validator's release."""

import re

from compression_subnet import __version__

__all__ = ["spec_version"]

_RELEASE = re.compile(r"(\d+)\.(\d+)\.(\d+)")


def spec_version(version: str = __version__) -> int:
    """Return ``1000 * major + 10 * minor + patch``, the convention of subnets for a weights version key.

    A subnet's owner raises ``weights_version`` to refuse older validators; the chain takes a key that is not
    less. Suffixes such as ``rc1`` are ignored.

    Raises:
        ValueError: ``version`` does not begin with three numbers, or minor or patch would overflow into the
            next place (minor 100, patch 10).
    """
    match = _RELEASE.match(version)
    if match is None:
        raise ValueError(f"version {version!r} is not of the form major.minor.patch")
    major, minor, patch = (int(part) for part in match.groups())
    if minor > 99 or patch > 9:
        raise ValueError(f"version {version!r} does not fit 1000 * major + 10 * minor + patch; raise the next place")
    return 1000 * major + 10 * minor + patch
