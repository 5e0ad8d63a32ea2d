"""The stage caffe2: Caffe2's operator ATen, under caffe2/contrib/aten; and the command gen_op.py."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path

from tools.base.file_manager import FileManager
from tools.base.generation import collector_paused
from tools.caffe2.aten_op import DIRECTORY, aten_op, skip_report
from tools.codegen.command import run_command
from tools.codegen.emit.common import Emitter, Family, Output
from tools.codegen.limits import limits_of_table
from tools.codegen.model import Operators
from tools.codegen.templates import Templates
from tools.drivers.context import (
    NO_LIMITS,
    Context,
    Limits,
    inputs,
    templates,
    unchanged,
    write,
)
from tools.drivers.inputs import InputFiles

FAMILIES: Mapping[str, Family[Emitter]] = {"aten_op": aten_op}
_ROOT = Path(__file__).parents[2]
_TEMPLATES = f"{DIRECTORY}/templates"


def generate(
    model: Operators,
    output: Output,
    only: str | None = None,
    *,
    limits: Limits = NO_LIMITS,
    sources: Templates | None = None,
    directory: str = DIRECTORY,
) -> None:
    """Write the families of this stage."""
    emitter = Emitter(
        model, sources or templates(_TEMPLATES), output, limits=limits, directory=directory
    )
    write(emitter, FAMILIES, only)


def stage(context: Context) -> None:
    """Generate ATenOp and its implementations."""
    if not unchanged(context):
        generate(inputs(context).operators, context.files, limits=context.limits)


def main(arguments: list[str]) -> int:
    """Write ATenOp to a directory, and print the operators that it skips."""
    options = _parser().parse_args(arguments)
    return run_command("gen_op.py", lambda: _write(options))


def _write(options: argparse.Namespace) -> None:
    native = options.aten_root / "src/ATen/native"
    if options.yaml_dir is not None and (options.yaml_dir / "native_functions.yaml").is_file():
        native = options.yaml_dir
    files = FileManager(options.install_dir, "")
    with collector_paused():
        model = InputFiles.read(native / "native_functions.yaml", native / "tags.yaml").build()
        generate(
            model.operators,
            files,
            limits=limits_of_table(_ROOT),
            sources=templates(str(options.template_dir.absolute() / "templates")),
            directory="",
        )
        files.make()  # before anything is written
        files.root.mkdir(parents=True, exist_ok=True)
        files.commit(files.outputs)
    print("\n".join(skip_report(model.operators.functions)))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="gen_op.py", description=main.__doc__)
    parser.add_argument(
        "--aten_root", type=Path, default=_ROOT / "aten", metavar="DIR",
        help="the folder with src/ATen/native/native_functions.yaml",
    )  # fmt: skip
    parser.add_argument(
        "--template_dir", type=Path, default=_ROOT / DIRECTORY, metavar="DIR",
        help="the folder with templates/aten_op_template.h and templates/aten_op_template.cpp",
    )  # fmt: skip
    parser.add_argument(
        "--yaml_dir", type=Path, metavar="DIR",
        help="a folder whose native_functions.yaml and tags.yaml are read instead, if it has them",
    )  # fmt: skip
    parser.add_argument("--install_dir", type=Path, required=True, metavar="DIR")
    return parser
