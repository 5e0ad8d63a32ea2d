"""Record the operators that a program calls, for a build with only these.

Run `python -m torch.utils.record_operators program.py -o operators.yaml [-- ARGUMENTS]`.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import runpy
import sys
from collections.abc import Iterator

from torch import _C

__all__ = ["record_operators"]


@contextlib.contextmanager
def record_operators(output: str | os.PathLike[str]) -> Iterator[None]:
    """Record the operators that the `with` block calls, and write them to a file.

    Calls from C++ count as well: those of composite operators, of the backward pass, and of other
    threads that work for this one. A file that exists is replaced.

    Args:
        output: The file, in YAML: each operator with its overload, the dtypes of its tensors, and
            whether gradients were recorded for it.

    Raises:
        RuntimeError: If operators are being recorded already.

    Example:
        >>> from torch.utils.record_operators import record_operators  # doctest: +SKIP
        >>> with record_operators("operators.yaml"):  # doctest: +SKIP
        ...     model(torch.ones(1, 3)).sum().backward()
    """
    _C._start_recording_operators()
    try:
        yield
    finally:
        records = _C._stop_recording_operators()
        with open(output, "w", encoding="utf-8") as file:
            file.writelines(map(_item, sorted(records), (records[n] for n in sorted(records))))


def _item(name: str, record: tuple[list[str], bool]) -> str:
    dtypes, training = record
    shown = f"  dtypes: [{', '.join(sorted(dtypes))}]\n" if dtypes else ""
    return f"- operator: {name}\n{shown}" + ("  training: True\n" if training else "")


def _main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m torch.utils.record_operators",
        description="Run a program and record the operators that it calls.",
    )
    parser.add_argument("program", help="a Python file")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="the program's own arguments")
    parser.add_argument("-o", "--output", default="operators.yaml", metavar="FILE")
    options = parser.parse_args()
    rest = options.arguments
    # `program.py -o FILE` is natural to write, but REMAINDER takes everything after the program.
    if rest[:1] in (["-o"], ["--output"]) and len(rest) > 1:
        options.output, rest = rest[1], rest[2:]
    if rest[:1] == ["--"]:
        rest = rest[1:]
    sys.argv = [options.program, *rest]
    sys.path.insert(0, os.path.dirname(os.path.abspath(options.program)))
    with record_operators(options.output):
        runpy.run_path(options.program, run_name="__main__")


if __name__ == "__main__":
    _main()
