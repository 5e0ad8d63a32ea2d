"""`python -m tools.codegen`: generate the ATen families, or print facts about the operators."""

from __future__ import annotations

import os
import sys

from tools.drivers.cli import main

code = main(sys.argv[1:])
sys.stdout.flush()
sys.stderr.flush()
# Exit without freeing the model object by object; it holds nothing that needs closing.
os._exit(code)
