"""Diagnostics, causes and hints derived from the real output of tools."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from tools.base.ninja_output import NinjaOutput
from tools.insight.failure.causes import find_cause
from tools.insight.failure.diagnosis import diagnose, diagnose_text, render
from tools.insight.failure.diagnostics import by_file, read_diagnostics
from tools.insight.failure.lookups import link_argument
from tools.setup_helpers.ninja.failures import Collector, FailedCommand, FailureContext, shorten

from .conditions import small_disk


def test_a_stack_trace_of_the_compiler_is_only_in_the_log(context: FailureContext) -> None:
    lines = (
        "LLVM ERROR: out of memory",
        " #0 0x00007fc659ea5291 llvm::sys::PrintStackTrace(llvm::raw_ostream&, int)",
        "#35 0x000000000040efb1 _start (/usr/lib/llvm-14/bin/clang+0x40efb1)",
    )
    shown = render(diagnose(FailedCommand("a.o", "clang -c a.c", lines, 134), context))
    assert "LLVM ERROR" in shown and "_start" not in shown and "PrintStackTrace" not in shown


def test_an_ordinary_error_has_no_cause() -> None:
    assert find_cause("a.cpp:1:1: error: 'x' was not declared in this scope", exit_code=1) is None


@pytest.mark.parametrize(
    ("symbol", "argument"),
    [
        ("pthread_create", "-pthread"),
        ("omp_get_max_threads", "-fopenmp"),
        ("cblas_sgemm", "the BLAS library"),
        ("made_up", ""),
    ],
)
def test_library_that_provides_a_system_symbol(symbol: str, argument: str) -> None:
    assert link_argument(symbol) == argument


def test_cmakes_own_modules_are_not_blamed(context: FailureContext) -> None:
    """The error is attributed to the place in the project that called them."""
    text = (
        "CMake Error at /usr/share/cmake/Modules/FindPackageHandleStandardArgs.cmake:230 (message):\n"
        "  Could NOT find BLAS (missing: BLAS_LIBRARIES)\n"
        "Call Stack (most recent call first):\n"
        "  /usr/share/cmake/Modules/FindBLAS.cmake:1346 (find_package_handle_standard_args)\n"
        "  cmake/Dependencies.cmake:3 (find_package)\n"
        "  CMakeLists.txt:9 (include)\n"
        "\n\n"
        "CMake Error: CMAKE_CXX_COMPILER not set, after EnableLanguage\n"
    )
    first, second = diagnose_text("CMake", text, context).diagnostics
    assert (first.file, first.line) == ("cmake/Dependencies.cmake", 3)
    assert (second.file, second.text) == ("", "CMAKE_CXX_COMPILER not set, after EnableLanguage")


def test_a_full_disk_explains_a_misleading_message(tmp_path: Path) -> None:
    """On a full disk, CMake claims that no language is enabled."""
    misleading = 'CMake Error at CMakeLists.txt:2 (project):\n  Unknown extension ".c" for file\n'
    with small_disk(tmp_path / "small", "40k") as small:
        context = FailureContext(tmp_path, small, {"TMPDIR": str(tmp_path)})
        found = diagnose_text("CMake", misleading, context)
    assert found.cause == f"the disk is full: the build directory {small} has 0 MiB left"
    assert diagnose_text("CMake", misleading, FailureContext(tmp_path, tmp_path)).cause == ""


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
ptxas /tmp/tmpxft_000068a8_k.ptx, line 23; error   : Unknown modifier '.made_up'
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


def diagnostics_of(text: str) -> list[tuple[str, int, str, int]]:
    return [(d.file, d.line, d.text, d.notes) for d in read_diagnostics(text.splitlines())]


def test_errors_are_grouped_by_file_with_their_notes_folded() -> None:
    groups = by_file(read_diagnostics(GCC.splitlines()))
    assert list(groups) == ["src/b.h", "src/a.cpp"]
    assert [(d.line, d.notes) for d in groups["src/b.h"]] == [(4, 2), (9, 0)]
    assert groups["src/b.h"][0].excerpt == ("4 |   return x;", "  |          ^")
    assert [d.severity for d in groups["src/a.cpp"]] == [
        "error"
    ]  # warnings are dropped if there are errors


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (CLANG, [("a.cpp", 4, "use of undeclared identifier 'x'", 1)]),
        (LLD, [("", 0, "ld.lld: undefined symbol: at::missing(int)", 0)]),
        (GOLD, [("a.cpp", 0, "undefined reference to 'at::missing(int, char const*)'", 0)]),
        (GOLD_WITH_LINES, [("/src/a.cpp", 12, "undefined reference to 'f()'", 0)]),
        (PTXAS, [("/tmp/tmpxft_000068a8_k.ptx", 23, "ptxas: Unknown modifier '.made_up'", 0)]),
        (ASSEMBLER, [("a.s", 4, "no such instruction: `vfrobnicate %eax'", 0)]),
        (PYTHON, [("/src/gen.py", 2, "ValueError: no such word", 0)]),
    ],
    ids=["clang", "lld", "gold", "gold with lines", "ptxas", "assembler", "python"],
)
def test_diagnostics_of_other_tools(
    text: str, expected: Sequence[tuple[str, int, str, int]]
) -> None:
    assert diagnostics_of(text)[:1] == expected


def test_a_linker_warning_is_no_error() -> None:
    lines = [
        "/usr/bin/ld: warning: a.o: missing .note.GNU-stack section",
        "/usr/bin/ld: a.o: in function `f':",
        "a.c:(.text+0x6): undefined reference to `made_up'",
        "/usr/bin/ld: b.o: warning: relocation against `x' in read-only section `.text'",
        "collect2: error: ld returned 1 exit status",
    ]
    found = read_diagnostics(lines)
    assert [d.severity for d in found] == ["warning", "error", "warning"]
    assert list(by_file(found)) == ["a.c"]


def test_only_the_first_of_a_hundred_errors_are_shown(context: FailureContext) -> None:
    lines = tuple(f"a.cpp:{n}:1: error: number {n}" for n in range(1, 101))
    shown = render(diagnose(FailedCommand("a.o", "c++ -c a.cpp", lines), context))
    assert "number 12" in shown and "number 13" not in shown
    assert "... and 88 more in the log" in shown


def test_a_command_is_shown_without_its_flags() -> None:
    command = "/usr/bin/c++ -DX=1 -I/a -isystem /b -O2 -Wall -std=c++20 -MD -MF a.d -o a.o -c a.cpp"
    assert shorten(command) == "/usr/bin/c++ -O2 -o a.o -c a.cpp (and 9 more)"
    cached = "env CCACHE_NOHASHDIR=1 /usr/bin/ccache /usr/bin/c++ -o a.o -c a.cpp"
    assert shorten(cached) == "/usr/bin/c++ -o a.o -c a.cpp"
    launched = "sh cmake/Modules/canonical_command.sh /s /s/ccache /usr/bin/c++ -o a.o -c a.cpp"
    assert shorten(launched) == "/usr/bin/c++ -o a.o -c a.cpp"
    link = ": && /usr/bin/c++ -shared -Wl,-z,defs -o liba.so a.o b.o c.o libd.so && :"
    assert shorten(link) == "/usr/bin/c++ -shared -o liba.so a.o libd.so (and 3 more)"


def test_failures_are_separated_in_the_output_of_ninja() -> None:
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


def test_a_command_in_the_console_pool_prints_before_it_fails() -> None:
    collector, ninja = Collector(), NinjaOutput()
    status = "\x02{}/2\x02checking"
    for line in [status.format(0), "CMake Error: no", "FAILED: b ", "cmake -P check.cmake"]:
        collector.read(ninja.read(line))
    collector.close()
    assert collector.found[0].lines == ("CMake Error: no",)


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("../src/a.cpp:3:1: error: x", "src/a.cpp:3:1: error: x"),
        ("In file included from ../src/a.h:1,", "In file included from src/a.h:1,"),
        ("{root}/src/a.cpp:3:1: error: x", "src/a.cpp:3:1: error: x"),
        ("../../other/a.h:1: note: y", "../../other/a.h:1: note: y"),
        ('#include "sub/../a.h"', '#include "sub/../a.h"'),
    ],
)
def test_paths_are_shown_relative_to_the_checkout(
    path: str, shown: str, context: FailureContext
) -> None:
    """This includes paths that a compiler cache writes relative to the build directory."""
    assert context.shorten(path.format(root=context.root)) == shown
