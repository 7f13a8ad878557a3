"""For all tests: in CI, hypothesis looks at the same examples every time, so that a red run means a change.

Elsewhere it draws new ones, and finds what nobody thought of.
"""

import os

from hypothesis import settings

settings.register_profile("ci", derandomize=True, print_blob=True)
if os.environ.get("CI"):
    settings.load_profile("ci")
