"""Options: types, origins, dependents, near-misses, planned parts."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tools.base.errors import ENVIRONMENT, USAGE, BuildError
from tools.base.programs import Programs
from tools.setup_helpers.env.options import (
    Options,
    Origin,
    environment_requests,
    explicit_requests,
    names_of,
)
from tools.setup_helpers.env.resolver import attempt, resolve
from tools.setup_helpers.package.wheel import EARLIEST_EPOCH, LATEST_EPOCH, archive_epoch
from tools.setup_helpers.probes import ProbeContext, ProbeResult
from tools.setup_helpers.table.config import Config
from tools.setup_helpers.table.config_reader import load, parse_config

from .fixture_project import ROOT

TABLE = """
[project]
distribution = "p"
package = "p"
version_file = "v"
foreign_variables = ["BUILD_TESTX"]
[options.USE_CUDA]
help = ""
aliases = ["USE_GPU"]
type = "auto"
probe = "compiler"
[options.USE_CUDNN]
help = ""
default = "ON"
requires = "USE_CUDA"
[options.USE_NCCL]
help = ""
default = "ON"
requires = "USE_CUDNN and linux"
[options.BUILD_TEST]
help = ""
[options.THREADING]
help = ""
type = "choice"
choices = ["OMP", "NATIVE", "TBB"]
planned_choices = ["TBB"]
default = "OMP"
[options.MAX_JOBS]
help = ""
type = "integer"
default = "0"
role = "jobs"
[options.CFLAGS]
help = ""
type = "flags"
[options.HOME_OF_X]
help = ""
type = "path"
[options.BUILD_OFTEN]
help = ""
default = "ON"
[options.USE_BOTH]
help = ""
requires = 'not BUILD_OFTEN and THREADING == "NATIVE"'
[options.USE_LATEST]
help = ""
default = "ON"
requires = "USE_ROCM"
status = "planned"
[options.USE_ROCM]
help = ""
status = "planned"
[options.USE_LATER]
help = ""
requires = "USE_ROCM"
status = "planned"
[options.USE_SANITIZER]
help = ""
probe = "compiler_links"
[options.PYTORCH_BUILD_NUMBER]
help = ""
type = "integer"
default = "0"
"""


@pytest.fixture(scope="module")
def config() -> Config:
    return parse_config(TABLE, Path("/nowhere"))


def answer(found: bool):  # type: ignore[no-untyped-def]
    def prober(name: str, context: ProbeContext, arguments: tuple[str, ...]) -> ProbeResult:
        return ProbeResult(found, "it is here" if found else "it is not here", ("/usr",))

    return prober


def resolved(config: Config, found: bool = False, **environ: str) -> Options:
    return resolve(
        config, environment_requests(config, environ), Programs(environ), "python", answer(found)
    )


def failure(config: Config, found: bool = False, **environ: str) -> BuildError:
    with pytest.raises(BuildError) as error:
        resolved(config, found, **environ)
    return error.value


@pytest.mark.parametrize("text", ["1", "ON", "on", "Yes", "TRUE", "y"])
def test_spellings_of_true(config: Config, text: str) -> None:
    assert resolved(config, BUILD_TEST=text)["BUILD_TEST"] is True


@pytest.mark.parametrize("text", ["0", "OFF", "no", "False", "n"])
def test_spellings_of_false(config: Config, text: str) -> None:
    assert resolved(config, BUILD_TEST=text)["BUILD_TEST"] is False


def test_an_empty_variable_leaves_the_default(config: Config) -> None:
    assert resolved(config, BUILD_OFTEN="")["BUILD_OFTEN"] is True
    assert resolved(config, BUILD_OFTEN="").of("BUILD_OFTEN").origin is Origin.DEFAULT


@pytest.mark.parametrize("text", ["2", "maybe", "ONN", "-1"])
def test_anything_else_is_no_boolean(config: Config, text: str) -> None:
    error = failure(config, BUILD_TEST=text)
    assert error.exit_code == USAGE
    assert f"BUILD_TEST={text!r}" in error.message and "1/0, ON/OFF" in error.message


def test_origins_are_recorded(config: Config) -> None:
    options = resolved(config, BUILD_TEST="1")
    assert options.of("BUILD_TEST").origin is Origin.ENVIRONMENT
    assert options.of("MAX_JOBS").origin is Origin.DEFAULT
    assert options.of("USE_CUDA").origin is Origin.DETECTED
    assert options.of("USE_CUDNN").origin is Origin.FORCED
    assert options.of("USE_CUDNN").detail == "needs USE_CUDA"


def test_the_command_line_beats_the_environment(config: Config) -> None:
    requests = environment_requests(config, {"BUILD_TEST": "1"})
    requests += explicit_requests(config, [("BUILD_TEST", "0")], Origin.COMMAND_LINE)
    options = resolve(config, requests, Programs({}), "python", answer(False))
    assert options["BUILD_TEST"] is False
    assert options.of("BUILD_TEST").origin is Origin.COMMAND_LINE


def test_an_alias_sets_the_option(config: Config) -> None:
    options = resolved(config, found=True, USE_GPU="1")
    assert options["USE_CUDA"] is True
    assert options.of("USE_CUDA").detail == "USE_GPU"


def test_an_alias_that_contradicts_is_an_error(config: Config) -> None:
    assert "contradicts" in failure(config, found=True, USE_GPU="1", USE_CUDA="0").message
    assert resolved(config, found=True, USE_GPU="1", USE_CUDA="ON")["USE_CUDA"] is True


def test_auto_follows_the_probe(config: Config) -> None:
    assert resolved(config, found=True)["USE_CUDA"] is True
    assert resolved(config, found=False)["USE_CUDA"] is False
    assert resolved(config, found=True, USE_CUDA="auto")["USE_CUDA"] is True
    assert resolved(config, found=True).of("USE_CUDA").detail == "it is here"


def test_explicit_on_that_cannot_be_met_is_an_error(config: Config) -> None:
    error = failure(config, USE_CUDA="1")
    assert error.exit_code == ENVIRONMENT
    assert "it is not here" in error.message and "looked: /usr" in error.cause


def test_dependents_follow_their_parent(config: Config) -> None:
    options = resolved(config, found=True)
    assert options["USE_CUDNN"] is True and options["USE_NCCL"] is True
    options = resolved(config, found=True, USE_CUDNN="0")
    assert options["USE_NCCL"] is False
    assert options.of("USE_NCCL").detail == "needs USE_CUDNN"


def test_an_explicit_dependent_without_its_parent_is_an_error(config: Config) -> None:
    error = failure(config, USE_CUDA="0", USE_CUDNN="1")
    assert error.exit_code == USAGE
    assert "USE_CUDNN=1 cannot be met: it needs USE_CUDA" in error.message
    assert resolved(config, USE_CUDA="0", USE_CUDNN="0")["USE_CUDNN"] is False


@pytest.mark.parametrize(
    ("name", "match"),
    [
        ("USE_CUDDN", "USE_CUDNN"),
        ("USE_CUD", "USE_CUDA"),
        ("BUILD_TESTS", "BUILD_TEST"),
        ("MAX_JOB", "MAX_JOBS"),
        ("use_cudnn", "USE_CUDNN"),
    ],
)
def test_a_near_miss_in_the_environment_is_refused(config: Config, name: str, match: str) -> None:
    error = failure(config, **{name: "1"})
    assert error.exit_code == USAGE
    assert f"did you mean {match}?" in error.cause


def test_the_variables_that_make_exports_are_left_alone() -> None:
    config = load(ROOT)
    exported = {"MAKEFLAGS": "-j2", "MFLAGS": "-j2", "MAKELEVEL": "1"}
    assert "CFLAGS" in names_of(config)
    assert environment_requests(config, exported) == []


def test_foreign_names_are_left_alone(config: Config) -> None:
    resolved(config, BUILD_NUMBER="17", BUILD_TESTX="1", CI="1", PATH="/bin", USER="me", CC="x")


def test_an_unknown_name_addressed_to_the_build_is_an_error(config: Config) -> None:
    with pytest.raises(BuildError, match="command line") as error:
        explicit_requests(config, [("USE_CUDAA", "1"), ("ELEPHANT", "1")], Origin.COMMAND_LINE)
    assert "USE_CUDAA; did you mean 'USE_CUDA'?" in error.value.cause
    assert "ELEPHANT" in error.value.cause


def test_an_explicit_dependent_names_what_its_parent_lacks_and_the_places_searched(
    config: Config,
) -> None:
    error = failure(config, found=False, USE_NCCL="1")
    assert error.exit_code == USAGE
    assert error.message == "USE_NCCL=1 cannot be met: it needs USE_CUDNN and linux"
    assert error.cause.splitlines() == [
        "USE_CUDNN=OFF (forced by a dependency: needs USE_CUDA)",
    ]
    error = failure(config, found=False, USE_CUDNN="1")
    assert error.cause.splitlines() == [
        "USE_CUDA=OFF (detected: it is not here)",
        "looked: /usr",
    ]


def test_a_switch_is_probed_only_when_it_is_on(config: Config) -> None:
    assert resolved(config, found=False)["USE_SANITIZER"] is False
    assert resolved(config, found=False).of("USE_SANITIZER").origin is Origin.DEFAULT
    assert resolved(config, found=True, USE_SANITIZER="1")["USE_SANITIZER"] is True
    error = failure(config, found=False, USE_SANITIZER="1")
    assert error.exit_code == ENVIRONMENT
    assert error.message == "USE_SANITIZER=1 cannot be met: it is not here"
    assert error.cause == "looked: /usr"


def test_the_hint_names_a_remedy(config: Config) -> None:
    error = failure(config, USE_CUDA="0", USE_CUDNN="1")
    assert error.hint == "set USE_CUDA=1 too, or leave USE_CUDNN out"
    error = failure(config, USE_BOTH="1")
    assert error.cause.splitlines() == [
        "not BUILD_OFTEN does not hold",
        "BUILD_OFTEN=ON (default)",
    ]
    assert error.hint == "set BUILD_OFTEN=0 THREADING=NATIVE too, or leave USE_BOTH out"
    # A missing or dependent option cannot be met by setting it, so the hint does not suggest that.
    assert failure(config, found=False, USE_CUDNN="1").hint == "leave USE_CUDNN out"
    assert failure(config, found=False, USE_NCCL="1").hint == "leave USE_NCCL out"


def test_a_refused_request_leaves_the_option_unchanged(config: Config) -> None:
    variables = {"MAX_JOBS": "x", "BUILD_TEST": "1", "THREADING": "TBB", "USE_ROCM": "1"}
    requests = environment_requests(config, variables)
    resolution = attempt(config, requests, Programs({}), "python", answer(True))
    assert [refusal.name for refusal in resolution.refusals] == [
        "THREADING",
        "MAX_JOBS",
        "USE_ROCM",
    ]
    options = resolution.options
    assert (options["MAX_JOBS"], options["THREADING"], options["USE_ROCM"]) == (0, "OMP", False)
    assert options.of("MAX_JOBS").origin is Origin.DEFAULT
    assert options.of("BUILD_TEST").origin is Origin.ENVIRONMENT


def test_a_planned_part_that_defaults_to_on_can_be_switched_off(config: Config) -> None:
    """Its default is the future one, which is ON when its requirements are met."""
    assert resolved(config, USE_LATEST="0")["USE_LATEST"] is False
    error = failure(config, USE_LATEST="1")
    assert error.message == "USE_LATEST=1: this option is planned but not implemented yet"
    assert error.hint == "leave USE_LATEST at OFF"


def test_planned_parts_can_only_stay_off(config: Config) -> None:
    assert resolved(config, USE_ROCM="0")["USE_ROCM"] is False
    error = failure(config, USE_ROCM="1")
    assert error.exit_code == USAGE and "planned" in error.message
    error = failure(config, USE_LATER="1")  # its requirements are not reported in addition
    assert error.message.startswith("USE_LATER=1: this option is planned")
    error = failure(config, THREADING="TBB")
    assert "planned" in error.message and error.hint == "choose one of OMP, NATIVE"


def test_only_listed_choices_are_accepted(config: Config) -> None:
    assert resolved(config, THREADING="native")["THREADING"] == "NATIVE"
    message = failure(config, THREADING="NATIV").message
    assert message == "THREADING='NATIV': one of OMP, NATIVE; did you mean 'NATIVE'?"


def test_integers_flags_and_paths(config: Config, tmp_path: Path) -> None:
    assert resolved(config, MAX_JOBS="4")["MAX_JOBS"] == 4
    assert "whole number" in failure(config, MAX_JOBS="four").message
    assert "whole number" in failure(config, MAX_JOBS="-1").message
    assert "quotation" in failure(config, CFLAGS="-DX='").message
    assert resolved(config, HOME_OF_X=str(tmp_path))["HOME_OF_X"] == str(tmp_path)
    assert "no such file" in failure(config, HOME_OF_X="/no/where").message
    assert "no such file" in failure(config, HOME_OF_X="~nobody-has-this-name/x").message


def test_all_mistakes_are_reported_at_once(config: Config) -> None:
    error = failure(config, MAX_JOBS="x", BUILD_TEST="x", THREADING="x")
    assert error.message.startswith("3 options")
    assert all(name in error.cause for name in ("MAX_JOBS", "BUILD_TEST", "THREADING"))
    error = failure(config, found=False, USE_CUDNN="1", USE_SANITIZER="1")
    assert error.cause.count("looked: /usr") == 2 and "leave USE_SANITIZER out" in error.cause


def test_resolving_again_gives_the_same_values(config: Config) -> None:
    options = resolved(config, found=True, USE_GPU="1", MAX_JOBS="3", THREADING="NATIVE")
    again = resolve(config, options.requests(), Programs({}), "python", answer(True))
    assert dict(again) == dict(options)


def test_options_that_require_each_other_are_refused() -> None:
    text = TABLE + '[options.X]\nhelp=""\nrequires="Y"\n[options.Y]\nhelp=""\nrequires="X"\n'
    circular = parse_config(text, Path("/nowhere"))
    with pytest.raises(BuildError, match="X -> Y -> X"):
        resolved(circular)


def test_options_are_found_by_role(config: Config) -> None:
    assert resolved(config, MAX_JOBS="3").role("jobs") == "3"
    assert resolved(config).role("verbose") == ""


@pytest.mark.parametrize("text", ["0", "1700000000", "99999999999999"])
def test_a_time_outside_the_range_of_archives_is_clamped(text: str) -> None:
    epoch = archive_epoch(text)
    assert epoch == 1700000000 or epoch in (EARLIEST_EPOCH, LATEST_EPOCH)
    assert 1980 <= time.gmtime(epoch).tm_year <= 2106
