"""From a tool's output to what a person reads: diagnostics, causes, hints. The output is the tools' own."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from tools.setup_helpers.failure.causes import Remedy, find_cause
from tools.setup_helpers.failure.diagnosis import Diagnosis, diagnose, diagnose_text, render
from tools.setup_helpers.failure.diagnostics import by_file, read_diagnostics
from tools.setup_helpers.failure.failed_command import Collector, FailedCommand, shorten
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
    files = {
        "build/words/ops/greet_loudly.h": "",
        "a.cpp": "#include <words/ops/greet_loudley.h>\n",
    }
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
    text = (
        "cmake_minimum_required(VERSION 3.25)\nproject(p NONE)\nfind_package(OfNobody REQUIRED)\n"
    )
    (scene.root / "CMakeLists.txt").write_text(text)
    command = ["cmake", "-S", str(scene.root), "-B", str(scene.build_dir)]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    found = diagnose_text("CMake", ran.stderr, scene)
    assert found.cause == "CMake did not find OfNobody"
    assert render(found).splitlines()[:2] == [
        "CMakeLists.txt",
        '  3 error: By not providing "FindOfNobody.cmake" in CMAKE_MODULE_PATH this project has',
    ]


@pytest.fixture(params=["bfd", "gold", "lld", "mold"])
def linker(request: pytest.FixtureRequest) -> str:
    """The flag that chooses one of the linkers of this machine."""
    if not shutil.which(f"ld.{request.param}"):
        pytest.skip(f"ld.{request.param} is not on PATH")
    return f"-fuse-ld={request.param}"


UNDEFINED = "namespace at { int missing(int); }\nint main() { return at::missing(1); }\n"


def test_every_linker_names_what_is_undefined(scene: Scene, linker: str) -> None:
    found = fails(scene, {"a.cpp": UNDEFINED}, "c++", linker, "a.cpp")
    assert found.cause == "nothing that is linked defines at::missing(int)"
    (said,) = found.diagnostics
    assert "at::missing(int)" in said.text and (said.file == "a.cpp" or "a.cpp" in said.excerpt[0])


def test_every_linker_names_what_is_defined_twice(scene: Scene, linker: str) -> None:
    files = {"a.cpp": "int f(int) { return 1; }\n", "b.cpp": "int f(int) { return 2; }\n"}
    found = fails(scene, files, "c++", linker, "-shared", "-fPIC", "a.cpp", "b.cpp")
    assert found.cause == "f(int) is defined in two files of one library"


def test_every_linker_names_a_damaged_object(scene: Scene, linker: str) -> None:
    """Zeros where an object was, as a power failure leaves them."""
    (scene.root / "a.o").write_bytes(bytes(4096))
    found = fails(scene, {}, "cc", linker, "a.o")
    assert found.cause == "an object file is damaged, or was made by another toolchain: a.o"


def test_an_empty_object_is_found_behind_an_undefined_reference(scene: Scene) -> None:
    """GNU ld and lld take an empty file for an empty linker script."""
    folder = scene.build_dir / "CMakeFiles/words.dir"
    folder.mkdir(parents=True)
    (folder / "greet.o").touch()
    found = fails(scene, {"a.cpp": UNDEFINED}, "c++", "a.cpp", str(folder / "greet.o"))
    assert found.hint == "CMakeFiles/words.dir/greet.o is empty: delete it and build again"


def test_a_class_without_its_table(scene: Scene) -> None:
    source = "struct A { virtual void f(); };\nint main() { A a; a.f(); }\n"
    found = fails(scene, {"a.cpp": source}, "c++", "a.cpp")
    assert found.hint.startswith("define the first virtual function of that class")


def test_strings_of_another_time(scene: Scene) -> None:
    source = '#include <string>\nvoid f(const std::string&);\nint main() { f(""); }\n'
    found = fails(scene, {"a.cpp": source}, "c++", "a.cpp")
    assert "-D_GLIBCXX_USE_CXX11_ABI" in found.hint


def test_lines_without_end_are_cut(scene: Scene) -> None:
    found = fails(scene, {"a.c": f"int t[] = {{{'1,' * 9000} x}};\n"}, "cc", "-c", "a.c")
    assert max(map(len, render(found).splitlines())) < 320


def test_a_stack_of_the_compiler_is_left_to_the_log(scene: Scene) -> None:
    lines = (
        "LLVM ERROR: out of memory",
        " #0 0x00007fc659ea5291 llvm::sys::PrintStackTrace(llvm::raw_ostream&, int)",
        "#35 0x000000000040efb1 _start (/usr/lib/llvm-14/bin/clang+0x40efb1)",
    )
    shown = render(diagnose(FailedCommand("a.o", "clang -c a.c", lines, 134), scene))
    assert "LLVM ERROR" in shown and "_start" not in shown and "PrintStackTrace" not in shown


@pytest.mark.skipif(not shutil.which("nvcc"), reason="nvcc, of the CUDA toolkit, is not on PATH")
def test_device_code_that_is_not_there_is_named_as_in_the_source(scene: Scene) -> None:
    source = "__device__ float g(float);\n__global__ void k(float* p) { *p = g(*p); }\n"
    found = fails(scene, {"k.cu": source}, "nvcc", "-c", "k.cu")
    assert found.cause == "no device code that is linked defines g(float)"
    assert "-rdc=true" in found.hint


@pytest.mark.skipif(not shutil.which("nvcc"), reason="nvcc, of the CUDA toolkit, is not on PATH")
def test_nvcc_errors(scene: Scene) -> None:
    source = {"k.cu": "__global__ void kernel() { missing; }\n"}
    found = fails(scene, source, "nvcc", "-c", "k.cu")
    assert render(found).splitlines()[1:3] == [
        "k.cu",
        '  1 error: identifier "missing" is undefined',
    ]
    found = fails(scene, source, "nvcc", "-arch=sm_11", "-c", "k.cu")
    assert "does not know sm_11" in found.cause or "does not know compute_11" in found.cause


# ------------------------------------------------------------------ recorded texts
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
GOLD = """\
/tmp/ccqBB.o:a.cpp:function main: error: undefined reference to 'at::missing(int, char const*)'
collect2: error: ld returned 1 exit status
"""
GOLD_WITH_LINES = """\
/tmp/ccqBB.o:/src/a.cpp:12: error: undefined reference to 'f()'
clang: error: linker command failed with exit code 1 (use -v to see invocation)
"""
PTXAS = """\
ptxas /tmp/tmpxft_000068a8_k.ptx, line 23; error   : Unknown modifier '.nobody'
ptxas fatal   : Ptx assembly aborted due to errors
"""
ASSEMBLER = """\
a.s: Assembler messages:
a.s:4: Error: no such instruction: `vfrobnicate %eax'
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
        (GOLD, [("a.cpp", 0, "undefined reference to 'at::missing(int, char const*)'", 0)]),
        (GOLD_WITH_LINES, [("/src/a.cpp", 12, "undefined reference to 'f()'", 0)]),
        (PTXAS, [("/tmp/tmpxft_000068a8_k.ptx", 23, "ptxas: Unknown modifier '.nobody'", 0)]),
        (ASSEMBLER, [("a.s", 4, "no such instruction: `vfrobnicate %eax'", 0)]),
        (PYTHON, [("/src/gen.py", 2, "ValueError: no such word", 0)]),
    ],
    ids=["clang", "lld", "gold", "gold with lines", "ptxas", "assembler", "python"],
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
    spaced = FailedCommand("a.o", "cc -o a.o -c '/my own/it'\\''s here/a b.c'", ())
    assert spaced.source == "/my own/it's here/a b.c" and spaced.name == "a b.c"
    assert FailedCommand("lib/x.so", "cc -o lib/x.so 'cut", ()).name == "x.so"
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
