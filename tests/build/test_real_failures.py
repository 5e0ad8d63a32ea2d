"""Real tools made to fail: what is said of it. Compilers, linkers, nvcc and CMake, as far as they are here."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

from tools.setup_helpers.failure.causes import Remedy
from tools.setup_helpers.failure.diagnosis import Diagnosis, diagnose, diagnose_text, render
from tools.setup_helpers.failure.failed_command import FailedCommand
from tools.setup_helpers.failure.packages import install_command
from tools.setup_helpers.failure.scene import Scene

needs_nvcc = pytest.mark.skipif(
    not shutil.which("nvcc"),
    reason="nvcc is not on PATH: install a CUDA toolkit, and add its bin to PATH",
)


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


@pytest.mark.parametrize(
    ("compiler", "flag"), [("g++", "-Wno-of-nobody"), ("clang++", "-Wof-nobody")]
)
def test_what_only_warns_is_not_the_cause(scene: Scene, compiler: str, flag: str) -> None:
    """Compilers complain of unknown warnings beside the errors of the source."""
    if not shutil.which(compiler):
        pytest.skip(f"{compiler} is not on PATH: apt-get install g++ clang")
    found = fails(
        scene, {"a.cpp": "int f() { return x; }\n"}, compiler, "-Wall", flag, "-c", "a.cpp"
    )
    assert "of-nobody" in "".join(found.lines)
    assert found.cause == ""


def test_a_package_that_cmake_can_do_without_is_not_the_cause(scene: Scene) -> None:
    (scene.root / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.25)\nproject(p NONE)\n"
        "find_package(Doxygen 99)\nfind_package(OfNobody)\n"
        'message(FATAL_ERROR "no luck today")\n'
    )
    command = ["cmake", "-S", str(scene.root), "-B", str(scene.build_dir)]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    found = diagnose_text("CMake", ran.stdout + ran.stderr, scene)
    assert "Could NOT find Doxygen" in ran.stdout + ran.stderr
    assert found.cause == "" and "no luck today" in render(found)


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
        pytest.skip(f"ld.{request.param} is not on PATH: apt-get install binutils lld mold")
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


@needs_nvcc
def test_device_code_that_is_not_there_is_named_as_in_the_source(scene: Scene) -> None:
    source = "__device__ float g(float);\n__global__ void k(float* p) { *p = g(*p); }\n"
    found = fails(scene, {"k.cu": source}, "nvcc", "-c", "k.cu")
    assert found.cause == "no device code that is linked defines g(float)"
    assert "-rdc=true" in found.hint


@needs_nvcc
def test_a_host_compiler_that_nvcc_does_not_find(scene: Scene) -> None:
    found = fails(scene, {"k.cu": ""}, "nvcc", "-ccbin", "/nowhere/g++", "-c", "k.cu")
    assert found.cause == "nvcc does not find its host compiler /nowhere/g++"
    assert "CUDAHOSTCXX" in found.hint


@needs_nvcc
@pytest.mark.parametrize(
    ("name", "changed", "says"),
    [
        ("g++", "-U__GNUC__ -D__GNUC__=99", "the newest GCC that it takes is "),
        ("clang++", "-U__clang_major__ -D__clang_major__=99", "it takes Clang before "),
    ],
)
def test_a_host_compiler_newer_than_nvcc(scene: Scene, name: str, changed: str, says: str) -> None:
    """The real compiler, with the version that it will have some day."""
    if not (real := shutil.which(name)):
        pytest.skip(f"{name} is not on PATH: apt-get install g++ clang")
    files = {"k.cu": "", name: f'#!/bin/sh\nexec {real} {changed} "$@"\n'}
    (scene.root / name).touch(mode=0o755)
    found = fails(scene, files, "nvcc", "-ccbin", str(scene.root / name), "-c", "k.cu")
    assert says in found.cause and "CUDAHOSTCXX" in found.hint


@needs_nvcc
def test_nvcc_errors(scene: Scene) -> None:
    source = {"k.cu": "__global__ void kernel() { missing; }\n"}
    found = fails(scene, source, "nvcc", "-c", "k.cu")
    assert render(found).splitlines()[1:3] == [
        "k.cu",
        '  1 error: identifier "missing" is undefined',
    ]
    found = fails(scene, source, "nvcc", "-arch=sm_11", "-c", "k.cu")
    assert "does not know sm_11" in found.cause or "does not know compute_11" in found.cause
