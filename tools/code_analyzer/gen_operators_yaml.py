"""Merge lists of operators, of several programs, into the list of one selective build.

python -m tools.code_analyzer.gen_operators_yaml gpt.yaml cnn.yaml --output operators.yaml
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

if __package__ in (None, ""):  # called as a script
    sys.path[0] = str(Path(__file__).resolve().parents[2])

from tools.base.atomic import write_atomically
from tools.codegen.errors import InputError
from tools.codegen.read import OperatorFile, read_operators
from tools.codegen.selection import merged, read_selection

ROOT = Path(__file__).parents[2]
_NATIVE = ROOT / "aten/src/ATen/native"


def main(arguments: list[str]) -> int:
    """Check the lists against the checkout's operators, merge them and write the result."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.code_analyzer.gen_operators_yaml", description=main.__doc__
    )
    parser.add_argument("lists", nargs="+", type=Path, metavar="LIST")
    parser.add_argument("-o", "--output", required=True, type=Path, metavar="FILE")
    options = parser.parse_args(arguments)
    texts = ((_NATIVE / name).read_text() for name in ("native_functions.yaml", "tags.yaml"))
    functions = read_operators(*texts).functions
    try:
        files = [OperatorFile.read(path) for path in options.lists]
        selection = merged([read_selection(file, functions) for file in files])
    except InputError as error:
        print(error, file=sys.stderr)
        return 2
    write_atomically(options.output, selection.text().encode())
    print(f"{options.output}: {len(selection.operators)} operators")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
