"""Hotkeys that answer with each other's replies.

One operator with many hotkeys on one unmodified compressor, or a relay of another's replies, is one compressor and is
paid once. This finds unmodified copies and no more; nobody is banned for it.
"""

from collections.abc import Mapping
from itertools import combinations
from statistics import median
from typing import Final

__all__ = ["MIN_COMMON", "MIN_SIMILARITY", "copy_groups", "jaccard"]

MIN_SIMILARITY: Final = 0.9
MIN_COMMON: Final = 10


def jaccard(a: frozenset[str], b: frozenset[str]) -> float:
    """Return |a ∩ b| / |a ∪ b|; 0 for two empty sets."""
    common = len(a & b)
    union = len(a) + len(b) - common
    return common / union if union else 0.0


def copy_groups(
    replies: Mapping[str, Mapping[str, frozenset[str]]],
    min_similarity: float = MIN_SIMILARITY,
    min_common: int = MIN_COMMON,
) -> list[frozenset[str]]:
    """Return the sets of two or more hotkeys whose replies are copies, as connected components.

    Args:
        replies: by hotkey, then by challenge id: the set of normalised words of a reply at level 20 that scored
            more than 0. At that level compressors differ most.
        min_similarity: median Jaccard similarity over common challenges from which two hotkeys are joined.
        min_common: common challenges below which two hotkeys are never joined.
    """
    parent = {hotkey: hotkey for hotkey in replies}

    def root(hotkey: str) -> str:
        while parent[hotkey] != hotkey:
            parent[hotkey] = hotkey = parent[parent[hotkey]]
        return hotkey

    for a, b in combinations(sorted(replies), 2):
        common = replies[a].keys() & replies[b].keys()
        if len(common) < min_common or root(a) == root(b):
            continue
        if median(jaccard(replies[a][c], replies[b][c]) for c in common) >= min_similarity:
            parent[root(b)] = root(a)

    groups: dict[str, set[str]] = {}
    for hotkey in replies:
        groups.setdefault(root(hotkey), set()).add(hotkey)
    return [frozenset(group) for _, group in sorted(groups.items()) if len(group) > 1]
