"""torch.cuda.tunable: its switches, its environment variables and its files."""

from __future__ import annotations

import inspect
import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

import torch
from torch.cuda import tunable

VERSION = torch.__version__.partition("+")[0]
RESULT = "GemmTunableOp_float_NT,nt_25088_4096_64,Default,1.262"


@pytest.fixture(autouse=True)
def fresh_settings(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Give each test the defaults."""
    monkeypatch.setattr(tunable, "_settings", tunable._Settings())
    monkeypatch.setattr(tunable, "_results", {})
    for name in [name for name in os.environ if name.startswith("PYTORCH_TUNABLEOP_")]:
        monkeypatch.delenv(name)
    yield


def test_defaults() -> None:
    assert not tunable.is_enabled()
    assert tunable.tuning_is_enabled()
    assert not tunable.record_untuned_is_enabled()
    assert tunable.get_max_tuning_duration() == 30
    assert tunable.get_max_tuning_iterations() == 100
    assert tunable.get_filename() == ""
    assert tunable.get_results() == ()
    assert tunable.get_validators() == (("PT_VERSION", VERSION),)


def test_settings_are_kept_and_the_environment_takes_precedence(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tunable.enable()
    tunable.tuning_enable(False)
    tunable.record_untuned_enable()
    tunable.set_max_tuning_duration(5)
    tunable.set_max_tuning_iterations(-1)
    tunable.set_rotating_buffer_size(8)
    assert tunable.is_enabled()
    assert not tunable.tuning_is_enabled()
    assert tunable.record_untuned_is_enabled()
    assert tunable.get_max_tuning_duration() == 5
    assert tunable.get_max_tuning_iterations() == 0
    assert tunable.get_rotating_buffer_size() == 8
    for name, value in {
        "ENABLED": "0", "TUNING": "1", "RECORD_UNTUNED": "0", "MAX_TUNING_DURATION_MS": "7",
        "MAX_TUNING_ITERATIONS": "9", "ROTATING_BUFFER_SIZE": "2",
    }.items():  # fmt: skip
        monkeypatch.setenv(f"PYTORCH_TUNABLEOP_{name}", value)
    assert not tunable.is_enabled()
    assert tunable.tuning_is_enabled()
    assert not tunable.record_untuned_is_enabled()
    assert tunable.get_max_tuning_duration() == 7
    assert tunable.get_max_tuning_iterations() == 9
    assert tunable.get_rotating_buffer_size() == 2


def test_a_number_in_the_environment_is_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTORCH_TUNABLEOP_MAX_TUNING_ITERATIONS", "many")
    with pytest.raises(ValueError, match="MAX_TUNING_ITERATIONS must be a number, but is 'many'"):
        tunable.get_max_tuning_iterations()


def test_the_file_name_gets_the_device(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTORCH_TUNABLEOP_FILENAME", "from_environment.csv")
    assert tunable.get_filename() == "from_environment0.csv"
    tunable.set_filename("folder/results.csv", insert_device_ordinal=True)
    assert tunable.get_filename() == "folder/results0.csv"
    tunable.set_filename("results.csv")
    assert tunable.get_filename() == "results.csv"


def test_results_are_read(tmp_path: Path) -> None:
    path = tmp_path / "results.csv"
    path.write_text(f"Validator,PT_VERSION,{VERSION}\n{RESULT}\n", encoding="utf-8")
    tunable.set_filename(str(path))
    assert tunable.read_file()
    assert tunable.get_results() == (
        ("GemmTunableOp_float_NT", "nt_25088_4096_64", "Default", 1.262),
    )


@pytest.mark.parametrize("text", [RESULT, f"Validator,PT_VERSION,0.1\n{RESULT}\n"])
def test_results_of_other_versions_are_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "results.csv"
    path.write_text(text, encoding="utf-8")
    assert not tunable.read_file(str(path))
    assert tunable.get_results() == ()
    assert not tunable.read_file(str(tmp_path / "missing.csv"))


@pytest.mark.parametrize(
    ("line", "problem"),
    [("one,two", "not a validator or a result"), ("a,b,c,soon", "'soon' is not a time")],
)
def test_a_malformed_line_is_named(tmp_path: Path, line: str, problem: str) -> None:
    path = tmp_path / "results.csv"
    path.write_text(f"Validator,PT_VERSION,{VERSION}\n{line}\n", encoding="utf-8")
    with pytest.raises(ValueError, match=f"results.csv:2: {problem}"):
        tunable.read_file(str(path))


def test_tuning_a_file_needs_both_switches(tmp_path: Path) -> None:
    with pytest.raises(AssertionError):
        tunable.tune_gemm_in_file(str(tmp_path / "untuned.csv"))
    tunable.enable()
    with pytest.raises(FileNotFoundError):
        tunable.tune_gemm_in_file(str(tmp_path / "untuned.csv"))
    (tmp_path / "untuned.csv").write_text("", encoding="utf-8")
    tunable.tune_gemm_in_file(str(tmp_path / "untuned.csv"))
    with pytest.raises(ValueError, match="num_gpus must be from 1"):
        tunable.mgpu_tune_gemm_in_file("*.csv", 0)


@pytest.mark.skipif("TORCH_PEER" not in os.environ, reason="needs TORCH_PEER")
def test_names_and_parameters_are_pytorchs() -> None:
    program = (
        "import inspect, json; from torch.cuda import tunable as t; print(json.dumps("
        "{n: [str(p.name) for p in inspect.signature(getattr(t, n)).parameters.values()]"
        " for n in t.__all__}))"
    )
    output = subprocess.run(
        [os.environ["TORCH_PEER"], "-c", program],
        capture_output=True,
        text=True,
        check=True,
        cwd="/",
    ).stdout
    own = {
        name: list(inspect.signature(getattr(tunable, name)).parameters) for name in tunable.__all__
    }
    assert own == json.loads(output)
