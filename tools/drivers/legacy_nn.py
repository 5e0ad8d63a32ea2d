"""The stages legacy_nn and legacy_th: Python methods and at::legacy::th for the kernels of THNN and THCUNN."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

from tools.base.file_manager import FileManager
from tools.codegen.command import run_command
from tools.codegen.emit.common import ATEN, Output
from tools.codegen.errors import InputError, Problem
from tools.codegen.source import read_text
from tools.codegen.templates import Templates
from tools.cwrap.libraries import THCUNN, THNN, Library
from tools.drivers.context import Context, templates
from tools.nnwrap.generate_wrappers import wrappers
from tools.nnwrap.header import read_header, shown_path
from tools.nnwrap.legacy_dispatch import LegacyFiles
from tools.nnwrap.legacy_model import LegacyFunction
from tools.nnwrap.nn_parse import parse_cwrap, parse_nn_yaml

_ROOT = Path(__file__).parents[2]
_NN = "aten/src/ATen/nn.yaml"
_CWRAP = "aten/src/ATen/Declarations.cwrap"


def bindings(context: Context) -> None:
    """Generate THNN.cwrap and THNN.cpp, under torch/csrc/nn."""
    _write_bindings(context.root, context.files, THNN)


def cuda_bindings(context: Context) -> None:
    """Generate THCUNN.cwrap and THCUNN.cpp, under torch/csrc/nn."""
    _write_bindings(context.root, context.files, THCUNN)


def dispatchers(context: Context) -> None:
    """Generate the functions of at::legacy::th and the dispatchers of the CPU, under aten/src/ATen."""
    LegacyInputs.of(context.root).write(context.files)


def cuda_dispatchers(context: Context) -> None:
    """Generate the dispatchers of at::legacy::th for CUDA devices, under aten/src/ATen."""
    LegacyInputs.of(context.root).write_cuda(context.files)


def _write_bindings(root: Path, output: Output, library: Library) -> None:
    declarations, code = wrappers(root / library.header)
    output.add(f"torch/csrc/nn/{library.name}.cwrap", declarations, lambda: declarations)
    output.add(f"torch/csrc/nn/{library.name}.cpp", code, lambda: code)


@dataclass(frozen=True)
class LegacyInputs:
    """The files that declare the functions of at::legacy::th; None for one that is not used."""

    nn: Path | None = None
    header: Path | None = None
    """THNN.h, which declares the kernels of nn.yaml."""
    cuda_header: Path | None = None
    """THCUNN.h, which declares them for CUDA devices."""
    cwrap: Path | None = None

    @staticmethod
    def of(root: Path) -> LegacyInputs:
        """Return the files of a checkout."""
        return LegacyInputs(root / _NN, root / THNN.header, root / THCUNN.header, root / _CWRAP)

    def write(self, output: Output) -> None:
        """Generate the functions and the dispatchers of the CPU, under aten/src/ATen.

        Raises:
            InputError: If the files have mistakes.
        """
        functions = self._kernels(self.header, THNN)
        if self.cwrap is not None:
            name = shown_path(self.cwrap)
            functions += parse_cwrap(_text(self.cwrap, name), name)
        files = LegacyFiles(THNN, functions, _templates(), output, ATEN)
        files.write_functions()
        files.write_dispatchers()

    def write_cuda(self, output: Output) -> None:
        """Generate the dispatchers of CUDA devices; they have no functions of TH, which is for the CPU.

        Raises:
            InputError: If the files have mistakes.
        """
        functions = self._kernels(self.cuda_header, THCUNN)
        LegacyFiles(THCUNN, functions, _templates(), output, ATEN).write_dispatchers()

    def _kernels(self, header: Path | None, library: Library) -> list[LegacyFunction]:
        if self.nn is None or header is None:
            return []
        kernels = {function.name: function for function in read_header(header)}
        name = shown_path(self.nn)
        return parse_nn_yaml(_text(self.nn, name), name, kernels, f"{library.name}.h")


def _templates() -> Templates:
    return templates("aten/src/ATen/templates")


def _text(path: Path, name: str) -> str:
    problems: list[Problem] = []
    text = read_text(path, name, problems)
    if problems:
        raise InputError(problems, {name: text})
    return text


def main(arguments: list[str]) -> int:
    """Write the files of all these stages below a directory: `python -m tools.drivers.legacy_nn DIR`."""
    if len(arguments) != 1:
        print("usage: python -m tools.drivers.legacy_nn DIR", file=sys.stderr)
        return 2
    return run_command("legacy_nn", lambda: _write_all(Path(arguments[0])))


def _write_all(folder: Path) -> None:
    files = FileManager(folder, "")
    for library in (THNN, THCUNN):
        _write_bindings(_ROOT, files, library)
    inputs = LegacyInputs.of(_ROOT)
    inputs.write(files)
    inputs.write_cuda(files)
    folder.mkdir(parents=True, exist_ok=True)
    files.commit(files.outputs)
    print("\n".join(files.outputs))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
