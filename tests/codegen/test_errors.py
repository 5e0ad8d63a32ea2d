"""Every mistake is reported at its position, all in one run, and nothing is written."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from operator_files import TAGS
from operator_mistakes import FINE, OPERATOR_MISTAKES, TAG_MISTAKES

from tools.codegen.errors import InputError
from tools.codegen.read import read_operators
from tools.drivers.cli import main

TAG_FILE = "- tag: core\n  desc: A tag.\n- tag: pointwise\n  desc: Another.\n"


@pytest.mark.parametrize(("text", "line", "column", "message"), OPERATOR_MISTAKES)
def test_mistake_is_reported_at_its_position(
    text: str, line: int, column: int, message: str
) -> None:
    with pytest.raises(InputError) as caught:
        read_operators(text, TAG_FILE, native_functions_file="f.yaml", tags_file="t.yaml")
    problems = caught.value.problems
    assert [(p.file, p.line, p.column) for p in problems] == [("f.yaml", line, column)], str(
        caught.value
    )
    assert message in problems[0].message


@pytest.mark.parametrize(("text", "line", "column", "message"), TAG_MISTAKES)
def test_tag_mistake_is_reported_at_its_position(
    text: str, line: int, column: int, message: str
) -> None:
    with pytest.raises(InputError) as caught:
        read_operators(FINE, text, native_functions_file="f.yaml", tags_file="t.yaml")
    problems = caught.value.problems
    assert (problems[0].file, problems[0].line, problems[0].column) == ("t.yaml", line, column)
    assert message in problems[0].message


def test_all_mistakes_are_reported_in_one_run() -> None:
    text = "- func: f(Tensr self) -> Tensor\n" + FINE + "  tags: croe\n- func: g(\n"
    with pytest.raises(InputError) as caught:
        read_operators(text, TAG_FILE)
    assert [problem.line for problem in caught.value.problems] == [1, 3, 4]


def test_message_underlines_the_offending_text() -> None:
    with pytest.raises(InputError) as caught:
        read_operators("- func: f(Tensr self) -> Tensor\n", TAG_FILE, native_functions_file="f")
    assert str(caught.value).splitlines() == [
        'f:1:11: unknown type "Tensr" (did you mean "Tensor"?)',
        "    - func: f(Tensr self) -> Tensor",
        "              ^~~~~",
    ]


def test_many_mistakes_on_a_line_take_linear_time() -> None:
    started = time.process_time()
    with pytest.raises(InputError) as caught:
        read_operators(FINE + "  variants: " + "a, " * 30000 + "\n", TAG_FILE)
    assert len(caught.value.problems) == 30000
    assert time.process_time() - started < 5


def test_tag_mistakes_are_reported_on_the_tag_file() -> None:
    with pytest.raises(InputError) as caught:
        read_operators(FINE, "- tga: core\n  desc: x\n", tags_file="t.yaml")
    assert {problem.file for problem in caught.value.problems} == {"t.yaml"}


def test_command_exits_with_2_and_writes_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = tmp_path / "broken.yaml"
    broken.write_text("- func: f(Tensr self) -> Tensor\n")
    out = tmp_path / "out"
    arguments = ["--native-functions", str(broken), "--tags", str(TAGS), "--out", str(out)]
    assert main(["generate", *arguments]) == 2
    assert "broken.yaml:1:11" in capsys.readouterr().err
    assert not out.exists()


def test_bytes_that_are_not_text_are_located(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = tmp_path / "broken.yaml"
    broken.write_bytes(b"- func: f() -> ()\n# \xff\n")
    arguments = ["--native-functions", str(broken), "--tags", str(TAGS), "-o", str(tmp_path / "o")]
    assert main(["facts", *arguments]) == 2
    assert "broken.yaml:2:3: invalid UTF-8" in capsys.readouterr().err
