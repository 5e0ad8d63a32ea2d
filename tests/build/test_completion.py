"""The completion scripts work when a real shell loads them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from .pseudo_terminal import PseudoTerminal

ROOT = Path(__file__).resolve().parents[2]
PROMPT = "ready>"
EMPTY = "\x15\x0c"  # Ctrl-U deletes what an earlier test typed, Ctrl-L clears the screen
# What is typed before Tab, and the command line after it.
UNAMBIGUOUS = (
    ("python setup.py dev", "python setup.py develop "),
    ("python3 -B ./setup.py bdi", "python3 -B ./setup.py bdist_wheel "),
    ("setup.py codegen --ev", "setup.py codegen --everything "),
    ("python setup.py explain reb", "python setup.py explain rebuild "),
    ("python setup.py explain option USE_OPE", "python setup.py explain option USE_OPENMP "),
    ("python setup.py options tool", "python setup.py options toolchain "),
    ("python setup.py doctor c++", "python setup.py doctor c++20-compiler "),
    ("python setup.py develop -D REL", "python setup.py develop -D REL_WITH_DEB_INFO="),
    ("python setup.py develop -D DEBUG=OF", "python setup.py develop -D DEBUG=OFF "),
    ("python setup.py develop --define BLAS=M", "python setup.py develop --define BLAS=MKL "),
    (
        "python setup.py develop -q -DATEN_THREADING=N",
        "python setup.py develop -q -DATEN_THREADING=NATIVE ",
    ),
    ("python setup.py develop -D CC=cmake/pub", "python setup.py develop -D CC=cmake/public/"),
    ("python setup.py test -- cmake/pub", "python setup.py test -- cmake/public/"),
    ("python cmake/pub", "python cmake/public/"),
)


def script(shell: str) -> str:
    command = [sys.executable, "setup.py", "completion", shell]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout


def needed(shell: str) -> str:
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"{shell} is not installed: apt-get install {shell}")
    return program


@pytest.fixture(scope="module", params=["bash", "zsh"])
def terminal(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[PseudoTerminal]:
    """A shell that has loaded the script and shows its prompt."""
    shell = request.param
    command = [
        needed(shell),
        *{"bash": ("--norc", "--noprofile", "-i"), "zsh": ("-f", "-i")}[shell],
    ]
    folder = tmp_path_factory.mktemp(shell)
    (folder / "script").write_text(script(shell), encoding="utf-8")
    environ = {"HOME": str(folder), "PATH": os.environ["PATH"], "LANG": "C.UTF-8"}
    with PseudoTerminal(command, cwd=ROOT, environ=environ, columns=200) as terminal:
        if shell == "zsh":
            terminal.type("autoload -U compinit && compinit -D\r")
            terminal.type("unsetopt auto_remove_slash\r")
        terminal.type(f"source {folder / 'script'}; PS1='{PROMPT}'; PROMPT='{PROMPT}'; clear\r")
        terminal.until(lambda lines: lines == [PROMPT.rstrip()], "the prompt")
        yield terminal


@pytest.mark.parametrize(("typed", "completed"), UNAMBIGUOUS)
def test_tab_completes_a_word(terminal: PseudoTerminal, typed: str, completed: str) -> None:
    terminal.type(f"{EMPTY}{typed}\t#")
    terminal.until(lambda lines: f"{PROMPT}{completed}#" in lines, f"{completed}#")


def test_tab_lists_what_is_possible(terminal: PseudoTerminal) -> None:
    terminal.type(f"{EMPTY}python setup.py develop -D BLAS=\t\t")
    choices = {"OpenBLAS", "MKL", "Generic"}
    terminal.until(lambda lines: choices <= set(" ".join(lines).split()), "the choices")


@pytest.mark.parametrize(("typed", "completed"), UNAMBIGUOUS)
def test_fish_completes_a_word(typed: str, completed: str, tmp_path: Path) -> None:
    program = needed("fish")
    (tmp_path / "script").write_text(script("fish"), encoding="utf-8")
    command = f"source {tmp_path / 'script'}; complete -C '{typed}'"
    shown = subprocess.run(
        [program, "--no-config", "-c", command],
        cwd=ROOT,
        env={"HOME": str(tmp_path), "PATH": os.environ["PATH"], "LANG": "C.UTF-8"},
        capture_output=True,
        text=True,
        check=True,
    )
    words = [line.partition("\t")[0] for line in shown.stdout.splitlines()]
    assert words == [completed.split()[-1]], shown.stderr
