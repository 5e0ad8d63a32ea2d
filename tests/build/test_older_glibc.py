"""Builds with the C library of an older Debian, with the variables of cmake/toolchains/older_glibc.sh."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from .fixture_project import ROOT, Project

SCRIPT = ROOT / "cmake/toolchains/older_glibc.sh"
SUITE = "bullseye"
NEWEST = {"GLIBC": (2, 31), "GLIBCXX": (3, 4, 28), "CXXABI": (1, 3, 12)}
"""The newest symbol versions of that Debian."""

# What this compiler's headers take from a newer C++ library: from_chars for double, exception_ptr,
# condition_variable::wait; and from a newer C library: hypot, pthread_once.
PROGRAM = """
#include <charconv>
#include <cmath>
#include <condition_variable>
#include <cstdio>
#include <exception>
#include <mutex>
#include <stdexcept>
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
    std::printf("%s %g\\n", error.what(), std::hypot(number, 4.0 * count));
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
        ["bash", "-c", f". {SCRIPT} {SUITE} {folder} && {command}"],
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
        "g++ -std=c++20 -O2 -pthread $CXXFLAGS program.cpp $LDFLAGS -o program", packages
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
def test_a_wheel_gets_the_tag_of_the_older_library(packages: Path, project: Project) -> None:
    build = f". {SCRIPT} {SUITE} {packages} && exec {project.python} setup.py bdist_wheel"
    project.call(["bash", "-c", build], TINY_REPAIR="ON")
    (wheel,) = (project.root / "dist").glob("tiny_project-*.whl")
    glibc = re.search(r"manylinux_(\d+)_(\d+)_", wheel.name)
    assert glibc and tuple(map(int, glibc.groups())) <= NEWEST["GLIBC"], wheel.name
    assert (project.root / f"build-{SUITE}").is_dir()


def test_a_mirror_that_is_down_is_named_and_leaves_nothing_half_done(tmp_path: Path) -> None:
    folder = tmp_path / "packages"
    for _ in range(2):
        result = in_shell("echo built", folder, DEBIAN_MIRROR="http://127.0.0.1:9/debian")
        assert result.returncode and "built" not in result.stdout
        assert f"the packages of Debian's {SUITE} cannot be fetched" in result.stderr
        assert "DEBIAN_MIRROR=" in result.stderr
