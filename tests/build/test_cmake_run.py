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


def values(project: Project) -> dict[str, str]:
    resolved = json.loads((project.root / "build/options.json").read_text())["resolved"]
    return {name: row["value"] for name, row in resolved.items()}


def test_variables_change_the_options_of_cmake_started_by_hand(developed: Project) -> None:
    developed.call(["cmake", "build"], TINY_LOUD="0")
    assert values(developed)["TINY_LOUD"] == "OFF"
    developed.call(["ninja", "-C", "build"])
    assert developed.words() == "['hello', 'world']\n"
    developed.call(["cmake", "build"])  # an editor does this, in its own environment
    assert values(developed)["TINY_LOUD"] == "OFF"
    (developed.root / "CMakeLists.txt").touch()
    developed.call(["ninja", "-C", "build"], TINY_LOUD="1", TINY_POLITE="0")
    assert values(developed)["TINY_LOUD"] == "OFF" and values(developed)["TINY_POLITE"] == "ON"
    output = developed.call(["cmake", "build"], TINY_LOUDD="1", check=False)
    assert output.returncode and "TINY_LOUDD=1: did you mean TINY_LOUD?" in output.stderr


def test_a_variable_without_effect_on_cmake_is_reported(developed: Project) -> None:
    developed.call(["cmake", "-DTINY_LOUD=OFF", "build"])
    assert "has no effect" not in developed.call(["cmake", "build"], TINY_LOUD="0").stdout
    output = developed.call(["cmake", "build"], TINY_LOUD="1", CC="gcc").stdout
    assert (
        "-- TINY_LOUD=1 in the environment has no effect: "
        "the tree was configured with -DTINY_LOUD=OFF\n" in output
    )
    assert "-- CC=gcc in the environment has no effect: CMake keeps the compiler" in output
    assert values(developed)["TINY_LOUD"] == "OFF"


@pytest.mark.parametrize("how", ["--fresh", "deleted"])
def test_cmake_started_again_from_an_empty_cache_forgets_definitions(
    developed: Project, how: str
) -> None:
    command = ["cmake", "-G", "Ninja", "-S", ".", "-B", "build"]
    developed.call([*command, "-DTINY_LOUD=OFF"])
    if how == "deleted":
        (developed.root / "build/CMakeCache.txt").unlink()
    developed.call([*command, "--fresh"] if how == "--fresh" else command)
    assert values(developed)["TINY_LOUD"] == "ON"


def test_ninja_does_not_repeat_cmake_after_the_front_end(developed: Project) -> None:
    line = 'file(APPEND "${CMAKE_BINARY_DIR}/runs.txt" "run\\n")\n'
    developed.edit("CMakeLists.txt", "include(BuildDefaults)", f"{line}include(BuildDefaults)")
    developed.run("develop")
    assert (developed.root / "build/runs.txt").read_text() == "run\n"
