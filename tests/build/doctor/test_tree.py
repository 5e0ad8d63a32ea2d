"""Build directories that belong to another place, another toolchain, or another Python's package."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from ..fixture_project import Project
from .conftest import Doctor, restored


def test_a_moved_checkout(developed: Doctor, tmp_path: Path) -> None:
    old, new = developed.project.root, tmp_path / "moved"
    before = developed.findings("place", "registered")
    assert {row["status"] for row in before.values()} == {"ok"}
    old.rename(new)
    moved = Doctor(Project(new, developed.project.python))
    findings = moved.findings("place", "registered", "link-inputs")
    assert (
        findings["link-inputs"]["status"] == "skipped"
    )  # not one finding per library in the old folder
    assert findings["place"]["status"] == "warning"
    assert findings["place"]["finding"] == f"configured for {old}, now at {new}"
    assert findings["registered"]["finding"].endswith(f"a folder that no longer exists: {old}")
    assert findings["place"]["remedy"] == "python setup.py develop"
    moved.project.run("develop")
    assert moved.finding("place")["status"] == "ok"
    assert moved.project.words() == "['HELLO', 'WORLD']\n"


def test_a_copied_checkout_is_not_the_imported_one(built: Doctor, tmp_path: Path) -> None:
    shutil.copytree(built.project.root, tmp_path / "copy", symlinks=True)
    copy = Doctor(Project(tmp_path / "copy", built.project.python))
    findings = copy.findings("place", "registered")
    assert findings["place"]["finding"].startswith(f"configured for {built.project.root}, now at")
    assert findings["registered"]["status"] == "warning"
    assert "import finds another checkout" in findings["registered"]["consequence"]


def test_another_version_of_ninja(built: Doctor, wrapper: Callable[..., str]) -> None:
    fake = Path(wrapper("ninja", '[ "$1" = --version ] && echo 9.9.9 && exit', "ninja"))
    path = f"{fake.parent}:{os.environ['PATH']}"
    command = [str(built.project.python), "setup.py", "doctor", "tools", "ninja-on-path"]
    output = built.project.call(command, PATH=path).stdout
    assert "warning  tools" in output and "ninja was 1." in output and "is 9.9.9" in output
    assert "warning  ninja-on-path" in output and f"{fake} is 9.9.9" in output
    assert "so each one rebuilds everything" in output


def test_a_missing_library_that_the_link_needs(built: Doctor, tmp_path: Path) -> None:
    missing = tmp_path / "libgone.so.3"
    with restored(built.project.root / "build/build.ninja") as graph:
        text = graph.read_text()
        assert " | " in text
        graph.write_text(text.replace(" | ", f" | {missing} ", 1))
        finding = built.finding("link-inputs")
        assert finding["status"] == "warning"
        assert finding["finding"] == f"missing: {missing}"
        assert "missing and no known rule to make it" in finding["consequence"]
        missing.touch()
        assert built.finding("link-inputs")["status"] == "ok"


def test_a_library_of_another_build_is_found_first(built: Doctor, tmp_path: Path) -> None:
    assert built.finding("libraries")["status"] == "ok"
    own_library = built.project.root / "tiny/lib/libtiny_words.so"
    other = shutil.copy(own_library, tmp_path)
    finding = built.finding("libraries", LD_LIBRARY_PATH=str(tmp_path))
    assert finding["status"] == "problem"
    assert f"would load {other} instead of {own_library}" in finding["finding"]
    assert finding["remedy"].startswith("unset LD_LIBRARY_PATH")


def test_a_runpath_that_leads_nowhere(built: Doctor) -> None:
    with restored(next((built.project.root / "tiny").glob("_C.*.so"))) as extension:
        before = extension.read_bytes()
        assert b"$ORIGIN/lib\0" in before
        extension.write_bytes(before.replace(b"$ORIGIN/lib\0", b"/nowhere/li\0"))
        finding = built.finding("libraries")
    assert finding["status"] == "problem"
    assert f"{extension.name} needs libtiny_words.so, which was not found" in finding["finding"]
    assert finding["remedy"] == "python setup.py clean && python setup.py develop"


def test_another_distribution_that_owns_the_package(doctor: Doctor, tmp_path: Path) -> None:
    folder = tmp_path / "own"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    site = next((folder / "lib").glob("python*/site-packages"))
    info = site / "other-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: other\nVersion: 1.0\n")
    (info / "RECORD").write_text("tiny/__init__.py,,\n")
    outer = doctor.project.python.parents[1] / "lib"
    shutil.copy(next(outer.glob("python*/site-packages/outer.pth")), site)
    finding = Doctor(Project(doctor.project.root, folder / "bin/python")).finding("owner")
    assert finding["status"] == "problem"
    assert finding["finding"] == "other 1.0 is installed here and owns tiny/"
    assert "pip uninstall other" in finding["remedy"]


def test_variables_that_change_results_or_speed(doctor: Doctor) -> None:
    finding = doctor.finding("variables", OPENBLAS_CORETYPE="Haswell", OMP_NUM_THREADS="1")
    assert finding["status"] == "warning"
    assert finding["finding"] == "OPENBLAS_CORETYPE=Haswell; OMP_NUM_THREADS=1"
    assert "OPENBLAS_CORETYPE: OpenBLAS uses" in finding["consequence"]
    assert "; OMP_NUM_THREADS: parallel operators use" in finding["consequence"]
    assert finding["remedy"] == "unset OPENBLAS_CORETYPE OMP_NUM_THREADS"
    assert doctor.finding("variables", OPENBLAS_CORETYPE="")["status"] == "ok"
