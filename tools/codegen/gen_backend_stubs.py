"""`python -m tools.codegen.gen_backend_stubs -s DEVICE.yaml -o DIR`: C++ for a back end's kernels."""

from __future__ import annotations

import sys

from tools.drivers.backend_stubs import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
