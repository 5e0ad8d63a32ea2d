"""operator_docs.yaml: its mistakes, the docstrings made from it, and what it must contain."""

from __future__ import annotations

import ast
import random
import re

import pytest
from collected import files_of
from hypothesis import given, settings
from hypothesis import strategies as st
from operator_files import DOCS, NATIVE, TAGS

from tools.codegen.api.python import signature
from tools.codegen.docs import OperatorDocs, build_docs
from tools.codegen.emit.python import bound_functions, by_name
from tools.codegen.emit.python_binding import make_binding
from tools.codegen.errors import InputError
from tools.codegen.model import Operators
from tools.codegen.read import OperatorFile, read_operators
from tools.drivers.context import templates
from tools.drivers.inputs import InputFiles, Inputs

OPERATORS = """\
- func: add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor
  variants: function, method
  dispatch:
    CPU: add
- func: add.out(Tensor self, Tensor other, *, Scalar alpha=1, Tensor(a!) out) -> Tensor(a!)
  dispatch:
    CPU: add_out
- func: add_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)
  variants: method
  dispatch:
    CPU: add_
- func: sum(Tensor self, *, ScalarType? dtype=None) -> Tensor
- func: sum.dim(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor
- func: rand(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor
- func: rand.generator(SymInt[] size, *, Generator? generator, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor
- func: max.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)
  dispatch:
    CPU: max
- func: linalg_norm(Tensor self, int[] dim=[], str mode="a") -> Tensor
  python_module: linalg
- func: eq.Scalar(Tensor self, Scalar other) -> Tensor
- func: eq.Tensor(Tensor self, Tensor other) -> Tensor
"""
TEXT = """\
- add: |
    Add `other` to `input`.

    A "quoted" backslash \\ too.
"""
MISTAKES = [
    ("- ad: |\n    Add.\n", 1, 3, 'no operator is called "ad" (did you mean "add"?)'),
    ("- add: |\n    Add.\n- add: |\n    Add.\n", 3, 3, 'a second text for "add"'),
    ("- add: |\n\n", 1, 3, 'the text of "add" is empty'),
    ("- add: ''\n", 1, 3, 'the text of "add" is empty'),
    ("- add: [Add.]\n", 1, 3, '"add" takes a text: `- add: |`'),
    ("- add: |\n    Add\n", 2, 5, "a text begins with a summary"),
    ("- add: |\n    Add.\n    More.\n", 2, 5, "a text begins with a summary"),
    ("- add: |\n    Add.\n\n    " + 100 * "a" + "\n", 4, 101, "the line has 104 characters"),
    ("- add: |\n    Add.\n\n    An \u00e9.\n", 4, 8, "is not a printable ASCII character"),
    ("- add: Add.\n- ads: |\n    Add.\n", 2, 3, 'no operator is called "ads"'),
    ("add: Add.\n", 1, 1, "this file must be a list of entries"),
]


@pytest.mark.parametrize(("text", "line", "column", "message"), MISTAKES)
def test_mistake_is_reported_at_its_place(text: str, line: int, column: int, message: str) -> None:
    files = InputFiles(
        OperatorFile.parse(OPERATORS, "n.yaml"),
        OperatorFile.parse("", "t.yaml"),
        docs=OperatorFile.parse(text, "docs.yaml"),
    )
    with pytest.raises(InputError) as caught:
        files.build()
    error = caught.value
    assert [(p.file, p.line, p.column) for p in error.problems] == [("docs.yaml", line, column)]
    assert message in error.problems[0].message


def docstring(name: str, text: str = "", *, method: bool = False) -> str:
    """Return the docstring in the method table of a binding."""
    operators: Operators = read_operators(OPERATORS, "")
    group = by_name(operators.functions)[name]
    docs = OperatorDocs({name.removesuffix("_"): text} if text else {})
    sources = templates("tools/autograd/templates")
    binding = make_binding(
        sources, name, group, method=method, flags="", return_types={}, docs=docs
    )
    literals = re.findall(r'^ ("(?:[^"\\]|\\.)*")', binding.row, re.MULTILINE)
    return "".join(ast.literal_eval(literal) for literal in literals)


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("add", ["add(input, other, *, alpha=1, out=None) -> Tensor"]),
        (
            "sum",
            [
                "sum(input, *, dtype=None) -> Tensor",
                "sum(input, dim, keepdim=False, *, dtype=None) -> Tensor",
            ],
        ),
        ("max", ["max(input, dim, keepdim=False) -> (values: Tensor, indices: Tensor)"]),
        ("linalg_norm", ["linalg.norm(input, dim=(), mode='a') -> Tensor"]),
        ("eq", ["eq(input, other) -> Tensor"]),
        (
            "rand",
            [
                "rand(size, *, generator=None, dtype=None, layout=None, device=None,"
                " pin_memory=False, requires_grad=False) -> Tensor"
            ],
        ),
    ],
)
def test_signatures_come_from_the_schemas(name: str, lines: list[str]) -> None:
    assert docstring(name).split("\n") == lines


def test_function_shows_its_whole_text() -> None:
    text = 'Add `other` to `input`.\n\nA "quoted" backslash \\ too: ??/.'
    assert docstring("add", text) == f"add(input, other, *, alpha=1, out=None) -> Tensor\n\n{text}"


def test_out_is_documented_by_the_generator() -> None:
    text = "Add.\n\nArgs:\n    input: One.\n    other: Two.\n\nExample:\n    >>> 1"
    assert docstring("add", text).endswith(
        "    other: Two.\n    out: The tensor that receives the result.\n\nExample:\n    >>> 1"
    )
    assert "out" not in docstring("add", text, method=True)


def test_method_shows_the_summary_and_refers_to_the_function() -> None:
    text = "Add `other` to `input`: `alpha * other + input`.\n\nMore."
    assert docstring("add", text, method=True).split("\n") == [
        "add(other, *, alpha=1) -> Tensor",
        "",
        "Add `other` to `self`: `alpha * other + self`.",
        "",
        "See :func:`torch.add`.",
    ]


def test_in_place_form_refers_to_the_other_one() -> None:
    assert docstring("add_", "Add `other` to `input`.\n\nMore.", method=True).split("\n") == [
        "add_(other, *, alpha=1) -> Tensor",
        "",
        "In-place version of add().",
    ]


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 2**32))
def test_corrupted_texts_are_read_or_reported(inputs: Inputs, seed: int) -> None:
    source = random.Random(seed)
    entries = re.split(r"^(?=- )", DOCS.read_text(), flags=re.MULTILINE)
    text = "".join(source.choices(entries, k=3))
    for _ in range(source.randint(1, 4)):
        at = source.randrange(len(text) + 1)
        noise = "".join(
            source.choices(" \n\t:#-,[]{}'\"&*!|>%@`ab.\u2028\x00\u00e9", k=source.randint(0, 3))
        )
        text = text[:at] + noise + text[at + source.randint(0, 9) :]
    file = OperatorFile.parse(text, "docs.yaml")
    try:
        docs = build_docs(file, inputs.operators)
    except InputError as error:
        assert {problem.file for problem in error.problems} == {"docs.yaml"}
    else:
        assert all(each.isascii() for each in docs.texts.values())


@pytest.fixture(scope="module")
def inputs() -> Inputs:
    return InputFiles.read(NATIVE, TAGS, docs=DOCS).build()


def _parameters(inputs: Inputs) -> dict[str, set[str]]:
    """Return the names that the bindings of each documented name take, except out=."""
    found: dict[str, set[str]] = {}
    for name, group in by_name(bound_functions(inputs.operators.functions)).items():
        key = inputs.docs.key(name)
        if key is not None:
            taken = (p.name for f in group for p in signature(f).parameters(with_out=False))
            names = {"input" if name == "self" else name for name in taken}
            found.setdefault(key, set()).update(names)
    return found


def test_every_public_operator_has_a_text(inputs: Inputs) -> None:
    names = by_name(bound_functions(inputs.operators.functions))
    public = [name for name, group in names.items() if any(f.variants for f in group)]
    missing = inputs.docs.missing(public)
    assert not missing, f"add to {DOCS}, one entry each: {', '.join(missing)}"


def test_every_text_has_an_example(inputs: Inputs) -> None:
    lacking = [name for name, text in inputs.docs.texts.items() if ">>>" not in text]
    assert not lacking


def test_texts_document_parameters_that_exist(inputs: Inputs) -> None:
    parameters = _parameters(inputs)
    for name, text in inputs.docs.texts.items():
        section = re.search(r"^Args:\n((?:    .*\n?)+)", text, re.MULTILINE)
        documented = re.findall(r"^    (\w+):", section[1], re.MULTILINE) if section else []
        unknown = set(documented) - parameters[name]
        assert not unknown, f"{name} takes no {unknown}"
        assert len(documented) == len(set(documented)), name


def test_texts_document_every_parameter(inputs: Inputs) -> None:
    for name, known in _parameters(inputs).items():
        text = inputs.docs.texts[name]
        optional = {"input", "memory_format"}
        lacking = [p for p in sorted(known - optional) if not re.search(rf"^    {p}:", text, re.M)]
        assert not lacking, f"{name} lacks {lacking}"


def test_stubs_show_summaries(inputs: Inputs) -> None:
    files = files_of(inputs.operators, "pyi", docs=inputs.docs)
    functions, methods = files["torch/_C/_VariableFunctions.pyi"], files["torch/_C/__init__.pyi"]
    assert '-> Tensor: """Compute the square root of each element."""' in functions
    assert '-> Tensor: """In-place version of sqrt()."""' in functions
    assert '"""Add `other`, multiplied by `alpha`, to `self`."""' in methods
    for text in files.values():
        ast.parse(text)
