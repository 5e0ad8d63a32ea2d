"""`python -m tools.autograd.gen_annotated_fn_args NATIVE_FUNCTIONS TAGS OUT AUTOGRAD`: write annotated_fn_args.py.

It goes to the directory OUT; AUTOGRAD is the directory of derivatives.yaml and deprecated.yaml.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

if __package__ in (None, ""):  # called as a script
    sys.path[0] = str(Path(__file__).resolve().parents[2])

from tools.drivers import cli


def main(arguments: list[str]) -> int:
    """Write the file and return the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.autograd.gen_annotated_fn_args", description=main.__doc__
    )
    parser.add_argument("native_functions", help="the operators, native_functions.yaml")
    parser.add_argument("tags", help="their tags, tags.yaml")
    parser.add_argument("out", help="the directory of annotated_fn_args.py")
    parser.add_argument("autograd", help="the directory of deprecated.yaml")
    options = parser.parse_args(arguments)
    command = ["generate", "--only", "annotated_fn_args", "--flat", "--out", options.out]
    command += ["--native-functions", options.native_functions, "--tags", options.tags]
    command += ["--deprecated", f"{options.autograd}/deprecated.yaml"]
    return cli.main(command)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
