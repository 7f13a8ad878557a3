import pytest

from compression_subnet.judge.reader import Reader, load_reader


@pytest.fixture(scope="session")
def reader() -> Reader:
    return load_reader(threads=1)
