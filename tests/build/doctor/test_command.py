"""The command `setup.py doctor`: its output, its exit code, and the checks that a build repeats."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tools.insight.doctor import QUICK_CHECKS
from tools.insight.doctor.command import CHECKS

from ..pseudo_terminal import PseudoTerminal
from .conftest import Doctor


def test_a_complete_machine_has_no_problems(doctor: Doctor) -> None:
    result = doctor.project.run("doctor")
    lines = result.stdout.splitlines()
    assert lines[0].startswith("ok       options")
    assert any(line.startswith("ok       c++20-compiler") for line in lines)
    assert "PROBLEM" not in result.stdout and result.stderr == ""


def test_json_describes_each_check_and_its_consequence(doctor: Doctor) -> None:
    document = json.loads(doctor.project.run("doctor", "--json", MAX_JOBS="999").stdout)
    by_id = {row["id"]: row for row in document["checks"]}
    assert by_id["jobs"]["status"] == "warning"
    assert by_id["jobs"]["finding"].startswith("MAX_JOBS=999, but")
    assert "the machine hangs" in by_id["jobs"]["consequence"]
    assert by_id["jobs"]["remedy"].startswith("export MAX_JOBS=")
    assert by_id["sources"]["consequence"] == ""  # a passed check has no consequence
    assert all(row["looks_at"] for row in document["checks"])
    assert sum(document["counts"].values()) == len(document["checks"])
    assert document["counts"]["warning"] >= 1


def test_a_problem_gives_exit_code_3_and_is_named_last(doctor: Doctor) -> None:
    result = doctor.project.run("doctor", CXX="/no/such/compiler", check=False)
    assert result.returncode == 3
    assert result.stderr.splitlines()[-1] == "error: problems found: c++20-compiler"
    assert "PROBLEM  c++20-compiler" in result.stdout


def test_selected_checks_run_alone(doctor: Doctor) -> None:
    assert list(doctor.findings("jobs", "disk")) == ["disk", "jobs"]
    wrong = doctor.project.run("doctor", "dsik", check=False)
    assert wrong.returncode == 2 and "no check 'dsik'; did you mean 'disk'?" in wrong.stderr


def test_quiet_shows_only_what_needs_attention(doctor: Doctor) -> None:
    output = doctor.project.run("doctor", "--quiet", MAX_JOBS="999").stdout
    assert "warning  jobs" in output
    assert "ok       " not in output
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
    assert max(len(row) for row in rows if "/" not in row) < columns  # paths are not wrapped
    remedy = next(i for i, row in enumerate(rows) if "export MAX_JOBS=" in row)
    assert re.match(r" +fix  export MAX_JOBS=\d+$", rows[remedy])
    consequence = next(i for i, row in enumerate(rows) if row.lstrip().startswith("so  compilers"))
    assert remedy - consequence == (2 if columns < 100 else 1)


def test_an_option_that_cannot_be_met_is_reported_like_other_problems(doctor: Doctor) -> None:
    findings = doctor.findings(TINY_LOUD="0", TINY_VERY_LOUD="1")
    assert findings["options"]["status"] == "problem"
    assert "TINY_VERY_LOUD=1 cannot be met" in findings["options"]["finding"]
    assert findings["sources"]["status"] == "ok"
    assert findings["options"]["remedy"] == "set TINY_LOUD=1 too, or leave TINY_VERY_LOUD out"
    assert "did you mean TINY_LOUD?" in doctor.finding("options", TINY_LUOD="1")["finding"]


def test_other_checks_use_the_options_that_can_be_met(doctor: Doctor) -> None:
    findings = doctor.findings("options", "compiles", MAX_JOBS="many", DEBUG="1")
    assert findings["options"]["status"] == "problem"
    assert "-g compiles and links" in findings["compiles"]["finding"]


def test_an_unusable_build_directory(doctor: Doctor) -> None:
    finding = doctor.finding("options", BUILD_DIR="src")
    assert "src holds files that no build made" in finding["finding"]
    assert finding["remedy"] == "choose an empty or new folder as the build directory"


def test_doctor_changes_nothing(built: Doctor) -> None:
    before = built.project.files()
    built.project.run("doctor")
    assert built.project.files() == before


def test_a_build_stops_when_a_quick_check_fails(doctor: Doctor) -> None:
    (doctor.project.root / "src/greet.c").unlink()
    result = doctor.project.run("develop", check=False)
    assert result.returncode == 3
    assert "sources: src/greet.c is missing" in result.stderr
    assert "unpack the source archive again" in result.stderr
    assert "Traceback" not in result.stderr


def test_a_build_continues_after_a_warning(doctor: Doctor) -> None:
    result = doctor.project.run("build", MAX_JOBS="999")
    assert "warning: jobs: MAX_JOBS=999, but" in result.stdout
    assert "(fix: export MAX_JOBS=" in result.stdout
    assert (doctor.project.root / "build/lib/libtiny_words.so").exists()


def test_a_build_runs_every_quick_check() -> None:
    assert [c.id for c in QUICK_CHECKS] == [c.id for c in CHECKS if c.quick]


@pytest.mark.alone
def test_interrupting_the_doctor_ends_its_compilers(
    doctor: Doctor, wrapper: Callable[..., str], tmp_path: Path
) -> None:
    project, started = doctor.project, tmp_path / "started"
    command = [str(project.python), "setup.py", "doctor"]
    environ = project.variables(CXX=wrapper("c++", f"echo $$ >>'{started}'; sleep 300"))
    with subprocess.Popen(
        command, cwd=project.root, env=environ, stderr=subprocess.PIPE
    ) as process:
        while not started.exists() and process.poll() is None:
            time.sleep(0.01)
        time.sleep(0.5)
        start = time.monotonic()
        process.send_signal(signal.SIGINT)
        _, output = process.communicate(timeout=20)
    assert process.returncode == 130 and b"Traceback" not in output
    assert time.monotonic() - start < 2
    assert list(filter(runs, started.read_text().split())) == []


def runs(pid: str) -> bool:
    """Return whether the process still runs. A zombie has no command line."""
    try:
        return bool(Path("/proc", pid, "cmdline").read_bytes())
    except OSError:
        return False
