"""The inventory of the package, taken while Ninja runs, and the files examined again afterwards."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tools.base.fingerprint import snapshot
from tools.setup_helpers.package.contents import PLAN, Inventory
from tools.setup_helpers.table.config import Config, FileRule
from tools.setup_helpers.table.config_reader import load

from .fixture_project import lay_out_sources


@pytest.fixture
def config(tmp_path: Path) -> Config:
    return load(lay_out_sources(tmp_path / "tiny"))


@pytest.fixture
def build_dir(config: Config) -> Path:
    """A build directory in which Ninja has made one library."""
    folder = config.root / "build"
    (folder / "lib").mkdir(parents=True)
    (folder / "lib/one.so").write_text("one")
    plan(folder, "one")
    return folder


def plan(build_dir: Path, *names: str) -> None:
    rows = [
        {
            "path": f"tiny/lib/{n}.so",
            "source": str(build_dir / f"lib/{n}.so"),
            "wheel": "library",
            "python": "",
        }
        for n in names
    ]
    (build_dir / PLAN).write_text(json.dumps(rows))


def take_inventory(
    config: Config, build_dir: Path, known: dict[str, Any] | None = None
) -> Inventory:
    return Inventory(config, build_dir, known or {})


def test_only_files_made_by_ninja_are_examined_again(config: Config, build_dir: Path) -> None:
    header, library = str(config.root / "src/greet.h"), str(build_dir / "lib/one.so")
    inventory = take_inventory(config, build_dir)
    assert library not in inventory.entries  # Ninja may be writing it
    before = dict(inventory.entries)
    Path(header).write_text("edited while Ninja worked\n")  # noticed by the next build
    Path(library).write_text("another")
    inventory.refresh({"lib/one.so", "CMakeFiles/one.o"})
    assert inventory.entries[header] == before[header]
    assert inventory.entries[library] == snapshot([library])[library]


def test_a_changed_graph_may_change_the_package(config: Config, build_dir: Path) -> None:
    inventory = take_inventory(config, build_dir)
    (build_dir / "lib/two.so").write_text("two")
    plan(build_dir, "one", "two")
    inventory.refresh({"lib/two.so"})
    assert "tiny/lib/two.so" not in inventory.contents.files
    inventory.refresh({"build.ninja", "lib/two.so"})
    assert "tiny/lib/two.so" in inventory.contents.files
    assert inventory.entries[str(build_dir / "lib/two.so")][0] == len("two")


def test_a_file_that_ninja_adds_to_a_rule_belongs_to_the_package(
    config: Config, build_dir: Path
) -> None:
    made = FileRule("made", ("*.h",), "tiny/include", generated=True, editable=True)
    packaging = replace(config.packaging, files=(*config.packaging.files, made))
    inventory = take_inventory(replace(config, packaging=packaging), build_dir)
    (build_dir / "made").mkdir()
    (build_dir / "made/new.h").write_text("new")
    inventory.refresh({"made/new.h"})
    assert "tiny/include/new.h" in inventory.contents.editable


def test_a_copy_has_the_content_of_its_source(config: Config, build_dir: Path) -> None:
    inventory = take_inventory(config, build_dir)
    inventory.refresh(())
    copy = config.root / "tiny/lib/one.so"
    copy.parent.mkdir()
    copy.write_text("one")
    inventory.add_copies(["tiny/lib/one.so"])
    assert inventory.entries[str(copy)] == snapshot([str(copy)])[str(copy)]


def test_a_file_with_known_times_is_not_read(config: Config, build_dir: Path) -> None:
    library = str(build_dir / "lib/one.so")
    info = os.stat(library)
    known = {library: [info.st_size, info.st_mtime_ns, "the content it had"]}
    inventory = take_inventory(config, build_dir, known)
    inventory.refresh(())
    assert inventory.entries[library][2] == "the content it had"
