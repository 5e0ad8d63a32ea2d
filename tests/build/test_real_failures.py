"""Diagnoses of real failures of compilers, linkers, nvcc and CMake, if they are installed."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

from tools.insight.failure.causes import Remedy
from tools.insight.failure.diagnosis import Diagnosis, diagnose, diagnose_text, render
from tools.insight.failure.lookups import install_command
from tools.setup_helpers.ninja.failures import FailedCommand, FailureContext

needs_nvcc = pytest.mark.skipif(
    not shutil.which("nvcc"),
    reason="nvcc is not on PATH: install a CUDA toolkit, and add its bin to PATH",
)


def diagnose_failure(context: FailureContext, files: dict[str, str], *command: str) -> Diagnosis:
    """Return the diagnosis of a real command that fails on real files."""
    for name, text in files.items():
        (context.root / name).parent.mkdir(parents=True, exist_ok=True)
        (context.root / name).write_text(text)
    ran = subprocess.run(
        command,
        cwd=context.root,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert ran.returncode, ran.stdout
    lines = tuple(ran.stdout.splitlines())
    return diagnose(FailedCommand("out", " ".join(command), lines, ran.returncode), context)


def test_a_missing_header_names_its_package(context: FailureContext) -> None:
    found = diagnose_failure(
        context, {"a.cpp": "#include <numa_made_up.h>\n"}, "c++", "-c", "a.cpp"
    )
    assert found.cause == "the header numa_made_up.h was not found"
    assert "apt-file search numa_made_up.h" in found.hint
    found = diagnose_failure(
        context, {"a.cpp": "#include <nccl.h>\n"}, "c++", "-nostdinc", "-I.", "-c", "a.cpp"
    )
    assert found.hint == "`apt-get install libnccl-dev`"
    found = diagnose_failure(
        context, {"a.cpp": "#include <vector>\n"}, "c++", "-nostdinc", "-I.", "-c", "a.cpp"
    )
    assert found.hint.startswith("`apt-get install g++`")


def test_a_header_outside_the_include_path_is_found_in_the_checkout(
    context: FailureContext,
) -> None:
    files = {"vendor/include/own/part.h": "", "a.cpp": '#include "own/part.h"\n'}
    found = diagnose_failure(context, files, "c++", "-c", "a.cpp")
    assert found.hint == (
        "vendor/include/own/part.h is in the checkout, but vendor/include is not an include folder here"
    )
    found = diagnose_failure(context, {"a.cpp": '#include "owm/part.h"\n'}, "c++", "-c", "a.cpp")
    assert found.hint == "the checkout has vendor/include/own/part.h: did you mean that one?"


def test_a_misspelt_header_suggests_the_nearest_in_its_folder(context: FailureContext) -> None:
    files = {
        "build/words/ops/greet_loudly.h": "",
        "a.cpp": "#include <words/ops/greet_loudley.h>\n",
    }
    found = diagnose_failure(context, files, "c++", "-Ibuild", "-c", "a.cpp")
    assert found.hint == "did you mean words/ops/greet_loudly.h?"


def test_missing_python_headers_name_the_development_package(context: FailureContext) -> None:
    found = diagnose_failure(context, {"a.c": "#include <Python.h>\n"}, "cc", "-c", "a.c")
    assert found.cause == "the C headers of this Python are missing"
    assert found.hint.startswith("install python3.")


def test_an_unknown_flag(context: FailureContext) -> None:
    found = diagnose_failure(context, {"a.c": ""}, "cc", "-fno-such-flag", "-c", "a.c")
    assert found.cause.startswith("the compiler does not know the flag -fno-such-flag")


def test_an_unknown_instruction(context: FailureContext) -> None:
    found = diagnose_failure(context, {"a.c": '__asm__("vfrobnicate %eax");\n'}, "cc", "-c", "a.c")
    assert found.cause_id == "old-assembler"


def test_a_warning_treated_as_an_error(context: FailureContext) -> None:
    source = "int f(void) { int unused; return 0; }\n"
    found = diagnose_failure(context, {"a.c": source}, "cc", "-Wall", "-Werror", "-c", "a.c")
    assert found.cause_id == "warning-as-error"


@pytest.mark.parametrize(("compiler", "flag"), [("g++", "-Wno-made-up"), ("clang++", "-Wmade-up")])
def test_a_warning_is_not_the_cause(context: FailureContext, compiler: str, flag: str) -> None:
    """Compilers report unknown warning flags together with the errors of the source."""
    if not shutil.which(compiler):
        pytest.skip(f"{compiler} is not on PATH: apt-get install g++ clang")
    found = diagnose_failure(
        context, {"a.cpp": "int f() { return x; }\n"}, compiler, "-Wall", flag, "-c", "a.cpp"
    )
    assert "made-up" in "".join(found.lines)
    assert found.cause == ""


def test_an_optional_cmake_package_is_not_the_cause(context: FailureContext) -> None:
    (context.root / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.25)\nproject(p NONE)\n"
        "find_package(Doxygen 99)\nfind_package(MadeUp)\n"
        'message(FATAL_ERROR "no luck today")\n'
    )
    command = ["cmake", "-G", "Ninja", "-S", str(context.root), "-B", str(context.build_dir)]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    found = diagnose_text("CMake", ran.stdout + ran.stderr, context)
    assert "Could NOT find Doxygen" in ran.stdout + ran.stderr
    assert found.cause == "" and "no luck today" in render(found)


def test_the_first_error_of_cmake_gives_the_cause(context: FailureContext) -> None:
    (context.root / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.25)\nproject(p NONE)\n"
        'include(cmake/Gone.cmake)\nmessage(SEND_ERROR "/Python.h: No such file or directory")\n'
    )
    command = ["cmake", "-G", "Ninja", "-S", str(context.root), "-B", str(context.build_dir)]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    found = diagnose_text("CMake", ran.stdout + ran.stderr, context)
    assert found.cause_id == "missing-input" and "cmake/Gone.cmake" in found.cause


def test_a_missing_library(context: FailureContext) -> None:
    source = {"a.c": "int main(void) { return 0; }\n"}
    found = diagnose_failure(context, source, "cc", "a.c", "-lmade_up")
    assert found.cause == "the linker cannot find the library made_up"
    assert "libmade_up.so" in found.hint
    assert install_command("library", "numa") == "`apt-get install libnuma-dev`"


def test_two_definitions(context: FailureContext) -> None:
    files = {"a.c": "int x = 1;\n", "b.c": "int x = 2; int main(void) { return x; }\n"}
    assert "x is defined in two files" in diagnose_failure(context, files, "cc", "a.c", "b.c").cause


def test_code_that_is_not_position_independent(context: FailureContext) -> None:
    (context.root / "a.c").write_text("int y; int *f(void) { return &y; }\n")
    subprocess.run(["cc", "-fno-pic", "-c", "a.c"], cwd=context.root, check=True)
    found = diagnose_failure(context, {}, "cc", "-shared", "a.o", "-o", "a.so")
    assert found.cause_id == "not-position-independent"


def test_a_truncated_object(context: FailureContext) -> None:
    (context.root / "a.c").write_text("int main(void) { return 0; }\n")
    subprocess.run(["cc", "-c", "a.c"], cwd=context.root, check=True)
    data = (context.root / "a.o").read_bytes()
    (context.root / "a.o").write_bytes(data[: len(data) // 2])
    found = diagnose_failure(context, {}, "cc", "a.o", "-o", "a")
    assert found.cause_id == "damaged-object"
    assert "clean" in found.hint


def test_too_little_address_space_is_out_of_memory(context: FailureContext) -> None:
    functions = "".join(f"int f{i}(int x) {{ return x * {i}; }}\n" for i in range(30000))
    shell = "ulimit -v 100000; exec c++ -O1 -c a.cpp"
    found = diagnose_failure(context, {"a.cpp": functions}, "sh", "-c", shell)
    assert (found.cause_id, found.remedy) == ("out-of-memory", Remedy.ALONE)
    assert "MAX_JOBS=2" in found.hint  # half of the context's


def test_a_killed_compiler(context: FailureContext) -> None:
    (context.root / "a.cpp").write_text("#include <regex>\n#include <map>\nstd::regex r;\n")
    command = ["c++", "-O2", "-c", "a.cpp"]
    driver = subprocess.Popen(
        command, cwd=context.root, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    children = Path(f"/proc/{driver.pid}/task/{driver.pid}/children")
    while not (compiler := children.read_text().split()):
        assert driver.poll() is None
    os.kill(int(compiler[0]), signal.SIGKILL)
    output = driver.communicate()[0]
    found = diagnose(FailedCommand("a.o", " ".join(command), tuple(output.splitlines())), context)
    assert (found.cause_id, found.remedy) == ("killed", Remedy.ALONE)


def test_a_command_that_dies_silently_was_killed(context: FailureContext) -> None:
    silent = diagnose(FailedCommand("a.o", "cc -c a.c", ()), context)
    assert silent.cause_id == "killed"
    crashed = diagnose(FailedCommand("a.o", "cc -c a.c", (), exit_code=139), context)
    assert crashed.cause_id == "internal-compiler-error"


def test_a_missing_program(context: FailureContext) -> None:
    found = diagnose_failure(context, {}, "sh", "-c", "exec /nowhere/g++-99 -c a.cpp")
    assert found.cause == "a program of the toolchain is missing: g++-99"
    assert "apt-get install g++" in found.hint


def test_a_missing_cmake_package(context: FailureContext) -> None:
    text = "cmake_minimum_required(VERSION 3.25)\nproject(p NONE)\nfind_package(MadeUp REQUIRED)\n"
    (context.root / "CMakeLists.txt").write_text(text)
    command = ["cmake", "-G", "Ninja", "-S", str(context.root), "-B", str(context.build_dir)]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    found = diagnose_text("CMake", ran.stderr, context)
    assert found.cause == "CMake cannot find MadeUp"
    assert render(found).splitlines()[:2] == [
        "CMakeLists.txt",
        '  3 error: By not providing "FindMadeUp.cmake" in CMAKE_MODULE_PATH this project has',
    ]


@pytest.fixture(params=["bfd", "gold", "lld", "mold"])
def linker(request: pytest.FixtureRequest) -> str:
    """A flag that selects one of this machine's linkers."""
    if not shutil.which(f"ld.{request.param}"):
        pytest.skip(f"ld.{request.param} is not on PATH: apt-get install binutils lld mold")
    return f"-fuse-ld={request.param}"


UNDEFINED = "namespace at { int missing(int); }\nint main() { return at::missing(1); }\n"


def test_every_linker_names_what_is_undefined(context: FailureContext, linker: str) -> None:
    found = diagnose_failure(context, {"a.cpp": UNDEFINED}, "c++", linker, "a.cpp")
    assert found.cause == "at::missing(int) is not defined in anything that is linked"
    (diagnostic,) = found.diagnostics
    assert "at::missing(int)" in diagnostic.text and (
        diagnostic.file == "a.cpp" or "a.cpp" in diagnostic.excerpt[0]
    )


def test_every_linker_names_what_is_defined_twice(context: FailureContext, linker: str) -> None:
    files = {"a.cpp": "int f(int) { return 1; }\n", "b.cpp": "int f(int) { return 2; }\n"}
    found = diagnose_failure(context, files, "c++", linker, "-shared", "-fPIC", "a.cpp", "b.cpp")
    assert found.cause == "f(int) is defined in two files of one library"


def test_every_linker_names_a_damaged_object(context: FailureContext, linker: str) -> None:
    """The object is overwritten with zeros, as after a power failure."""
    (context.root / "a.o").write_bytes(bytes(4096))
    found = diagnose_failure(context, {}, "cc", linker, "a.o")
    assert found.cause == "an object file is damaged, or was created by another toolchain: a.o"


def test_an_empty_object_is_found_behind_an_undefined_reference(context: FailureContext) -> None:
    """GNU ld and lld treat an empty file as an empty linker script."""
    folder = context.build_dir / "CMakeFiles/words.dir"
    folder.mkdir(parents=True)
    (folder / "greet.o").touch()
    found = diagnose_failure(context, {"a.cpp": UNDEFINED}, "c++", "a.cpp", str(folder / "greet.o"))
    assert found.hint == "CMakeFiles/words.dir/greet.o is empty: delete it and rebuild"


def test_a_class_without_its_vtable(context: FailureContext) -> None:
    source = "struct A { virtual void f(); };\nint main() { A a; a.f(); }\n"
    found = diagnose_failure(context, {"a.cpp": source}, "c++", "a.cpp")
    assert found.hint.startswith("define the first virtual function of that class")


def test_objects_with_the_old_string_abi(context: FailureContext) -> None:
    source = '#include <string>\nvoid f(const std::string&);\nint main() { f(""); }\n'
    found = diagnose_failure(context, {"a.cpp": source}, "c++", "a.cpp")
    assert "-D_GLIBCXX_USE_CXX11_ABI" in found.hint


def test_very_long_lines_are_cut(context: FailureContext) -> None:
    found = diagnose_failure(
        context, {"a.c": f"int t[] = {{{'1,' * 9000} x}};\n"}, "cc", "-c", "a.c"
    )
    assert max(map(len, render(found).splitlines())) < 320


@needs_nvcc
def test_missing_device_code_is_named_as_in_the_source(context: FailureContext) -> None:
    source = "__device__ float g(float);\n__global__ void k(float* p) { *p = g(*p); }\n"
    found = diagnose_failure(context, {"k.cu": source}, "nvcc", "-c", "k.cu")
    assert found.cause == "g(float) is not defined in any device code that is linked"
    assert "-rdc=true" in found.hint


@needs_nvcc
def test_a_missing_host_compiler_of_nvcc(context: FailureContext) -> None:
    found = diagnose_failure(context, {"k.cu": ""}, "nvcc", "-ccbin", "/nowhere/g++", "-c", "k.cu")
    assert found.cause == "nvcc cannot find its host compiler /nowhere/g++"
    assert "CUDAHOSTCXX" in found.hint


@needs_nvcc
@pytest.mark.parametrize(
    ("name", "changed", "says"),
    [
        ("g++", "-U__GNUC__ -D__GNUC__=99", "the newest GCC that it accepts is "),
        ("clang++", "-U__clang_major__ -D__clang_major__=99", "it accepts Clang versions before "),
    ],
)
def test_a_host_compiler_newer_than_nvcc(
    context: FailureContext, name: str, changed: str, says: str
) -> None:
    """The real compiler pretends to be a future version."""
    if not (real := shutil.which(name)):
        pytest.skip(f"{name} is not on PATH: apt-get install g++ clang")
    files = {"k.cu": "", name: f'#!/bin/sh\nexec {real} {changed} "$@"\n'}
    (context.root / name).touch(mode=0o755)
    found = diagnose_failure(
        context, files, "nvcc", "-ccbin", str(context.root / name), "-c", "k.cu"
    )
    assert says in found.cause and "CUDAHOSTCXX" in found.hint


@needs_nvcc
def test_nvcc_errors(context: FailureContext) -> None:
    source = {"k.cu": "__global__ void kernel() { missing; }\n"}
    found = diagnose_failure(context, source, "nvcc", "-c", "k.cu")
    assert render(found).splitlines()[1:3] == [
        "k.cu",
        '  1 error: identifier "missing" is undefined',
    ]
    found = diagnose_failure(context, source, "nvcc", "-arch=sm_11", "-c", "k.cu")
    assert "does not support sm_11" in found.cause or "does not support compute_11" in found.cause
