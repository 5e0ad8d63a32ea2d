"""`python -m tools.jit.gen_static_runtime_ops -d DIR`: operators that write into planned memory."""

from __future__ import annotations

import sys

if __package__ in (None, ""):  # called as a script
    sys.path[0] = __file__.rsplit("/", 3)[0]

from tools.drivers.static_runtime import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
