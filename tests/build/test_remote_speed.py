"""What two workers, and a cache over HTTP, save: REMOTE_SPEED=1 measures and prints it, in five minutes.

The machines share this one's processors, so each is a control group with the same small part of one
processor's time. What it gets then hardly depends on what else runs here.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from .fixture_project import Project
from .test_remote import add_work, cache_counts, needs_ccache, needs_distcc, remote
from .workers import NGINX_MODULE, webdav, worker

PART = 0.2
"""The part of one processor's time that each machine gets."""
PERIOD = 100_000
"""The period, in microseconds, in which a machine gets that part."""
FUNCTIONS = 600
"""In each file, so that a compilation is much longer than the work that stays on the sending machine."""
GROUPS = Path("/sys/fs/cgroup")
measures = pytest.mark.skipif(
    "REMOTE_SPEED" not in os.environ, reason="REMOTE_SPEED=1 measures for five minutes"
)


@contextmanager
def slow_machine(name: str) -> Iterator[Path]:
    """Make a control group; yield the file that moves processes into it."""
    quota = int(PART * PERIOD)
    first = (GROUPS / "cpu").is_dir()  # the first version of control groups, or the second
    group = (GROUPS / "cpu" if first else GROUPS) / f"{name}-{os.getpid()}"
    try:
        group.mkdir()
        if first:
            (group / "cpu.cfs_period_us").write_text(str(PERIOD))
            (group / "cpu.cfs_quota_us").write_text(str(quota))
        else:
            (group / "cpu.max").write_text(f"{quota} {PERIOD}")
    except OSError as error:
        pytest.skip(f"no control group can limit the processor's time here: {error}")
    try:
        yield group / "cgroup.procs"
    finally:
        group.rmdir()


def session_of(leader: int) -> Iterator[int]:
    """Yield the processes of a session: distccd has started some that compile before it is moved."""
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            with contextlib.suppress(OSError):
                if os.getsid(int(folder.name)) == leader:
                    yield int(folder.name)


def build_seconds(project: Project, machine: Path, **variables: str) -> float:
    """Build from scratch on a slow machine; return the seconds of compiling and linking."""
    shutil.rmtree(project.root / "build", ignore_errors=True)
    command = f"echo $$ >{machine} && exec {project.python} setup.py build"
    project.call(["sh", "-c", command], **variables)
    report = json.loads((project.root / "build/report.json").read_bytes())
    return next(step["seconds"] for step in report["steps"] if step["name"] == "build")


@pytest.mark.slow
@measures
@needs_distcc
def test_two_workers_halve_the_time(project: Project, tmp_path: Path) -> None:
    add_work(project, FUNCTIONS)
    with contextlib.ExitStack() as stack:
        here = stack.enter_context(slow_machine("here"))
        alone = build_seconds(project, here, MAX_JOBS="1", COMPILER_CACHE="none")
        workers = []
        for number in (1, 2):
            group = stack.enter_context(slow_machine(f"worker{number}"))
            workers.append(stack.enter_context(worker(number, tmp_path)))
            for process in session_of(workers[-1].process.pid):
                group.write_text(str(process))
        variables = remote(workers, tmp_path, COMPILER_CACHE="none")
        helped = build_seconds(project, here, **variables)
    print(
        f"alone {alone:.1f} s, with two workers {helped:.1f} s: {alone / helped:.2f} times as fast"
    )
    assert alone / helped > 1.5


@pytest.mark.slow
@measures
@needs_ccache
@pytest.mark.skipif(
    not (shutil.which("nginx") and NGINX_MODULE.exists()),
    reason="there is no WebDAV server: apt-get install nginx-light libnginx-mod-http-dav-ext",
)
def test_a_cache_over_http_saves_most_of_the_time(project: Project, tmp_path: Path) -> None:
    add_work(project, FUNCTIONS)
    with slow_machine("here") as here, webdav(tmp_path) as (url, _):
        seconds = []
        for number in (1, 2):  # the second has an empty cache of its own
            variables = {
                "MAX_JOBS": "1",
                "COMPILER_CACHE": "ccache",
                "COMPILER_CACHE_SERVER": url,
                "CCACHE_DIR": str(tmp_path / f"cache{number}"),
            }
            seconds.append(build_seconds(project, here, **variables))
    assert cache_counts(project)["misses"] == 0
    first, second = seconds
    print(f"empty cache {first:.1f} s, filled {second:.1f} s: {first / second:.2f} times as fast")
    assert first / second > 1.5
