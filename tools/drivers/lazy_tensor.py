"""The stage lazy and the command gen_lazy_tensor: nodes and kernels of a lazy back end."""

from __future__ import annotations

import argparse
import re
from dataclasses import replace
from pathlib import Path

from tools.base.file_manager import FileManager
from tools.codegen.backends import Backend, read_backend
from tools.codegen.emit.backend_stubs import backend_stubs
from tools.codegen.emit.common import Emitter, Output
from tools.codegen.emit.lazy_ir import LazySettings, lazy_tensor, unsupported
from tools.codegen.errors import InputError, Problem
from tools.codegen.model import Operators
from tools.codegen.read import OperatorFile, build_operators
from tools.codegen.source import read_text
from tools.drivers.backend_stubs import write_files
from tools.drivers.context import (
    NO_LIMITS,
    Context,
    Limits,
    has_other_operators,
    inputs,
    templates,
)

_NATIVE = Path(__file__).parents[2] / "aten/src/ATen/native"
_NODES = "ts_native_functions.yaml"
_DIRECTORY = "torch/csrc/lazy/generated"
_SHAPE_FUNCTION = re.compile(r"\bcompute_shape_(\w+)\s*\(")


def stage(context: Context) -> None:
    """Generate the lazy device's nodes, kernels and registrations."""
    source = context.root / "aten/src/ATen/native" / _NODES
    operators = inputs(context).operators
    backend = read_backend(source, operators, lazy=True)
    if has_other_operators(context):
        backend = _with_possible_nodes(backend)
    _check(source, backend)
    _write(operators, backend, LazySettings(), context.files, _DIRECTORY, _NODES, context.limits)


def _with_possible_nodes(backend: Backend) -> Backend:
    """Return the back end without the operators that no node can be generated for."""
    possible = tuple(function for function in backend.full_codegen if not unsupported(function))
    return replace(backend, full_codegen=possible)


def main(arguments: list[str]) -> int:
    """Write the files and return the exit code: 2 if the input has mistakes."""
    return write_files("gen_lazy_tensor", _parser().parse_args(arguments), _made)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tools.codegen.gen_lazy_tensor",
        description="Generate nodes, their lowerings and the kernels of a lazy back end.",
    )
    add = parser.add_argument
    add("-s", "--source-yaml", "--source_yaml", type=Path, default=_NATIVE / _NODES)
    add("-o", "--output-dir", "--output_dir", type=Path, required=True)
    add("--dry-run", "--dry_run", action="store_true", help="print the names of the files only")
    add(
        "--impl-path",
        "--impl_path",
        type=Path,
        help="the C++ file that must define the kernels listed under supported",
    )
    add(
        "--gen-ts-lowerings",
        "--gen_ts_lowerings",
        action="store_true",
        help="also generate the nodes' methods Lower, which call the operators",
    )
    add("--node-base", "--node_base", default=LazySettings.node_base, metavar="CLASS")
    add("--node-base-hdr", "--node_base_hdr", default=LazySettings.node_base_header, metavar="FILE")
    add("--tensor-class-hdr", "--tensor_class_hdr", default=LazySettings.tensor_header)
    add(
        "--shape-inference-hdr",
        "--shape_inference_hdr",
        type=Path,
        help="a header whose functions compute_shape_NAME replace the Meta kernels of operators",
    )
    add("--native-functions", type=Path, default=_NATIVE / "native_functions.yaml", metavar="FILE")
    add("--tags", type=Path, default=_NATIVE / "tags.yaml", metavar="FILE")
    return parser


def _made(options: argparse.Namespace) -> FileManager:
    native = OperatorFile.read(options.native_functions)
    operators = build_operators(native, OperatorFile.read(options.tags))
    backend = read_backend(options.source_yaml, operators, options.impl_path, lazy=True)
    _check(options.source_yaml, backend)
    header: Path | None = options.shape_inference_hdr
    settings = LazySettings(
        node_base=options.node_base,
        node_base_header=options.node_base_hdr,
        tensor_header=options.tensor_class_hdr,
        shape_functions=_shape_functions(header),
        shape_header=str(header or ""),
        lowerings=options.gen_ts_lowerings,
    )
    files = FileManager(options.output_dir, "")
    _write(operators, backend, settings, files, "", options.source_yaml.name)
    files.make()
    return files


def _check(source: Path, backend: Backend) -> None:
    """Raise an error that lists the operators that no node can be generated for."""
    problems: list[Problem] = []
    text = read_text(source, str(source), problems)
    for function in (*backend.full_codegen, *backend.ir_gen):
        reason = unsupported(function)
        if reason:
            row = re.search(rf"(?:^|[\s,\[]){re.escape(function.full_name)}(?=[\s,\]]|$)", text)
            line = text.count("\n", 0, row.end()) + 1 if row else 1
            name = function.full_name
            problems.append(Problem(str(source), line, 1, f'"{name}" has no node: {reason}'))
    if problems:
        raise InputError(problems, {str(source): text})


def _shape_functions(header: Path | None) -> frozenset[str]:
    if header is None:
        return frozenset()
    problems: list[Problem] = []
    text = read_text(header, str(header), problems)
    if problems:
        raise InputError(problems, {str(header): text})
    return frozenset(_SHAPE_FUNCTION.findall(text))


def _write(
    operators: Operators,
    backend: Backend,
    settings: LazySettings,
    output: Output,
    directory: str,
    sources: str,
    limits: Limits = NO_LIMITS,
) -> None:
    sheets = templates("aten/src/ATen/templates")
    emitter = Emitter(
        operators, sheets, output, directory=directory, sources=sources, limits=limits
    )
    lazy_tensor(emitter, backend, settings)
    backend_stubs(emitter, backend)
