"""Generate ATen's files by hand: `python aten/src/ATen/gen.py --help`."""

from __future__ import annotations

import sys
from pathlib import Path

if __package__ in (None, ""):  # called as a script
    sys.path[0] = str(Path(__file__).resolve().parents[3])

from tools.drivers.gen import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
