"""`python -m tools.codegen.gen_lazy_tensor -s FILE.yaml -o DIR`: C++ for a lazy back end's nodes."""

from __future__ import annotations

import sys

from tools.drivers.lazy_tensor import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
