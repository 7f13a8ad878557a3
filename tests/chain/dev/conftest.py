"""Fixtures of the dev chain's tests."""

import pytest
from dev_bench import Bench, make_bench


@pytest.fixture
def bench() -> Bench:
    """A chain that takes plain weights, at any rate."""
    return make_bench(commit_reveal=False, weights_rate_limit=0)
