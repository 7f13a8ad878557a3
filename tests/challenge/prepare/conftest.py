"""The writer's scripted provider and the made-up articles are shared with the tests beside these."""

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parent / "write")]
