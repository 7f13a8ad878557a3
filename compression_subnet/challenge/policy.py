"""Which texts may be asked where: on a network, none that a miner can look up (MECHANISM 5)."""

from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Final
from urllib.parse import urlsplit

from compression_subnet.errors import ConfigurationError

__all__ = ["AUTO", "BUILTIN", "WRITTEN", "SourcePlan", "is_network", "plan_source"]

AUTO: Final = "auto"
BUILTIN: Final = "builtin"
WRITTEN: Final = "written"
_LOCAL: Final = "local"


@dataclass(frozen=True, slots=True, kw_only=True)
class SourcePlan:
    """What an operator wants of the texts.

    Attributes:
        source: ``auto``, ``written``, or a specification of a corpus source.
        rewrite: replace names, dates and quantities.
        paraphrase: reword sentences.
        write_questions: ask afresh; None leaves it to the network.
        near_misses: add noise that is like the evidence.
        allow_public: texts as they are, on a network too.
    """

    source: str
    rewrite: bool = False
    paraphrase: bool = False
    write_questions: bool | None = None
    near_misses: bool = False
    allow_public: bool = False

    @property
    def is_written(self) -> bool:
        """Whether nobody has the texts."""
        return self.source == WRITTEN

    @property
    def is_prepared(self) -> bool:
        """Whether articles are prepared one by one, ahead of the challenges."""
        return self.is_written or self.rewrite or self.needs_writer

    @property
    def needs_writer(self) -> bool:
        """Whether a model has to write."""
        return self.is_written or self.paraphrase or bool(self.write_questions) or self.near_misses


def is_network(endpoint: str) -> bool:
    """Whether a chain's name or address is of a network with strangers on it: any but ``local`` and loopback."""
    if endpoint == _LOCAL:
        return False
    host = (urlsplit(endpoint).hostname if "://" in endpoint else None) or ""
    if host == "localhost":
        return False
    try:
        return not ip_address(host).is_loopback
    except ValueError:
        return True


def plan_source(wanted: SourcePlan, endpoint: str) -> SourcePlan:
    """Return what is to be done: ``auto`` is resolved, and questions of public texts are not asked on a network.

    Args:
        wanted: the operator's settings.
        endpoint: name or address of the chain.

    Raises:
        ConfigurationError: texts that others may hold would be asked as they are on a network, or settings that do
            not go together.
    """
    network = is_network(endpoint)
    source = wanted.source.strip()
    if source == AUTO:
        source = WRITTEN if network else BUILTIN
    parts = [part.strip() for part in source.split(",")]
    if WRITTEN in parts and len(parts) > 1:
        raise ConfigurationError(f"challenge.source {source!r}: written stands alone; give it or other sources")
    written = parts == [WRITTEN]
    if written and (wanted.rewrite or wanted.paraphrase):
        raise ConfigurationError(
            "challenge.rewrite and challenge.paraphrase are for texts that exist; leave them out with written"
        )
    if network and not written and not wanted.allow_public:
        _refuse_public(parts, wanted, endpoint)
    ask = wanted.write_questions
    if ask is None:
        ask = network and not written and not wanted.allow_public
    return SourcePlan(
        source=source,
        rewrite=wanted.rewrite,
        paraphrase=wanted.paraphrase,
        write_questions=ask,
        near_misses=wanted.near_misses,
        allow_public=wanted.allow_public,
    )


def _refuse_public(parts: Sequence[str], wanted: SourcePlan, endpoint: str) -> None:
    """Raise where a miner that holds the texts would gain from them."""
    if BUILTIN not in parts and wanted.rewrite and wanted.paraphrase:
        return
    fix = (
        "give --challenge.source written"
        if BUILTIN in parts
        else "add --challenge.rewrite and --challenge.paraphrase, or give --challenge.source written"
    )
    raise ConfigurationError(
        f"challenge.source {','.join(parts)} cannot be asked on {endpoint}: whoever holds its texts looks them up, "
        "which gained 0.24 of score with texts as they are and 0.14 with names, dates and quantities replaced "
        f"(benchmarks/lookup.py); {fix} (with a writer: --writer.base-url, --writer.model), or override with "
        "--challenge.allow-public"
    )
