"""`python -m tools.jit.gen_external_functions -d DIR`: operators as functions for tensor expressions."""

from __future__ import annotations

import sys

if __package__ in (None, ""):  # called as a script
    sys.path[0] = __file__.rsplit("/", 3)[0]

from tools.drivers.external_functions import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
