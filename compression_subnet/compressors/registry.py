"""Finding a compressor by its name: a registered one, or any class or factory on the import path."""

import difflib
from collections.abc import Callable
from dataclasses import fields
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Final

from compression_subnet.compressors.base import Compressor, CompressorOptions
from compression_subnet.errors import CompressionSubnetError, CompressorError

__all__ = ["GROUP", "find_compressor", "list_compressors"]

GROUP: Final = "compression_subnet.compressors"
"""Entry-point group in which a package names its compressors."""


def list_compressors() -> dict[str, str]:
    """Return the registered names, sorted, each with the ``module:attribute`` that it stands for."""
    return {name: point.value for name, point in sorted(_points().items())}


def find_compressor(name: str, options: CompressorOptions | None = None) -> Compressor:
    """Return a new compressor.

    Args:
        name: a registered name (see ``list_compressors``), or ``module:attribute`` of a class or function that
            makes a compressor without arguments, or of a class with a class method ``from_options``.
        options: how to run its model; None is the defaults.

    Raises:
        CompressorError: there is none of that name, it cannot be imported or made, it has no ``compress``, or
            options are given that it does not take.
    """
    points = _points()
    options = options or CompressorOptions()
    if name in points:
        return _make(name, points[name].value, options)
    module, colon, attribute = name.partition(":")
    if colon and module and attribute:
        return _make(name, name, options)
    close = difflib.get_close_matches(name, points, n=3, cutoff=0.5)
    hint = f"; did you mean {' or '.join(close)}?" if close else ""
    known = ", ".join(sorted(points)) or "none (is the package installed?)"
    raise CompressorError(f"unknown compressor {name!r}{hint} known: {known}; or give module:attribute")


def _points() -> dict[str, EntryPoint]:
    return {point.name: point for point in entry_points(group=GROUP)}


def _make(name: str, target: str, options: CompressorOptions) -> Compressor:
    module_name, _, path = target.partition(":")
    try:
        found: object = import_module(module_name)
    except Exception as error:  # a plug-in can raise anything while it is imported
        raise CompressorError(
            f"compressor {name!r}: importing module {module_name} failed: {type(error).__name__}: {error}"
        ) from error
    for part in path.split("."):
        if not hasattr(found, part):
            raise CompressorError(f"compressor {name!r}: module {module_name} has no attribute {path}")
        found = getattr(found, part)
    if not callable(found):
        raise CompressorError(f"compressor {name!r}: {target} is no class or function that makes a compressor")
    made = _call(name, target, found, options)
    if not callable(getattr(made, "compress", None)):
        raise CompressorError(f"compressor {name!r}: what {target}() returns has no method compress(text, budget)")
    compressor: Compressor = made
    return compressor


def _call(name: str, target: str, maker: Callable[[], Any], options: CompressorOptions) -> Any:
    from_options = getattr(maker, "from_options", None)
    if from_options is None and options != CompressorOptions():
        default = CompressorOptions()
        given = [f.name for f in fields(options) if getattr(options, f.name) != getattr(default, f.name)]
        raise CompressorError(
            f"compressor {name!r} takes no options, so leave out {', '.join(given)}; one that does is 'reference'"
        )
    try:
        return maker() if from_options is None else from_options(options)
    except CompressionSubnetError:
        raise
    except Exception as error:
        how = "it must be callable without arguments" if from_options is None else "see the error above"
        raise CompressorError(
            f"compressor {name!r}: {target}() failed: {type(error).__name__}: {error}; {how}"
        ) from error
