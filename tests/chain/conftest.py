"""Fixtures of every chain test."""

from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture(scope="session", autouse=True)
def sdk_caches(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Point the SDK's caches at a folder of the test run.

    The SDK keeps metadata (by genesis hash) and token symbols (by network address) on disk. The dev chain's genesis
    hash changes with its metadata, so nothing stale can come of it; the user's own caches are to stay as they are,
    and a symbol cached for one chain must not be shown for the next one on the same port.
    """
    folder = tmp_path_factory.mktemp("sdk-caches")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BITTENSOR_RUNTIME_CACHE_DIR", str(folder / "runtime"))
        patch.setenv("BTCLI_TOKEN_SYMBOLS_CACHE", str(folder / "symbols.json"))
        yield folder
