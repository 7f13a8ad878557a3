"""Finding compressors by name, and what a wrong name is told."""

import pytest

from compression_subnet.compressors import find_compressor, list_compressors
from compression_subnet.compressors.baselines import HeadTruncation
from compression_subnet.compressors.lexical import LexicalCompressor
from compression_subnet.errors import CompressorError


class NeedsAnArgument:
    def __init__(self, path: str):
        self.path = path


class NoMethod:
    pass


class CannotLoad:
    def __init__(self) -> None:
        raise CompressorError("no weights at /nowhere; run the download first")


def factory() -> HeadTruncation:
    return HeadTruncation()


VALUE = 7


def test_every_registered_compressor_can_be_made() -> None:
    names = list_compressors()
    assert {"reference", "truncation", "random", "whole", "flaky"} <= names.keys()
    assert list(names) == sorted(names)
    for name in ("truncation", "random", "whole", "flaky"):
        assert callable(find_compressor(name).compress)


def test_a_registered_name_gives_what_it_stands_for() -> None:
    assert isinstance(find_compressor("truncation"), HeadTruncation)


def test_a_class_or_a_factory_is_found_on_the_import_path() -> None:
    assert isinstance(find_compressor("compression_subnet.compressors.lexical:LexicalCompressor"), LexicalCompressor)
    assert isinstance(find_compressor(f"{__name__}:factory"), HeadTruncation)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("trunkation", "did you mean truncation.*known:.*random"),
        ("zzz", "unknown compressor 'zzz'.*known:"),
        ("", "known:"),
        ("reference:", "known:"),
        ("no_such_module:thing", "importing module no_such_module failed.*ModuleNotFoundError"),
        (f"{__name__}:missing", "has no attribute missing"),
        (f"{__name__}:VALUE", "is no class or function"),
        (f"{__name__}:NeedsAnArgument", "without arguments"),
        (f"{__name__}:NoMethod", "has no method compress"),
        (f"{__name__}:CannotLoad", "no weights at /nowhere"),
    ],
)
def test_a_wrong_name_is_told_what_is_wrong(name: str, message: str) -> None:
    with pytest.raises(CompressorError, match=message):
        find_compressor(name)
