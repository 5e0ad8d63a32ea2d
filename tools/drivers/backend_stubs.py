"""The command gen_backend_stubs: C++ for the kernels of a back end outside of the build."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

from tools.base.file_manager import FileManager
from tools.codegen.backends import read_backend
from tools.codegen.command import run_command
from tools.codegen.emit.backend_stubs import backend_stubs
from tools.codegen.emit.common import Emitter
from tools.codegen.read import OperatorFile, build_operators
from tools.drivers.context import templates

_NATIVE = Path(__file__).parents[2] / "aten/src/ATen/native"


def main(arguments: list[str]) -> int:
    """Write the files and return the exit code: 2 if the input has mistakes."""
    return write_files("gen_backend_stubs", _parser().parse_args(arguments), _made)


def write_files(
    name: str, options: argparse.Namespace, made: Callable[[argparse.Namespace], FileManager]
) -> int:
    """Write the files that the options of a back end's generator ask for; see `main`."""

    def write() -> None:
        files = made(options)
        if options.dry_run:
            print("\n".join(files.outputs))
            return
        options.output_dir.mkdir(parents=True, exist_ok=True)
        changed, _ = files.commit(files.outputs)
        print(f"{options.source_yaml.name}: {len(files.outputs)} files, {len(changed)} written")

    return run_command(name, write)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tools.codegen.gen_backend_stubs",
        description="Generate declarations and registrations for the kernels of a back end.",
    )
    parser.add_argument("-s", "--source-yaml", "--source_yaml", type=Path, required=True)
    parser.add_argument("-o", "--output-dir", "--output_dir", type=Path, required=True)
    parser.add_argument(
        "--dry-run", "--dry_run", action="store_true", help="print the names of the files only"
    )
    parser.add_argument(
        "--impl-path", "--impl_path", type=Path, help="the C++ file that must define the kernels"
    )
    parser.add_argument(
        "--native-functions", type=Path, default=_NATIVE / "native_functions.yaml", metavar="FILE"
    )
    parser.add_argument("--tags", type=Path, default=_NATIVE / "tags.yaml", metavar="FILE")
    return parser


def _made(options: argparse.Namespace) -> FileManager:
    native = OperatorFile.read(options.native_functions)
    operators = build_operators(native, OperatorFile.read(options.tags))
    backend = read_backend(options.source_yaml, operators, options.impl_path)
    files = FileManager(options.output_dir, "")
    emitter = Emitter(
        operators,
        templates("aten/src/ATen/templates"),
        files,
        directory="",
        sources=options.source_yaml.name,
    )
    backend_stubs(emitter, backend)
    files.make()
    return files
