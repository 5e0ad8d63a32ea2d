"""Compilers that are missing, too old for a flag, crash, or do not match each other."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from .conftest import Doctor, restored

Wrapper = Callable[..., str]


def test_a_path_without_compilers(doctor: Doctor, programs: Path) -> None:
    command = [str(doctor.project.python), "setup.py", "doctor"]
    result = doctor.project.call(command, check=False, PATH=str(programs))
    assert result.returncode == 3
    assert "PROBLEM  c++20-compiler" in result.stdout
    assert "there is no c++ or g++ or clang++" in result.stdout
    assert f"looked in  PATH={programs}" in result.stdout
    assert re.search(r"^ +fix  apt-get install g\+\+", result.stdout, re.MULTILINE)
    assert "PROBLEM  c-compiler" in result.stdout
    assert "there is no C++ compiler" in result.stdout  # checks that need a compiler are skipped


def test_a_compiler_without_cxx20(doctor: Doctor, wrapper: Wrapper) -> None:
    old = wrapper(
        "c++",
        'for a; do case $a in -std=c++20) echo "c++: error: unrecognized command-line option'
        " '-std=c++20'\" >&2; exit 1;; esac; done",
        "g++",
    )
    finding = doctor.finding("c++20-compiler", CXX=old)
    assert finding["status"] == "problem"
    assert "does not compile c++20" in finding["finding"] and "unrecognized" in finding["finding"]


def test_a_missing_compiler_named_by_cxx(doctor: Doctor) -> None:
    finding = doctor.finding("c++20-compiler", CXX="no-such-c++ -m64")
    assert finding["finding"] == "CXX=no-such-c++ -m64: no such program"
    assert finding["remedy"] == "set CXX to an existing compiler, or unset it"
    assert finding["looked"] == []


@pytest.mark.parametrize(
    ("behaviour", "message"),
    [
        ("exit 7", "exit code 7"),
        ("kill -9 $$", "killed by signal 9"),
        (
            "printf 'Fehler \\374ber alles\\n' >&2; exit 1",
            "Fehler \N{REPLACEMENT CHARACTER}ber alles",
        ),
        ("printf 'error: %0999d\\n' 1 >&2; exit 1", f"error: {'0' * 233}..."),
    ],
)
def test_a_compiler_without_readable_output(
    doctor: Doctor, wrapper: Wrapper, behaviour: str, message: str
) -> None:
    broken = wrapper("c++", behaviour)
    findings = doctor.findings("c++20-compiler", "compiles", "same-compilers", CXX=broken)
    assert findings["c++20-compiler"]["finding"] == f"{broken} does not compile c++20: {message}"
    assert findings["compiles"]["finding"].endswith(f": {message}")
    assert (
        findings["compiles"]["status"] == "problem" and "-g" not in findings["compiles"]["remedy"]
    )
    assert findings["same-compilers"]["finding"] == f"{broken} does not report its version"
    result = doctor.project.run("develop", check=False, CXX=broken)
    assert result.returncode == 3 and message in result.stderr


def test_a_compiler_for_another_machine(doctor: Doctor, tmp_path: Path) -> None:
    foreign = tmp_path / "c++"
    foreign.write_bytes(b"\x7fELF\x02\x01\x01" + bytes(57))
    foreign.chmod(0o755)
    finding = doctor.finding("c++20-compiler", CXX=str(foreign))
    assert finding["status"] == "problem"
    assert finding["finding"] == f"Exec format error: {foreign}"
    assert doctor.finding("same-compilers", CXX=str(foreign))["status"] == "skipped"


def test_a_compiler_too_old_for_a_flag_of_a_capability(doctor: Doctor, wrapper: Wrapper) -> None:
    doctor.append('[[capability]]\nname = "WIDE"\nflags = ["-O2", "-mwide=7"]\n')
    finding = doctor.finding("compiler-flags")
    assert finding["status"] == "problem"
    assert "does not accept -mwide=7 (capability WIDE)" in finding["finding"]
    assert "unrecognized command-line option" in finding["finding"]
    assert finding["remedy"] == "install a newer compiler, or set CXX to one"


def test_an_unknown_flag_in_cxxflags(doctor: Doctor) -> None:
    finding = doctor.finding("compiler-flags", CXXFLAGS="-O1 -fno-such-flag")
    assert "does not accept -fno-such-flag (CXXFLAGS)" in finding["finding"]
    assert finding["remedy"] == "remove it from CXXFLAGS"
    assert doctor.finding("compiler-flags", CXXFLAGS="-O1")["status"] == "ok"
    result = doctor.project.run("develop", check=False, CFLAGS="-fno-such-flag")
    assert result.returncode == 3 and "-fno-such-flag (CFLAGS)" in result.stderr
    assert not (doctor.project.root / "build/CMakeCache.txt").exists()


def test_a_compiler_that_crashes_in_a_debug_build(doctor: Doctor, wrapper: Wrapper) -> None:
    crashing = wrapper(
        "c++",
        'for a; do case $a in -g) echo "probe.cpp:9:7: internal compiler error: in '
        'dwarf2out_finish" >&2; exit 4;; esac; done',
        "g++",
    )
    assert doctor.finding("compiles", CXX=crashing)["status"] == "ok"
    finding = doctor.finding("compiles", CXX=crashing, DEBUG="1")
    assert finding["status"] == "problem"
    assert "-g crashed: probe.cpp:9:7: internal compiler error" in finding["finding"]
    large = wrapper(
        "c++",
        'case "$*" in *" -g "*) if grep -q thread_local "$5"; then kill -SEGV $$; fi;; esac',
        "g++",
    )
    finding = doctor.finding("compiles", CXX=large, DEBUG="1")
    assert finding["status"] == "warning"
    assert "compiled again without -g" in finding["consequence"]
    killed = wrapper("c++", "for a; do case $a in -g) kill -SEGV $$;; esac; done", "g++")
    assert (
        "crashed: killed by signal 11"
        in doctor.finding("compiles", CXX=killed, DEBUG="1")["finding"]
    )


def test_a_missing_linker(doctor: Doctor) -> None:
    finding = doctor.finding("compiles", LDFLAGS="-lno-such-library")
    assert finding["status"] == "problem"
    assert "cannot find -lno-such-library" in finding["finding"]


def test_c_and_cxx_compilers_that_do_not_match(doctor: Doctor, wrapper: Wrapper) -> None:
    assert doctor.finding("same-compilers")["status"] == "ok"
    other = wrapper("cc", 'case "$*" in *-E*) echo \'"Other 3.1"\'; exit;; esac', "gcc")
    finding = doctor.finding("same-compilers", CC=other)
    assert finding["status"] == "warning"
    assert f"{other} is Other 3.1" in finding["finding"]


def test_objects_of_two_compilers_in_one_tree(built: Doctor) -> None:
    assert built.finding("objects")["status"] == "ok"
    source = 'int tiny_x; __asm__(".section .comment\\n.string \\"GCC: (Other) 9.9.9\\"");'
    with restored(next((built.project.root / "build").rglob("greet.c.o"))) as path:
        command = ["gcc", "-fno-ident", "-x", "c", "-c", "-", "-o", str(path)]
        subprocess.run(command, input=source, text=True, check=True)
        finding = built.finding("objects")
    assert finding["status"] == "warning"
    assert "1 by GCC 9.9.9 (Other)" in finding["finding"]
    assert finding["remedy"] == "python setup.py clean && python setup.py develop"
