"""The build lock: its holder, and the processes that a killed holder leaves behind."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tools.base.errors import BuildError
from tools.setup_helpers.state.lock import NAME, BuildLock
from tools.setup_helpers.state.orphans import check_for_ninja

from .fixture_project import ROOT

HOLDER = """
import subprocess, sys
sys.path.insert(0, {root!r})
from tools.setup_helpers.state.lock import BuildLock
with BuildLock({folder!r}, "setup.py develop"):
    child = subprocess.Popen(["sleep", "60"], close_fds=False, start_new_session=True)
    print(child.pid, flush=True)
    child.wait()
"""


class Build:
    """A process that holds the lock, and its child in another process group."""

    def __init__(self, folder: Path) -> None:
        program = HOLDER.format(root=str(ROOT), folder=str(folder))
        self.process = subprocess.Popen(
            [sys.executable, "-c", program], stdout=subprocess.PIPE, text=True
        )
        assert self.process.stdout is not None
        self.child = int(self.process.stdout.readline())

    def end(self) -> None:
        for number in (self.process.pid, self.child):
            try:
                os.kill(number, signal.SIGKILL)
            except ProcessLookupError:
                continue
        self.process.communicate()


@pytest.fixture
def build(tmp_path: Path) -> Iterator[Build]:
    build = Build(tmp_path)
    yield build
    build.end()


def runs(number: int) -> bool:
    """Return whether the process runs. A zombie does not."""
    try:
        return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_a_living_build_keeps_the_lock_and_is_named(build: Build, tmp_path: Path) -> None:
    with (
        pytest.raises(BuildError, match="another build holds") as caught,
        BuildLock(str(tmp_path), ""),
    ):
        pass
    assert caught.value.cause == f"held by process {build.process.pid} (setup.py develop)"
    assert runs(build.child)


def test_a_stopped_build_is_named_with_what_continues_it(build: Build, tmp_path: Path) -> None:
    build.process.send_signal(signal.SIGSTOP)
    os.waitid(os.P_PID, build.process.pid, os.WSTOPPED)
    with pytest.raises(BuildError) as caught, BuildLock(str(tmp_path), ""):
        pass
    assert f"; it is stopped: continue it with fg or kill -CONT {build.process.pid}" in (
        caught.value.cause
    )


def test_a_ninja_that_was_started_by_hand_is_named(tmp_path: Path) -> None:
    program = tmp_path / "ninja"
    program.symlink_to(shutil.which("sleep") or "sleep")
    place = tmp_path / "build"
    place.mkdir()
    check_for_ninja(place)
    with subprocess.Popen([program, "60"], cwd=place) as ninja:
        try:
            with pytest.raises(BuildError) as caught:
                check_for_ninja(place)
            assert caught.value.message == f"another build holds {place}"
            assert caught.value.cause == f"held by ninja, process {ninja.pid}"
            check_for_ninja(tmp_path)
            threading.Timer(0.3, ninja.kill).start()
            check_for_ninja(place, wait=True)
        finally:
            ninja.kill()


def test_a_process_whose_name_linux_cut_within_a_letter_is_no_ninja(tmp_path: Path) -> None:
    """Linux keeps 15 bytes of a name, here the first half of the last letter."""
    program = tmp_path / ("é" * 8)
    program.symlink_to(shutil.which("sleep") or "sleep")
    with subprocess.Popen([program, "60"], cwd=tmp_path) as process:
        try:
            check_for_ninja(tmp_path)
        finally:
            process.kill()


def test_processes_left_by_a_killed_build_are_ended(
    build: Build, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    build.process.kill()
    build.process.wait()
    assert runs(build.child)
    with BuildLock(str(tmp_path), ""):
        assert not runs(build.child)
    message = f"ended processes that a killed build left running: sleep ({build.child})\n"
    assert capsys.readouterr().err == message


def test_a_process_that_locks_the_file_by_other_means_is_not_ended(tmp_path: Path) -> None:
    (tmp_path / NAME).write_text(f"process {dead_process()} (setup.py develop)\n")
    command = ["flock", str(tmp_path / NAME), "-c", "echo held; sleep 60"]
    holder = subprocess.Popen(command, stdout=subprocess.PIPE, start_new_session=True)
    try:
        assert holder.stdout is not None and holder.stdout.readline() == b"held\n"
        with pytest.raises(BuildError, match="another build holds"), BuildLock(str(tmp_path), ""):
            pass
        assert holder.poll() is None
    finally:
        os.killpg(holder.pid, signal.SIGKILL)
        holder.communicate()


def dead_process() -> int:
    process = subprocess.Popen(["true"])
    process.wait()
    return process.pid


def test_a_released_lock_names_no_holder(tmp_path: Path) -> None:
    with BuildLock(str(tmp_path), "setup.py build"):
        assert (tmp_path / NAME).read_text() == f"process {os.getpid()} (setup.py build)\n"
        started = time.monotonic()
    assert (tmp_path / NAME).read_text() == ""
    with BuildLock(str(tmp_path), "setup.py build"):
        assert time.monotonic() - started < 1


def test_a_build_can_wait_for_another(tmp_path: Path, build: Build) -> None:
    program = (
        f"import sys; sys.path.insert(0, {str(ROOT)!r})\n"
        "from tools.setup_helpers.state.lock import BuildLock\n"
        f"with BuildLock({str(tmp_path)!r}, 'second', wait=True): print('held')"
    )
    waiting = subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert waiting.stderr is not None
    line = waiting.stderr.readline()
    assert "waiting for" in line and f"process {build.process.pid} (setup.py develop)" in line
    for number in (build.process.pid, build.child):
        os.kill(number, signal.SIGKILL)
    out, _ = waiting.communicate(timeout=60)
    assert out == "held\n"
