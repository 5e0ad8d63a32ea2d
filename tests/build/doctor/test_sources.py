"""Checkouts with holes."""

from __future__ import annotations

import shutil
import subprocess

from .conftest import Doctor


def test_a_missing_source(doctor: Doctor) -> None:
    (doctor.project.root / "src/stub.c").unlink()
    finding = doctor.finding("sources")
    assert finding["status"] == "problem"
    assert finding["finding"] == "src/stub.c is missing"


def test_a_missing_folder_and_an_empty_one(doctor: Doctor) -> None:
    shutil.rmtree(doctor.project.root / "generator")
    (doctor.project.root / "generator").mkdir()
    (doctor.project.root / "words.yaml").unlink()
    assert doctor.finding("sources")["finding"] == "generator is empty, words.yaml is missing"


def test_a_checkout_can_fetch_its_files_again(doctor: Doctor) -> None:
    root = doctor.project.root
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b"]
    for command in (["init", "-q"], ["add", "src"], ["commit", "-qm", "all"]):
        subprocess.run([*git, *command], cwd=root, check=True)
    (root / "src/stub.c").unlink()
    remedy = doctor.finding("sources")["remedy"]
    assert remedy == "git checkout -- src/stub.c"
    subprocess.run(remedy.split(), cwd=root, check=True)
    assert doctor.finding("sources")["status"] == "ok"


def test_submodules_that_were_not_fetched(doctor: Doctor) -> None:
    root = doctor.project.root
    assert doctor.finding("submodules")["status"] == "skipped"
    (root / ".gitmodules").write_text(
        '[submodule "one"]\n\tpath = third_party/one\n\turl = x\n'
        '[submodule "two"]\n\tpath = third_party/two\n\turl = x\n'
    )
    (root / "third_party/one").mkdir(parents=True)
    finding = doctor.finding("submodules")
    assert finding["status"] == "problem"
    assert finding["finding"] == "missing or empty: third_party/one, third_party/two"
    assert finding["remedy"] == "git submodule update --init --recursive"
    for name in ("one", "two"):
        (root / "third_party" / name).mkdir(exist_ok=True)
        (root / "third_party" / name / "CMakeLists.txt").touch()
    assert doctor.finding("submodules")["status"] == "ok"
