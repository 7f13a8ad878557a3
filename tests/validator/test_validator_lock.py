import subprocess
import sys
from pathlib import Path

import pytest

from compression_subnet.errors import StoreError
from compression_subnet.validator.records.lock import sole_owner

HOLDER = """
import sys, time
from pathlib import Path
from compression_subnet.validator.records.lock import sole_owner
with sole_owner(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(600)
"""


def test_a_record_that_another_process_holds_is_refused_until_that_one_is_killed(tmp_path: Path) -> None:
    record = tmp_path / "validator.sqlite"
    with subprocess.Popen([sys.executable, "-c", HOLDER, record], stdout=subprocess.PIPE, text=True) as holder:
        try:
            assert holder.stdout is not None
            assert holder.stdout.readline() == "held\n"
            with pytest.raises(StoreError, match="in use by another validator"), sole_owner(record):
                pass
        finally:
            holder.kill()
    with sole_owner(record):
        pass


def test_a_record_is_free_again_after_its_owner_and_nothing_is_written_to_it(tmp_path: Path) -> None:
    record = tmp_path / "validator.sqlite"
    for _ in range(2):
        with sole_owner(record):
            assert not record.exists()


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"none.*check the folder"), sole_owner(tmp_path / "none" / "v.sqlite"):
        pass
