"""`python -m tools.codegen`: generate the ATen families, or print facts about the operators."""

from __future__ import annotations

import os
import sys

from tools.codegen.cli import main

code = main(sys.argv[1:])
sys.stdout.flush()
sys.stderr.flush()
# Ends without taking the model apart, object by object: nothing in it is left to close.
os._exit(code)
