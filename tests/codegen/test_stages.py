"""The build's stages and the command line generate the same files."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

from operator_files import DEPRECATED, DERIVATIVES, DOCS, NATIVE, ROOT, TAGS

from tools.base.file_manager import FileManager
from tools.base.generation import STATE
from tools.base.globs import find_files
from tools.codegen.cache import FILE as CACHE
from tools.drivers import cli
from tools.drivers.cli import main
from tools.setup_helpers.generation.stages import StageContext
from tools.setup_helpers.table.config_reader import load

_DRIVERS = "tools.drivers."
_BY_DEFAULT = ("aten", "autograd", "python", "jit", "pyi", "annotated")
"""Stages whose files the command line writes without --all."""
_INPUTS = ["--native-functions", NATIVE, "--tags", TAGS, "--derivatives", DERIVATIVES]
_INPUTS += ["--deprecated", DEPRECATED, "--docs", DOCS]


def _files(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.name not in (STATE, CACHE)
    }


def _run_stages(out: Path, names: tuple[str, ...] | None = None) -> None:
    config = load(ROOT)
    shared: dict[str, Any] = {}
    for stage in config.stages:
        module, _, name = stage.entry.partition(":")
        if module.startswith(_DRIVERS) and (names is None or stage.name in names):
            files = FileManager(out, stage.directory)
            context = StageContext(config, ROOT, files, {}, {}, shared, stage.limits)
            getattr(import_module(module), name)(context)
            files.commit(())


def _command(out: Path, *options: str) -> None:
    assert main(["generate", *map(str, _INPUTS), "--out", str(out), *options]) == 0


def test_command_line_writes_what_the_stages_write(tmp_path: Path) -> None:
    _command(tmp_path / "command")
    _run_stages(tmp_path / "stages", _BY_DEFAULT)
    made = _files(tmp_path / "stages")
    assert len(made) > 1000
    assert made == _files(tmp_path / "command")


def test_command_line_writes_every_stage_when_asked_for_all(tmp_path: Path) -> None:
    _command(tmp_path / "command", "--all")
    _run_stages(tmp_path / "stages")
    assert _files(tmp_path / "stages") == _files(tmp_path / "command")


def test_all_stages_write_the_operators_of_pytorch(tmp_path: Path, peer_packaged: Path) -> None:
    inputs = [
        "--native-functions",
        peer_packaged / "native_functions.yaml",
        "--tags",
        peer_packaged / "tags.yaml",
    ]
    assert main(["generate", *map(str, inputs), "--out", str(tmp_path), "--all"]) == 0
    made = _files(tmp_path)
    directories = {stage.directory for stage in load(ROOT).stages if stage.when}
    without_files = {"selected"}  # without a list of operators
    for directory in directories - without_files:
        assert any(path.startswith(directory) for path in made), directory


def test_command_line_runs_again_when_an_input_of_any_stage_changes() -> None:
    operator_files = {str(Path(path).relative_to(ROOT)) for path in _INPUTS[1::2]}
    read = {*find_files(ROOT, cli._SOURCES), *operator_files}
    for stage in load(ROOT).stages:
        if stage.entry.startswith(_DRIVERS) and stage.name != "kernels":
            assert set(find_files(ROOT, stage.inputs)) <= read, stage.name
