"""`python -m tools.jit.gen_unboxing -d DIR`: write the unboxed kernels of the checkout's operators."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

if __package__ in (None, ""):  # called as a script
    sys.path[0] = str(Path(__file__).resolve().parents[2])

from tools.drivers import cli

_ROOT = Path(__file__).parents[2]


def main(arguments: list[str]) -> int:
    """Write the files and return the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.jit.gen_unboxing", description=main.__doc__
    )
    parser.add_argument(
        "-s", "--source-path", type=Path, default=_ROOT / "aten/src/ATen", metavar="DIR"
    )
    parser.add_argument("-d", "--install-dir", "--install_dir", required=True, metavar="DIR")
    parser.add_argument(
        "--op-selection-yaml-path", "--op_selection_yaml_path", metavar="FILE",
        help="a list of operators that torch.utils.record_operators wrote; by default, all",
    )  # fmt: skip
    options = parser.parse_args(arguments)
    native = options.source_path / "native"
    command = ["generate", "--only", "unboxing", "--flat", "--out", options.install_dir]
    command += ["--native-functions", str(native / "native_functions.yaml")]
    command += ["--tags", str(native / "tags.yaml")]
    if options.op_selection_yaml_path:
        command += ["--selected", options.op_selection_yaml_path]
    return cli.main(command)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
