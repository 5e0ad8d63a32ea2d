"""The stages legacy_nn and legacy_th: Python methods and at::legacy::th for the kernels of THNN."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

from tools.base.file_manager import FileManager
from tools.codegen.emit.common import ATEN, Output
from tools.codegen.errors import InputError, Problem
from tools.codegen.source import read_text
from tools.drivers.context import Context, templates
from tools.nnwrap.generate_wrappers import wrappers
from tools.nnwrap.header import read_header
from tools.nnwrap.legacy_dispatch import emit_legacy
from tools.nnwrap.nn_parse import parse_cwrap, parse_nn_yaml

_ROOT = Path(__file__).parents[2]
_HEADER = "aten/src/THNN/generic/THNN.h"
_NN = "aten/src/ATen/nn.yaml"
_CWRAP = "aten/src/ATen/Declarations.cwrap"


def bindings(context: Context) -> None:
    """Generate THNN.cwrap and THNN.cpp, under torch/csrc/nn."""
    _write_bindings(context.root, context.files)


def dispatchers(context: Context) -> None:
    """Generate the functions of at::legacy::th and their dispatchers, under aten/src/ATen."""
    LegacyInputs.of(context.root).write(context.files)


def _write_bindings(root: Path, output: Output) -> None:
    declarations, code = wrappers(root / _HEADER)
    output.add("torch/csrc/nn/THNN.cwrap", declarations, lambda: declarations)
    output.add("torch/csrc/nn/THNN.cpp", code, lambda: code)


@dataclass(frozen=True)
class LegacyInputs:
    """The files that declare the functions of at::legacy::th; None for one that is not used."""

    nn: Path | None = None
    header: Path | None = None
    """THNN.h, which declares the kernels of nn.yaml."""
    cwrap: Path | None = None

    @staticmethod
    def of(root: Path) -> LegacyInputs:
        """Return the files of a checkout."""
        return LegacyInputs(root / _NN, root / _HEADER, root / _CWRAP)

    def write(self, output: Output) -> None:
        """Generate the functions and their dispatchers, under aten/src/ATen.

        Raises:
            InputError: If the files have mistakes.
        """
        functions = []
        if self.nn is not None and self.header is not None:
            kernels = {function.name: function for function in read_header(self.header)}
            functions += parse_nn_yaml(_text(self.nn, _NN), _NN, kernels)
        if self.cwrap is not None:
            functions += parse_cwrap(_text(self.cwrap, _CWRAP), _CWRAP)
        emit_legacy(functions, templates("aten/src/ATen/templates"), output, ATEN)


def _text(path: Path, name: str) -> str:
    problems: list[Problem] = []
    text = read_text(path, name, problems)
    if problems:
        raise InputError(problems, {name: text})
    return text


def main(arguments: list[str]) -> int:
    """Write the files of both stages below a directory: `python -m tools.drivers.legacy_nn DIR`."""
    if len(arguments) != 1:
        print("usage: python -m tools.drivers.legacy_nn DIR", file=sys.stderr)
        return 2
    files = FileManager(Path(arguments[0]), "")
    files.root.mkdir(parents=True, exist_ok=True)
    try:
        _write_bindings(_ROOT, files)
        LegacyInputs.of(_ROOT).write(files)
    except InputError as error:
        print(error, file=sys.stderr)
        return 2
    files.commit(files.outputs)
    print("\n".join(files.outputs))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
