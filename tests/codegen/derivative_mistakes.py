"""Mistakes in derivatives.yaml: the text, the position, and the message."""

from __future__ import annotations

OPERATORS = """\
- func: mul.Tensor(Tensor self, Tensor other) -> Tensor
- func: mul.Scalar(Tensor self, Scalar factor) -> Tensor
- func: mul_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)
- func: sort(Tensor self, int dim=-1) -> (Tensor values, Tensor indices)
- func: pair(Tensor self, Tensor other) -> (Tensor, Tensor)
- func: split(Tensor(a -> *) self, int size) -> Tensor(a)[]
- func: resize_as_(Tensor(a!) self, Tensor other) -> Tensor(a!)
"""
MUL = "- name: mul.Tensor(Tensor self, Tensor other) -> Tensor\n"
SORT = "- name: sort(Tensor self, int dim=-1) -> (Tensor values, Tensor indices)\n"
PAIR = "- name: pair(Tensor self, Tensor other) -> (Tensor, Tensor)\n"
SCALAR = "- name: mul.Scalar(Tensor self, Scalar factor) -> Tensor\n"

ENTRY_MISTAKES = [
    (
        "- name: resize_as_(Tensor(a!) self, Tensor other) -> Tensor(a!)\n  self: grad\n",
        1,
        9,
        "derivative ignored for resize_as_: its kernels are written by hand",
    ),
    ("- name: mul.Tnsor(Tensor self) -> Tensor\n", 1, 9, 'no operator "mul.Tnsor" (did you mean "'),
    ("- name: mal.Tensor\n", 1, 9, '(did you mean "mul.Tensor"?)'),
    ("- nme: mul.Tensor\n", 1, 1, "an entry needs an operator"),
    (
        "- name: mul.Tensor(Tensor self, Tensor othr) -> Tensor\n  self: grad\n",
        1,
        43,
        "the operator is declared as: mul.Tensor(Tensor self, Tensor other) -> Tensor",
    ),
    (MUL + "  self: grad\n" + MUL, 3, 9, '"mul.Tensor" already has derivatives at line 1'),
    (MUL + "  self: grad\n  self: grad\n", 3, 3, 'duplicate "self" in one entry'),
    (MUL + "  self, other: grad\n  other: grad\n", 3, 3, 'duplicate formula for "other"'),
    (MUL + "  slef: grad\n", 2, 3, 'no argument or result "slef" (did you mean "self"?)'),
    (MUL + "  self, othr: grad\n", 2, 9, 'no argument or result "othr" (did you mean "other"?)'),
    (MUL + "  self, result: grad\n", 2, 3, "a formula is for arguments or for results, not both"),
    (SCALAR + "  factor: grad\n", 2, 3, 'only tensors have gradients, and "factor" is'),
    (MUL + "  self: [grad]\n", 2, 3, '"self" takes one formula'),
    (MUL + "  self: &a grad\n", 2, 9, "anchors and aliases"),
    (MUL + "  self: grad\n other: grad\n", 3, 2, "invalid YAML"),
    (
        MUL + "  dispatch:\n    Defult:\n      self: grad\n",
        3,
        5,
        '"Defult" (did you mean "Default"?',
    ),
    (MUL + "  dispatch: Default\n", 2, 3, '"dispatch" takes lines of the form `name: value`'),
    (
        MUL + "  self: grad\n  dispatch:\n    Default:\n      self: grad\n",
        2,
        3,
        'must have "self" inside',
    ),
]

FORMULA_MISTAKES = [
    (MUL + "  self:\n", 2, 8, "this formula is empty"),
    (MUL + "  self: grad * othr\n", 2, 16, 'unknown name "othr" (did you mean "other"?)'),
    (MUL + "  self: gard * other\n", 2, 9, 'unknown name "gard" (did you mean "grad"?)'),
    (MUL + '  self: "grad *\n    othr"\n', 3, 5, 'unknown name "othr"'),
    (MUL + "  self: >\n    grad *\n    othr\n", 4, 5, 'unknown name "othr"'),
    (MUL + "  self: (grad * other\n", 2, 9, "this bracket is not closed"),
    (MUL + "  self: grad * other)\n", 2, 21, 'no open bracket matches this ")"'),
    (MUL + "  self: f(grad, other]\n", 2, 22, 'no open bracket matches this "]"'),
    (MUL + '  self: not_implemented("mul)\n', 2, 25, "this string is not closed"),
    (MUL + "  self: grad * other;\n", 2, 21, "must be one C++ expression, without a semicolon"),
    (MUL + "  self: grad\n  result: self_x\n", 3, 11, 'unknown name "self_x" (did you mean "self'),
    (MUL + "  result: auto_linear\n", 2, 11, "auto_linear needs a backward formula"),
    (
        MUL + "  self: grad\n  other: grad\n  result: auto_element_wise\n",
        4,
        11,
        "auto_element_wise needs one backward formula, not 2",
    ),
    (MUL + "  result: non_differentiable\n", 2, 3, "declare results in output_differentiab"),
]

GRADIENT_MISTAKES = [
    (SORT + "  self: grads[2]\n", 2, 9, "has 2 differentiable results, counted from grads[0]"),
    (PAIR + "  self: grad\n  other: grads[1]\n", 2, 9, "`grads` or `grad`, not both"),
    (
        SORT + "  output_differentiability: [True, False]\n  self: grad_indices\n",
        3,
        9,
        'the result "indices" is not differentiable',
    ),
    (
        PAIR + "  output_differentiability: [True, True]\n  self: grad\n",
        3,
        9,
        "`grad` is ambiguous: the operator has 2 differentiable results",
    ),
    (
        SORT + "  output_differentiability: [True]\n  self: grad\n",
        2,
        3,
        "expected a flag for each of the 2 results, not 1",
    ),
    (
        SORT + "  output_differentiability: [True, Flase]\n  self: grad\n",
        2,
        3,
        "expected a list of True and False, or one condition in brackets",
    ),
    (
        SORT + "  output_differentiability: True\n  self: grad\n",
        2,
        3,
        "expected a list of True and False, or one condition in brackets",
    ),
]

DERIVATIVE_MISTAKES = [*ENTRY_MISTAKES, *FORMULA_MISTAKES, *GRADIENT_MISTAKES]
