"""`setup.py options`: for people, for programs, for the documentation."""

from __future__ import annotations

import json
import re

from .fixture_project import Project
from .pseudo_terminal import PseudoTerminal


def test_json_contains_row_value_and_reason(project: Project) -> None:
    rows = json.loads(project.run("options", "--json", TINY_LOUD="off").stdout)
    by_name = {row["name"]: row for row in rows}
    loud = by_name["TINY_LOUD"]
    assert loud["value"] is False and loud["default"] == "ON"
    assert (loud["origin"], loud["detail"]) == ("environment", "TINY_LOUD")
    dependent = by_name["TINY_VERY_LOUD"]
    assert dependent["requires"] == "TINY_LOUD"
    assert dependent["origin"] == "forced by a dependency"
    assert by_name["MAX_JOBS"]["value"] == 0 and by_name["MAX_JOBS"]["effect"] == "nothing"


def test_markdown_does_not_depend_on_this_machine(project: Project) -> None:
    plain = project.run("options", "--markdown").stdout
    assert "| `TINY_LOUD` | `ON` | Greet in capitals |" in plain
    assert project.run("options", "--markdown", TINY_LOUD="0", MAX_JOBS="3").stdout == plain


def test_one_group_of_the_table(project: Project) -> None:
    project.edit("build_config.toml", 'help = "Output root"', 'help = "Output root"\ngroup = "out"')
    project.edit(
        "build_config.toml", 'help = "Most jobs at once"', 'help = "Jobs"\nstatus = "planned"'
    )
    assert "BUILD_DIR" not in project.run("options", "general").stdout
    table = project.run("options", "out", "--markdown").stdout
    assert len(table.splitlines()) == 3 and "| `BUILD_DIR`" in table
    assert "MAX_JOBS" not in project.run("options", "--available").stdout
    wrong = project.run("options", "genral", check=False)
    assert wrong.returncode == 2
    assert "unknown group of options 'genral'; did you mean 'general'?" in wrong.stderr


def test_a_terminal_gets_wrapped_columns_and_a_log_whole_lines(project: Project) -> None:
    log = project.run("options").stdout
    assert "\x1b" not in log and re.search(
        r"; one of auto, ccache, sccache, none$", log, re.MULTILINE
    )
    command = [str(project.python), "setup.py", "options"]
    environ = project.variables()
    with PseudoTerminal(command, cwd=project.root, environ=environ, columns=70) as terminal:
        assert terminal.end() == 0
    rows = re.sub(r"\x1b\[[0-9;]*m", "", terminal.text).splitlines()
    assert "\x1b[1mTINY_LOUD" in terminal.text and max(map(len, rows)) < 70
    wrapped = next(i for i, row in enumerate(rows) if "Program that remembers" in row)
    assert rows[wrapped + 1].startswith(" " * 22) and rows[wrapped + 1].strip()
