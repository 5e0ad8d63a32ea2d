"""Makes the cases files, and the helper that runs them on both libraries, importable."""

from __future__ import annotations

import sys
from pathlib import Path

_HERE = Path(__file__).parent
sys.path[:0] = [str(_HERE), str(_HERE.parent / "nn")]
