"""Ambiguous ways to give an option: empty, twice, through CMake, or meant for another build."""

from __future__ import annotations

import re

import pytest

from tools.base.programs import Programs
from tools.setup_helpers.cmake.options_script import options_script
from tools.setup_helpers.env.foreign import governing_options
from tools.setup_helpers.env.options import OptionRequest, Origin
from tools.setup_helpers.env.resolver import resolve
from tools.setup_helpers.probes import ProbeResult
from tools.setup_helpers.table.config_reader import load

from .fixture_project import ROOT, Project

ROWS = """
[options.DEBUG]
help = "Compile for a debugger"
role = "debug"
governs = ["CMAKE_BUILD_TYPE"]

[options.CMAKE_ARGS]
help = "Further arguments for CMake"
role = "cmake_arguments"
type = "flags"
cmake = false

[[foreign]]
names = ["USE_FBGEMM", "TINY_LOUT"]
because = "no word is quantized"

[[foreign]]
names = ["_TINY_ABI"]
because = "there is one way to call a function"
harmless = "ON"
"""


@pytest.fixture
def larger(project: Project) -> Project:
    """The fixture project with options for the compilers and for variables of other builds."""
    with (project.root / "build_config.toml").open("a") as file:
        file.write(ROWS)
    return project


def refused(project: Project, *arguments: str, **environ: str) -> str:
    result = project.run(*(arguments or ("develop",)), check=False, **environ)
    assert result.returncode == 2 and "Traceback" not in result.stderr
    assert not (project.root / "build").exists()
    return result.stderr


@pytest.mark.parametrize("empty", ["", "  "])
def test_an_empty_variable_is_no_request(project: Project, empty: str) -> None:
    names = ("TINY_LOUD", "MAX_JOBS", "COMPILER_CACHE", "TINY_PACKAGE_NAME", "BUILD_DIR")
    shown = project.run("options", **dict.fromkeys(names, empty), TINY_LOUDD=empty).stdout
    assert "environment" not in shown
    assert re.search(r"TINY_LOUD +ON +default", shown)


def test_an_empty_variable_builds_what_no_variable_builds(project: Project) -> None:
    assert "all default" in project.run("develop", TINY_LOUD="").stdout
    assert project.words() == "['HELLO', 'WORLD']\n"


@pytest.mark.parametrize(
    ("setting", "accepted"),
    [
        ("TINY_LOUD", "use 1/0, ON/OFF"),
        ("MAX_JOBS", "a whole number"),
        ("COMPILER_CACHE", "one of auto, ccache"),
    ],
)
def test_an_empty_setting_on_the_command_line_is_refused(
    project: Project, setting: str, accepted: str
) -> None:
    output = refused(project, "develop", f"-D{setting}=")
    assert f"{setting}='': " in output and accepted in output


def test_an_empty_text_on_the_command_line_overrides_the_environment(larger: Project) -> None:
    shown = larger.run("options", "-DCFLAGS=", CFLAGS="-O3").stdout
    assert re.search(r'CFLAGS +"" +command line', shown)


@pytest.mark.parametrize(
    ("arguments", "option"),
    [
        ("-DCMAKE_BUILD_TYPE=Debug", "CMAKE_BUILD_TYPE: set DEBUG"),
        ("-D CMAKE_C_FLAGS:STRING=-O0", "CMAKE_C_FLAGS: set CFLAGS"),
        ("-Wno-dev -DTINY_LOUD=OFF", "TINY_LOUD: set TINY_LOUD"),
        ("-UTINY_LOUD", "TINY_LOUD: set TINY_LOUD"),
    ],
)
def test_a_variable_controlled_by_an_option_is_refused_in_cmake_args(
    larger: Project, arguments: str, option: str
) -> None:
    output = refused(larger, CMAKE_ARGS=arguments)
    assert "CMAKE_ARGS sets variables that options control" in output
    assert option in output


@pytest.mark.parametrize("arguments", ["-DTINY_LUOD=OFF", "-Wno-dev -D TINY_LOUDD:BOOL=OFF"])
def test_a_misspelt_option_in_cmake_args_is_refused(larger: Project, arguments: str) -> None:
    output = refused(larger, CMAKE_ARGS=arguments)
    assert "CMAKE_ARGS sets variables that look like misspelt options" in output
    assert ": did you mean TINY_LOUD?" in output


@pytest.mark.parametrize(
    ("arguments", "instead"),
    [
        ("-B elsewhere", "-B: set BUILD_DIR"),
        ("-Wno-dev -S..", "-S..: the sources are"),
        ("-G Unix\\ Makefiles", "-G: the build needs the generator Ninja"),
        ("--fresh", "--fresh: set CMAKE_FRESH=1"),
    ],
)
def test_what_the_front_end_chooses_is_refused_in_cmake_args(
    larger: Project, arguments: str, instead: str
) -> None:
    output = refused(larger, CMAKE_ARGS=arguments)
    assert "CMAKE_ARGS has arguments that the build passes to CMake itself" in output
    assert instead in output
    assert not (larger.root / "elsewhere").exists()


def test_other_arguments_reach_cmake(larger: Project) -> None:
    larger.run("develop", CMAKE_ARGS="-DCMAKE_C_FLAGS_RELEASE=-O1 -DTINY_NOTHING=3 -Wno-dev")
    cache = (larger.root / "build/CMakeCache.txt").read_text()
    assert "TINY_NOTHING:UNINITIALIZED=3" in cache and "-O1" in cache


def test_a_cmake_variable_given_as_an_option_suggests_the_option(larger: Project) -> None:
    output = refused(larger, "develop", "-DCMAKE_BUILD_TYPE=Debug")
    assert "CMAKE_BUILD_TYPE; set DEBUG" in output


def test_every_cmake_variable_that_options_set_is_governed() -> None:
    """Otherwise a user's value would be overridden silently."""
    config = load(ROOT)
    compilers = [OptionRequest(name, "cc", Origin.ENVIRONMENT) for name in ("CC", "CXX")]
    nothing = ProbeResult(False, "it is not here")
    options = resolve(config, compilers, Programs({}), "python", lambda *_: nothing)
    script, written = options_script(config, options, {}, {}, {})
    assigned = set(re.findall(r"^set\((CMAKE_\w+) ", script, re.MULTILINE)) | written.keys()
    assert assigned <= governing_options(config).keys()


def test_a_variable_without_effect_is_reported_once(larger: Project) -> None:
    built = larger.run("develop", USE_FBGEMM="1").stdout
    assert built.count("USE_FBGEMM=1 has no effect here: no word is quantized") == 1
    assert larger.run("develop", USE_FBGEMM="1").stdout == "up to date\n"


@pytest.mark.parametrize(
    "environ", [{"USE_FBGEMM": "0"}, {"USE_FBGEMM": ""}, {"TINY_LOUT": "off"}, {"_TINY_ABI": "1"}]
)
def test_a_variable_without_effect_is_not_reported_if_it_changes_nothing(
    larger: Project, environ: dict[str, str]
) -> None:
    assert "no effect" not in larger.run("codegen", **environ).stdout


@pytest.mark.parametrize("environ", [{"TINY_LOUT": "1"}, {"_TINY_ABI": "0"}])
def test_a_known_variable_of_another_build_is_no_misspelling(
    larger: Project, environ: dict[str, str]
) -> None:
    result = larger.run("codegen", **environ)
    assert "has no effect here" in result.stdout


def test_a_setting_without_effect_is_reported(larger: Project) -> None:
    assert "USE_FBGEMM=ON has no effect" in larger.run("codegen", "-DUSE_FBGEMM=ON").stdout


def test_doctor_and_explain_report_variables_of_other_builds(larger: Project) -> None:
    result = larger.run("doctor", "options", check=False, USE_FBGEMM="1")
    assert "warning" in result.stdout and "USE_FBGEMM=1 has no effect here" in result.stdout
    output = larger.run("explain", "option", "USE_FBGEMM").stdout
    assert output == "USE_FBGEMM has no effect here: no word is quantized\n"


def test_the_last_of_two_settings_wins(project: Project) -> None:
    twice = ("-DTINY_LOUD=ON", "-DTINY_LOUD=OFF")
    assert re.search(r"TINY_LOUD +OFF +command line", project.run("options", *twice).stdout)


@pytest.mark.parametrize("name", ["DEBUG", "USE_CUDNN", "USE_FBGEMM", "_GLIBCXX_USE_CXX11_ABI"])
def test_names_of_pytorch_options_are_known(name: str) -> None:
    config = load(ROOT)
    foreign = {each for row in config.foreign for each in row.names}
    assert name in {option.name for option in config.options} | foreign


def test_a_default_is_the_value_without_a_request() -> None:
    table = (ROOT / "docs/reference.md").read_text()
    assert "| `USE_GLOO` | `OFF` |" in table
    assert "| `ATEN_THREADING` | `OMP`, else `NATIVE` |" in table


ABSENT = """
[options.TINY_DEPLOY]
help = "Greet from several interpreters"
status = "absent"
because = "one interpreter greets well enough"
"""


def test_an_option_whose_part_will_never_exist_says_so(project: Project) -> None:
    with (project.root / "build_config.toml").open("a") as table:
        table.write(ABSENT)
    output = refused(project, "develop", TINY_DEPLOY="1")
    expected = "TINY_DEPLOY=1: this option is not part of this build: one interpreter greets"
    assert expected in output and "leave TINY_DEPLOY at OFF" in output
    assert "absent: one interpreter greets well enough" in project.run("options").stdout
    markdown = project.run("options", "--markdown").stdout
    assert "**absent**: one interpreter greets well enough" in markdown
    explained = project.run("explain", "option", "TINY_DEPLOY").stdout
    assert "only OFF: one interpreter greets well enough" in explained
    assert "TINY_DEPLOY" not in project.run("options", "--available").stdout
    project.run("codegen", TINY_DEPLOY="0")


def test_an_absent_option_states_the_reason(project: Project) -> None:
    with (project.root / "build_config.toml").open("a") as table:
        table.write(ABSENT.replace("because", "# because"))
    assert "TINY_DEPLOY needs both status" in refused(project, "develop")
