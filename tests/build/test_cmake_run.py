"""CMake started by the front end, by hand, and by Ninja."""

from __future__ import annotations

import json

import pytest

from .fixture_project import Project


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
