"""Run the named stages even if they are up to date: `python tools/setup_helpers/gen.py STAGE...`."""

from __future__ import annotations

import sys
from pathlib import Path

if __package__ in (None, ""):  # called as a script
    sys.path[0] = str(Path(__file__).resolve().parents[2])

from tools.setup_helpers import generate_code

if __name__ == "__main__":
    sys.exit(generate_code.main(["--force", *sys.argv[1:]]))
