"""`--profile-compile`: the compilers' own timings, and a tree that does not change."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from tools.insight.profile.clang import read_trace
from tools.insight.profile.compile_commands import read_commands
from tools.insight.profile.costs import (
    GENERATE,
    INSTANTIATE,
    PARSE,
    copies_of_templates,
    without_arguments,
)
from tools.insight.profile.gcc import bytes_through, parse_time_report

from .fixture_project import Project

GCC_12 = """\

Time variable                                   usr           sys          wall           GGC
 phase setup                        :   0.00 (  0%)   0.00 (  0%)   0.03 (  1%)  1576k (  3%)
 phase parsing                      :   0.36 ( 71%)   0.42 ( 79%)   3.22 ( 76%)    37M ( 70%)
 |name lookup                       :   0.02 (  4%)   0.01 (  2%)   0.20 (  5%)   103k (  5%)
 TOTAL                              :   0.51          0.53          4.22           53M
"""
GCC_14 = """\

Time variable                                  wall           GGC
 phase parsing                      :   0.42 ( 75%)    37M ( 70%)
 TOTAL                              :   0.56           53M
"""


def test_processor_time_is_preferred_to_wall_time() -> None:
    seconds = parse_time_report(f"a.cpp: a warning: with a colon\n{GCC_12}")
    assert seconds["phase parsing"] == pytest.approx(0.78)
    assert seconds["name lookup"] == pytest.approx(0.03)
    assert seconds["TOTAL"] == pytest.approx(1.04)
    assert parse_time_report(GCC_14) == {"phase parsing": 0.42, "TOTAL": 0.56}


@pytest.mark.parametrize(
    ("symbol", "name"),
    [
        ("void f<int>(std::vector<int, std::allocator<int> >) const", "f<>"),
        ("c10::operator<<(std::ostream&, c10::Device const&)", "c10::operator<<"),
        ("bool std::operator< <char>(a, b)", "std::operator<<>"),
        ("A<B<C>>::operator()(int) const", "A<>::operator()"),
        ("std::function<void ()>::~function()", "std::function<>::~function"),
        ("at::(anonymous namespace)::f(int)::{lambda(int)#1}::operator()(int) const",
         "at::anonymous::f::lambda::operator()"),
        ("vtable for c10::Error", "vtable for c10::Error"),
    ],
)  # fmt: skip
def test_symbols_are_shown_by_the_name_of_their_template(symbol: str, name: str) -> None:
    assert without_arguments(symbol) == name


def test_a_trace_is_summed_by_header_and_template() -> None:
    def event(name: str, detail: str, microseconds: int) -> dict[str, object]:
        return {"name": name, "args": {"detail": detail}, "dur": microseconds}

    trace = read_trace(
        "a.o",
        [
            event("Source", "a.h", 300_000),
            event("Source", "a.h", 100_000),
            event("InstantiateFunction", "f<int>", 50_000),
            event("InstantiateFunction", "f<long>", 70_000),
            event("Total Frontend", "", 800_000),
            event("Total PerformPendingInstantiations", "", 200_000),
            event("Total Backend", "", 100_000),
            event("Total ExecuteCompiler", "", 950_000),
        ],
    )
    assert trace.file.seconds == pytest.approx(0.95)
    assert trace.file.phases == pytest.approx({PARSE: 0.6, INSTANTIATE: 0.2, GENERATE: 0.1})
    assert trace.headers == pytest.approx({"a.h": 0.4})
    assert trace.instantiations == pytest.approx({"f<>": 0.12})


def test_profiling_runs_the_compiler_and_not_its_cache(tmp_path: Path) -> None:
    row = {
        "directory": str(tmp_path),
        "file": "a.cpp",
        "command": 'env CCACHE_X=1 ccache c++ -O2 -DNAME=\\"x\\" -MD -MT a.o -MF a.o.d -o a.o -c a.cpp',
    }
    (tmp_path / "compile_commands.json").write_text(json.dumps([row]))
    command = read_commands(tmp_path)["a.o"]
    assert command.line("-c") == ["c++", "-O2", '-DNAME="x"', "-c", "a.cpp"]


def test_bytes_are_attributed_to_the_including_header(tmp_path: Path) -> None:
    for name, size in (("a.h", 10), ("b.h", 100), ("c.h", 1000)):
        (tmp_path / name).write_text("x" * size)
    includes = [(1, "a.h"), (2, "b.h"), (1, "c.h")]
    assert bytes_through(includes, tmp_path) == {"a.h": 110, "c.h": 1000}


def test_copies_of_a_template_are_found_in_real_objects(tmp_path: Path) -> None:
    (tmp_path / "t.h").write_text(
        "template <class T> __attribute__((noinline)) T twice(T x) { return x + x; }\n"
    )
    objects = []
    for name in ("a", "b", "c"):
        source = tmp_path / f"{name}.cpp"
        source.write_text(f'#include "t.h"\nint {name}(int x) {{ return twice(x); }}\n')
        objects.append(source.with_suffix(".o"))
        subprocess.run(["c++", "-O1", "-c", source, "-o", objects[-1]], check=True)
    cost = copies_of_templates("nm", objects)["twice<>"]
    assert cost.copies == 3 and cost.bytes > 0


def profile(project: Project, folder: str = "build") -> dict:  # type: ignore[type-arg]
    return dict(json.loads((project.root / folder / "report.json").read_text())["profile"])


def test_profiling_leaves_the_tree_as_it_is(developed: Project) -> None:
    before = developed.files()
    developed.run("develop", "--profile-compile=2")
    assert developed.run("develop").stdout == "up to date\n"
    outputs = [path for path in before if path.endswith((".o", ".so"))]
    assert outputs and all(developed.files()[path] == before[path] for path in outputs)
    slowest = profile(developed)["files"]
    assert len(slowest) == 2
    # GCC counts in hundredths of a second; the second file may need less.
    assert slowest[0]["seconds"] > 0 and slowest[0]["seconds"] >= slowest[1]["seconds"]


def test_the_profile_of_all_files_has_phases_and_headers(developed: Project) -> None:
    developed.run("develop", "--profile-compile=100")
    found = profile(developed)
    objects = [path for path in developed.files() if path.endswith(".o")]
    assert len(found["files"]) == len(objects)
    stub = next(file for file in found["files"] if file["output"].endswith("stub.c.o"))
    assert 0 < stub["phases"][PARSE] <= stub["seconds"]
    header = next(h for h in found["headers"] if h["path"].endswith("/Python.h"))
    assert header["files"] == 1 and header["total"] == header["seconds"] > 0
    assert {h["path"]: h["files"] for h in found["headers"]}["src/greet.h"] == 3
    assert "Compile-time profile" in (developed.root / "build/report.html").read_text()


def test_clang_traces_are_used_when_clang_compiles(project: Project) -> None:
    compilers = sorted(Path("/usr/bin").glob("clang-[0-9]*")) if not shutil.which("clang") else []
    clang = shutil.which("clang") or next((str(c) for c in compilers if c.name[6:].isdigit()), None)
    if clang is None:
        pytest.skip("no clang on this machine: apt-get install clang")
    cxx = str(Path(clang).with_name(Path(clang).name.replace("clang", "clang++")))
    project.run("build", "--profile-compile", CC=clang, CXX=cxx)
    found = profile(project)
    assert "clang" in found["compiler"]
    assert any(h["path"].endswith("/Python.h") and h["seconds"] > 0 for h in found["headers"])
    assert all(file["seconds"] > 0 for file in found["files"])
