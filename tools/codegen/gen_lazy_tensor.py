"""`python -m tools.codegen.gen_lazy_tensor -s FILE.yaml -o DIR`: C++ for a lazy back end's nodes."""

from __future__ import annotations

import sys

if __package__ in (None, ""):  # called as a script: this folder has modules named like Python's own
    sys.path[0] = __file__.rsplit("/", 3)[0]

from tools.drivers.lazy_tensor import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
