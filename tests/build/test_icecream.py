"""Compilations on other machines through icecream."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from .fixture_project import Project
from .icecream import Farm, can_run_workers, compiler_archive, farm
from .test_remote import add_work, cache_counts, digest
from .workers import free_port, wait_until

needs_icecream = pytest.mark.skipif(
    not can_run_workers(), reason="this takes root, iproute2 and icecream: apt-get install icecc"
)


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compiler_archive(tmp_path_factory.mktemp("compiler"))


@pytest.fixture
def workers(archive: Path) -> Iterator[Farm]:
    with farm(archive) as found:
        yield found


@needs_icecream
def test_icecream_compiles_the_same_bytes_behind_a_cache(
    project: Project, workers: Farm, tmp_path: Path
) -> None:
    add_work(project)
    cache = {"COMPILER_CACHE": "ccache", "CCACHE_DIR": str(tmp_path / "cache")}
    answer = project.run("develop", **workers.variables, **cache)
    assert "4 slots of workers" in answer.stdout
    # The scheduler may leave some to this machine; a worker writes its log after it has sent the result.
    wait_until(lambda: sum(each.served() for each in workers.workers) > 0, 60)
    remotely = digest(project)

    shutil.rmtree(project.root / "build")
    project.run("develop", **workers.variables, **cache)
    assert cache_counts(project)["misses"] == 0, "the cache is asked first"

    shutil.rmtree(project.root / "build")
    project.run("develop", COMPILER_CACHE="none")
    assert digest(project) == remotely


@needs_icecream
def test_a_worker_of_icecream_that_dies_costs_only_time(project: Project, workers: Farm) -> None:
    add_work(project)

    def kill_one() -> None:
        wait_until(lambda: any(each.served() for each in workers.workers), 300)
        workers.workers[0].kill()

    killer = threading.Thread(target=kill_one)
    killer.start()
    project.run("develop", COMPILER_CACHE="none", **workers.variables)
    killer.join()
    assert workers.workers[0].process.poll() is not None
    assert "hello" in project.words().lower()


@needs_icecream
def test_the_doctor_compiles_on_each_worker_of_icecream(developed: Project, workers: Farm) -> None:
    assert "4 slots" in developed.run("doctor", "workers", **workers.variables).stdout
    for each in workers.workers:
        each.kill()
    wait_until(lambda: workers.nodes().count("jobs=") == 1, 60)
    found = developed.run("doctor", "workers", **workers.variables).stdout
    assert "warning  workers" in found and "icecream lists no worker" in found


@pytest.mark.skipif(not shutil.which("icecc"), reason="apt-get install icecc")
def test_a_scheduler_that_is_away_costs_only_time(project: Project) -> None:
    place = {"REMOTE_COMPILER": "icecream", "ICECC_SCHEDULER": f"127.0.0.1:{free_port()}"}
    project.run("develop", **place)
    assert "hello" in project.words().lower()
    assert "icecream lists no worker" in project.run("doctor", "workers", **place).stdout


@pytest.mark.skipif(not shutil.which("icecc"), reason="apt-get install icecc")
def test_icecream_without_a_scheduler_is_refused(project: Project) -> None:
    result = project.run("develop", check=False, REMOTE_COMPILER="icecream")
    assert result.returncode == 3 and "ICECC_SCHEDULER=" in result.stderr
