"""Calls of undeclared functions in formulas are reported in derivatives.yaml before compilation."""

from __future__ import annotations

from pathlib import Path

import pytest
from operator_files import DERIVATIVES, ROOT
from staged_tree import StagedTree

from tools.autograd.callable_names import HeaderNames, called_names
from tools.autograd.load_derivatives import build_derivatives
from tools.base.errors import BuildError
from tools.codegen.errors import InputError
from tools.codegen.read import OperatorFile, read_operators
from tools.drivers import context

OPERATORS = """\
- func: mul.Tensor(Tensor self, Tensor other) -> Tensor
- func: mul.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
- func: sum(Tensor self) -> Tensor
  variants: method
"""
HEADERS = {
    "Manual.h": "#include <a/More.h>\nTensor mul_backward(const Tensor& grad);\n// remarked\n",
    "a/More.h": '#include "Manual.h"\n#include <missing.h>\n'
    "#define AS(type, name) type to##name() const;\nstruct Geometry {}; /* also\nremarked */\n",
}


@pytest.fixture
def headers(tmp_path: Path) -> HeaderNames:
    (tmp_path / "a").mkdir()
    for name, text in HEADERS.items():
        (tmp_path / name).write_text(text)
    return HeaderNames((tmp_path,), ("Manual.h",))


def problems(formula: str, headers: HeaderNames) -> list[tuple[int, int, str]]:
    text = f"- name: mul.Tensor(Tensor self, Tensor other) -> Tensor\n  self: {formula}\n"
    try:
        file = OperatorFile.parse(text, "d.yaml")
        build_derivatives(file, read_operators(OPERATORS, ""), headers)
    except InputError as error:
        return [(p.line, p.column, p.message) for p in error.problems]
    return []


@pytest.mark.parametrize(
    "formula",
    [
        "mul_backward(grad)",
        "grad.sum()",
        "at::mul_out(grad, self, other)",
        "grad.toDouble() * Geometry(self)",
        "std::get<0>(std::make_tuple(grad))",
        "mul([&] { auto f = [](double x) { return x; }; if (true) return f(1); return double(2); }())",
        'mul("nothing(grad)") /* nothing(grad) */',
    ],
)
def test_declared_functions_are_accepted(formula: str, headers: HeaderNames) -> None:
    assert problems(formula, headers) == []


@pytest.mark.parametrize(
    ("formula", "column", "message"),
    [
        ("mul_bakcward(grad)", 9, 'unknown function "mul_bakcward" (did you mean "mul_backward"?)'),
        ("grad * at::mull(self)", 20, 'unknown function "mull" (did you mean "mul"?)'),
        ("grad.summ()", 14, 'unknown function "summ" (did you mean "sum"?)'),
        ("remarked(grad)", 9, 'unknown function "remarked"'),
        ("mul(qqqq(qqqq(grad)))", 13, 'unknown function "qqqq"'),
    ],
)
def test_unknown_function_is_reported_at_its_position(
    formula: str, column: int, message: str, headers: HeaderNames
) -> None:
    assert problems(formula, headers) == [(2, column, message)]


def test_called_names_are_found() -> None:
    formula = 'f(x.g(std::max(1, 2)), a::b ::h(y)) ? "k(" : sizeof(z) /* m() */'
    assert [name for name, _ in called_names(formula)] == ["f", "g", "h"]


def test_build_reports_the_mistake_and_writes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(context, "_ROOT", tmp_path)
    tree = StagedTree(tmp_path)
    tree.run()
    before = tree.files()
    start = r"(?<=^- name: neg\(Tensor self\) -> Tensor\n  self: ).*"
    tree.substitute(DERIVATIVES, start, "maybe_multipy(grad, -1)")
    text = tree.read(DERIVATIVES)
    line = text[: text.index("maybe_multipy")].count("\n") + 1
    with pytest.raises(BuildError) as caught:
        tree.run()
    name = DERIVATIVES.relative_to(ROOT)
    place = f'{name}:{line}:9: unknown function "maybe_multipy" (did you mean "maybe_multiply"?)'
    assert place in str(caught.value.cause)
    assert tree.files() == before
    tree.substitute(DERIVATIVES, "maybe_multipy", "maybe_multiply")
    assert tree.run()
    assert any("maybe_multiply(grad, -1)" in text for text in tree.files().values())
