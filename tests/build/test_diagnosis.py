"""From a tool's output to what a person reads: diagnostics, causes, hints. The output is the tools' own."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from tools.setup_helpers.failure.causes import Remedy, find_cause, read_causes
from tools.setup_helpers.failure.diagnosis import Diagnosis, diagnose, diagnose_text, render
from tools.setup_helpers.failure.diagnostics import by_file, read_diagnostics
from tools.setup_helpers.failure.failed_command import Collector, FailedCommand, shorten
from tools.setup_helpers.failure.lookups import LOOKUPS
from tools.setup_helpers.failure.packages import install_command, link_argument
from tools.setup_helpers.failure.scene import Scene
from tools.setup_helpers.graph.ninja_output import NinjaOutput


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    return Scene(tmp_path, tmp_path / "build", options={"jobs": "MAX_JOBS"}, jobs=4)


def fails(scene: Scene, files: dict[str, str], *command: str) -> Diagnosis:
    """What is said of a real command that fails on real files."""
    for name, text in files.items():
        (scene.root / name).parent.mkdir(parents=True, exist_ok=True)
        (scene.root / name).write_text(text)
    ran = subprocess.run(
        command,
        cwd=scene.root,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert ran.returncode, ran.stdout
    lines = tuple(ran.stdout.splitlines())
    return diagnose(FailedCommand("out", " ".join(command), lines, ran.returncode), scene)


# ------------------------------------------------------------------ real tools, real failures
def test_a_missing_header_names_the_package_that_has_it(scene: Scene) -> None:
    found = fails(scene, {"a.cpp": "#include <numa_of_nobody.h>\n"}, "c++", "-c", "a.cpp")
    assert found.cause == "the header numa_of_nobody.h was not found"
    assert "apt-file search numa_of_nobody.h" in found.hint
    found = fails(scene, {"a.cpp": "#include <nccl.h>\n"}, "c++", "-nostdinc", "-I.", "-c", "a.cpp")
    assert found.hint == "`apt-get install libnccl-dev`"
    found = fails(scene, {"a.cpp": "#include <vector>\n"}, "c++", "-nostdinc", "-I.", "-c", "a.cpp")
    assert found.hint.startswith("`apt-get install g++`")


def test_a_header_of_the_checkout_is_found_in_it(scene: Scene) -> None:
    files = {"vendor/include/own/part.h": "", "a.cpp": '#include "own/part.h"\n'}
    found = fails(scene, files, "c++", "-c", "a.cpp")
    assert found.hint == (
        "vendor/include/own/part.h is in the checkout, but vendor/include is no include folder here"
    )
    found = fails(scene, {"a.cpp": '#include "owm/part.h"\n'}, "c++", "-c", "a.cpp")
    assert found.hint == "the checkout has vendor/include/own/part.h: is that the one meant?"


def test_a_misspelt_header_suggests_the_nearest_beside_it(scene: Scene) -> None:
    files = {"build/words/ops/greet_loudly.h": "", "a.cpp": "#include <words/ops/greet_loudley.h>\n"}
    found = fails(scene, files, "c++", "-Ibuild", "-c", "a.cpp")
    assert found.hint == "did you mean words/ops/greet_loudly.h?"


def test_missing_python_headers_name_the_development_package(scene: Scene) -> None:
    found = fails(scene, {"a.c": "#include <Python.h>\n"}, "cc", "-c", "a.c")
    assert found.cause == "the C headers of this Python are missing"
    assert found.hint.startswith("install python3.")


def test_an_unknown_flag(scene: Scene) -> None:
    found = fails(scene, {"a.c": ""}, "cc", "-fno-such-flag", "-c", "a.c")
    assert found.cause.startswith("the compiler does not know the flag -fno-such-flag")


def test_an_unknown_instruction(scene: Scene) -> None:
    found = fails(scene, {"a.c": '__asm__("vfrobnicate %eax");\n'}, "cc", "-c", "a.c")
    assert found.cause_id == "old-assembler"


def test_a_warning_that_counts_as_an_error(scene: Scene) -> None:
    source = "int f(void) { int unused; return 0; }\n"
    found = fails(scene, {"a.c": source}, "cc", "-Wall", "-Werror", "-c", "a.c")
    assert found.cause_id == "warning-as-error"


def test_a_library_that_is_not_there(scene: Scene) -> None:
    source = {"a.c": "int main(void) { return 0; }\n"}
    found = fails(scene, source, "cc", "a.c", "-lof_nobody")
    assert found.cause == "the linker did not find the library of_nobody"
    assert "libof_nobody.so" in found.hint
    assert install_command("library", "numa") == "`apt-get install libnuma-dev`"


def test_two_definitions(scene: Scene) -> None:
    files = {"a.c": "int x = 1;\n", "b.c": "int x = 2; int main(void) { return x; }\n"}
    assert "x is defined in two files" in fails(scene, files, "cc", "a.c", "b.c").cause


def test_code_that_cannot_be_shared(scene: Scene) -> None:
    (scene.root / "a.c").write_text("int y; int *f(void) { return &y; }\n")
    subprocess.run(["cc", "-fno-pic", "-c", "a.c"], cwd=scene.root, check=True)
    found = fails(scene, {}, "cc", "-shared", "a.o", "-o", "a.so")
    assert found.cause_id == "not-position-independent"


def test_an_object_cut_short(scene: Scene) -> None:
    (scene.root / "a.c").write_text("int main(void) { return 0; }\n")
    subprocess.run(["cc", "-c", "a.c"], cwd=scene.root, check=True)
    data = (scene.root / "a.o").read_bytes()
    (scene.root / "a.o").write_bytes(data[: len(data) // 2])
    found = fails(scene, {}, "cc", "a.o", "-o", "a")
    assert found.cause_id == "damaged-object"
    assert "clean" in found.hint


def test_too_little_address_space_is_out_of_memory(scene: Scene) -> None:
    functions = "".join(f"int f{i}(int x) {{ return x * {i}; }}\n" for i in range(30000))
    shell = "ulimit -v 100000; exec c++ -O1 -c a.cpp"
    found = fails(scene, {"a.cpp": functions}, "sh", "-c", shell)
    assert (found.cause_id, found.remedy) == ("out-of-memory", Remedy.ALONE)
    assert "MAX_JOBS=2" in found.hint  # half of the scene's


def test_a_killed_compiler(scene: Scene) -> None:
    (scene.root / "a.cpp").write_text("#include <regex>\n#include <map>\nstd::regex r;\n")
    command = ["c++", "-O2", "-c", "a.cpp"]
    driver = subprocess.Popen(
        command, cwd=scene.root, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    children = Path(f"/proc/{driver.pid}/task/{driver.pid}/children")
    while not (compiler := children.read_text().split()):
        assert driver.poll() is None
    os.kill(int(compiler[0]), signal.SIGKILL)
    output = driver.communicate()[0]
    found = diagnose(FailedCommand("a.o", " ".join(command), tuple(output.splitlines())), scene)
    assert (found.cause_id, found.remedy) == ("killed", Remedy.ALONE)


def test_a_command_that_dies_without_a_word_was_killed(scene: Scene) -> None:
    silent = diagnose(FailedCommand("a.o", "cc -c a.c", ()), scene)
    assert silent.cause_id == "killed"
    crashed = diagnose(FailedCommand("a.o", "cc -c a.c", (), exit_code=139), scene)
    assert crashed.cause_id == "internal-compiler-error"


def test_a_program_that_is_missing(scene: Scene) -> None:
    found = fails(scene, {}, "sh", "-c", "exec /nowhere/g++-99 -c a.cpp")
    assert found.cause == "a program of the toolchain is missing: g++-99"
    assert "apt-get install g++" in found.hint


def test_a_package_that_cmake_does_not_find(scene: Scene) -> None:
    text = "cmake_minimum_required(VERSION 3.25)\nproject(p NONE)\nfind_package(OfNobody REQUIRED)\n"
    (scene.root / "CMakeLists.txt").write_text(text)
    command = ["cmake", "-S", str(scene.root), "-B", str(scene.build_dir)]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    found = diagnose_text("CMake", ran.stderr, scene)
    assert found.cause == "CMake did not find OfNobody"
    assert render(found).splitlines()[:2] == [
        "CMakeLists.txt",
        '  3 error: By not providing "FindOfNobody.cmake" in CMAKE_MODULE_PATH this project has',
    ]


@pytest.mark.skipif(not shutil.which("nvcc"), reason="nvcc, of the CUDA toolkit, is not on PATH")
def test_nvcc_errors(scene: Scene) -> None:
    source = {"k.cu": "__global__ void kernel() { missing; }\n"}
    found = fails(scene, source, "nvcc", "-c", "k.cu")
    assert render(found).splitlines()[1:3] == ["k.cu", '  1 error: identifier "missing" is undefined']
    found = fails(scene, source, "nvcc", "-arch=sm_11", "-c", "k.cu")
    assert "does not know sm_11" in found.cause or "does not know compute_11" in found.cause


# ------------------------------------------------------------------ recorded texts
EXAMPLES = {
    "killed": "c++: fatal error: Killed signal terminated program cc1plus",
    "ninja-killed": "ninja was ended by signal 9",
    "out-of-memory": "cc1plus: out of memory allocating 65536 bytes after a total of 9527296 bytes",
    "disk-full": "a.cpp:9:1: fatal error: error writing to /tmp/ccx.s: No space left on device",
    "read-only": "error: unable to open output file 'a.o': 'Read-only file system'",
    "unsupported-host-compiler": "host_config.h:143:2: error: #error -- unsupported GNU version! gcc "
    "versions later than 12 are not supported!",
    "unsupported-architecture": "nvcc fatal   : Unsupported gpu architecture 'compute_90'",
    "internal-compiler-error": "a.cpp:3:1: internal compiler error: in expand_expr, at expr.cc:1",
    "unsupported-flag": "clang: error: unknown argument: '-fno-such-flag'",
    "old-assembler": "a.s:2: Error: no such instruction: `vpdpbusd %zmm0'",
    "compiler-missing": "/bin/sh: 1: /usr/bin/c++: not found",
    "mixed-standard-libraries": "./gen: libstdc++.so.6: version `GLIBCXX_3.4.30' not found",
    "python-headers": "a.c:1:10: fatal error: Python.h: No such file or directory",
    "missing-header": "a.c:1:10: fatal error: 'nccl.h' file not found",
    "undefined-reference": "ld.lld: error: undefined symbol: of_nobody",
    "library-not-found": "/usr/bin/ld: cannot find -lnuma: No such file or directory",
    "input-gone": "ninja: error: '/usr/lib/x86_64-linux-gnu/librt.so', needed by 'lib/liba.so', "
    "missing and no known rule to make it",
    "damaged-object": "/usr/bin/ld: a.o: file not recognized: file format not recognized",
    "not-position-independent": "ld: b.a(c.o): relocation R_X86_64_32 against `.rodata' can not be "
    "used when making a shared object; recompile with -fPIC",
    "multiple-definition": "/usr/bin/ld: b.o:(.data+0x0): multiple definition of `x'; a.o: first",
    "warning-as-error": "cc1plus: all warnings being treated as errors",
    "old-standard": "a.cpp:3:6: error: ‘span’ is not a member of ‘std’",
    "old-cmake": "CMake Error at CMakeLists.txt:1: CMake 3.25 or higher is required.  You are "
    "running version 3.18",
    "cmake-package": "Could NOT find BLAS (missing: BLAS_LIBRARIES)",
    "clock": "ninja: error: manifest 'build.ninja' still dirty after 100 tries, perhaps system time",
    "moved-tree": 'CMake Error: The current CMakeCache.txt directory /b/CMakeCache.txt is different '
    "than the directory /a where CMakeCache.txt was created",
    "too-many-files": "c++: fatal error: cannot open a.cpp: Too many open files",
    "python-package": "ModuleNotFoundError: No module named 'yaml'",
}


@pytest.mark.parametrize("row", read_causes(), ids=lambda row: row.id)
def test_every_row_fits_its_example_and_says_something_of_it(row, scene: Scene) -> None:  # type: ignore[no-untyped-def]
    match = find_cause(EXAMPLES[row.id])
    assert match is not None and match.cause.id == row.id
    assert row.ask in ("", *LOOKUPS)
    found = diagnose_text("x", EXAMPLES[row.id], scene)
    assert found.cause and found.hint
    assert "{" not in found.cause + found.hint


def test_an_ordinary_error_has_no_cause() -> None:
    assert find_cause("a.cpp:1:1: error: 'x' was not declared in this scope", exit_code=1) is None


@pytest.mark.parametrize(
    ("symbol", "argument"),
    [
        ("pthread_create", "-pthread"),
        ("omp_get_max_threads", "-fopenmp"),
        ("cblas_sgemm", "the BLAS library"),
        ("of_nobody", ""),
    ],
)
def test_symbols_of_the_system(symbol: str, argument: str) -> None:
    assert link_argument(symbol) == argument


GCC = """\
In file included from src/a.h:3,
                 from src/a.cpp:1:
src/b.h: In function 'int f()':
src/b.h:4:10: error: 'x' was not declared in this scope
    4 |   return x;
      |          ^
src/b.h:2:5: note: 'y' declared here
src/b.h:3:5: note: 'z' declared here
src/a.cpp:9:1: warning: control reaches end of non-void function [-Wreturn-type]
src/a.cpp:7:3: error: expected ';' before '}' token
src/b.h:9:1: error: 'w' was not declared in this scope
"""
CLANG = """\
a.cpp:4:10: error: use of undeclared identifier 'x'
  return x;
         ^
a.cpp:2:5: note: declared here
1 error generated.
"""
LLD = """\
ld.lld: error: undefined symbol: at::missing(int)
>>> referenced by a.cpp:12 (/src/a.cpp:12)
>>>               a.o:(f())
c++: error: linker command failed with exit code 1 (use -v to see invocation)
"""
PYTHON = """\
Traceback (most recent call last):
  File "/src/gen.py", line 3, in <module>
    main()
  File "/src/gen.py", line 2, in main
    raise ValueError("no such word")
ValueError: no such word
"""


def said(text: str) -> list[tuple[str, int, str, int]]:
    return [(d.file, d.line, d.text, d.notes) for d in read_diagnostics(text.splitlines())]


def test_errors_are_grouped_by_file_with_their_notes_folded() -> None:
    groups = by_file(read_diagnostics(GCC.splitlines()))
    assert list(groups) == ["src/b.h", "src/a.cpp"]
    assert [(d.line, d.notes) for d in groups["src/b.h"]] == [(4, 2), (9, 0)]
    assert groups["src/b.h"][0].excerpt == ("4 |   return x;", "  |          ^")
    assert [d.severity for d in groups["src/a.cpp"]] == ["error"]  # errors only, if there are any


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (CLANG, [("a.cpp", 4, "use of undeclared identifier 'x'", 1)]),
        (LLD, [("", 0, "ld.lld: undefined symbol: at::missing(int)", 0)]),
        (PYTHON, [("/src/gen.py", 2, "ValueError: no such word", 0)]),
    ],
    ids=["clang", "lld", "python"],
)
def test_other_tools(text: str, expected: Sequence[tuple[str, int, str, int]]) -> None:
    assert said(text)[:1] == expected


def test_a_linkers_warning_is_no_error() -> None:
    lines = [
        "/usr/bin/ld: warning: a.o: missing .note.GNU-stack section",
        "/usr/bin/ld: a.o: in function `f':",
        "a.c:(.text+0x6): undefined reference to `of_nobody'",
        "/usr/bin/ld: b.o: warning: relocation against `x' in read-only section `.text'",
        "collect2: error: ld returned 1 exit status",
    ]
    found = read_diagnostics(lines)
    assert [d.severity for d in found] == ["warning", "error", "warning"]
    assert list(by_file(found)) == ["a.c"]


def test_a_hundred_errors_are_cut_and_counted(scene: Scene) -> None:
    lines = tuple(f"a.cpp:{n}:1: error: number {n}" for n in range(1, 101))
    shown = render(diagnose(FailedCommand("a.o", "c++ -c a.cpp", lines), scene))
    assert "number 12" in shown and "number 13" not in shown
    assert "... and 88 more in the log" in shown


def test_a_command_is_shown_without_its_flags() -> None:
    command = "/usr/bin/c++ -DX=1 -I/a -isystem /b -O2 -Wall -std=c++20 -MD -MF a.d -o a.o -c a.cpp"
    assert shorten(command) == "/usr/bin/c++ -O2 -o a.o -c a.cpp (and 9 more)"
    cached = "env CCACHE_NOHASHDIR=1 /usr/bin/ccache /usr/bin/c++ -o a.o -c a.cpp"
    assert shorten(cached) == "/usr/bin/c++ -o a.o -c a.cpp"
    link = ": && /usr/bin/c++ -shared -Wl,-z,defs -o liba.so a.o b.o c.o libd.so && :"
    assert shorten(link) == "/usr/bin/c++ -shared -o liba.so a.o libd.so (and 3 more)"


def test_failures_are_told_apart_in_ninjas_output() -> None:
    output = (
        "[1/3] making a\nnoise\n[2/3] making b\nFAILED: [code=137] b b.d \ncc -c b.c\n"
        "[3/3] making c\nFAILED: c \ncc -c c.c\nc.c:1:1: error: no\n"
        "ninja: build stopped: subcommand failed.\n"
    )
    collector, ninja = Collector(), NinjaOutput()
    for line in output.splitlines():
        status = line.startswith("[") and f"\x02{line[1:4]}\x02{line[6:]}"
        collector.read(ninja.read(status or line))
    collector.close()
    first, second = collector.found
    assert not FailedCommand("x", "cmake -P VerifyGlobs.cmake", ()).silent
    assert (first.output, first.exit_code, first.lines) == ("b", 137, ())
    assert (second.output, second.name, second.lines) == ("c", "c.c", ("c.c:1:1: error: no",))


def test_a_command_with_ninjas_console_prints_before_it_fails() -> None:
    collector, ninja = Collector(), NinjaOutput()
    status = "\x02{}/2\x02checking"
    for line in [status.format(0), "CMake Error: no", "FAILED: b ", "cmake -P check.cmake"]:
        collector.read(ninja.read(line))
    collector.close()
    assert collector.found[0].lines == ("CMake Error: no",)


@pytest.mark.parametrize(
    ("said", "read"),
    [
        ("../src/a.cpp:3:1: error: x", "src/a.cpp:3:1: error: x"),
        ("In file included from ../src/a.h:1,", "In file included from src/a.h:1,"),
        ("{root}/src/a.cpp:3:1: error: x", "src/a.cpp:3:1: error: x"),
        ("../../other/a.h:1: note: y", "../../other/a.h:1: note: y"),
        ('#include "sub/../a.h"', '#include "sub/../a.h"'),
    ],
)
def test_paths_are_spelt_from_the_checkout(said: str, read: str, scene: Scene) -> None:
    """Also those that a compiler cache spells from the build directory."""
    assert scene.shorten(said.format(root=scene.root)) == read
