"""`python -m tools.jit.gen_jit_decompositions -d DIR`: the decompositions as TorchScript for C++."""

from __future__ import annotations

import sys

if __package__ in (None, ""):  # called as a script
    sys.path[0] = __file__.rsplit("/", 3)[0]

from tools.drivers.registries import main
from tools.jit.registries import DECOMPOSITIONS

if __name__ == "__main__":
    sys.exit(main(DECOMPOSITIONS, "gen_jit_decompositions", sys.argv[1:]))
