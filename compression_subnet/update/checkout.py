"""A git checkout of this project: what the remote has, and moving between commits."""

import os
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from compression_subnet.errors import ConfigurationError
from compression_subnet.update.releases import Release, parse_tags

__all__ = ["Checkout", "Place"]

GIT_SECONDS: Final = 120.0
# Nobody is there to be asked for a password, and messages are read.
_ENVIRONMENT: Final = {"GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}


@dataclass(frozen=True, slots=True)
class Place:
    """Where a checkout is: on a branch, or at a commit alone."""

    commit: str
    branch: str | None

    def __str__(self) -> str:
        """Return what to give to ``git checkout``."""
        return self.branch or self.commit


class Checkout:
    """The checkout in ``folder``, whose releases are tags of ``remote``.

    Raises:
        ConfigurationError: the folder is no checkout, or git is not installed.
    """

    def __init__(self, folder: Path, remote: str = "origin"):
        self.folder = folder
        self._remote = remote
        if not (folder / ".git").exists():
            raise ConfigurationError(
                f"{folder} is no git checkout: what was installed as a package is updated by pip install -U"
            )
        self._git("rev-parse", "--git-dir")

    def releases(self) -> dict[Release, str]:
        """Return the releases that the remote has now, and the object that each tag is there.

        Raises:
            ConfigurationError: the remote cannot be reached.
        """
        return parse_tags(self._git("ls-remote", "--tags", "--refs", self._remote))

    def place(self) -> Place:
        """Return where the checkout is."""
        branch = self._git("rev-parse", "--abbrev-ref", "HEAD")
        return Place(self._git("rev-parse", "HEAD"), None if branch == "HEAD" else branch)

    def changes(self) -> list[str]:
        """Return the tracked files that differ from the commit; records and logs beside them do not count."""
        return [line[3:] for line in self._git("status", "--porcelain", "--untracked-files=no").splitlines()]

    def fetch(self, release: Release, expected: str, *, signed: bool) -> None:
        """Fetch the tag of a release.

        Args:
            release: which.
            expected: the object that the remote said it is.
            signed: whether it must bear a signature that git trusts.

        Raises:
            ConfigurationError: there is another tag of that name here, it is not what the remote listed, or its
                signature is missing or not trusted.
        """
        tag = f"refs/tags/{release.tag}"
        self._git("fetch", "--no-tags", self._remote, f"{tag}:{tag}")
        found = self._git("rev-parse", tag)
        if found != expected:
            raise ConfigurationError(f"tag {release.tag} is {found[:12]} here and {expected[:12]} on {self._remote}")
        if signed:
            self._git("verify-tag", release.tag)

    def go_to(self, release: Release) -> None:
        """Check a fetched release out."""
        self._git("checkout", "--quiet", "--detach", f"refs/tags/{release.tag}")

    def go_back(self, place: Place) -> None:
        """Return to where the checkout was.

        Raises:
            ConfigurationError: it is not there afterwards.
        """
        self._git("checkout", "--quiet", "--force", str(place))
        if self.place().commit != place.commit:
            raise ConfigurationError(f"{place} is not commit {place.commit} any more")

    def _git(self, *arguments: str) -> str:
        command: Sequence[str] = ("git", "-C", str(self.folder), *arguments)
        try:
            done = subprocess.run(
                command,
                capture_output=True,
                text=True,
                timeout=GIT_SECONDS,
                env=os.environ | _ENVIRONMENT,
                stdin=subprocess.DEVNULL,
            )
        except FileNotFoundError:
            raise ConfigurationError("git is not installed; install it, or update by hand") from None
        except subprocess.TimeoutExpired:
            raise ConfigurationError(f"git {arguments[0]} did not end within {GIT_SECONDS:g} s") from None
        if done.returncode:
            said = " ".join(done.stderr.split()) or str(done.returncode)
            raise ConfigurationError(f"git {arguments[0]} in {self.folder}: {said}")
        # Not stripped in front: there a listing of changes begins with a space.
        return done.stdout.rstrip()
