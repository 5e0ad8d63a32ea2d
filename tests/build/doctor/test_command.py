"""`setup.py doctor` as a command: its lines, its JSON, its exit code, and the checks a build repeats."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tools.setup_helpers.doctor import QUICK_CHECKS
from tools.setup_helpers.doctor.checks import CHECKS

from ..pseudo_terminal import PseudoTerminal
from .conftest import Doctor


def test_a_machine_that_has_everything_ends_well(doctor: Doctor) -> None:
    result = doctor.project.run("doctor")
    lines = result.stdout.splitlines()
    assert lines[0].startswith("ok       options")
    assert any(line.startswith("ok       c++20-compiler") for line in lines)
    assert "PROBLEM" not in result.stdout and result.stderr == ""


def test_json_says_of_each_check_what_it_looks_at_and_what_follows(doctor: Doctor) -> None:
    document = json.loads(doctor.project.run("doctor", "--json", MAX_JOBS="999").stdout)
    by_id = {row["id"]: row for row in document["checks"]}
    assert by_id["jobs"]["status"] == "warning"
    assert by_id["jobs"]["finding"].startswith("MAX_JOBS=999, but")
    assert "the machine hangs" in by_id["jobs"]["consequence"]
    assert by_id["jobs"]["remedy"].startswith("export MAX_JOBS=")
    assert by_id["sources"]["consequence"] == ""  # nothing follows where all is well
    assert all(row["looks_at"] for row in document["checks"])
    assert sum(document["counts"].values()) == len(document["checks"])
    assert document["counts"]["warning"] >= 1


def test_a_problem_ends_with_3_and_is_named_last(doctor: Doctor) -> None:
    result = doctor.project.run("doctor", CXX="/no/such/compiler", check=False)
    assert result.returncode == 3
    assert result.stderr.splitlines()[-1] == "error: problems found: c++20-compiler"
    assert "PROBLEM  c++20-compiler" in result.stdout


def test_some_checks_alone(doctor: Doctor) -> None:
    assert list(doctor.findings("jobs", "disk")) == ["disk", "jobs"]
    wrong = doctor.project.run("doctor", "dsik", check=False)
    assert wrong.returncode == 2 and "no check 'dsik'; did you mean 'disk'?" in wrong.stderr


def test_quiet_shows_only_what_needs_attention(doctor: Doctor) -> None:
    said = doctor.project.run("doctor", "--quiet", MAX_JOBS="999").stdout
    assert "warning  jobs" in said
    assert "ok       " not in said
    assert doctor.project.run("doctor", "--quiet", "sources").stdout == ""


@pytest.mark.parametrize("columns", [66, 120])
def test_a_terminal_gets_columns_and_colours(doctor: Doctor, columns: int) -> None:
    project = doctor.project
    command = [str(project.python), "setup.py", "doctor"]
    environ = project.variables(MAX_JOBS="999")
    with PseudoTerminal(command, cwd=project.root, environ=environ, columns=columns) as terminal:
        assert terminal.end() == 0
    assert "\x1b[1;33mwarning" in terminal.text
    rows = re.sub(r"\x1b\[[0-9;]*m", "", terminal.text).splitlines()
    assert max(len(row) for row in rows if "/" not in row) < columns  # paths are never broken
    remedy = next(i for i, row in enumerate(rows) if "export MAX_JOBS=" in row)
    assert re.match(r" +fix  export MAX_JOBS=\d+$", rows[remedy])
    consequence = next(i for i, row in enumerate(rows) if row.lstrip().startswith("so  compilers"))
    assert remedy - consequence == (2 if columns < 100 else 1)


def test_options_that_cannot_be_met_are_one_finding_among_others(doctor: Doctor) -> None:
    findings = doctor.findings(TINY_LOUD="0", TINY_VERY_LOUD="1")
    assert findings["options"]["status"] == "problem"
    assert "TINY_VERY_LOUD=1 cannot be met" in findings["options"]["finding"]
    assert findings["sources"]["status"] == "ok"
    assert findings["options"]["remedy"] == "set TINY_LOUD=1 too, or leave TINY_VERY_LOUD out"
    assert "did you mean TINY_LOUD?" in doctor.finding("options", TINY_LUOD="1")["finding"]


def test_the_wishes_that_can_be_met_hold_for_the_other_checks(doctor: Doctor) -> None:
    findings = doctor.findings("options", "compiles", MAX_JOBS="many", DEBUG="1")
    assert findings["options"]["status"] == "problem"
    assert "-g compiles and links" in findings["compiles"]["finding"]


def test_a_build_directory_that_cannot_be_used(doctor: Doctor) -> None:
    finding = doctor.finding("options", BUILD_DIR="src")
    assert "src holds files that no build made" in finding["finding"]
    assert finding["remedy"] == "choose an empty or new folder as the build directory"


def test_doctor_changes_nothing(built: Doctor) -> None:
    before = built.project.files()
    built.project.run("doctor")
    assert built.project.files() == before


def test_a_build_stops_at_a_problem_of_the_quick_checks(doctor: Doctor) -> None:
    (doctor.project.root / "src/greet.c").unlink()
    result = doctor.project.run("develop", check=False)
    assert result.returncode == 3
    assert "sources: src/greet.c is missing" in result.stderr
    assert "unpack the source archive again" in result.stderr
    assert "Traceback" not in result.stderr


def test_a_build_prints_a_warning_and_goes_on(doctor: Doctor) -> None:
    result = doctor.project.run("build", MAX_JOBS="999")
    assert "warning: jobs: MAX_JOBS=999, but" in result.stdout
    assert "(fix: export MAX_JOBS=" in result.stdout
    assert (doctor.project.root / "build/lib/libtiny_words.so").exists()


def test_a_build_asks_every_quick_check() -> None:
    assert [c.id for c in QUICK_CHECKS] == [c.id for c in CHECKS if c.quick]


@pytest.mark.alone
def test_an_interrupt_of_the_doctor_alone_ends_the_compilers_that_it_asks(
    doctor: Doctor, wrapper: Callable[..., str], tmp_path: Path
) -> None:
    project, begun = doctor.project, tmp_path / "begun"
    command = [str(project.python), "setup.py", "doctor"]
    environ = project.variables(CXX=wrapper("c++", f"echo $$ >>'{begun}'; sleep 300"))
    with subprocess.Popen(command, cwd=project.root, env=environ, stderr=subprocess.PIPE) as asking:
        while not begun.exists() and asking.poll() is None:
            time.sleep(0.01)
        time.sleep(0.5)
        start = time.monotonic()
        asking.send_signal(signal.SIGINT)
        _, said = asking.communicate(timeout=20)
    assert asking.returncode == 130 and b"Traceback" not in said
    assert time.monotonic() - start < 2
    assert list(filter(works, begun.read_text().split())) == []


def works(pid: str) -> bool:
    """Whether the process works; one that has ended has no command line, even before it is reaped."""
    try:
        return bool(Path("/proc", pid, "cmdline").read_bytes())
    except OSError:
        return False
