"""Make the cases files and their helper importable, and restore SIGINT.

A shell starts background jobs with SIGINT ignored, which this process and its children would inherit.
"""

from __future__ import annotations

import signal
import sys
from pathlib import Path

_HERE = Path(__file__).parent
sys.path[:0] = [str(_HERE), str(_HERE.parent / "nn")]

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
