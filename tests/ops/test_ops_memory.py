import subprocess
import sys

import pytest

SCRIPT = """
import sys
from compression_subnet.ops.memory import return_freed_memory

def gaps():
    import ctypes
    from soak.meter import _MallInfo
    library = ctypes.CDLL(None)
    library.mallinfo2.restype = _MallInfo
    return library.mallinfo2().fordblks

if sys.argv[1] == "set":
    assert return_freed_memory()
del_first = bytes(8_000_000)
del del_first  # by default, blocks of up to this size lie in the heap from now on
large = [bytes(500_000) for _ in range(40)]
small = [bytes(5_000) for _ in range(40)]
large.clear()
print(gaps())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="asks the GNU C library")
def test_large_blocks_leave_no_gaps() -> None:
    def gaps(how: str) -> int:
        done = subprocess.run([sys.executable, "-c", SCRIPT, how], capture_output=True, text=True, check=True)
        return int(done.stdout)

    assert gaps("set") < 5_000_000 < 15_000_000 < gaps("leave")
