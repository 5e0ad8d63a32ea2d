"""Makes the cases files, and the helper that runs them on both libraries, importable.

And lets this process and its children be interrupted: a shell starts a job in the background with
SIGINT ignored, which they would inherit.
"""

from __future__ import annotations

import signal
import sys
from pathlib import Path

_HERE = Path(__file__).parent
sys.path[:0] = [str(_HERE), str(_HERE.parent / "nn")]

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
