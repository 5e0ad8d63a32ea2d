"""Limited machines: full and read-only file systems, little memory, too many jobs."""

from __future__ import annotations

import os
from pathlib import Path

from tools.setup_helpers.ninja.limits import memory_limit_mb

from ..conditions import in_private_mounts, in_small_control_group
from .conftest import Doctor


def test_a_full_disk(doctor: Doctor) -> None:
    script = """
        mkdir build && mount -t tmpfs -o size=2m tmpfs build
        touch build/build.lock
        dd if=/dev/zero of=build/filler bs=64k status=none 2>/dev/null || true
        "$PYTHON" setup.py doctor writable
    """
    result = in_private_mounts(doctor.project, script, PYTHON=str(doctor.project.python))
    assert result.returncode == 3
    place = doctor.project.root / "build"
    assert f"{place} cannot be written to: No space left on device" in result.stdout
    assert "BUILD_DIR=/a/folder/that/can/be/written" in result.stdout


def test_a_disk_too_small_for_the_build(doctor: Doctor) -> None:
    config = doctor.project.root / "build_config.toml"
    config.write_text(config.read_text().replace("[project]\n", "[project]\ndisk_mb = 64\n"))
    script = """
        mkdir build && mount -t tmpfs -o size=16m tmpfs build && touch build/build.lock
        "$PYTHON" setup.py doctor disk
    """
    result = in_private_mounts(doctor.project, script, PYTHON=str(doctor.project.python))
    assert result.returncode == 0, result.stderr
    assert "the rest of the build needs about 64 MB" in result.stdout
    assert "No space left on device" in result.stdout
    assert " fix  free 48 MB, or BUILD_DIR=" in result.stdout


def test_a_read_only_checkout(doctor: Doctor) -> None:
    script = """
        mount --bind . . && mount -o remount,ro,bind . && cd "$PWD"
        "$PYTHON" setup.py doctor writable
    """
    environ = {"PYTHON": str(doctor.project.python), "PYTHONDONTWRITEBYTECODE": "1"}
    result = in_private_mounts(doctor.project, script, **environ)
    assert result.returncode == 3
    assert "cannot be written to: Read-only file system" in result.stdout
    assert "fix  BUILD_DIR=/a/folder/that/can/be/written python setup.py develop" in result.stdout


def test_a_wheel_of_a_read_only_checkout(doctor: Doctor, tmp_path: Path) -> None:
    script = """
        "$PYTHON" setup.py build && touch words.yaml
        mount --bind . . && mount -o remount,ro,bind . && cd "$PWD"
        "$PYTHON" setup.py bdist_wheel
        "$PYTHON" setup.py sdist
    """
    made = tmp_path / "made"
    environ = {"PYTHON": str(doctor.project.python), "PYTHONDONTWRITEBYTECODE": "1"}
    result = in_private_mounts(doctor.project, script, BUILD_DIR=str(made), **environ)
    assert result.returncode == 0, result.stderr
    assert list((made / "dist").glob("tiny_project-*.whl")), result.stdout
    assert list((made / "dist").glob("tiny_project-*.tar.gz"))
    assert not (doctor.project.root / "dist").exists()


def test_a_build_directory_below_a_file(doctor: Doctor) -> None:
    finding = doctor.finding("writable", BUILD_DIR="words.yaml/build")
    assert finding["finding"].endswith("/words.yaml cannot be written to: Not a directory")


def test_an_unusable_folder_for_temporary_files(doctor: Doctor) -> None:
    finding = doctor.finding("compiles", TMPDIR="/proc")
    assert "-O2 failed: Cannot create temporary file in /proc/" in finding["finding"]
    assert "another version of the compiler" not in finding["remedy"]


def test_a_full_folder_for_temporary_files(doctor: Doctor) -> None:
    script = """
        mkdir small && mount -t tmpfs -o size=64k tmpfs small
        TMPDIR=$PWD/small "$PYTHON" setup.py doctor writable
    """
    result = in_private_mounts(doctor.project, script, PYTHON=str(doctor.project.python))
    assert result.returncode == 3
    assert f"{doctor.project.root}/small cannot be written to: No space left" in result.stdout
    assert "TMPDIR=/a/folder/that/can/be/written" in result.stdout


def test_a_control_group_with_little_memory(doctor: Doctor) -> None:
    doctor.append('[[resource]]\nname = "heavy"\nmemory_mb = 700\n')
    command = [str(doctor.project.python), "setup.py", "doctor", "memory"]
    output = doctor.project.call(in_small_control_group(command, megabytes=400)).stdout
    assert "warning  memory" in output
    assert "400 MB in all; one job of class heavy takes 700 MB" in output
    assert "fix  raise the limit of the container or control group" in output


def test_a_machine_too_small_for_the_largest_class(doctor: Doctor) -> None:
    needed = 2 * memory_limit_mb()
    doctor.append(f'[[resource]]\nname = "heavy"\nmemory_mb = {needed}\n')
    finding = doctor.finding("memory")
    assert finding["status"] == "warning"
    assert finding["finding"].endswith(f"one job of class heavy needs {needed} MB")
    assert "the kernel kills the compiler when memory runs out" in finding["consequence"]


def test_more_jobs_than_the_machine_can_run(doctor: Doctor) -> None:
    cores = len(os.sched_getaffinity(0))
    finding = doctor.finding("jobs", MAX_JOBS=str(40 * cores))
    assert finding["status"] == "warning"
    assert finding["finding"].startswith(f"MAX_JOBS={40 * cores}, but")
    assert "the machine hangs" in finding["consequence"]
    assert doctor.finding("jobs", MAX_JOBS=str(cores))["status"] == "ok"
    assert doctor.finding("jobs")["finding"].startswith("chosen by the build")
