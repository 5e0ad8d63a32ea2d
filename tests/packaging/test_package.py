"""The contents of the project's own wheel and source archive."""

from __future__ import annotations

import dataclasses
import os
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from checkout import ROOT, make_environment

sys.path.insert(0, str(ROOT))

from tools.base.programs import Programs
from tools.setup_helpers.env.options import Options, environment_requests
from tools.setup_helpers.env.resolver import resolve
from tools.setup_helpers.package import contents, manifest
from tools.setup_helpers.package.audit import audit_changed
from tools.setup_helpers.package.identity import table_identity
from tools.setup_helpers.package.sdist import list_sources, make_sdist
from tools.setup_helpers.package.wheel import make_wheel
from tools.setup_helpers.package.wheel_repair import repair_wheel
from tools.setup_helpers.table.config import Config
from tools.setup_helpers.table.config_reader import load

SMOKE = """
import torch
x = torch.arange(6.0).reshape(2, 3)
assert (x @ torch.ones(3, 2)).tolist() == [[3.0, 3.0], [12.0, 12.0]]
print(torch.__file__)
"""


@pytest.fixture(scope="module")
def config() -> Config:
    return load(ROOT)


@pytest.fixture(scope="module")
def build_dir() -> Path:
    folder = ROOT / "build"
    if not (folder / contents.PLAN).exists():
        pytest.skip("nothing is built in build/: python setup.py develop")
    return folder


@pytest.fixture(scope="module")
def files(config: Config, build_dir: Path) -> dict[str, Path]:
    requests = environment_requests(config, os.environ)
    options: Options = resolve(config, requests, Programs(os.environ), sys.executable)
    return dict(contents.list_contents(config.under(options.values_and_facts()), build_dir).files)


def test_no_file_of_the_package_breaks_a_rule_of_the_audit(
    config: Config, build_dir: Path, files: dict[str, Path], tmp_path: Path
) -> None:
    private = (ROOT, build_dir, Path.home())
    findings = audit_changed(files, config.packaging, private, tmp_path, {})
    assert [str(finding) for finding in findings] == []


def test_source_archive_contains_only_sources(
    config: Config, build_dir: Path, tmp_path: Path
) -> None:
    files = list_sources(config, manifest.staged_paths(ROOT, build_dir)).files
    archive = make_sdist(config, table_identity(config), tmp_path, files)
    with tarfile.open(archive) as file:
        names = {name.partition("/")[2] for name in file.getnames()}
    assert {"setup.py", "build_config.toml", "CMakeLists.txt", "LICENSE", "README.md"} <= names
    assert not [name for name in names if name.startswith("build/") or name.endswith(".so")]
    assert not names & manifest.staged_paths(ROOT, build_dir)


def test_source_archive_needs_no_git(config: Config, build_dir: Path, tmp_path: Path) -> None:
    if not (ROOT / ".git").exists():
        pytest.skip("this tree is no git checkout; there is nothing to compare with")
    made = manifest.staged_paths(ROOT, build_dir)
    with_git = list_sources(config, made).files
    for name in with_git:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    (tmp_path / "build").mkdir()
    (tmp_path / "build" / "x.o").touch()
    (tmp_path / "build" / "build.lock").touch()
    without_git = list_sources(dataclasses.replace(config, root=tmp_path), made).files
    assert without_git == with_git


@pytest.mark.slow
def test_repaired_wheel_runs_outside_the_checkout(
    config: Config, files: dict[str, Path], tmp_path: Path
) -> None:
    wheel = repair_wheel(make_wheel(config, table_identity(config), files, tmp_path), os.environ)
    assert "manylinux" in wheel.name
    assert wheel.stat().st_size <= config.packaging.compressed_budget_mb * 1e6
    with zipfile.ZipFile(wheel) as archive:
        licenses = [name for name in archive.namelist() if "/licenses/" in name]
    assert len(licenses) >= 2
    empty = make_environment(tmp_path / "empty", packages=False)
    empty.run("-m", "pip", "install", "--no-deps", str(wheel), cwd=tmp_path)
    assert str(empty.folder) in empty.run("-c", SMOKE, cwd=tmp_path)
