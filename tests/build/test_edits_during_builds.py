"""Edits of sources while a build runs: the next build notices them."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from .conditions import for_file, wrap_compilers
from .fixture_project import Project


def test_an_edit_during_the_build_is_not_lost(project: Project) -> None:
    stage = project.root / "generator/stages.py"
    stage.write_text(
        stage.read_text().replace("    import yaml\n", "    import yaml, time; time.sleep(0.1)\n")
        + "\n\ndef late(context):\n    import time; time.sleep(1.5)\n"
    )
    project.edit(
        "build_config.toml",
        "[[library]]",
        '[[stage]]\nname = "late"\nentry = "generator.stages:late"\ninputs = []\ndirectory = "late"\n\n[[library]]',
    )
    clean = {**os.environ, "VIRTUAL_ENV": str(project.python.parents[1])}
    command = [str(project.python), "setup.py", "develop"]
    running = subprocess.Popen(command, cwd=project.root, env=clean, stdout=subprocess.DEVNULL)
    time.sleep(1.2)
    project.edit("words.yaml", "- world", "- edited")
    assert running.wait() == 0
    project.run("develop")
    assert project.words() == "['HELLO', 'EDITED']\n"


@pytest.mark.parametrize("succeeds", [True, False])
def test_an_edit_of_a_header_during_its_compilation_is_not_lost(
    developed: Project, tmp_path: Path, succeeds: bool
) -> None:
    developed.edit("src/greet.h", "#pragma once", '#pragma once\n#define MARK ""')
    developed.edit("src/greet.c", "TINY_ENDING)", "TINY_ENDING MARK)")
    header = developed.root / "src/greet.h"
    # The object is written after the edit, from the text before it.
    script = f"""
      if [ -e $HERE/armed ]; then
        rm $HERE/armed
        for word; do [ "$last" = -o ] && object=$word; last=$word; done
        {shutil.which("cc")} "$@" || exit
        sed -i 's/MARK .*/MARK "!"/' {header}
        sleep 0.05
        touch $object
        exit
      fi"""
    path = wrap_compilers(tmp_path / "compilers", for_file("greet.c", script))
    developed.run("develop", PATH=path)
    (tmp_path / "compilers/armed").touch()
    developed.edit("src/greet.c", "#include <ctype.h>", "// edited\n#include <ctype.h>")
    if not succeeds:
        developed.edit("src/say.c", "int main", "#error broken here\nint main")
    developed.run("develop", check=succeeds, PATH=path)
    assert 'MARK "!"' in header.read_text()
    if not succeeds:
        developed.edit("src/say.c", "#error broken here\n", "")
    developed.run("develop", PATH=path)
    assert developed.words() == "['HELLO!', 'WORLD!']\n"
    assert developed.run("develop", PATH=path).stdout == "up to date\n"
