"""The command aten/src/ATen/gen.py: ATen's families, and those of the legacy inputs, in one directory."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from pathlib import Path

from tools.base.errors import usage_error
from tools.base.file_manager import FileManager
from tools.codegen.command import run_command
from tools.codegen.emit.common import ATEN
from tools.codegen.limits import limits_of_table
from tools.drivers import aten, legacy_types
from tools.drivers.inputs import InputFiles
from tools.drivers.legacy_nn import LegacyInputs

_ROOT = Path(__file__).parents[2]
_SOURCES = Path(ATEN)
_OPERATORS = "native_functions.yaml"
_LEGACY = {
    "Declarations.cwrap": "cwrap",
    "nn.yaml": "nn",
    "THNN.h": "header",
    "THCUNN.h": "cuda_header",
}
"""The legacy inputs by file name, and what they are in LegacyInputs."""
_CORE = "core/"


class _InstalledFiles(FileManager):
    """Files below the installation directory instead of aten/src/ATen."""

    def add(self, path: str, ingredients: str, text: Callable[[], str]) -> None:
        super().add(path.removeprefix(f"{ATEN}/"), ingredients, text)


def main(arguments: list[str]) -> int:
    """Run the command and return its exit code: 2 if the input has mistakes."""
    options = _parser().parse_args(arguments)
    return run_command("gen.py", lambda: _generate(options))


def _generate(options: argparse.Namespace) -> None:
    files = _InstalledFiles(options.install_dir, "")
    _add_files(files, options)
    if options.dry_run:
        files.make()
    elif options.output_dependencies is not None:
        _write_names(files, options.output_dependencies)
    else:
        options.install_dir.mkdir(parents=True, exist_ok=True)
        changed, _ = files.commit(files.outputs)
        print(f"{options.install_dir}: {len(files.outputs)} files, {len(changed)} written")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="gen.py", description=__doc__)
    parser.add_argument(
        "-s", "--source-path", "--source_path", type=Path, default=_SOURCES, metavar="DIR",
        help="the folder of native/native_functions.yaml and native/tags.yaml",
    )  # fmt: skip
    parser.add_argument(
        "-d", "--install-dir", "--install_dir", type=Path, default=Path("build") / _SOURCES,
        metavar="DIR", help="where the files go",
    )  # fmt: skip
    parser.add_argument(
        "-o", "--output-dependencies", "--output_dependencies", type=Path, metavar="FILE",
        help="write only the names of the files, for CMake: those of core/ to FILE-core",
    )  # fmt: skip
    parser.add_argument(
        "--dry-run", "--dry_run", action="store_true", help="check the inputs and write nothing"
    )
    parser.add_argument(
        "--per-operator-headers", "--per_operator_headers", action="store_true",
        help="accepted; each operator always has headers of its own",
    )  # fmt: skip
    parser.add_argument(
        "--rocm", action="store_true",
        help="accepted; the files include no headers of CUDA, so they are the same for ROCm",
    )  # fmt: skip
    parser.add_argument(
        "files", nargs="*", type=Path, metavar="FILE",
        help="native_functions.yaml, and of the legacy inputs Declarations.cwrap, THNN.h, "
        "THCUNN.h and nn.yaml: with those, at::legacy::th and the Type families are written too",
    )  # fmt: skip
    return parser


def _add_files(files: FileManager, options: argparse.Namespace) -> None:
    given = _given(options.files)
    native = options.source_path / "native"
    operators = given.pop(_OPERATORS, native / _OPERATORS)
    for path in (operators, native / "tags.yaml"):
        if not path.is_file():
            raise usage_error(f"there is no file {path}")
    limits = limits_of_table(_ROOT)
    model = InputFiles.read(operators, native / "tags.yaml").build().operators
    aten.generate(model, files, limits=limits, legacy_types=bool(given))
    if not given:
        aten.declarations_file(model, files)
    else:
        legacy_types.generate(model, files, limits=limits)
        legacy = LegacyInputs(**{_LEGACY[name]: path for name, path in given.items()})
        legacy.write(files)
        if legacy.cuda_header is not None:
            legacy.write_cuda(files)


def _given(paths: list[Path]) -> dict[str, Path]:
    """Return the positional inputs by their kind."""
    given: dict[str, Path] = {}
    for path in paths:
        if path.name not in (_OPERATORS, *_LEGACY):
            known = ", ".join((_OPERATORS, *_LEGACY))
            raise usage_error(f"unknown input {path}", cause=f"inputs are named {known}")
        if not path.is_file():
            raise usage_error(f"there is no file {path}")
        if path.name in given:
            raise usage_error(f"two inputs are named {path.name}")
        given[path.name] = path
    if "nn.yaml" in given and "THNN.h" not in given:
        raise usage_error("nn.yaml needs THNN.h, which declares its kernels")
    if "THCUNN.h" in given and "nn.yaml" not in given:
        raise usage_error("THCUNN.h needs nn.yaml, which names the functions of its kernels")
    return given


def _write_names(files: FileManager, path: Path) -> None:
    """Write the names of the files that a run writes, as lists of CMake."""
    core = [name for name in files.outputs if name.startswith(_CORE)]
    others = [name for name in files.outputs if not name.startswith(_CORE)]
    names: Mapping[Path, list[str]] = {path: others, path.with_name(f"{path.name}-core"): core}
    for target, listed in names.items():
        target.write_text("".join(f"{files.root / name};" for name in listed), encoding="utf-8")
