"""`python -m tools.pyi.gen_pyi --out DIR`: write the type stubs from the checkout's operator files."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tools.drivers import cli

_ROOT = Path(__file__).parents[2]
_FILES = {
    "native-functions": "aten/src/ATen/native/native_functions.yaml",
    "tags": "aten/src/ATen/native/tags.yaml",
    "deprecated": "tools/autograd/deprecated.yaml",
    "docs": "aten/src/ATen/native/operator_docs.yaml",
}


def main(arguments: list[str]) -> int:
    """Write the stubs, below torch/_C in a directory; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tools.pyi.gen_pyi", description=main.__doc__)
    parser.add_argument("--out", required=True, metavar="DIR")
    for name, path in _FILES.items():
        parser.add_argument(f"--{name}", default=str(_ROOT / path), metavar="FILE")
    options = vars(parser.parse_args(arguments))
    files = [part for name in _FILES for part in (f"--{name}", options[name.replace("-", "_")])]
    return cli.main(["generate", "--only", "pyi", "--out", options["out"], *files])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
