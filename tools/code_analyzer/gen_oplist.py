"""Print the names of the operators in lists, one per line.

python -m tools.code_analyzer.gen_oplist operators.yaml [--training]
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

if __package__ in (None, ""):  # called as a script
    sys.path[0] = str(Path(__file__).resolve().parents[2])

from tools.codegen.errors import InputError
from tools.codegen.read import OperatorFile
from tools.codegen.selection import merged, read_selection


def main(arguments: list[str]) -> int:
    """Print the names of the operators in lists, one per line."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.code_analyzer.gen_oplist", description=main.__doc__
    )
    parser.add_argument("lists", nargs="+", type=Path, metavar="LIST")
    parser.add_argument("--training", action="store_true", help="only those with gradients")
    options = parser.parse_args(arguments)
    try:
        selection = merged([read_selection(OperatorFile.read(path)) for path in options.lists])
    except InputError as error:
        print(error, file=sys.stderr)
        return 2
    for name, each in sorted(selection.operators.items()):
        if each.training or not options.training:
            print(name)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
