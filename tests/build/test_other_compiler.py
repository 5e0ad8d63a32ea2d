"""A compiler replaced in place by another version, as a package manager's upgrade does."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

from .fixture_project import Project


def install(folder: Path, version: str, arguments: str = "") -> None:
    """Install compilers that report this version and pass arguments to the machine's."""
    folder.mkdir(exist_ok=True)
    for name in ("cc", "c++"):
        text = f'#!/bin/sh\n[ "$1" = --version ] && echo "{name} {version}" && exit\n'
        (folder / name).write_text(f'{text}exec {shutil.which(name)} {arguments} "$@"\n')
        (folder / name).chmod(0o755)


def test_everything_is_recompiled(project: Project, tmp_path: Path) -> None:
    folder = tmp_path / "compilers"
    path = f"{folder}:{project.python.parent}:{os.environ['PATH']}"
    develop = [str(project.python), "setup.py", "develop"]
    install(folder, "12.2.0")
    project.call(develop, PATH=path)
    objects = {p: p.stat().st_mtime_ns for p in (project.root / "build").rglob("*.o")}
    assert objects

    install(folder, "12.3.0")
    output = project.call(develop, PATH=path).stdout
    assert f"warning: tools: {folder}/cc is another version; {folder}/c++ is another" in output
    report = json.loads((project.root / "build/report.json").read_text())
    reasons = {step["name"]: step["note"] for step in report["steps"]}
    assert reasons["configure"] == "C compiler changed"
    assert all(p.stat().st_mtime_ns > time_before for p, time_before in objects.items())
    assert project.words() == "['HELLO', 'WORLD']\n"


def test_an_edited_wrapper_is_another_compiler(project: Project, tmp_path: Path) -> None:
    """It reports the same version, but passes other arguments."""
    folder = tmp_path / "compilers"
    environ = {"PATH": f"{folder}:{project.python.parent}:{os.environ['PATH']}"}
    develop = [str(project.python), "setup.py", "develop"]
    greet = project.root / "build/CMakeFiles/tiny_words.dir/src/greet.c.o"
    install(folder, "12.2.0")
    project.call(develop, **environ)
    before = greet.read_bytes()
    install(folder, "12.2.0", "-fno-asynchronous-unwind-tables")
    assert "C compiler changed" in project.call(develop, **environ).stdout
    assert greet.read_bytes() != before
    assert project.call(develop, **environ).stdout == "up to date\n"
