"""Releases: tags ``vMAJOR.MINOR.PATCH``, and nothing else."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

__all__ = ["Release", "newest", "parse_tag", "parse_tags"]

_NUMBER: Final = r"(0|[1-9][0-9]{0,5})"
_VERSION: Final = re.compile(rf"{_NUMBER}\.{_NUMBER}\.{_NUMBER}")
_LINE: Final = re.compile(r"([0-9a-f]{40,64})\trefs/tags/(\S+)")


@dataclass(frozen=True, slots=True, order=True)
class Release:
    """A version, ordered as versions are."""

    major: int
    minor: int
    patch: int

    def __str__(self) -> str:
        """Return the version as the package has it."""
        return f"{self.major}.{self.minor}.{self.patch}"

    @property
    def tag(self) -> str:
        """The tag's name."""
        return f"v{self}"


def parse_tag(tag: str) -> Release | None:
    """Return the release that a tag names; None for any other tag, such as one of a release candidate."""
    match = _VERSION.fullmatch(tag.removeprefix("v")) if tag.startswith("v") else None
    return Release(*map(int, match.groups())) if match else None


def parse_tags(listing: str) -> dict[Release, str]:
    """Return the releases of ``git ls-remote --tags --refs``, and the object that each tag is on the remote."""
    found = {}
    for line in listing.splitlines():
        match = _LINE.fullmatch(line)
        if match and (release := parse_tag(match[2])):
            found[release] = match[1]
    return found


def newest(releases: Mapping[Release, str] | Iterable[Release], installed: str) -> Release | None:
    """Return the newest of ``releases`` if it is newer than what is installed, else None.

    Args:
        releases: all that there are.
        installed: the version in use; what follows its three numbers, such as ``.dev1``, is passed over.

    Raises:
        ValueError: ``installed`` does not begin with three numbers.
    """
    match = _VERSION.match(installed)
    if match is None:
        raise ValueError(f"version {installed!r} does not begin with three numbers")
    here = Release(*map(int, match.groups()))
    best = max(releases, default=None)
    return best if best is not None and best > here else None
