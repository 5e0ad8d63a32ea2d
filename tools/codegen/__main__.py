"""`python -m tools.codegen`: generate the ATen families, or print facts about the operators."""

from __future__ import annotations

import sys

from tools.codegen.cli import main

sys.exit(main(sys.argv[1:]))
