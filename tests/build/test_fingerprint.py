"""Snapshots, which compare times before contents; the state file and the lock."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tools.base.errors import ENVIRONMENT, BuildError
from tools.base.fingerprint import digest_text, first_change, snapshot
from tools.setup_helpers.state import noop
from tools.setup_helpers.state.lock import BuildLock
from tools.setup_helpers.state.noop import read_state, write_state

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / "src/deep").mkdir(parents=True)
    (tmp_path / "src/a.cpp").write_text("a")
    (tmp_path / "src/deep/b.cpp").write_text("b")
    return tmp_path


def test_nothing_changed(tree: Path) -> None:
    assert first_change(snapshot([str(tree / "src")])) == ""


def test_same_bytes_with_another_time_are_no_change(tree: Path) -> None:
    known = snapshot([str(tree / "src")])
    os.utime(tree / "src/a.cpp", ns=(5, 5))
    os.utime(tree / "src", ns=(5, 5))
    assert first_change(known) == ""


@pytest.mark.parametrize("change", ["edit", "same size", "add", "remove", "rename"])
def test_a_change_is_noticed(tree: Path, change: str) -> None:
    known = snapshot([str(tree / "src")])
    path = tree / "src/deep/b.cpp"
    match change:
        case "edit":
            path.write_text("bb")
        case "same size":
            path.write_text("c")
        case "add":
            (tree / "src/deep/new.cpp").write_text("")
        case "remove":
            path.unlink()
        case "rename":
            path.rename(tree / "src/deep/c.cpp")
    assert first_change(known).startswith(str(tree / "src/deep"))


def test_a_clock_set_back_hides_no_change(tree: Path) -> None:
    known = snapshot([str(tree / "src")])
    (tree / "src/a.cpp").write_text("z")
    os.utime(tree / "src/a.cpp", ns=(10, 10))
    assert first_change(known) == str(tree / "src/a.cpp")


def test_python_caches_and_files_of_editors_do_not_count(tree: Path) -> None:
    known = snapshot([str(tree / "src")])
    (tree / "src/__pycache__").mkdir()
    (tree / "src/__pycache__/x.pyc").write_text("")
    for name in (".a.cpp.swp", "a.cpp~", "#a.cpp#"):
        (tree / "src" / name).write_text("")
    (tree / "src/.#a.cpp").symlink_to("somebody@machine.123")
    assert first_change(known) == ""


def test_an_absent_file_that_appears_is_a_change(tree: Path) -> None:
    known = snapshot([str(tree / "later.txt")])
    assert first_change(known) == ""
    (tree / "later.txt").write_text("")
    assert first_change(known) == str(tree / "later.txt")


def test_digests_depend_on_where_each_text_ends() -> None:
    assert digest_text("ab", "c") != digest_text("a", "bc")


def test_state_round_trip_and_damaged_state(tmp_path: Path) -> None:
    write_state(str(tmp_path), {"develop": {"x": 1}})
    assert read_state(str(tmp_path))["develop"] == {"x": 1}
    (tmp_path / "state.json").write_text('{"format": 1, "deve')
    assert read_state(str(tmp_path)) == {}
    (tmp_path / "state.json").write_text(json.dumps({"format": 99}))
    assert read_state(str(tmp_path)) == {}
    assert [p.name for p in tmp_path.iterdir()] == ["state.json"]


def test_a_killed_build_is_not_finished_but_keeps_its_snapshot(tmp_path: Path) -> None:
    folder = str(tmp_path)
    assert noop.last_state(folder) == {}
    record = noop.develop_record("/root", [], {}, [], [])
    state = {"inputs": {"a.c": [-2, 0, ""]}, "outside": {}, "made": {}, noop.KEY: record}
    noop.write_state(folder, dict(state))
    assert noop.nothing_to_do("/root", folder, [], {})
    for _ in range(3):  # each of these processes is killed
        noop.withdraw(folder)
        assert noop.last_state(folder) == state
        assert not noop.nothing_to_do("/root", folder, [], {})
    noop.write_state(folder, dict(state))
    assert [path.name for path in tmp_path.iterdir()] == ["state.json"]
    noop.withdraw(folder)
    (tmp_path / "last_state.json").write_text("{}")
    assert noop.last_state(folder) == {}


def test_the_lock_names_its_holder(tmp_path: Path) -> None:
    holder = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import sys, time; sys.path.insert(0, sys.argv[1])\n"
            "from tools.setup_helpers.state.lock import BuildLock\n"
            "lock = BuildLock(sys.argv[2], 'setup.py develop'); lock.__enter__()\n"
            "print('held', flush=True); time.sleep(60)",
            str(ROOT),
            str(tmp_path),
        ],
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(BuildError) as error, BuildLock(str(tmp_path), "setup.py build"):
            pass
        assert error.value.exit_code == ENVIRONMENT
        assert f"process {holder.pid} (setup.py develop)" in error.value.cause
    finally:
        holder.kill()
        holder.communicate()
    with BuildLock(str(tmp_path), "setup.py build"):  # the kernel released a dead holder's lock
        pass


def test_the_no_op_path_imports_few_modules() -> None:
    code = (
        "import sys; before = set(sys.modules)\n"
        "import tools.setup_helpers.main, tools.setup_helpers.state.noop, tools.setup_helpers.state.lock\n"
        "import tools.base.fingerprint, tools.setup_helpers.state.noop\n"
        "print(' '.join(set(sys.modules) - before))"
    )
    loaded = subprocess.run(
        [sys.executable, "-S", "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.split()
    heavy = {
        "setuptools",
        "rich",
        "yaml",
        "pip",
        "subprocess",
        "tomllib",
        "argparse",
        "pathlib",
        "dataclasses",
    }
    assert not heavy & set(loaded)
