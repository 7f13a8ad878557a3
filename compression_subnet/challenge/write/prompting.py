"""The writer's prompts: versioned files, known by their hash."""

import hashlib
import hmac
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from string import Template
from typing import Final

from compression_subnet.errors import ConfigurationError
from compression_subnet.judge.prompt import Message

__all__ = ["WriterPrompt", "fence", "load_writer_prompt", "prompt_hashes"]

_SEPARATOR: Final = "=== user ===\n"
_VERSIONS: Final = ("near-miss-v1", "paraphrase-v1", "questions-v1", "rephrase-v1", "repair-v1", "section-v1")


@dataclass(frozen=True, slots=True)
class WriterPrompt:
    """A versioned prompt.

    Attributes:
        version: the name of its file, such as ``questions-v1``.
        sha256: of the file's bytes, hexadecimal.
        system: the instructions.
        user: template of the user's message, with ``$name`` placeholders.
    """

    version: str
    sha256: str
    system: str
    user: str

    def messages(self, values: Mapping[str, object]) -> list[Message]:
        """Return the chat with ``values`` put into the template.

        Raises:
            KeyError: a placeholder has no value.
        """
        content = Template(self.user).substitute(values)
        return [Message(role="system", content=self.system), Message(role="user", content=content)]


@cache
def load_writer_prompt(version: str) -> WriterPrompt:
    """Return the prompt called ``version`` from this package.

    Raises:
        ConfigurationError: there is none, or its file is not a prompt.
    """
    file = resources.files("compression_subnet.challenge.write") / "prompts" / f"{version}.txt"
    if version not in _VERSIONS or not file.is_file():
        raise ConfigurationError(f"there is no writer's prompt {version!r}; known: {', '.join(_VERSIONS)}")
    data = file.read_bytes()
    system, separator, user = data.decode().partition(_SEPARATOR)
    if not separator or not system.strip() or not Template(user).get_identifiers():
        raise ConfigurationError(f"prompt {version!r} needs instructions, {_SEPARATOR.strip()!r} and a template")
    return WriterPrompt(version, hashlib.sha256(data).hexdigest(), system.strip(), user.strip())


def prompt_hashes() -> dict[str, str]:
    """Return the SHA-256 of every prompt by its version, for the record of what was written with them."""
    return {version: load_writer_prompt(version).sha256 for version in _VERSIONS}


def fence(secret: str, text: str) -> str:
    """Return a code that does not occur in ``text`` and cannot be guessed from it without ``secret``."""
    data, counter = text.encode("utf-8", "surrogatepass"), 0
    while (code := hmac.digest(secret.encode(), counter.to_bytes(4) + data, "sha256").hex()[:24]) in text:
        counter += 1
    return code
