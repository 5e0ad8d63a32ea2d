"""`python -m tools.jit.gen_jit_shape_functions -d DIR`: the shape functions as TorchScript for C++."""

from __future__ import annotations

import sys

if __package__ in (None, ""):  # called as a script
    sys.path[0] = __file__.rsplit("/", 3)[0]

from tools.drivers.registries import main
from tools.jit.registries import SHAPE_FUNCTIONS

if __name__ == "__main__":
    sys.exit(main(SHAPE_FUNCTIONS, "gen_jit_shape_functions", sys.argv[1:]))
