"""For all tests: in CI, hypothesis looks at the same examples every time, so that a red run means a change.

Elsewhere it draws new ones, and finds what nobody thought of.
"""

import os

from hypothesis import settings

# How long an example takes depends on what else the machine does: that is never a failure.
settings.register_profile("search", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") else "search")
