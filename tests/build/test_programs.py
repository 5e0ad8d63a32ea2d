"""Outputs of programs: which are reused from the last build, and which are not."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tools.base import process
from tools.base.background import BackgroundTask
from tools.base.programs import NAME, Programs
from tools.base.store import read_sealed, write_sealed
from tools.setup_helpers.probes.compilers import LISTS_HEADERS, headers

from .conditions import wrap_compilers
from .fixture_project import Project

# A fixed PATH, because this shell's may start with the links of a compiler cache.
ENVIRON = {"PATH": "/usr/local/bin:/usr/bin:/bin"}
GCC = shutil.which("gcc", path=ENVIRON["PATH"]) or ""
pytestmark = pytest.mark.skipif(not GCC, reason="these tests run gcc: apt-get install gcc")


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The programs started so far."""
    names: list[str] = []
    ask = process.ask

    def counted(command: list[str], *arguments: object, **more: object) -> process.Answer:
        names.append(Path(command[0]).name)
        return ask(command, *arguments, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(process, "ask", counted)
    return names


@pytest.fixture
def ask(tmp_path: Path, started: list[str]) -> Callable[..., bool]:
    """Run a program in a new build and record its output; return whether it was started."""

    def runs(*command: str, text: str = "", output: bool = False, **environ: str) -> bool:
        before = len(started)
        programs = Programs.as_last_built(ENVIRON | environ, tmp_path, ["AN_OPTION"])
        programs.ask(command, text, output=output, reads=headers)
        programs.remember(tmp_path)
        return len(started) > before

    return runs


def own_compiler(folder: Path) -> Path:
    """Copy the real compiler, as a package manager would install it."""
    place = folder / "my-gcc-99"
    shutil.copy(os.path.realpath(GCC), place)
    return place


def test_a_compiled_program_is_run_once(ask: Callable[..., bool]) -> None:
    assert ask(GCC, "--version")
    assert not ask(GCC, "--version")
    assert ask(GCC, "-dumpversion")


def test_within_one_build_even_a_script_is_run_once(tmp_path: Path, started: list[str]) -> None:
    script = tmp_path / "gcc"
    script.write_text("#!/bin/sh\necho $1\n")
    script.chmod(0o755)
    programs = Programs(ENVIRON)
    assert [programs.ask([str(script), "-v"]).out for _ in range(2)] == ["-v\n", "-v\n"]
    assert started == ["gcc"]


def test_a_replaced_program_is_run_again(ask: Callable[..., bool], tmp_path: Path) -> None:
    compiler = own_compiler(tmp_path)
    assert ask(str(compiler), "--version") and not ask(str(compiler), "--version")
    info = compiler.stat()
    compiler.write_bytes(compiler.read_bytes() + b"\0")
    assert ask(str(compiler), "--version") and not ask(str(compiler), "--version")
    os.utime(compiler, ns=(info.st_atime_ns, info.st_mtime_ns - 1))
    assert ask(str(compiler), "--version")


def test_a_link_with_another_target_is_another_program(
    ask: Callable[..., bool], tmp_path: Path
) -> None:
    compiler, link = own_compiler(tmp_path), tmp_path / "c++"
    link.symlink_to(os.path.realpath(GCC))
    assert ask(str(link), "--version") and not ask(str(link), "--version")
    link.unlink()
    link.symlink_to(compiler)
    assert ask(str(link), "--version")


def test_another_path_or_variable_runs_the_program_again(ask: Callable[..., bool]) -> None:
    assert ask("gcc", "--version") and not ask("gcc", "--version")
    assert ask("gcc", "--version", CPATH="/opt/include")
    assert ask("gcc", "--version", PATH=f"/nowhere:{ENVIRON['PATH']}")
    assert ask("gcc", "--version") and not ask("gcc", "--version", COLUMNS="80", SHLVL="7")
    assert not ask("gcc", "--version", PS1="(venv) $ ", SSH_TTY="/dev/pts/3", TMUX_PANE="%2")
    assert not ask("gcc", "--version", AN_OPTION="1", LC_ALL="")
    assert ask("gcc", "--version", LC_ALL="C")


@pytest.mark.parametrize("name", ["gcc", "c++", "ninja"])
def test_a_script_is_run_in_every_build(
    ask: Callable[..., bool], tmp_path: Path, name: str
) -> None:
    script = tmp_path / name
    script.write_text(f'#!/bin/sh\nexec {GCC} "$@"\n')
    script.chmod(0o755)
    assert ask(str(script), "--version") and ask(str(script), "--version")


@pytest.mark.parametrize("name", ["ccache", "sccache", "distcc", "mise", "c++"])
def test_a_program_that_may_start_others_is_run_in_every_build(
    ask: Callable[..., bool], tmp_path: Path, name: str
) -> None:
    """The name of the link's target counts, because a cache can be a link named like the compiler."""
    (tmp_path / name).write_bytes(own_compiler(tmp_path).read_bytes())
    (tmp_path / name).chmod(0o755)
    (tmp_path / "gcc").symlink_to(name)
    assert ask(str(tmp_path / "gcc"), "--version") and ask(str(tmp_path / "gcc"), "--version")


def test_failures_are_not_recorded(ask: Callable[..., bool]) -> None:
    assert ask(GCC, "--no-such-flag") and ask(GCC, "--no-such-flag")


def test_an_output_is_reused_until_an_included_file_changes(
    ask: Callable[..., bool], tmp_path: Path
) -> None:
    folder = tmp_path / "a folder"
    folder.mkdir()
    header = folder / "some$#.h"
    header.write_text("#define ZERO 0\n")
    question = (GCC, "-fsyntax-only", *LISTS_HEADERS, "-xc", "-")
    text = "#include <some$#.h>\nint main(void) { return ZERO; }\n"

    def again() -> bool:
        return ask(*question, text=text, CPATH=str(folder))

    assert again() and not again()
    os.utime(header)
    assert not again()  # read again, and found unchanged
    header.write_text("#define ZERO 1\n")
    assert again() and not again()
    header.unlink()
    assert again() and again()


@pytest.mark.parametrize("flag", ["-include{}", "--include={}", "@{}", "-B{}"])
def test_commands_whose_arguments_name_files_are_run_every_time(
    ask: Callable[..., bool], tmp_path: Path, flag: str
) -> None:
    named = tmp_path / "flags"
    named.touch()
    question = (GCC, flag.format(named), "-fsyntax-only", "-xc", "-")
    assert ask(*question) and ask(*question)


def test_results_of_linking_are_not_recorded(
    ask: Callable[..., bool], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))
    monkeypatch.setattr("tempfile.tempdir", None)
    (tmp_path / "temporary").mkdir()
    question = (GCC, "-xc", "-")
    assert ask(*question, text="int main(void) { return 0; }\n", output=True)
    assert not ask(*question, text="int main(void) { return 0; }\n", output=True)
    assert list((tmp_path / "temporary").iterdir()) == []


@pytest.mark.parametrize("damage", [b"", b"{}", b'{"format": 1, "answers": []}\n'])
def test_a_damaged_record_is_ignored(
    ask: Callable[..., bool], tmp_path: Path, damage: bytes
) -> None:
    assert ask(GCC, "--version")
    (tmp_path / NAME).write_bytes(damage)
    assert ask(GCC, "--version") and not ask(GCC, "--version")


def starts(project: Project, command: str, log: Path, **environ: str) -> list[str]:
    """Return the compilers' command lines during one run of the front end."""
    log.unlink(missing_ok=True)
    project.run(command, **environ)
    return log.read_text().splitlines() if log.exists() else []


def test_a_wrapper_script_is_run_in_every_build(developed: Project, tmp_path: Path) -> None:
    log = tmp_path / "log"
    path = wrap_compilers(tmp_path / "wrappers", f'echo "$@" >>"{log}"')
    starts(developed, "build", log, PATH=path)
    assert any("--version" in line for line in starts(developed, "build", log, PATH=path))


def test_a_build_reuses_outputs_and_the_doctor_never_does(developed: Project) -> None:
    if Path(shutil.which("cmake") or "").read_bytes()[:2] == b"#!":
        pytest.skip("this cmake is a script, whose answers are never kept; install a compiled one")
    developed.run("build")  # on PATH of the following commands
    record = developed.root / "build" / NAME
    answers = json.dumps(read_sealed(record))
    write_sealed(record, json.loads(re.sub(r"cmake version [\d.]+", "cmake version 99.9", answers)))
    assert "cmake 99.9, ninja" in developed.run("build").stdout
    assert "cmake was 99.9, is " in developed.run("doctor", "tools").stdout


def test_no_program_is_run_after_stop(tmp_path: Path) -> None:
    programs, marker = Programs(ENVIRON), tmp_path / "marker"
    hanging = ["sh", "-c", f"touch '{marker}'; exec sleep 300"]
    with BackgroundTask(lambda: programs.ask(hanging)) as runs:
        while not marker.exists():
            time.sleep(0.01)
        programs.stop()
        assert runs.result().code == -signal.SIGKILL
    with pytest.raises(OSError, match="canceled"):
        programs.ask([GCC, "--version"])
