"""Writing a small package with a compressor in it, which passes its own test at once."""

import keyword
import re
import sys
from dataclasses import dataclass
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from string import Template
from typing import Final

from compression_subnet import __version__
from compression_subnet.compressors.registry import list_compressors
from compression_subnet.errors import ConfigurationError

__all__ = ["Created", "create_compressor"]

_NAME: Final = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
_LONGEST: Final = 40
# Template's name to where it goes.
_FILES: Final = {
    "pyproject.toml.txt": "pyproject.toml",
    "readme.md.txt": "README.md",
    "compressor.py.txt": "{module}.py",
    "test_compressor.py.txt": "tests/test_{module}.py",
}


@dataclass(frozen=True, slots=True)
class Created:
    """A package that was written.

    Attributes:
        folder: where it is.
        target: its compressor, as ``module:attribute``.
    """

    folder: Path
    target: str


def create_compressor(name: str, parent: Path) -> Created:
    """Write the package ``name`` into a new folder of that name within ``parent``.

    Args:
        name: small letters, digits and single hyphens, a letter first; also the compressor's registered name.
        parent: made where it is missing.

    Raises:
        ConfigurationError: the name cannot be used, the folder exists, or nothing can be written there.
    """
    module = _module(name)
    class_name = "".join(part.capitalize() for part in name.split("-"))
    folder = parent / name
    values = {"name": name, "module": module, "class_name": class_name, "version": __version__}
    try:
        folder.mkdir(parents=True)
        for template, path in _FILES.items():
            file = folder / path.format(module=module)
            file.parent.mkdir(exist_ok=True)
            text = (files(__package__) / "template" / template).read_text(encoding="utf-8")
            file.write_text(Template(text).substitute(values), encoding="utf-8")
    except FileExistsError as error:
        raise ConfigurationError(f"{folder} exists already; choose another name, or remove it") from error
    except OSError as error:
        raise ConfigurationError(f"{folder} cannot be written ({error.strerror}); choose another --dir") from error
    return Created(folder, f"{module}:{class_name}")


def _module(name: str) -> str:
    """Return the name of the package's module.

    Raises:
        ConfigurationError: it cannot be used.
    """
    if not _NAME.fullmatch(name) or len(name) > _LONGEST:
        raise ConfigurationError(
            f"{name!r} is no name for a compressor; use small letters, digits and single hyphens, a letter first, "
            f"{_LONGEST} at most, such as rare-words"
        )
    if name in list_compressors():
        raise ConfigurationError(f"there is a compressor {name!r} already; choose another name")
    module = name.replace("-", "_")
    if keyword.iskeyword(module) or module in sys.stdlib_module_names or find_spec(module) is not None:
        raise ConfigurationError(
            f"{name!r} would be the module {module}, which Python has already; choose another name"
        )
    return module
