"""The build's stages and the command line generate the same files."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

from operator_files import DEPRECATED, DERIVATIVES, DOCS, NATIVE, ROOT, TAGS

from tools.base.file_manager import FileManager
from tools.base.generation import STATE
from tools.codegen.cache import FILE as CACHE
from tools.drivers.cli import main
from tools.setup_helpers.generation.stages import StageContext
from tools.setup_helpers.table.config_reader import load

_DRIVERS = "tools.drivers."
_OFF_BY_DEFAULT = (
    "unboxing",
    "shape_functions",
    "external_functions",
    "decompositions",
    "static_runtime",
    "legacy_nn",
    "legacy_nn_cuda",
    "legacy_th",
    "legacy_th_cuda",
    "legacy_types",
    "legacy_types_cuda",
    "lazy",
    "caffe2",
    "onnx",
)
"""Stages whose files the command line does not write unless they are asked for by name."""
_OF_OTHER_INPUTS = ("upgraders",)
"""Stages that read files which the command line does not take."""


def _files(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.name not in (STATE, CACHE)
    }


def _run_stages(out: Path) -> None:
    config = load(ROOT)
    skipped = (*_OFF_BY_DEFAULT, *_OF_OTHER_INPUTS)
    shared: dict[str, Any] = {}
    for stage in config.stages:
        module, _, name = stage.entry.partition(":")
        if module.startswith(_DRIVERS) and stage.name not in skipped:
            files = FileManager(out, stage.directory)
            context = StageContext(config, ROOT, files, {}, {}, shared, stage.limits)
            getattr(import_module(module), name)(context)
            files.commit(())


def test_command_line_writes_what_the_stages_write(tmp_path: Path) -> None:
    inputs = ["--native-functions", NATIVE, "--tags", TAGS]
    inputs += ["--derivatives", DERIVATIVES, "--deprecated", DEPRECATED, "--docs", DOCS]
    assert main(["generate", *map(str, inputs), "--out", str(tmp_path / "command")]) == 0
    _run_stages(tmp_path / "stages")
    made = _files(tmp_path / "stages")
    assert len(made) > 1000
    assert made == _files(tmp_path / "command")
