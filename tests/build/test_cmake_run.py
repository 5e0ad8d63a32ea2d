"""CMake started by the front end, while code is generated."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tools.setup_helpers.cmake.run import Handover

from .fixture_project import Project

COMPILER_FOUND = "CMakeFiles/*/CMakeCXXCompiler.cmake"


def slow_down(project: Project, code: str) -> None:
    """Make the generator run this code first. It may use `build`, the build directory, and `until`."""
    head = (
        "\nimport time\n\n\ndef until(folder: Path, pattern: str, there: bool = True) -> None:\n"
        "    for _ in range(600):\n"
        "        if any(folder.glob(pattern)) == there:\n"
        "            return\n"
        "        time.sleep(0.05)\n"
        '    raise TimeoutError(f"{pattern} did not change")\n\n\ndef words('
    )
    project.edit("generator/stages.py", "\ndef words(", head)
    body = f"    build = context.files.root\n    {code}\n    import yaml\n\n    entries"
    project.edit("generator/stages.py", "    import yaml\n\n    entries", body)


def start(project: Project) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [str(project.python), "setup.py", "develop"],
        cwd=project.root,
        env=project.variables(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def wait_for(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline, "nothing happened"
        time.sleep(0.02)


def running(project: Project) -> list[str]:
    """Return the command lines of processes that work in the build directory."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = entry.read_bytes().decode(errors="replace").split("\0")
        except OSError:
            continue
        if str(project.root / "build") in words:
            found.append(" ".join(words))
    return found


def test_cmake_looks_for_compilers_while_code_is_generated(project: Project) -> None:
    slow_down(project, f"until(build, {COMPILER_FOUND!r})")
    project.run("develop")
    assert project.words() == "['HELLO', 'WORLD']\n"


def test_a_failed_generation_ends_the_waiting_cmake(project: Project) -> None:
    slow_down(
        project,
        f"until(build, {COMPILER_FOUND!r}); raise type('InputError', (Exception,), {{}})('no words')",
    )
    result = project.run("develop", check=False)
    assert result.returncode == 2
    assert result.stderr.startswith("error: code generation stage 'words' failed\n  no words\n")
    assert running(project) == []
    assert not (project.root / "build/build.ninja").exists()
    project.edit("generator/stages.py", "raise type", "type")
    project.run("develop")
    assert project.words() == "['HELLO', 'WORLD']\n"


def test_an_interrupted_generation_ends_the_waiting_cmake(project: Project) -> None:
    slow_down(project, "until(context.root, 'never')")
    process = start(project)
    wait_for(lambda: list((project.root / "build").glob(COMPILER_FOUND)))
    process.send_signal(
        signal.SIGINT
    )  # only to this process, while a terminal would also signal CMake
    _, output = process.communicate(timeout=10)
    assert (process.returncode, output) == (130, "\ninterrupted\n")
    assert running(project) == []


def test_a_front_end_killed_during_generation_leaves_no_misleading_state(
    project: Project,
) -> None:
    (project.root / "hold").touch()
    slow_down(project, "until(context.root, 'hold', there=False)")
    process = start(project)
    wait_for(lambda: list((project.root / "build").glob(COMPILER_FOUND)))
    process.kill()
    process.communicate()
    (project.root / "hold").unlink()
    wait_for(lambda: not running(project))
    project.run("develop")
    assert project.words() == "['HELLO', 'WORLD']\n"
    assert not (project.root / "build/generation.pending").exists()


LOCK_AND_RELEASE = """
foreach(number RANGE 3000)
  file(LOCK "generation.lock" GUARD PROCESS)
  file(LOCK "generation.lock" RELEASE)
endforeach()
"""


def test_releasing_the_lock_never_fails_cmake(tmp_path: Path) -> None:
    (tmp_path / "lock.cmake").write_text(LOCK_AND_RELEASE)
    process = subprocess.Popen(["cmake", "-P", "lock.cmake"], cwd=tmp_path)
    while process.poll() is None:
        Handover(tmp_path).generated()
    assert process.returncode == 0


def test_cmake_generates_files_when_the_front_end_did_not(developed: Project) -> None:
    (developed.root / "build/src/words.c").unlink()
    handover = Handover(developed.root / "build")
    process = subprocess.Popen(
        ["cmake", "build"],
        cwd=developed.root,
        env=developed.variables(BUILD_FRONT_END_CONFIGURES="1"),
        stdout=subprocess.PIPE,
        text=True,
    )
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(timeout=2)
    handover.close()
    output, _ = process.communicate(timeout=60)
    assert "-- generated words: src/words.c is missing" in output
    assert (developed.root / "build/src/words.c").exists()


@pytest.mark.parametrize("how", ["options", "code"])
def test_cmake_runs_python_only_without_the_front_end(developed: Project, how: str) -> None:
    log = developed.root / "calls.txt"
    module = {"options": "cmake/interface.py", "code": "generate_code.py"}[how]
    developed.edit(
        f"tools/setup_helpers/{module}",
        "    parsed = parser.parse_args(arguments)\n",
        f"    parsed = parser.parse_args(arguments)\n    open({str(log)!r}, 'a').write('called\\n')\n",
    )
    developed.run("develop", "-DTINY_LOUD=0")
    assert developed.words() == "['hello', 'world']\n"
    assert not log.exists()
    developed.call(["cmake", "build"])
    assert log.read_text() == "called\n"


def test_cmake_definitions_given_by_hand_hold_after_the_front_end_configured(
    developed: Project,
) -> None:
    """After a successful configuration by the front end, -D values given to CMake take effect again."""
    developed.run("develop", "-DTINY_LOUD=0")
    developed.call(["cmake", "-DTINY_LOUD=ON", "build"])
    options = json.loads((developed.root / "build/options.json").read_text())["resolved"]
    assert options["TINY_LOUD"]["value"] == "ON"


def test_ninja_does_not_repeat_cmake_after_the_front_end(developed: Project) -> None:
    line = 'file(APPEND "${CMAKE_BINARY_DIR}/runs.txt" "run\\n")\n'
    developed.edit("CMakeLists.txt", "include(BuildDefaults)", f"{line}include(BuildDefaults)")
    developed.run("develop")
    assert (developed.root / "build/runs.txt").read_text() == "run\n"
