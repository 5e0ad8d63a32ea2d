"""Commands that write one family of a checkout's generated files into any directory."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

from tools.base.file_manager import FileManager
from tools.codegen.command import run_command
from tools.codegen.emit.common import Output
from tools.codegen.model import Operators
from tools.codegen.read import OperatorFile, build_operators

_ROOT = Path(__file__).parents[2]

Generate: TypeAlias = Callable[[Path, Operators, Output], None]
"""Writes the files for the operators of a checkout, whose folder is the first argument."""


def run(command: str, description: str, generate: Generate, arguments: list[str]) -> int:
    """Run `python -m tools.jit.COMMAND -d DIR` and return its status."""
    parser = argparse.ArgumentParser(prog=f"python -m tools.jit.{command}", description=description)
    parser.add_argument(
        "-s", "--source-path", type=Path, default=_ROOT, metavar="DIR", help="the checkout"
    )
    parser.add_argument(
        "-d", "--install-dir", "--install_dir", type=Path, required=True, metavar="DIR"
    )
    options = parser.parse_args(arguments)
    return run_command(command, lambda: _write(generate, options.source_path, options.install_dir))


def _write(generate: Generate, root: Path, directory: Path) -> None:
    native = root / "aten/src/ATen/native"
    operators = build_operators(
        OperatorFile.read(native / "native_functions.yaml"), OperatorFile.read(native / "tags.yaml")
    )
    files = FileManager(directory, "")
    generate(root, operators, files)
    files.make()
    directory.mkdir(parents=True, exist_ok=True)
    files.commit(files.outputs)
