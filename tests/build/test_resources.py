"""Limits of a build: control groups of both versions, cores, measured memory, make's job server."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tools.setup_helpers.ninja.job_server import find_job_server, shared_slots
from tools.setup_helpers.ninja.jobs import (
    Figures,
    Jobs,
    job_count,
    learn,
    pool_depths,
    pool_limits,
    read_figures,
)
from tools.setup_helpers.ninja.limits import (
    free_memory_mb,
    hierarchy,
    memory_limit_mb,
    oom_kills,
    usable_cores,
)
from tools.setup_helpers.ninja.sampler import MemorySampler
from tools.setup_helpers.table.config import ResourceClass

from .conditions import wrap_compilers
from .fixture_project import ROOT, Project

MIB = 1 << 20


def lay_out(machine: Path, files: dict[str, str]) -> Path:
    """Lay out the files in /proc and /sys of another machine."""
    for name, text in files.items():
        (machine / name).parent.mkdir(parents=True, exist_ok=True)
        (machine / name).write_text(text)
    return machine


MEMINFO = {"proc/meminfo": "MemTotal: 16384000 kB\nMemFree: 1 kB\nMemAvailable: 8192000 kB\n"}
V1 = {
    **MEMINFO,
    "proc/self/cgroup": "9:name=systemd:/\n4:memory:/jobs/one\n1:cpu,cpuacct:/jobs\n0::/\n",
    "proc/self/mountinfo": (
        "30 25 0:26 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory\n"
        "31 25 0:27 / /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup rw,cpu,cpuacct\n"
        "32 25 0:28 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw\n"
    ),
    "sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
    "sys/fs/cgroup/memory/jobs/memory.limit_in_bytes": f"{2000 * MIB}\n",
    "sys/fs/cgroup/memory/jobs/memory.usage_in_bytes": f"{1900 * MIB}\n",
    "sys/fs/cgroup/memory/jobs/memory.stat": f"cache 1\ntotal_inactive_file {400 * MIB}\n",
    "sys/fs/cgroup/memory/jobs/memory.oom_control": "oom_kill_disable 0\nunder_oom 0\noom_kill 2\n",
    "sys/fs/cgroup/memory/jobs/one/memory.limit_in_bytes": "9223372036854771712\n",
    "sys/fs/cgroup/cpu/jobs/cpu.cfs_quota_us": "-1\n",
    "sys/fs/cgroup/cpu/jobs/cpu.cfs_period_us": "100000\n",
}
V2 = {
    **MEMINFO,
    "proc/self/cgroup": "0::/user.slice/build.scope\n",
    "proc/self/mountinfo": "29 22 0:25 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n",
    "sys/fs/cgroup/cgroup.procs": "",
    "sys/fs/cgroup/user.slice/memory.max": f"{3000 * MIB}\n",
    "sys/fs/cgroup/user.slice/memory.current": f"{1000 * MIB}\n",
    "sys/fs/cgroup/user.slice/memory.stat": f"anon 5\ninactive_file {100 * MIB}\n",
    "sys/fs/cgroup/user.slice/cpu.max": "max 100000\n",
    "sys/fs/cgroup/user.slice/build.scope/memory.max": "max\n",
    "sys/fs/cgroup/user.slice/build.scope/memory.high": f"{2500 * MIB}\n",
    "sys/fs/cgroup/user.slice/build.scope/memory.current": f"{200 * MIB}\n",
    "sys/fs/cgroup/user.slice/build.scope/memory.events": "low 0\noom 1\noom_kill 3\n",
    "sys/fs/cgroup/user.slice/build.scope/cpu.max": "100000 100000\n",
}


# ------------------------------------------------------------------ control groups
def test_a_limit_of_an_outer_group_applies_in_version_1(tmp_path: Path) -> None:
    machine = lay_out(tmp_path, V1)
    assert memory_limit_mb(machine) == 2000
    assert free_memory_mb(machine) == 2000 - 1900 + 400
    assert oom_kills(machine) == 2


def test_a_limit_of_an_outer_group_applies_in_version_2(tmp_path: Path) -> None:
    machine = lay_out(tmp_path, V2)
    assert memory_limit_mb(machine) == 2500  # memory.high slows processes beyond the limit
    assert free_memory_mb(machine) == 3000 - 1000 + 100
    assert oom_kills(machine) == 3
    assert usable_cores(machine) == 1


def test_a_quota_of_version_1_is_rounded_up_to_cores(tmp_path: Path) -> None:
    machine = lay_out(tmp_path, V1)
    assert usable_cores(machine) == len(os.sched_getaffinity(0))
    lay_out(machine, {"sys/fs/cgroup/cpu/jobs/cpu.cfs_quota_us": "50000\n"})
    assert usable_cores(machine) == 1


def test_a_container_sees_its_own_group_as_the_root(tmp_path: Path) -> None:
    """Without a namespace, /proc names the host's path and the mount shows only a part of the tree."""
    files = {
        **MEMINFO,
        "proc/self/cgroup": "0::/docker/abc/inner\n",
        "proc/self/mountinfo": "29 22 0:25 /docker/abc /sys/fs/cgroup ro - cgroup2 cgroup rw\n",
        "sys/fs/cgroup/memory.max": f"{700 * MIB}\n",
        "sys/fs/cgroup/inner/memory.max": "max\n",
    }
    machine = lay_out(tmp_path, files)
    tree = hierarchy("memory", machine)
    assert tree and [g.name for g in tree.groups] == ["inner", "cgroup"]
    assert memory_limit_mb(machine) == 700


@pytest.mark.parametrize(
    "broken",
    [
        {"proc/self/cgroup": ""},
        {"proc/self/cgroup": "rubbish\n"},
        {"proc/self/mountinfo": "rubbish\n\n"},
        {"proc/self/cgroup": "0::/../elsewhere\n"},
    ],
)
def test_unreadable_files_set_no_limit(tmp_path: Path, broken: dict[str, str]) -> None:
    machine = lay_out(tmp_path, {**V2, **broken})
    assert memory_limit_mb(machine) == 16000
    assert free_memory_mb(machine) == 8000


def test_this_machines_limit_is_at_most_its_memory() -> None:
    total = int(re.findall(r"MemTotal:\s+(\d+)", Path("/proc/meminfo").read_text())[0]) >> 10
    assert 0 < memory_limit_mb() <= total
    assert 0 <= free_memory_mb() <= memory_limit_mb()


def test_a_real_group_with_little_memory() -> None:
    """In a scope created by systemd, so that no existing group is touched."""
    if not Path("/run/systemd/system").exists() or not shutil.which("systemd-run"):
        pytest.skip("a private control group needs a running systemd")
    user = [] if os.geteuid() == 0 else ["--user"]
    ask = "from tools.setup_helpers.ninja.limits import memory_limit_mb; print(memory_limit_mb())"
    scope = ["systemd-run", *user, "--scope", "--quiet", "-p", "MemoryMax=300M"]
    command = [*scope, sys.executable, "-c", ask]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert ran.stdout == "300\n"


def test_affinity_limits_the_jobs(project: Project) -> None:
    core = min(os.sched_getaffinity(0))
    command = ["taskset", "-c", str(core), str(project.python), "setup.py", "build"]
    assert " 1 job (cores)" in project.call(command).stdout


# ------------------------------------------------------------------ measured memory
LIGHT, HEAVY = ResourceClass("light", 300), ResourceClass("heavy", 1000, max_jobs=4)
GRAPH = """\
build a.o: CXX a.cpp
  FLAGS = -O2
  pool = heavy

build b.o | b.d: CXX b.cpp || order
  pool = heavy

build c.o: CXX c.cpp
  pool = light
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / "build.ninja").write_text(GRAPH)
    return tmp_path


def test_a_class_records_its_largest_job(tree: Path) -> None:
    figures = learn(tree, [LIGHT, HEAVY], {"a.o": 1210, "unknown.o": 9000})
    assert figures.classes == {"heavy": 1250}  # rounded up in steps
    assert figures.of(LIGHT) == 300
    assert read_figures(tree) == figures


def test_too_large_a_figure_in_the_table_is_corrected_once_half_is_measured(tree: Path) -> None:
    (tree / "build.ninja").write_text(GRAPH + "\nbuild d.o: CXX d.cpp\n  pool = heavy\n")
    assert learn(tree, [HEAVY], {"a.o": 210}).classes == {"heavy": 1000}
    assert learn(tree, [HEAVY], {"b.o": 130}).classes == {"heavy": 250}


def test_a_job_that_ended_early_does_not_count(tree: Path) -> None:
    learn(tree, [HEAVY], {"a.o": 800, "b.o": 100})
    assert learn(tree, [HEAVY], {"a.o": 30}).outputs["a.o"] == 800
    assert learn(tree, [HEAVY], {"a.o": 500}).outputs["a.o"] == 500


def test_damaged_figures_are_ignored(tree: Path) -> None:
    for text in ("", "[]", '{"outputs": 1, "classes": {}}', '{"outputs": {"a": "x"}}'):
        (tree / "memory.json").write_text(text)
        assert read_figures(tree) == Figures()


def test_the_depth_of_a_pool_follows_from_memory() -> None:
    depths = pool_depths([LIGHT, HEAVY], Figures(classes={"light": 500}), 6000)
    assert depths == {"light": 12, "heavy": 4}
    assert pool_depths([HEAVY], Figures(), 10) == {"heavy": 1}


def test_little_free_memory_limits_the_jobs(tmp_path: Path) -> None:
    half = ResourceClass("light", free_memory_mb() // 2)
    jobs = job_count(64, [half, ResourceClass("heavy", 1 << 30)], tmp_path)
    assert jobs.count <= 2 and jobs.limited_by == "memory"
    assert job_count(3, [], tmp_path) == Jobs(3, "requested")
    assert job_count(0, [ResourceClass("huge", 1 << 30)], tmp_path).count == 1


def test_only_depths_below_the_cores_count_as_a_change() -> None:
    cores = os.cpu_count() or 1
    assert pool_limits({"light": cores, "heavy": 0}) == {"light": "all", "heavy": "0"}


def wait_for_samples(sampler: MemorySampler, seen: Callable[[dict[str, int]], bool]) -> None:
    """Wait until the sampler, which rests longer on a busy machine, has seen enough."""
    deadline = time.monotonic() + 60
    while not seen(sampler.peaks()) and time.monotonic() < deadline:
        time.sleep(0.01)


def test_the_sampler_measures_the_memory_of_a_job() -> None:
    wait = "import sys; sys.stdin.read()"
    big = f"data = bytearray(120 << 20); {wait}"
    python = shlex.quote(sys.executable)
    # A job in the background reads from /dev/null unless told otherwise.
    jobs = (
        f"exec 3<&0; {python} -c '{big}' -o big.o <&3 & {python} -c '{wait}' -o small.o <&3 & wait"
    )
    with subprocess.Popen(["sh", "-c", jobs], stdin=subprocess.PIPE) as parent:
        sampler = MemorySampler(0.02)
        sampler.watch(parent.pid)
        wait_for_samples(sampler, lambda peaks: peaks.get("big.o", 0) >= 120 and "small.o" in peaks)
        parent.communicate()
    peaks = sampler.stop()
    assert 120 <= peaks["big.o"] < 200
    assert 0 < peaks["small.o"] < 60


def test_a_compiler_cache_is_not_measured_for_the_compiler(tmp_path: Path) -> None:
    """Neither the cache itself nor the preprocessor that it starts is measured."""
    (tmp_path / "ccache").symlink_to("/bin/sleep")
    cache = f"sh -c '\"{tmp_path}/ccache\" 0.8; : -o hit.o'"
    preprocessor = f"{shlex.quote(sys.executable)} -c 'import time; time.sleep(0.8)' -E -o miss.o"
    parent = subprocess.Popen(["sh", "-c", f"{cache} & {preprocessor} & wait"])
    sampler = MemorySampler(0.02)
    sampler.watch(parent.pid)
    parent.wait()
    assert sampler.stop() == {}


def test_a_build_records_the_memory_of_its_jobs(project: Project, tmp_path: Path) -> None:
    project.edit(
        "build_config.toml",
        '[[library]]\nname = "tiny_words"',
        '[[resource]]\nname = "light"\nmemory_mb = 100\n\n[[library]]\nname = "tiny_words"\nresource = "light"',
    )
    project.run("build", PATH=wrap_compilers(tmp_path / "compilers", "sleep 0.6"))
    figures = read_figures(project.root / "build")
    assert figures.outputs["CMakeFiles/tiny_words.dir/src/greet.c.o"] > 0
    assert set(figures.classes) == {"light"}


def test_shrinking_a_pool_reconfigures(project: Project) -> None:
    project.edit(
        "build_config.toml",
        '[[library]]\nname = "tiny_words"',
        '[[resource]]\nname = "light"\nmemory_mb = 1\n\n[[library]]\nname = "tiny_words"\nresource = "light"',
    )
    project.run("build")
    (project.root / "build/memory.json").write_text(
        json.dumps({"outputs": {}, "classes": {"light": memory_limit_mb() + 1}})
    )
    if (os.cpu_count() or 1) == 1:
        pytest.skip("with one core no pool can be too deep")
    result = project.run("build")
    assert "jobs at once of class light: all -> 1" in result.stdout
    rules = (project.root / "build/CMakeFiles/rules.ninja").read_text()
    assert "pool light\n  depth = 1\n" in rules


# ------------------------------------------------------------------ make's job server
@pytest.fixture
def fifo(tmp_path: Path) -> Path:
    """A job server with two free slots, kept open as make keeps it."""
    path = tmp_path / "slots"
    os.mkfifo(path)
    return path


def flags(path: Path) -> dict[str, str]:
    return {"MAKEFLAGS": f" -j3 --jobserver-auth=fifo:{path}"}


def test_free_slots_are_taken_and_given_back(fifo: Path) -> None:
    server = os.open(fifo, os.O_RDWR | os.O_NONBLOCK)
    os.write(server, b"xy")
    try:
        with shared_slots(Jobs(8, "cores"), "1.11.1", flags(fifo)) as slots:
            assert slots.jobs == Jobs(3, "make's job server")
            assert "jobserver" not in slots.environ.get("MAKEFLAGS", "")
            with shared_slots(Jobs(8, "cores"), "1.11.1", flags(fifo)) as second:
                assert second.jobs.count == 1  # the implicit slot of every job
        assert sorted(os.read(server, 10)) == sorted(b"xy")  # the same bytes are returned
    finally:
        os.close(server)


def test_only_as_many_slots_are_taken_as_jobs_can_use(fifo: Path) -> None:
    server = os.open(fifo, os.O_RDWR | os.O_NONBLOCK)
    os.write(server, b"abcd")
    try:
        with shared_slots(Jobs(2, "memory"), "1.13.0", flags(fifo)) as slots:
            assert slots.argument == 2
            assert len(os.read(server, 10)) == 3
    finally:
        os.close(server)


def test_a_ninja_with_job_server_support_takes_slots_itself(fifo: Path) -> None:
    with shared_slots(Jobs(8, "cores"), "1.13.0", flags(fifo)) as slots:
        assert slots.by_ninja and slots.argument is None
        assert "jobserver" in slots.environ["MAKEFLAGS"]


def test_ninja_takes_slots_itself(fifo: Path, tmp_path: Path) -> None:
    version = subprocess.run(["ninja", "--version"], capture_output=True, text=True, check=True)
    if tuple(map(int, version.stdout.split(".")[:2])) < (1, 13):
        pytest.skip("the ninja on PATH is older than 1.13")
    jobs = "rule job\n  command = echo + >> log; sleep 0.2; echo - >> log\n"
    (tmp_path / "build.ninja").write_text(jobs + "".join(f"build {n}: job\n" for n in range(6)))
    server = os.open(fifo, os.O_RDWR | os.O_NONBLOCK)
    os.write(server, b"x")
    try:
        with shared_slots(Jobs(8, "cores"), version.stdout, flags(fifo)) as slots:
            environ = {**os.environ, **slots.environ}
            subprocess.run(["ninja"], cwd=tmp_path, env=environ, check=True, capture_output=True)
        assert os.read(server, 10) == b"x"
    finally:
        os.close(server)
    running = most = 0
    for event in (tmp_path / "log").read_text().split():
        running += 1 if event == "+" else -1
        most = max(most, running)
    assert most == 2  # the implicit slot and the free one


def test_a_pipe_closed_by_make_is_not_confused_with_our_own() -> None:
    """A pipe opened by this process may have the file descriptor that MAKEFLAGS names."""
    read, write = os.pipe()
    try:
        assert find_job_server({"MAKEFLAGS": f"-j --jobserver-auth={read},{write}"}) is None
        os.set_inheritable(read, True)
        os.set_inheritable(write, True)
        assert find_job_server({"MAKEFLAGS": f"-j --jobserver-fds={read},{write}"}) is not None
    finally:
        os.close(read)
        os.close(write)
    assert find_job_server({"MAKEFLAGS": "-j --jobserver-auth=-2,-2"}) is None
    assert find_job_server({"MAKEFLAGS": "--jobserver-auth=fifo:/nowhere"}) is None
    assert find_job_server({}) is None
    with shared_slots(Jobs(4, "cores"), "1.13", {"MAKEFLAGS": "--jobserver-auth=-2,-2"}) as slots:
        assert slots.argument == 4
        assert "make's job server is not available to this command" in str(slots.jobs)


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("make"), reason="GNU make is not on PATH")
def test_a_real_make_is_not_oversubscribed(project: Project, tmp_path: Path) -> None:
    """With `make -j2`, a second running recipe leaves one job, otherwise there are two."""
    watch = 'date "+begin %s.%N" >> "$HERE/jobs"; sleep 0.3; date "+end %s.%N" >> "$HERE/jobs"'
    path = wrap_compilers(tmp_path / "compilers", f'case "$*" in *"-c "*) {watch} ;; esac')
    project.run("build", PATH=path)
    makefile = f"""\
        .PHONY: all build_target other
        all: other build_target
        build_target:
        \t+{project.python} setup.py build > build.txt
        other:
        \tsleep 60 & echo $$! > sleeper; wait
        """
    (project.root / "Makefile").write_text(textwrap.dedent(makefile))
    jobs, log = tmp_path / "compilers/jobs", project.root / "build.txt"

    def most_at_once(target: str) -> int:
        jobs.unlink(missing_ok=True)
        for source in (project.root / "src").glob("*.c"):
            source.write_text(f"{source.read_text()}\n")
        make = subprocess.Popen(
            ["make", "-j2", target],
            cwd=project.root,
            env={**os.environ, "PATH": path, "CCACHE_DISABLE": "1"},
            stdout=subprocess.DEVNULL,
        )
        deadline = time.monotonic() + 120
        while not log.exists() or "total" not in log.read_text():
            assert time.monotonic() < deadline
            time.sleep(0.05)
        if target == "all":
            os.kill(int((project.root / "sleeper").read_text()), 15)
        make.wait(30)
        log.unlink()
        running = most = 0
        for event in sorted(jobs.read_text().splitlines(), key=lambda line: line.split()[1]):
            running += 1 if event.startswith("begin") else -1
            most = max(most, running)
        return most

    assert most_at_once("build_target") == 2
    assert most_at_once("all") == 1
