"""`python -m tools.autograd.gen_annotated_fn_args NATIVE_FUNCTIONS TAGS OUT AUTOGRAD`: write annotated_fn_args.py.

It goes to the directory OUT; AUTOGRAD is the directory of derivatives.yaml and deprecated.yaml.
"""

from __future__ import annotations

import argparse
import sys

from tools.drivers import cli


def main(arguments: list[str]) -> int:
    """Write the file and return the exit code."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    for name in ("native_functions", "tags", "out", "autograd"):
        parser.add_argument(name)
    options = parser.parse_args(arguments)
    command = ["generate", "--only", "annotated_fn_args", "--flat", "--out", options.out]
    command += ["--native-functions", options.native_functions, "--tags", options.tags]
    command += ["--deprecated", f"{options.autograd}/deprecated.yaml"]
    return cli.main(command)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
