"""The prompt: how a text and a question are put to a model, and how a model's reply is read.

The chat of a reply's questions differs in its last line only, so that a provider's prefix cache serves all but the
first. ``parse_prompt`` is the way back, for the embedded server: every model is asked by one and the same code.
"""

import hashlib
import hmac
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from string import Template
from typing import Final, TypedDict

from compression_subnet.errors import ConfigurationError

__all__ = [
    "DEFAULT_PROMPT",
    "UNANSWERABLE",
    "Message",
    "Prompt",
    "answer_text",
    "fence_for",
    "load_prompt",
    "parse_prompt",
]

DEFAULT_PROMPT: Final = "answer-v1"
UNANSWERABLE: Final = "UNANSWERABLE"
"""How a model says that the text holds no answer; read as an empty answer."""

SEPARATOR: Final = "=== user ===\n"
FENCE_HEX_DIGITS: Final = 32
PLACEHOLDERS: Final = ("fence", "text", "fence", "question")


class Message(TypedDict):
    """One message of a chat, as OpenAI's API has it."""

    role: str
    content: str


@dataclass(frozen=True, slots=True)
class Prompt:
    """A versioned prompt.

    Attributes:
        version: the name of its file, such as ``answer-v1``.
        sha256: of the file's bytes, hexadecimal.
        system: the instructions.
        user: template of the user's message, with ``$fence``, ``$text``, ``$fence``, ``$question`` in this order.
    """

    version: str
    sha256: str
    system: str
    user: str

    def messages(self, fence: str, text: str, question: str) -> list[Message]:
        """Return the chat that puts ``question`` to a model; the question is brought on one line.

        Args:
            fence: from ``fence_for(secret, text)``.
            text: the text to answer from.
            question: the question.
        """
        content = Template(self.user).substitute(fence=fence, text=text, question=" ".join(question.split()))
        return [Message(role="system", content=self.system), Message(role="user", content=content)]


def fence_for(secret: bytes, text: str) -> str:
    """Return the code that fences ``text``: HMAC-SHA256 under ``secret``, in 32 hexadecimal digits.

    It cannot be guessed without the secret, and never occurs in the text: a counter is drawn on until it does not.
    """
    data = text.encode("utf-8", "surrogatepass")
    counter = 0
    while True:
        code = hmac.digest(secret, counter.to_bytes(4) + data, "sha256").hex()[:FENCE_HEX_DIGITS]
        if code not in text:
            return code
        counter += 1


@cache
def load_prompt(version: str = DEFAULT_PROMPT) -> Prompt:
    """Return the prompt called ``version`` from this package.

    Raises:
        ConfigurationError: there is none, or its file is not a prompt.
    """
    folder = resources.files("compression_subnet.judge") / "prompts"
    known = sorted(f.name.removesuffix(".txt") for f in folder.iterdir() if f.name.endswith(".txt"))
    if version not in known:
        raise ConfigurationError(f"there is no prompt {version!r}; known: {', '.join(known)}")
    data = (folder / f"{version}.txt").read_bytes()
    system, separator, user = data.decode().partition(SEPARATOR)
    found = tuple(m["named"] for m in Template.pattern.finditer(user))
    if not separator or found != PLACEHOLDERS:
        raise ConfigurationError(f"prompt {version!r} needs {SEPARATOR.strip()!r}, then {PLACEHOLDERS} once each")
    return Prompt(version, hashlib.sha256(data).hexdigest(), system.strip(), user.strip())


def parse_prompt(messages: Sequence[Message], prompt: Prompt | None = None) -> tuple[str, str] | None:
    """Return the text and the question of a chat made by ``Prompt.messages``; None if it is not one."""
    prompt = prompt or load_prompt()
    match messages:
        case [{"role": "system", "content": prompt.system}, {"role": "user", "content": str(content)}]:
            found = _user_pattern(prompt.user).fullmatch(content)
            return (found["text"], found["question"]) if found else None
    return None


def answer_text(reply: str) -> str:
    """Return the answer that a model's reply stands for: stripped, and empty where it says that there is none."""
    reply = reply.strip()
    return "" if reply.strip(" .\"'`*").casefold() == UNANSWERABLE.casefold() else reply


@cache
def _user_pattern(template: str) -> re.Pattern[str]:
    # The fence does not occur within the text, so the first closing fence is the only one.
    groups = {
        "fence": f"(?P<fence>[0-9a-f]{{{FENCE_HEX_DIGITS}}})",
        "text": "(?P<text>(?s:.*?))",
        "question": "(?P<question>.+)",
    }
    pattern, at = "", 0
    for placeholder in Template.pattern.finditer(template):
        name = placeholder["named"]
        pattern += re.escape(template[at : placeholder.start()])
        pattern += groups[name] if f"(?P<{name}>" not in pattern else f"(?P={name})"
        at = placeholder.end()
    return re.compile(pattern + re.escape(template[at:]))
