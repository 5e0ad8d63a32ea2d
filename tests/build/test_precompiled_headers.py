"""Compilations read headers of the C++ library precompiled; the objects and the messages stay the same."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from .fixture_project import ROOT

GCC = shutil.which("g++")
pytestmark = pytest.mark.skipif(not GCC, reason="apt-get install g++")
SCRIPT = ROOT / "cmake/Modules/precompiled_headers.sh"
ENOUGH = int(re.findall(r"^enough=(\d+)", SCRIPT.read_text(), re.M)[0])
SOURCE = """#include <string>
#include <vector>
std::string joined(const std::vector<std::string>& words) {
  std::string all;
  for (const auto& word : words) all += word + ' ';
  return all;
}
"""


class Checkout:
    """The launcher in a folder of its own, with a build directory and a header that stands in for a system's."""

    def __init__(self, root: Path) -> None:
        self.root, self.build = root, root / "build"
        self.precompiled = self.build / "CMakeFiles/precompiled"
        self.system = root / "system.h"
        shutil.copytree(ROOT / "cmake/Modules", root / "cmake/Modules")
        self.list = root / "cmake/standard_headers.h"
        self.list.write_text(f'#include <string>\n#include "{self.system}"\n')
        self.build.mkdir()
        self.system.write_text("#pragma once\nconstexpr int answer = 41;\n")
        (root / "unit.cpp").write_text(SOURCE)

    def command(self, *flags: str, source: str = "unit.cpp", made: str = "unit.o") -> list[str]:
        script = self.root / "cmake/Modules/canonical_command.sh"
        start = ["sh", str(script), str(self.root), str(self.build), str(GCC)]
        options = ["-std=c++20", f"-include{self.list}", "-H", *flags]
        names = ["-MD", "-MT", made, "-MF", f"{made}.d", "-o", made, "-c", str(self.root / source)]
        return [*start, *options, *names]

    def compile(self, *flags: str, source: str = "unit.cpp") -> subprocess.CompletedProcess[str]:
        words = self.command(*flags, source=source)
        return subprocess.run(words, cwd=self.build, capture_output=True, text=True, check=False)

    def headers_read(self, *flags: str, source: str = "unit.cpp") -> bool:
        """Whether a compilation that must succeed read precompiled headers, as GCC's -H reports."""
        result = self.compile(*flags, source=source)
        assert result.returncode == 0, result.stderr
        return any(line.startswith("! ") for line in result.stderr.splitlines())

    def object(self) -> bytes:
        return (self.build / "unit.o").read_bytes()

    def precompile(self, *flags: str) -> None:
        """Compile until the headers are precompiled."""
        assert any(self.headers_read(*flags) for _ in range(ENOUGH))


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return Checkout(tmp_path)


@pytest.mark.parametrize("flags", [("-O2", "-fPIC"), ("-O3", "-mavx2")])
def test_the_object_is_the_same(checkout: Checkout, flags: tuple[str, ...]) -> None:
    shutil.copy(ROOT / "cmake/standard_headers.h", checkout.list)
    assert not checkout.headers_read(*flags)
    plain = checkout.object()
    checkout.precompile("-DUNUSED", *flags)
    assert checkout.headers_read(*flags)
    assert checkout.object() == plain


def test_each_set_of_flags_has_its_own(checkout: Checkout) -> None:
    """Macros of the project and folders do not matter; reserved macros, which the headers may read, do."""
    checkout.precompile("-O2")
    assert checkout.headers_read("-O2", "-DNAME_OF_OURS=1", f"-I{checkout.root}", "-Wall")
    assert not checkout.headers_read("-O2", "-D_GLIBCXX_ASSERTIONS")
    assert not checkout.headers_read("-O2", "-ffast-math")
    assert not checkout.headers_read("-O2", "-include", "cstdio")


def test_ninja_hears_of_the_headers_that_were_read(checkout: Checkout) -> None:
    checkout.precompile("-O2")
    assert checkout.headers_read("-O2")
    named = (checkout.build / "unit.o.d").read_text().replace("\\\n", "").split()
    assert named[0] == "unit.o:" and str(checkout.root / "unit.cpp") in named
    assert {str(checkout.list), str(checkout.system)} <= {*named}
    assert not [name for name in named if "precompiled" in name]


def test_a_header_of_the_system_is_replaced(checkout: Checkout) -> None:
    """A package brings its files with the times at which they were made elsewhere."""
    (checkout.root / "unit.cpp").write_text(
        f'#include "{checkout.system}"\nint number() {{ return answer; }}\n'
    )
    checkout.precompile("-O2")
    checkout.headers_read("-O2")
    before = checkout.object()
    newer = checkout.root / "newer.h"
    newer.write_text("#pragma once\nconstexpr int answer = 42;\n")
    os.utime(newer, (1e9, 1e9))
    newer.rename(checkout.system)
    assert not checkout.headers_read("-O2")
    assert checkout.object() != before
    assert [checkout.headers_read("-O2") for _ in range(ENOUGH)][-1]
    assert checkout.object() != before


def test_an_edit_of_the_list_is_read(checkout: Checkout) -> None:
    checkout.precompile("-O2")
    checkout.list.write_text(checkout.list.read_text() + "int more = 1;\n")
    assert not checkout.headers_read("-O2")
    assert b"more" in checkout.object()
    checkout.precompile("-O2")
    assert b"more" in checkout.object()


def test_messages_are_those_without_precompiled_headers(checkout: Checkout) -> None:
    wrong = "#include <vector>\nstd::vector<int> v = 1 + undeclared;\n"
    (checkout.root / "wrong.cpp").write_text(wrong)
    plain = checkout.compile("-O2", source="wrong.cpp")
    checkout.precompile("-O2")
    result = checkout.compile("-O2", source="wrong.cpp")
    assert (result.returncode, result.stderr) == (1, plain.stderr) and plain.stderr
    assert checkout.headers_read("-O2")


def test_a_damaged_file_is_made_anew(checkout: Checkout) -> None:
    checkout.precompile("-O2")
    file = next(checkout.precompiled.glob("*.gch"))
    with file.open("r+b") as opened:
        opened.truncate(file.stat().st_size // 2)
    assert checkout.compile("-O2").returncode == 0
    assert not file.exists()
    checkout.precompile("-O2")


def test_a_killed_compilation_leaves_no_lock(checkout: Checkout) -> None:
    for _ in range(ENOUGH - 1):
        checkout.compile("-O2")
    key = next(checkout.precompiled.glob("*.uses")).with_suffix("")
    ended = subprocess.Popen(["true"])
    ended.wait()
    key.with_suffix(".lock").symlink_to(str(ended.pid))
    assert not checkout.headers_read("-O2")
    assert checkout.headers_read("-O2")
    assert {file.suffix for file in checkout.precompiled.iterdir()} == {".h", ".gch", ".inputs"}


def test_compilations_that_start_at_once_make_it_once(checkout: Checkout) -> None:
    for _ in range(ENOUGH - 1):
        checkout.compile("-O2")
    objects = [f"{i}.o" for i in range(4)]
    together = [
        subprocess.Popen(checkout.command("-O2", made=name), cwd=checkout.build) for name in objects
    ]
    assert [process.wait() for process in together] == [0] * 4
    assert len([*checkout.precompiled.glob("*.gch")]) == 1
    assert not [*checkout.precompiled.glob("*.lock")]
    assert len({(checkout.build / name).read_bytes() for name in objects}) == 1


@pytest.mark.parametrize("why", ["cache", "remote", "debug information"])
def test_nothing_is_precompiled(
    checkout: Checkout, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A cache answers, another machine compiles, or the object would differ."""
    passing_on = checkout.root / "passing_on"
    passing_on.write_text('#!/bin/sh\nexec "$@"\n')
    passing_on.chmod(0o755)
    if why == "cache":
        (checkout.build / "compiler_cache.txt").write_text(f"{passing_on}\n")
    elif why == "remote":
        monkeypatch.setenv("COMPILER_PREFIX", str(passing_on))
    flags = ("-O0", "-g") if why == "debug information" else ("-O2",)
    assert not any(checkout.headers_read(*flags) for _ in range(ENOUGH + 1))
    assert not checkout.precompiled.exists()
