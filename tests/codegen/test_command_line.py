"""Error messages of the command line for unusable files, folders and words."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from operator_files import DERIVATIVES, NATIVE, TAGS

from tools.drivers.cli import main

INPUTS = ["--native-functions", str(NATIVE), "--tags", str(TAGS)]


def refused(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """Run a command that must exit with 2; return its message."""
    assert main(arguments) == 2
    return capsys.readouterr().err


def test_all_missing_files_are_listed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    misspelt = NATIVE.with_name("native_function.yaml")
    inputs = ["--native-functions", str(misspelt), "--tags", str(tmp_path)]
    message = refused(
        ["generate", *inputs, "--derivatives", "nope", "--out", str(tmp_path)], capsys
    )
    assert message.splitlines() == [
        f"tools.codegen: --native-functions: {misspelt} does not exist; "
        "did you mean 'native_functions.yaml'?",
        f"tools.codegen: --tags: {tmp_path} is a directory",
        "tools.codegen: --derivatives: nope does not exist",
    ]


@pytest.mark.parametrize("below", ["", "deeper/still"])
def test_output_folder_that_is_a_file(
    below: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    taken = tmp_path / "taken"
    taken.write_text("kept")
    message = refused(["generate", *INPUTS, "--out", str(taken / below)], capsys)
    assert message == f"tools.codegen: --out: {taken} is a file, not a directory\n"
    assert taken.read_text() == "kept"


def test_output_folder_that_cannot_be_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if os.geteuid() == 0:
        pytest.skip("root can write everywhere; run the tests as an ordinary user")
    tmp_path.chmod(0o555)
    message = refused(["generate", *INPUTS, "--out", str(tmp_path / "out")], capsys)
    assert message.startswith("tools.codegen: Permission denied: ")


def test_empty_output_folder_does_not_mean_the_current_one(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["generate", *INPUTS, "--out", ""])
    assert caught.value.code == 2
    assert "the name of a directory is missing" in capsys.readouterr().err


def test_unknown_family_suggests_nearest(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    message = refused(
        ["generate", *INPUTS, "--only", "operatrs", "--out", str(tmp_path / "o")], capsys
    )
    assert "no family 'operatrs'; did you mean 'operators'?" in message
    assert "there are: " in message and "tensor_methods" in message
    assert not (tmp_path / "o").exists()


def test_facts_need_an_output_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    message = refused(["facts", *INPUTS, "-o", str(tmp_path)], capsys)
    assert message == f"tools.codegen: -o: {tmp_path} is a directory; give the name of a file\n"
    message = refused(["facts", *INPUTS, "-o", str(tmp_path / "no/facts.json")], capsys)
    assert message.startswith("tools.codegen: No such file or directory: ")


def test_full_disk_is_reported(capsys: pytest.CaptureFixture[str]) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("this system has no /dev/full")
    message = refused(["facts", *INPUTS, "-o", "/dev/full"], capsys)
    assert message == "tools.codegen: No space left on device\n"


def test_facts_are_written_atomically(tmp_path: Path) -> None:
    output = tmp_path / "facts.json"
    assert main(["facts", *INPUTS, "--derivatives", str(DERIVATIVES), "-o", str(output)]) == 0
    assert "add.Tensor" in json.loads(output.read_text())
    assert os.listdir(tmp_path) == ["facts.json"]


def _derivatives_with(entry: str, folder: Path) -> list[str]:
    path = folder / "derivatives.yaml"
    path.write_text(f"{DERIVATIVES.read_text()}\n{entry}")
    return ["--derivatives", str(path)]


UNKNOWN = "- name: nope(Tensor self) -> Tensor\n  self: grad\n"


def test_derivatives_of_unknown_operators_are_ignored_with_a_warning(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def facts(name: str, *arguments: str) -> bytes:
        out = tmp_path / name
        assert main(["facts", *INPUTS, *arguments, "-o", str(out)]) == 0
        return out.read_bytes()

    derivatives = _derivatives_with(UNKNOWN, tmp_path)
    found = facts("with.json", *derivatives, "--ignore-unknown-derivatives")
    assert capsys.readouterr().err == "WARNING: derivative ignored for nope\n"
    assert found == facts("without.json", "--derivatives", str(DERIVATIVES))
    assert capsys.readouterr().err == ""


def test_derivatives_of_unknown_operators_stop_generation_by_default(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    derivatives = _derivatives_with(UNKNOWN, tmp_path)
    out = ["--out", str(tmp_path / "out")]
    assert 'no operator "nope"' in refused(["generate", *INPUTS, *derivatives, *out], capsys)
    assert not (tmp_path / "out").exists()


def test_other_mistakes_in_derivatives_are_not_ignored(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    entry = "- name: nope(Tensor self) -> Tensor\n  self: grad\n- name: nope\n  self grad\n"
    arguments = [*INPUTS, *_derivatives_with(entry, tmp_path), "--ignore-unknown-derivatives"]
    message = refused(["facts", *arguments, "-o", str(tmp_path / "facts.json")], capsys)
    assert "derivatives.yaml:" in message and "no operator" not in message


def test_the_warning_option_makes_the_files_anew(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    derivatives = _derivatives_with(UNKNOWN, tmp_path)
    command = ["generate", *INPUTS, *derivatives, "--out", str(tmp_path / "out")]
    assert main([*command, "--ignore-unknown-derivatives"]) == 0
    assert "WARNING: derivative ignored for nope" in capsys.readouterr().err
    assert 'no operator "nope"' in refused(command, capsys)
