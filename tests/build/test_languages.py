"""Languages as rows of the table: flags for each, compilers that are replaced, and an optional third language."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tools.base.errors import BuildError
from tools.setup_helpers.table.config_reader import load

from .fixture_project import Project

NVCC = next(filter(None, map(shutil.which, ("nvcc", "/usr/local/cuda/bin/nvcc"))), "")
EXPORTED = 'extern "C" __attribute__((visibility("default"))) '
LIBRARY = """
[[library]]
name = "tiny_words_mixed"
sources = ["src/mixed/*.c", "src/mixed/*.cpp", "src/mixed/*.cu"]
flags = { C = ["-DNUMBER=1"], CXX = ["-DNUMBER=2"], CUDA = ["-DNUMBER=3"] }
destination = "tiny/lib"

[[library.group]]
name = "both"
sources = ["src/mixed/more/*.c", "src/mixed/more/*.cpp"]
flags = ["-DMORE=10"]
"""
FILES = {
    "one.c": EXPORTED.removeprefix('extern "C" ') + "int tiny_one(void) { return NUMBER; }\n",
    "two.cpp": EXPORTED + "int tiny_two() { return NUMBER; }\n",
    "three.cu": "__global__ void fill(int* p) { *p = NUMBER; }\n"
    + EXPORTED
    + "int tiny_three() { fill<<<1, 1>>>(nullptr); return NUMBER; }\n",
    "more/ten.c": EXPORTED.removeprefix('extern "C" ')
    + "int tiny_ten(void) { return NUMBER + MORE; }\n",
    "more/twenty.cpp": EXPORTED + "int tiny_twenty() { return NUMBER + MORE; }\n",
}
NAMES = ("one", "two", "three", "ten", "twenty")


def add_library(project: Project) -> None:
    for name, text in FILES.items():
        path = project.root / "src/mixed" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    table = project.root / "build_config.toml"
    table.write_text(table.read_text() + LIBRARY)


def functions(project: Project) -> dict[str, int]:
    """Return the functions that the added library has, with their results."""
    script = f"""
import ctypes, json
library = ctypes.CDLL("tiny/lib/libtiny_words_mixed.so")
found = {{n: getattr(library, "tiny_" + n, None) for n in {NAMES!r}}}
print(json.dumps({{name: function() for name, function in found.items() if function}}))
"""
    found = project.call([str(project.python), "-c", script]).stdout
    return {str(name): int(number) for name, number in json.loads(found).items()}


def objects(project: Project) -> dict[str, int]:
    folder = project.root / "build/CMakeFiles"
    return {path.name: path.stat().st_mtime_ns for path in folder.rglob("src/**/*.o")}


def reason_to_configure(project: Project) -> str:
    report = json.loads((project.root / "build/report.json").read_text())
    return next(str(step["note"]) for step in report["steps"] if step["name"] == "configure")


def wrap(folder: Path, name: str, real: str, version: str) -> Path:
    """Create a compiler that reports this version and otherwise is the real one."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    answer = f'for a; do [ "$a" = --version ] && echo "{name} {version}" && exit; done\n'
    path.write_text(f'#!/bin/sh\n{answer}exec {real} "$@"\n')
    path.chmod(0o755)
    return path


def test_each_language_has_its_own_flags(developed: Project) -> None:
    add_library(developed)
    developed.run("develop")
    assert functions(developed) == {"one": 1, "two": 2, "ten": 11, "twenty": 12}


def test_another_compiler_recompiles_only_its_language(developed: Project, tmp_path: Path) -> None:
    add_library(developed)
    cxx = wrap(tmp_path / "compilers", "c++", shutil.which("c++") or "c++", "1.0")
    developed.run("develop", CXX=str(cxx))
    assert developed.run("develop", CXX=str(cxx)).stdout == "up to date\n"
    before = objects(developed)
    wrap(tmp_path / "compilers", "c++", shutil.which("c++") or "c++", "2.0")
    output = developed.run("develop", CXX=str(cxx)).stdout
    assert f"warning: tools: {cxx} is another version" in output
    assert reason_to_configure(developed) == "C++20 compiler changed"
    after = objects(developed)
    assert {name for name in before if after[name] != before[name]} == {"two.cpp.o", "twenty.cpp.o"}
    assert functions(developed) == {"one": 1, "two": 2, "ten": 11, "twenty": 12}


@pytest.mark.slow
@pytest.mark.skipif(not NVCC, reason="install a CUDA toolkit for nvcc")
def test_an_optional_language_and_a_change_of_its_compiler(
    developed: Project, tmp_path: Path
) -> None:
    add_library(developed)
    developed.edit(
        "build_config.toml",
        '"libm.so.*"]',
        '"libm.so.*", "libstdc++.so.*", "libgcc_s.so.*", "ld-linux-*.so.*"]  # what nvcc links',
    )
    nvcc = wrap(tmp_path / "toolkit/bin", "nvcc", NVCC, "release 13.0, V13.0.1")
    options = {"TINY_CUDA": "1", "CUDA_HOME": str(tmp_path / "toolkit")}
    developed.run("develop", **options)
    assert functions(developed) == {"one": 1, "two": 2, "three": 3, "ten": 11, "twenty": 12}
    assert developed.run("develop", **options).stdout == "up to date\n"
    before = objects(developed)
    wrap(nvcc.parent, "nvcc", NVCC, "release 13.0, V13.0.2")
    developed.run("develop", **options)
    assert reason_to_configure(developed) == "CUDA compiler changed"
    after = objects(developed)
    assert {name for name in before if after[name] != before[name]} == {"three.cu.o"}
    developed.run("develop")
    assert functions(developed) == {"one": 1, "two": 2, "ten": 11, "twenty": 12}


def test_an_nvcc_that_is_too_old_is_named_before_anything_compiles(
    developed: Project, tmp_path: Path
) -> None:
    old = wrap(tmp_path / "old", "nvcc", "false", "release 9.0, V9.0.1")
    developed.edit(
        "build_config.toml",
        'probe = "cuda_toolkit"',
        'probe = "cuda_toolkit"\nminimum = { NVIDIA = "12.0" }',
    )
    result = developed.run("develop", check=False, TINY_CUDA="1", CUDACXX=str(old))
    assert result.returncode == 3
    assert f"nvcc 9.0 ({old}) is too old: nvcc 12.0 or newer is needed" in result.stderr


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (
            '[[library]]\nname = "x"\nflags = { CX = ["-g"] }\n',
            "unknown language 'CX'",
        ),
        (
            '[[library]]\nname = "x"\nsources = ["src/*.cp"]\n',
            "no language compiles 'src/*.cp'",
        ),
        (
            '[[library]]\nname = "x"\nflags = "-g"\n',
            "flags must be a list of strings or a table of such lists",
        ),
        (
            '[languages.D]\ntitle = "D"\nminimum = { GMU = "1" }\n',
            "unknown compiler 'GMU'; one of GNU, Clang, NVIDIA",
        ),
        ('[languages.D]\ntitle = "D"\ncompiler = "DC"\n', "unknown option 'DC'"),
        ('[languages.D]\ntitle = "D"\nhost = "CX"\n', "unknown language 'CX'"),
        ('[languages.D]\ntitle = "D"\nwhen = "TINY_D"\n', "unknown name 'TINY_D'"),
    ],
)
def test_mistakes_in_languages_and_flags(project: Project, row: str, message: str) -> None:
    table = project.root / "build_config.toml"
    table.write_text(f"{table.read_text()}\n{row}")
    with pytest.raises(BuildError) as error:
        load(project.root)
    assert message in (error.value.cause or "")
