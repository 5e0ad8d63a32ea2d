"""derivatives.yaml: the meaning of its entries, and the messages for its mistakes."""

from __future__ import annotations

import json
import re
from pathlib import Path

import operator_files
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools.autograd.formula import read_formula
from tools.autograd.load_derivatives import load_derivatives
from tools.autograd.model import Derivatives, ForwardKind, SavedAttribute
from tools.codegen.errors import InputError
from tools.codegen.model import Operators
from tools.codegen.read import OperatorFile, read_operators
from tools.drivers.cli import main
from tools.drivers.facts import record
from tools.drivers.inputs import InputFiles

OPERATORS = """\
- func: add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor
- func: add_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)
- func: add.out(Tensor self, Tensor other, *, Scalar alpha=1, Tensor(a!) out) -> Tensor(a!)
- func: _foreach_add.List(Tensor[] self, Tensor[] other, *, Scalar alpha=1) -> Tensor[]
- func: exp(Tensor self) -> Tensor
- func: exp_(Tensor(a!) self) -> Tensor(a!)
- func: sin(Tensor self) -> Tensor
- func: sin_(Tensor(a!) self) -> Tensor(a!)
- func: t(Tensor(a) self) -> Tensor(a)
- func: t_copy(Tensor self) -> Tensor
  tags: view_copy
- func: max.dim(Tensor self, int dim) -> (Tensor values, Tensor indices)
- func: qr(Tensor self) -> (Tensor Q, Tensor R)
- func: expand(Tensor(a) self, SymInt[] size) -> Tensor(a)
- func: trilinear(Tensor i1, Tensor i2) -> Tensor
- func: squeeze.dim(Tensor(a) self, int dim) -> Tensor(a)
- func: squeeze.dims(Tensor(a) self, int[] dim) -> Tensor(a)
- func: nll_forward(Tensor self, Tensor target) -> (Tensor output, Tensor total)
- func: to_copy(Tensor self, ScalarType? dtype=None) -> Tensor
- func: draw(Tensor self, float p) -> Tensor
  dispatch:
    CompositeExplicitAutograd: draw
- func: draw_(Tensor(a!) self, float p) -> Tensor(a!)
- func: refill(Tensor self, float p) -> Tensor
  dispatch:
    CompositeExplicitAutograd: refill
  tags: generated
- func: refill_(Tensor(a!) self, float p) -> Tensor(a!)
"""
TAGS = "- tag: view_copy\n  desc: a copy of a view\n- tag: core\n  desc: core\n"
TAGS += "- tag: generated\n  desc: made from another operator\n"

DERIVATIVES = """\
- name: add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor
  self: handle_r_to_c(self.scalar_type(), grad)
  other: handle_r_to_c(other.scalar_type(), maybe_multiply(grad, alpha.conj()))
  result: self_t + maybe_multiply(other_t, alpha)
- name: exp(Tensor self) -> Tensor
  self: grad * result.conj()
  result: auto_element_wise
- name: sin(Tensor self) -> Tensor
  self: grad * self.cos().conj()
  result: auto_element_wise
- name: t(Tensor(a) self) -> Tensor(a)
  self: grad.t()
  result: auto_linear
- name: max.dim(Tensor self, int dim) -> (Tensor values, Tensor indices)
  self: scatter(grad, indices, self.sizes(), dim)
- name: qr(Tensor self) -> (Tensor Q, Tensor R)
  self: qr_backward(grad_Q, grad_R, Q, R)
- name: expand(Tensor(a) self, SymInt[] size) -> Tensor(a)
  self: sum_to(grad, self.sym_sizes(), self.size(-1), self.options(), self.is_conj())
  result: auto_linear
- name: trilinear(Tensor i1, Tensor i2) -> Tensor
  i1, i2: f(grad, wrap_opt_if(i1, grad_input_mask[1]), wrap_opt_if(i2, g(grad_input_mask[0])))
- name: squeeze.dim(Tensor(a) self, int dim) -> Tensor(a)
  dispatch:
    Default:
      self: unsqueeze(grad, dim)
    AutogradNestedTensor:
      self: grad.unsqueeze(dim)
- name: squeeze.dims(Tensor(a) self, int[] dim) -> Tensor(a)
  dispatch:
    Default:
      self: unsqueeze(grad, dim)
    AutogradNestedTensor:
      self: unsqueeze_multiple(grad, dim)
- name: nll_forward(Tensor self, Tensor target) -> (Tensor output, Tensor total)
  self: nll_backward(grad, zeros_like(self), total)
  target: non_differentiable
  output_differentiability: [True, False]
- name: to_copy(Tensor self, ScalarType? dtype=None) -> Tensor
  self: to_copy_backward(grad, self.options())
  output_differentiability: ["!dtype || isDifferentiableType(*dtype)"]
- name: draw_(Tensor(a!) self, float p) -> Tensor(a!)
  self: at::zeros_like(grad)
- name: refill_(Tensor(a!) self, float p) -> Tensor(a!)
  self: at::zeros_like(grad)
"""


@pytest.fixture(scope="module")
def operators() -> Operators:
    return read_operators(OPERATORS, TAGS)


@pytest.fixture(scope="module")
def derivatives(operators: Operators) -> Derivatives:
    return load_derivatives(DERIVATIVES, operators)


def test_facts_of_add(operators: Operators, derivatives: Derivatives) -> None:
    facts = record(operators.by_name["add.Tensor"], derivatives)
    assert facts["autograd"] == {
        "node": "AddBackward0",
        "variables": [["other"], ["self"]],
        "saved_inputs": [
            ["other_scalar_type", "at::ScalarType"],
            ["alpha", "at::Scalar"],
            ["self_scalar_type", "at::ScalarType"],
        ],
        "saved_outputs": [],
        "forward_derivatives": [["result"]],
    }
    assert record(operators.by_name["add.out"], derivatives)["autograd"] is None


def test_facts_of_our_own_operators(tmp_path: Path) -> None:
    inputs = ["--native-functions", str(operator_files.NATIVE)]
    inputs += ["--tags", str(operator_files.TAGS)]
    inputs += ["--derivatives", str(operator_files.DERIVATIVES)]
    inputs += ["--deprecated", str(operator_files.DEPRECATED)]
    output = tmp_path / "facts.json"
    assert main(["facts", *inputs, "-o", str(output)]) == 0
    add = json.loads(output.read_text())["add.Tensor"]
    assert add["cpp"] == (
        "at::Tensor add(const at::Tensor & self, const at::Tensor & other, "
        "const at::Scalar & alpha=1)"
    )
    assert add["python"] == "add(Tensor input, Tensor other, *, Scalar alpha=1)"
    assert add["python_deprecated"] == ["add(Tensor input, Scalar alpha, Tensor other)|deprecated"]
    assert add["autograd"]["node"] == "AddBackward0"
    assert add["autograd"]["variables"] == [["other"], ["self"]]


def test_formulas_list_the_saved_values(derivatives: Derivatives) -> None:
    expand = derivatives.entries["expand"]["Default"]
    (formula,) = expand.derivatives
    assert formula.formula == (
        "sum_to(grad, self_sym_sizes, self_argsize_minus_1, self_options, self_conjugate)"
    )
    assert set(expand.saved_inputs) == {
        SavedAttribute("self_sym_sizes", "c10::SymIntArrayRef", "self.sym_sizes()"),
        SavedAttribute("self_argsize_minus_1", "int64_t", "self.size(-1)"),
        SavedAttribute("self_options", "at::TensorOptions", "self.options()"),
        SavedAttribute("self_conjugate", "bool", "self.is_conj()"),
    }
    assert derivatives.entries["nll_forward"]["Default"].derivatives[0].formula == (
        "nll_backward(grad, self_info.zeros(), total)"
    )


def test_wrapped_inputs_are_saved_conditionally(derivatives: Derivatives) -> None:
    saved = derivatives.entries["trilinear"]["Default"].saved_inputs
    assert {attribute.name: attribute.condition for attribute in saved} == {
        "i1": "grad_input_mask[1]",
        "i2": "g(grad_input_mask[0])",
    }


def test_nodes_are_numbered_by_name_and_key(derivatives: Derivatives) -> None:
    assert [entry.node for entry in derivatives.nodes] == [
        "AddBackward0",
        "ExpBackward0",
        "SinBackward0",
        "TBackward0",
        "TBackward0_copy",
        "MaxBackward0",
        "QrBackward0",
        "ExpandBackward0",
        "TrilinearBackward0",
        "SqueezeBackward0",
        "SqueezeBackwardAutogradNestedTensor0",
        "SqueezeBackward1",
        "SqueezeBackwardAutogradNestedTensor1",
        "NllBackward0",
        "ToCopyBackward0",
        "DrawBackward0",
        "RefillBackward0",
        "ForeachAddBackward0List",
    ]


def test_results_with_a_gradient(derivatives: Derivatives) -> None:
    def results(name: str) -> tuple[int, ...]:
        return derivatives.entries[name]["Default"].differentiable_outputs

    assert results("max.dim") == (0,)  # its formula reads `grad`
    assert results("qr") == (0, 1)
    assert results("nll_forward") == (0,)
    assert derivatives.entries["qr"]["Default"].used_gradients == {"grad_Q", "grad_R"}
    condition = derivatives.entries["to_copy"]["Default"].output_condition
    assert condition == "!dtype || isDifferentiableType(*dtype)"
    assert derivatives.entries["nll_forward"]["Default"].non_differentiable == {"target"}


def test_forward_formulas(derivatives: Derivatives) -> None:
    def formula(name: str) -> tuple[str, ForwardKind]:
        (forward,) = derivatives.entries[name]["Default"].forward_derivatives
        return forward.formula, forward.kind

    assert formula("sin") == (
        "(self_t.conj() * self_p.cos().conj()).conj()",
        ForwardKind.auto_element_wise,
    )
    assert formula("expand") == ("at::expand_symint(self_t, size)", ForwardKind.auto_linear)
    assert formula("add.Tensor")[1] is ForwardKind.given


def test_in_place_variants_save_overwritten_values(
    operators: Operators, derivatives: Derivatives
) -> None:
    sin = derivatives.of(operators.by_name["sin_"])["Default"]
    assert sin.node == "SinBackward0"
    assert [saved.expression for saved in sin.saved_inputs] == ["self.clone()"]
    (forward,) = sin.forward_derivatives
    assert forward.needs_original_self and "original_self_p.cos()" in forward.formula
    exp = derivatives.of(operators.by_name["exp_"])["Default"]
    assert [(saved.name, saved.expression) for saved in exp.saved_outputs] == [("result", "self")]
    assert exp.forward_derivatives[0].formula == "(self_t.conj() * self_p.conj()).conj()"


def test_an_in_place_entry_applies_only_to_the_generated_functional_operator(
    operators: Operators, derivatives: Derivatives
) -> None:
    assert "Default" in derivatives.of(operators.by_name["refill"])
    assert not derivatives.of(operators.by_name["draw"])


def test_a_foreach_operator_is_differentiated_by_element(
    operators: Operators, derivatives: Derivatives
) -> None:
    entry = derivatives.of(operators.by_name["_foreach_add.List"])["Default"]
    assert entry.is_foreach
    assert [d.formula for d in entry.derivatives] == [
        "handle_r_to_c(other[i].scalar_type(), maybe_multiply(grads[i], alpha.conj()))",
        "handle_r_to_c(self[i].scalar_type(), grads[i])",
    ]
    assert entry.forward_derivatives[0].tangents == ("self", "other")


def test_digest_changes_only_with_the_formula(operators: Operators) -> None:
    def digest(text: str, name: str) -> str:
        return load_derivatives(text, operators).digest(operators.by_name[name])

    moved = "# a comment\n\n" + DERIVATIVES
    edited = DERIVATIVES.replace("grad * self.cos()", "self.cos() * grad")
    assert digest(moved, "sin_") == digest(DERIVATIVES, "sin_") != digest(edited, "sin_")
    assert digest(edited, "exp") == digest(DERIVATIVES, "exp")
    assert digest(DERIVATIVES, "add.out") == ""


def test_a_qualified_call_keeps_the_whole_tensor() -> None:
    formula = read_formula("at::zeros_like(self)", {"self": "at::Tensor"}, {})
    assert formula.text == "at::zeros_like(self)"
    assert formula.inputs == (SavedAttribute("self", "at::Tensor", "self"),)


TENSORS = ["self", "other", "result", "self.sizes()", "self.sym_size(-1)", "other.dim()"]
CALLS = ["zeros_like(self)", "TensorGeometry(other)", "self.foo()", "grad", "f", "1", '"other"']
pieces = st.sampled_from([*TENSORS, *CALLS])


@given(st.lists(pieces, min_size=1, max_size=6))
def test_a_formula_reads_exactly_the_saved_fields(parts: list[str]) -> None:
    inputs = {"self": "at::Tensor", "other": "at::Tensor"}
    formula = read_formula(f"f({', '.join(parts)})", inputs, {"result": "at::Tensor"})
    kept = {attribute.name for attribute in (*formula.inputs, *formula.outputs)}
    read = set(re.findall(r"[A-Za-z_]\w*", formula.text))
    assert kept <= read
    assert {"self", "other", "result"} & read <= kept


MISTAKES = [
    ("grad * self.cos()", "grad * self.cos(", r":9:24: this bracket is not closed"),
    ("grad.t()", "grad.t)()", r':12:15: no open bracket matches this "\)"'),
    ("grad.t()", 'f("x)', r":12:11: this string is not closed"),
    ("grad.t()", "grad; grad", r":12:13: a formula must be one C\+\+ expression"),
    ("name: sin(", "name: sinn(", r':8:9: no operator "sinn" \(did you mean "sin"\?\)'),
    ("name: sin(Tensor self", "name: sin(Tensor x", r":8:20: the operator is declared as: sin\("),
    ("  i1, i2:", "  i1, i3:", r':22:7: trilinear has no argument or result "i3".*"i1"'),
    ("  target: non_d", "  self: non_d", r':37:3: duplicate "self" in one entry'),
    ("  target: non_d", "  resul: non_d", r'no argument or result "resul"'),
    (
        "    AutogradNestedTensor:\n      self: grad.",
        "    AutogradNested:\n      self: grad.",
        r':27:5: unknown autograd key "AutogradNested"',
    ),
    ("[True, False]", "[True]", r":38:3: expected a flag for each of the 2 results, not 1"),
    ("[True, False]", "[True, Maybe]", r":38:3: expected a list of True and False"),
    ("grad_Q, grad_R", "grads[0], grads[2]", r":17:31: qr has 2 differentiable results"),
    ("grad_Q, grad_R", "grad_Q, grad", r":17:21: .* read `grad` or `grad_<result>`, not both"),
    (
        "nll_backward(grad, ",
        "nll_backward(grad, grad_total, ",
        r':36:28: the result "total" is not diff',
    ),
    ("  i1, i2: f(", "  i1: f(", None),
    ("  self: grad.t()\n", "", r":12:11: auto_linear needs a backward formula"),
    ("self: qr_backward", "dim: qr_backward", r'no argument or result "dim"'),
    (
        "self: scatter",
        "dim: scatter",
        r':15:3: only tensors have gradients, and "dim" is of type int',
    ),
    ("- name: exp(", "- name: sin(", r':8:9: "sin" already has derivatives at line 5'),
]


@pytest.mark.parametrize(("old", "new", "expected"), MISTAKES)
def test_mistakes_are_reported_at_their_position(
    operators: Operators, old: str, new: str, expected: str | None
) -> None:
    text = DERIVATIVES.replace(old, new, 1)
    assert text != DERIVATIVES
    if expected is None:
        load_derivatives(text, operators)
        return
    with pytest.raises(InputError) as raised:
        load_derivatives(text, operators, file="derivatives.yaml")
    assert re.search(expected, str(raised.value)), str(raised.value)
    assert len(raised.value.problems) == 1
    assert all(
        line.startswith(("derivatives.yaml:", "    ")) for line in str(raised.value).split("\n")
    )


def test_one_file_does_not_hide_the_mistakes_of_another() -> None:
    files = InputFiles(
        OperatorFile.parse(OPERATORS.replace("sin(Tensor", "sin(Tensr"), "native_functions.yaml"),
        OperatorFile.parse(TAGS, "tags.yaml"),
        OperatorFile.parse(DERIVATIVES.replace("grad.t()", "grad.t("), "derivatives.yaml"),
    )
    with pytest.raises(InputError) as raised:
        files.build()
    problems = [(problem.file, problem.line) for problem in raised.value.problems]
    assert problems == [("derivatives.yaml", 12), ("native_functions.yaml", 7)]
