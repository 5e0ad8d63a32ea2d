"""Failing builds and builds that recover: the messages shown and the files made."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tools.base.ninja_manifest import variable

from .conditions import for_file, small_disk, wrap_compilers
from .fixture_project import Project

GREET = "CMakeFiles/tiny_words.dir/src/greet.c.o"
DEBUG_OPTION = '[options.DEBUG]\nhelp = ""\nrole = "debug"\n\n[options.SOURCE_DATE_EPOCH]'
CRASH = 'echo "$0: internal compiler error: in expand_expr" >&2; exit 4'


def report(project: Project) -> dict[str, Any]:
    document: dict[str, Any] = json.loads((project.root / "build/report.json").read_text())
    return document


def with_debug_option(project: Project) -> Project:
    project.edit("build_config.toml", "[options.SOURCE_DATE_EPOCH]", DEBUG_OPTION)
    return project


# ------------------------------------------------------------------ the message
@pytest.fixture(scope="module")
def failed(
    sources: Path, environment: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Project, list[str]]:
    """A project whose build failed because of a missing header, and its error output."""
    root = tmp_path_factory.mktemp("failed") / "tiny"
    shutil.copytree(sources, root)
    project = Project(root, environment)
    assert project.run("explain", "failure").stdout == "no build of this tree has failed\n"
    project.edit("src/greet.c", '#include "greet.h"', '#include "greet.h"\n#include <mpi_x.h>')
    result = project.run("build", check=False)
    assert result.returncode == 1
    return project, result.stderr.splitlines()


def test_the_last_lines_are_cause_hint_and_log(failed: tuple[Project, list[str]]) -> None:
    _, lines = failed
    assert lines[0] == "error: building greet.c failed"
    assert "-o CMakeFiles/tiny_words.dir/src/greet.c.o -c src/greet.c (and " in lines[1]
    assert lines[2:4] == [
        "  src/greet.c",
        "    2:10 fatal error: mpi_x.h: No such file or directory",
    ]
    assert lines[-3:] == [
        "  likely cause: the header mpi_x.h was not found",
        "hint: install the package that contains it (on Debian: `apt-file search mpi_x.h`), or add its "
        "folder to CXXFLAGS with -I",
        "log: build/logs/build.log",
    ]


def test_the_report_and_the_log_have_the_full_output(failed: tuple[Project, list[str]]) -> None:
    project, _ = failed
    failure = report(project)["failure"]
    assert failure["command"].endswith(f"-c {project.root}/src/greet.c")
    (group,) = failure["diagnostics"]
    assert group["file"] == "src/greet.c"
    assert group["messages"][0]["line"] == 2
    log = (project.root / failure["log"]).read_text()
    assert failure["command"] in log and "mpi_x.h: No such file" in log


def test_explain_failure_shows_the_last_failure_again(failed: tuple[Project, list[str]]) -> None:
    explanation = failed[0].run("explain", "failure").stdout
    assert explanation.startswith("building greet.c failed (")
    assert "setup.py build)" in explanation.splitlines()[0]
    assert "mpi_x.h: No such file or directory" in explanation
    assert explanation.endswith("log: build/logs/build.log\n")


def test_an_undefined_reference_names_the_library_that_defines_it(project: Project) -> None:
    project.edit(
        "build_config.toml",
        'sources = ["src/say.c"]\nlinks = ["tiny_words"]',
        'sources = ["src/say.c"]',
    )
    project.edit("src/say.c", '#include "greet.h"', "int tiny_greet(int, char*, int);")
    result = project.run("build", check=False)
    assert "building tiny_say failed" in result.stderr
    assert "undefined reference to `tiny_greet'" in result.stdout  # without a retry
    assert "ld returned" not in result.stdout + result.stderr
    assert "tiny_greet is not defined in anything that is linked" in result.stderr
    assert (
        "hint: 'tiny_words' defines it: add it to the `links` of 'tiny_say' in build_config.toml"
        in result.stderr
    )


def test_an_undefined_reference_to_a_hidden_symbol_says_so(project: Project) -> None:
    project.edit(
        "src/greet.c", "int tiny_count", "int tiny_hidden(void) { return 0; }\nint tiny_count"
    )
    project.edit(
        "src/say.c", "char text[64];", "int tiny_hidden(void);\n  char text[64 + tiny_hidden()];"
    )
    result = project.run("build", check=False)
    assert "src/greet.c of 'tiny_words' defines it but does not export it" in result.stderr


def test_a_cmake_failure_has_its_own_log(project: Project) -> None:
    project.edit("CMakeLists.txt", "include(TableLibrary)", "find_package(MadeUp REQUIRED)")
    lines = project.run("build", check=False).stderr.splitlines()
    assert lines[0] == "error: CMake could not configure the build"
    assert lines[-3:] == [
        "  likely cause: CMake cannot find MadeUp",
        "hint: install its development package, or set MadeUp_ROOT to its folder",
        "log: build/logs/configure.log",
    ]
    assert "MadeUp" in (project.root / "build/logs/configure.log").read_text()


@pytest.mark.parametrize(
    ("mistake", "says"),
    [
        ("    raise KeyError('greeting')", "KeyError: 'greeting'"),
        ("    return )", "SyntaxError: unmatched ')'"),
    ],
)
def test_a_mistake_in_a_generator_is_reported_with_its_position(
    project: Project, mistake: str, says: str
) -> None:
    generator = project.root / "generator/stages.py"
    lines = generator.read_text().splitlines()
    number = next(i for i, line in enumerate(lines) if line.startswith("def words(")) + 1
    generator.write_text("\n".join([*lines[:number], mistake, *lines[number:]]) + "\n")
    result = project.run("build", check=False)
    assert result.returncode == 1
    shown = result.stderr.splitlines()
    assert shown[0] == "error: code generation stage 'words' failed"
    assert shown[1].startswith(f"  generator/stages.py:{number + 1}: {says}")
    assert shown[1] in project.run("explain", "failure").stdout


def test_a_full_disk_is_reported(project: Project, tmp_path: Path) -> None:
    """The compiler's temporary files fill the file system. Only one job runs, so none frees space."""
    fill = for_file("greet.c", 'cat /dev/zero > "$TMPDIR/filler" 2>/dev/null')
    path = wrap_compilers(tmp_path / "compilers", fill)
    with small_disk(tmp_path / "small", "4m") as small:
        result = project.run("build", check=False, PATH=path, TMPDIR=str(small), MAX_JOBS="1")
    assert result.returncode == 1
    assert f"the disk is full: TMPDIR {small} has 0 MiB left" in result.stderr
    assert result.stderr.splitlines()[-2].startswith("hint: make room there")
    project.run("build")


def test_compilers_run_with_english_messages(project: Project, tmp_path: Path) -> None:
    """GCC may have translations installed, and the table of causes knows only English messages."""
    german = "greet.c:1:10: schwerwiegender Fehler: nccl.h: Datei oder Verzeichnis nicht gefunden"
    english = "greet.c:1:10: fatal error: nccl.h: No such file or directory"
    script = f'[ "$LANGUAGE" = en ] && echo "{english}" || echo "{german}"; exit 1'
    path = wrap_compilers(tmp_path / "compilers", for_file("greet.c", script))
    result = project.run("build", check=False, PATH=path, LC_ALL="de_DE.UTF-8", LANGUAGE="de")
    assert "likely cause: the header nccl.h was not found" in result.stderr


def test_a_failure_without_a_command_is_explained_as_before(project: Project) -> None:
    project.edit(
        "build_config.toml", '"libtiny_words*.so" = ["tiny_"]', '"libtiny_words*.so" = ["other_"]'
    )
    result = project.run("build", check=False)
    shown = result.stderr.splitlines()
    assert shown[0].startswith("error: the package breaks ")
    explanation = project.run("explain", "failure").stdout.splitlines()
    assert explanation[2] == shown[1] and "tiny_count" in explanation[2]
    assert (
        explanation[-1]
        == "what to do: fix the packaged files, or change the rules: [packaging] in build_config.toml"
    )


# ------------------------------------------------------------------ killed compilers
def test_a_killed_compiler_is_run_again_alone(project: Project, tmp_path: Path) -> None:
    once = for_file("greet.c", '[ -e "$HERE/killed" ] || { touch "$HERE/killed"; kill -9 $$; }')
    result = project.run("build", PATH=wrap_compilers(tmp_path / "compilers", once))
    message = "greet.c: the compiler was killed, most likely because memory ran out; built alone"
    assert message in result.stdout
    (retry,) = report(project)["retries"]
    assert (retry["output"], retry["how"]) == (GREET, "alone")
    assert "failure" not in report(project)


def test_a_compiler_that_is_always_killed_fails_the_build(project: Project, tmp_path: Path) -> None:
    path = wrap_compilers(tmp_path / "compilers", for_file("greet.c", "kill -9 $$"))
    result = project.run("build", check=False, PATH=path, MAX_JOBS="6")
    assert result.returncode == 1
    assert result.stdout.count("greet.c: the compiler was killed") == 1  # retried only once
    assert "most likely because memory ran out (also alone)" in result.stderr
    assert "lower the number of jobs (MAX_JOBS=3)" in result.stderr
    assert result.stderr.splitlines()[-1] == "log: build/logs/build.log"
    project.run("build")


def test_out_of_memory_is_recognized_in_compiler_output(project: Project, tmp_path: Path) -> None:
    """The first compilation runs under a real limit on its address space."""
    limit = 'if [ ! -e "$HERE/once" ]; then touch "$HERE/once"; ulimit -v 60000; fi'
    path = wrap_compilers(tmp_path / "compilers", for_file("words.c", limit))
    functions = "".join(f'  "word{n}",\\n' for n in range(3))
    assert functions
    project.edit(
        "generator/stages.py",
        '"/* Made',
        '"int tiny_table[] = {" + "1,\\n" * 400000 + "};\\n"\n        "/* Made',
    )
    result = project.run("build", PATH=path)
    assert "words.c: the compiler could not allocate more memory; built alone" in result.stdout


def test_a_real_error_is_reported_in_preference_to_a_kill(project: Project, tmp_path: Path) -> None:
    project.edit("src/greet.c", "int count = 0", "int count = nothing")
    path = wrap_compilers(tmp_path / "compilers", for_file("words.c", "sleep 0.3; kill -9 $$"))
    result = project.run("build", check=False, PATH=path)
    assert "building greet.c failed" in result.stderr


def test_a_killed_ninja_is_distinguished_from_a_killed_compiler(
    project: Project, tmp_path: Path
) -> None:
    ninja = (
        'p=$PPID; while [ "$(cat /proc/$p/comm)" != ninja ]; do p=$(cut -d" " -f4 /proc/$p/stat); '
        "done; kill -9 $p"
    )
    path = wrap_compilers(tmp_path / "compilers", for_file("greet.c", ninja))
    result = project.run("build", check=False, PATH=path)
    assert result.returncode == 1
    assert "likely cause: Ninja itself was killed" in result.stderr
    project.run("build")


# ------------------------------------------------------------------ crashing compilers
@pytest.fixture
def crashing(project: Project, tmp_path: Path) -> Callable[[str], str]:
    """PATH with a compiler that crashes at greet.c when its arguments match a shell pattern."""

    def make(pattern: str) -> str:
        crash = f'case " $* " in {pattern}) {CRASH} ;; esac'
        return wrap_compilers(tmp_path / "compilers", for_file("greet.c", crash))

    return make


def test_a_crash_in_a_debug_build_drops_the_debug_information_of_that_file(
    project: Project, crashing: Callable[[str], str]
) -> None:
    with_debug_option(project)
    path = crashing('*" -g "*')
    result = project.run("build", PATH=path, DEBUG="1")
    assert "greet.c: the compiler itself crashed; built without -g" in result.stdout
    build = project.root / "build"
    assert variable(build, GREET, "FLAGS").split()[0] != "-g"  # type: ignore[union-attr]
    assert "-g" in (variable(build, GREET.replace("greet", "words"), "FLAGS") or "").split()

    made = (build / GREET).stat().st_mtime_ns
    stub = project.root / "src/stub.c"
    stub.write_text(f"{stub.read_text()}\n")  # touching the file would not make Ninja run
    again = project.run("build", PATH=path, DEBUG="1")
    assert f"{GREET} is still built without -g" in again.stdout
    assert (build / GREET).stat().st_mtime_ns == made


def test_the_next_change_is_compiled_with_the_requested_flags(
    project: Project, crashing: Callable[[str], str]
) -> None:
    with_debug_option(project)
    project.run("build", PATH=crashing('*" -g "*'), DEBUG="1")
    path = crashing("never")  # the compiler is repaired
    project.edit("src/greet.c", "int count = 0;", "int count = 0 + 0;")
    result = project.run("build", PATH=path, DEBUG="1")
    assert "built without" not in result.stdout
    assert "-g" in (variable(project.root / "build", GREET, "FLAGS") or "").split()
    assert not (project.root / "build/mitigated.json").exists()


@pytest.mark.slow
def test_a_new_configuration_restores_the_requested_flags(
    project: Project, crashing: Callable[[str], str]
) -> None:
    """CMake rewrites build.ninja, so the flags are back and the crash is handled again."""
    with_debug_option(project)
    path = crashing('*" -g "*')
    project.run("build", PATH=path, DEBUG="1")
    project.edit("CMakeLists.txt", "include(TableLibrary)", "include(TableLibrary) # again")
    result = project.run("build", PATH=path, DEBUG="1")
    assert "greet.c: the compiler itself crashed; built without -g" in result.stdout


def test_optimisation_is_lowered_when_dropping_g_does_not_help(
    project: Project, crashing: Callable[[str], str]
) -> None:
    with_debug_option(project)
    project.edit(
        "CMakeLists.txt",
        "tabled_targets()",
        "tabled_targets()\ntarget_compile_options(tiny_words PRIVATE -O2)",
    )
    result = project.run("build", PATH=crashing('*" -O2 "*'), DEBUG="1")
    assert "built without -g and with -O1" in result.stdout


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("clang"), reason="clang is not on PATH: apt-get install clang")
def test_a_real_clang_crash_is_worked_around(project: Project) -> None:
    """Clang crashes whenever it optimises: `-g` is dropped, then -O2 lowered step by step to -O0."""
    with_debug_option(project)
    project.edit(
        "CMakeLists.txt",
        "tabled_targets()",
        "tabled_targets()\ntarget_compile_options(tiny_words PRIVATE -O2)",
    )
    crash = "#ifdef __OPTIMIZE__\n#pragma clang __debug crash\n#endif\n"
    project.edit("src/greet.c", '#include "greet.h"', f'{crash}#include "greet.h"')
    result = project.run("build", CC="clang", CXX="clang++", DEBUG="1", TMPDIR=str(project.root))
    assert "greet.c: the compiler itself crashed; built without -g and with -O0" in result.stdout


def test_flags_are_restored_when_no_workaround_helps(
    project: Project, crashing: Callable[[str], str]
) -> None:
    with_debug_option(project)
    result = project.run("build", check=False, PATH=crashing("*"), DEBUG="1")
    assert result.returncode == 1
    assert "likely cause: the compiler itself crashed (also without -g)" in result.stderr
    assert "-g" in (variable(project.root / "build", GREET, "FLAGS") or "").split()
    assert not (project.root / "build/mitigated.json").exists()


def test_a_release_build_is_never_weakened(
    project: Project, crashing: Callable[[str], str]
) -> None:
    result = project.run("build", check=False, PATH=crashing('*" -O2 "*'))
    assert result.returncode == 1
    assert "compile without debug information or with less optimisation" in result.stderr


def test_a_source_that_ninja_cannot_name_leaves_nothing_behind(developed: Project) -> None:
    """Ninja's files have no spelling for a line break."""
    source = developed.root / "src/kernels/two\nlines.c"
    source.write_text("int tiny_two;\n")
    assert developed.run("develop", check=False).returncode == 2
    source.unlink()
    developed.run("develop")
    assert developed.run("develop").stdout == "up to date\n"
