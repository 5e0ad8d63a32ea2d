"""Builds with the C library of an older Debian, with the variables of cmake/toolchains/older_glibc.sh."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from shlex import quote

import pytest

from .fixture_project import ROOT, Project

SCRIPT = ROOT / "cmake/toolchains/older_glibc.sh"
SYMBOLS = SCRIPT.with_name("older_symbols.py")
SUITE = "bullseye"
NEWEST = {"GLIBC": (2, 28), "GLIBCXX": (3, 4, 24), "CXXABI": (1, 3, 11)}
"""The newest symbol versions that manylinux_2_28 allows."""

# What this compiler's headers take from a newer C++ library: from_chars for double, exception_ptr, memory
# resources, condition_variable::wait; and from a newer C library: exp, hypot, pow, pthread_once.
PROGRAM = """
#include <charconv>
#include <cmath>
#include <condition_variable>
#include <cstdio>
#include <exception>
#include <memory_resource>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>

int main(int count, char**) {
  std::mutex mutex;
  std::condition_variable condition;
  bool ready = false;
  std::once_flag once;
  std::thread thread([&] {
    std::call_once(once, [&] { std::lock_guard lock(mutex); ready = true; });
    condition.notify_all();
  });
  {
    std::unique_lock lock(mutex);
    condition.wait(lock, [&] { return ready; });
  }
  thread.join();
  std::exception_ptr kept;
  try {
    throw std::runtime_error("kept");
  } catch (...) {
    kept = std::current_exception();
  }
  double number = 0;
  const char text[] = "3.0";
  std::from_chars(text, text + 3, number);
  try {
    std::rethrow_exception(std::exception_ptr(kept));
  } catch (const std::exception& error) {
    std::pmr::monotonic_buffer_resource buffer;
    const std::pmr::string text(error.what(), &buffer);
    const double side = std::pow(number, std::exp(count - 1.0));
    std::printf("%s %g\\n", text.c_str(), std::hypot(side, 4.0 * count));
  }
}
"""

pytestmark = pytest.mark.skipif(
    not all(map(shutil.which, ("apt-get", "dpkg", "g++"))),
    reason="this takes Debian's tools and GCC",
)


def in_shell(command: str, folder: Path, **environ: str) -> subprocess.CompletedProcess[str]:
    """Run a command after the script, whose packages are in `folder`."""
    return subprocess.run(
        ["bash", "-c", f". {quote(str(SCRIPT))} {SUITE} {quote(str(folder))} && {command}"],
        env={**os.environ, **environ},
        cwd=folder.parent,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("older") / "packages"
    result = in_shell("true", folder)
    assert result.returncode == 0, result.stderr
    return folder


def newest_versions(program: Path) -> dict[str, tuple[int, ...]]:
    """Return the newest version of each kind of symbol that a program needs."""
    listed = subprocess.run(
        ["objdump", "-T", str(program)], capture_output=True, text=True, check=True
    )
    found: dict[str, tuple[int, ...]] = {}
    for kind, version in re.findall(r"\b(GLIBC|GLIBCXX|CXXABI)_([\d.]+)", listed.stdout):
        found[kind] = max(found.get(kind, ()), tuple(map(int, version.split("."))))
    return found


@pytest.mark.network
def test_a_program_needs_nothing_newer_and_runs_with_both_libraries(packages: Path) -> None:
    source = packages.parent / "program.cpp"
    source.write_text(PROGRAM)
    built = in_shell(
        "g++ -std=c++20 -O2 -pthread $CXXFLAGS -c program.cpp && g++ program.o $LDFLAGS -pthread -o program",
        packages,
    )
    assert built.returncode == 0, built.stderr
    program = packages.parent / "program"
    needed = newest_versions(program)
    assert set(needed) == set(NEWEST)
    assert all(needed[kind] <= newest for kind, newest in NEWEST.items()), needed
    root = packages / "root"
    (loader,) = (root / "lib64").glob("ld-linux*")
    libraries = ":".join(map(str, {path.parent for path in root.rglob("lib*.so.[16]")}))
    for command in ([], [str(loader), "--library-path", libraries]):
        ran = subprocess.run([*command, str(program)], capture_output=True, text=True, check=False)
        assert ran.stdout == "kept 5\n", ran.stderr


@pytest.mark.network
def test_the_script_makes_a_repaired_wheel_without_arguments(
    packages: Path, project: Project, tmp_path: Path
) -> None:
    cache = tmp_path / "cache"
    (cache / "torchsmith").mkdir(parents=True)
    (cache / "torchsmith" / SUITE).symlink_to(packages)
    (project.root / "setup.py").write_text(
        "import os, sys\nprint(*sys.argv, os.environ['REPAIR_WHEEL'], os.environ['BUILD_DIR'])\n"
    )
    result = project.call([str(SCRIPT)], XDG_CACHE_HOME=str(cache))
    assert result.stdout == f"setup.py bdist_wheel ON build-{SUITE}\n"


@pytest.mark.network
def test_a_wheel_gets_the_tag_of_the_older_library(packages: Path, project: Project) -> None:
    command = [str(project.python), "setup.py", "bdist_wheel"]
    project.call([str(SCRIPT), SUITE, str(packages), "--", *command], TINY_REPAIR="ON")
    (wheel,) = (project.root / "dist").glob("tiny_project-*.whl")
    glibc = re.search(r"manylinux_(\d+)_(\d+)_", wheel.name)
    assert glibc and tuple(map(int, glibc.groups())) <= NEWEST["GLIBC"], wheel.name
    assert (project.root / f"build-{SUITE}").is_dir()


def test_a_stand_in_has_each_symbol_in_its_newest_version_that_is_old_enough(
    tmp_path: Path,
) -> None:
    source, versions = tmp_path / "library.c", tmp_path / "versions"
    source.write_text(
        "int kept(void) { return 1; }\n"
        '__asm__(".symver changed_1,changed@V_1.2");\nint changed_1(void) { return 1; }\n'
        '__asm__(".symver changed_2,changed@@V_1.10");\nint changed_2(void) { return 2; }\n'
        '__asm__(".symver added_2,added@@V_1.10");\nint added_2(void) { return 2; }\n'
        "int table[5] = {1};\n_Thread_local int own = 3;\n"
    )
    versions.write_text("V_1.2 { global: kept; table; own; };\nV_1.10 { };\n")
    library, stand_in = tmp_path / "libreal.so", tmp_path / "stand_in.so"
    link = ("-Wl,-soname,libreal.so.3", f"-Wl,--version-script={versions}")
    subprocess.run(["gcc", "-shared", "-fPIC", *link, source, "-o", library], check=True)
    command = [sys.executable, str(SYMBOLS), str(library), str(stand_in), "V_1.9"]
    subprocess.run(command, check=True)
    listed = subprocess.run(
        ["objdump", "-Tp", str(stand_in)], capture_output=True, text=True, check=True
    ).stdout
    assert re.search(r"SONAME +libreal\.so\.3$", listed, re.MULTILINE)
    defined = set(re.findall(r"([0-9a-f]+)  V_1\.2 +(\w+)$", listed, re.MULTILINE))
    assert {name for _, name in defined} >= {"kept", "changed", "table", "own"}
    assert int(next(size for size, name in defined if name == "table"), 16) == 20
    assert "added" not in listed and "V_1.10" not in listed and "older_symbol" not in listed


@pytest.mark.parametrize("name", ["with spaces", "used"])
def test_a_folder_that_cannot_be_used_is_left_alone(tmp_path: Path, name: str) -> None:
    folder = tmp_path / name
    folder.mkdir()
    own = folder / "own"
    own.touch()
    result = in_shell("echo built", folder)
    assert result.returncode and "built" not in result.stdout
    assert f"error: {folder}" in result.stderr
    assert own.exists()


def test_a_mirror_that_is_down_is_named_and_leaves_nothing_half_done(tmp_path: Path) -> None:
    folder = tmp_path / "packages"
    for _ in range(2):
        result = in_shell("echo built", folder, DEBIAN_MIRROR="http://127.0.0.1:9/debian")
        assert result.returncode and "built" not in result.stdout
        assert f"the packages of Debian's {SUITE} cannot be fetched" in result.stderr
        assert "DEBIAN_MIRROR=" in result.stderr
