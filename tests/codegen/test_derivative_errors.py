"""Every mistake in derivatives.yaml and deprecated.yaml is reported with its file and position."""

from __future__ import annotations

import pytest
from deprecated_mistakes import DEPRECATED_MISTAKES
from derivative_mistakes import DERIVATIVE_MISTAKES, MUL, OPERATORS

from tools.codegen.errors import InputError
from tools.codegen.read import OperatorFile
from tools.drivers.inputs import InputFiles


def problems(derivatives: str, operators: str = OPERATORS, deprecated: str = "") -> InputError:
    """Return the problems in the files."""
    files = InputFiles(
        OperatorFile.parse(operators, "n.yaml"),
        OperatorFile.parse("", "t.yaml"),
        OperatorFile.parse(derivatives, "d.yaml"),
        OperatorFile.parse(deprecated, "p.yaml"),
    )
    with pytest.raises(InputError) as caught:
        files.build()
    return caught.value


@pytest.mark.parametrize(("text", "line", "column", "message"), DERIVATIVE_MISTAKES)
def test_mistake_is_reported_at_its_position(
    text: str, line: int, column: int, message: str
) -> None:
    error = problems(text)
    places = [(p.file, p.line, p.column) for p in error.problems]
    assert places == [("d.yaml", line, column)], str(error)
    assert message in error.problems[0].message


@pytest.mark.parametrize(("text", "line", "column", "message"), DEPRECATED_MISTAKES)
def test_mistake_in_a_deprecated_signature_is_reported_at_its_position(
    text: str, line: int, column: int, message: str
) -> None:
    operators = "- func: add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor\n"
    error = problems("", operators, text)
    places = [(p.file, p.line, p.column) for p in error.problems]
    assert places == [("p.yaml", line, column)], str(error)
    assert message in error.problems[0].message


def test_mistakes_of_all_files_are_reported_together() -> None:
    error = problems(
        MUL + "  self: gard\n- name: nope() -> ()\n", OPERATORS + "- func: f(Tensr a) -> Tensor\n"
    )
    assert [(p.file, p.line) for p in error.problems] == [
        ("d.yaml", 2),
        ("d.yaml", 3),
        ("n.yaml", 8),
    ]


def test_derivative_of_a_broken_operator_is_not_reported() -> None:
    error = problems(
        MUL + "  self: grad\n", OPERATORS.replace("mul.Tensor(Tensor", "mul.Tensor(Tnsor")
    )
    assert {p.file for p in error.problems} == {"n.yaml"}


def test_derivative_of_an_operator_with_an_impossible_type_is_not_reported() -> None:
    operators = OPERATORS + "- func: f(Tensor self, SymInt[]?[] sizes) -> Tensor\n"
    entry = "- name: f(Tensor self, SymInt[]?[] sizes) -> Tensor\n  self: grad\n"
    error = problems(entry, operators)
    assert [(p.file, p.line) for p in error.problems] == [("n.yaml", 8)]
    assert 'there is no type "SymInt[]?[]"' in error.problems[0].message
