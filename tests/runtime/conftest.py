"""Makes the sample table importable from the tests as `samples`, and times no example."""

from __future__ import annotations

import sys
from pathlib import Path

from hypothesis import settings

sys.path.insert(0, str(Path(__file__).parent))

# How long an example takes is the machine's affair, or a sanitizer's.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")
