"""`python -m tools.pyi.gen_pyi [--out DIR]`: write the type stubs from the checkout's operator files."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

if __package__ in (None, ""):  # called as a script
    sys.path[0] = str(Path(__file__).resolve().parents[2])

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
    parser.add_argument("--out", default=".", metavar="DIR", help="by default, the current one")
    for name, path in _FILES.items():
        parser.add_argument(
            f"--{name}", *_other_names(name), default=str(_ROOT / path), metavar="FILE",
            help=f"by default, {path} of the checkout",
        )  # fmt: skip
    parser.add_argument(
        "--declarations-path", metavar="FILE",
        help="accepted if it exists: Declarations.yaml, which gen.py writes from the same operators",
    )  # fmt: skip
    options = vars(parser.parse_args(arguments))
    declarations = options["declarations_path"]
    if declarations is not None and not Path(declarations).is_file():
        parser.error(f"--declarations-path: {declarations} does not exist")
    files = [part for name in _FILES for part in (f"--{name}", options[name.replace("-", "_")])]
    return cli.main(["generate", "--only", "pyi", "--out", options["out"], *files])


def _other_names(name: str) -> list[str]:
    """Return the names of an option in PyTorch's command."""
    names = [f"--{name}-path"]
    return [*names, "--deprecated-functions-path"] if name == "deprecated" else names


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
