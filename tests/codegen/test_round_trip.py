"""Parsing loses nothing: printing restores the parsed text."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools.codegen.model import Operators
from tools.codegen.names import OperatorName
from tools.codegen.parse import parse_schema
from tools.codegen.read import read_operators
from tools.codegen.schema import SchemaKind
from tools.codegen.types import BASE_TYPES, parse_type

SCHEMAS = [
    "f() -> ()",
    "__iand__.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)",
    "chunk(Tensor(a -> *) self, int chunks, int dim=0) -> Tensor(a)[]",
    "f(Tensor(a|b) x, Tensor(c!)[] y) -> Tensor(a|b)",
    "f(Tensor(a! -> a|b) x) -> Tensor(a! -> a|b)",
    "f(SymInt[2]? x=None, bool[3] m, Tensor?[] t) -> (Tensor values, int[] n)",
    'f(str a="valid", str b=\'a, "b)\', float[] s=[1.0, 2.0]) -> str',
    "f(__torch__.torch.classes.ns.Name c) -> __torch__.torch.classes.ns.Name",
    "add.out(Tensor self, *, Scalar alpha=1, Tensor(a!) out) -> Tensor(a!)",
    "f(Dimname[1] d, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, "
    "bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor",
]


@pytest.mark.parametrize("text", SCHEMAS)
def test_schema_prints_as_it_was_written(text: str) -> None:
    assert str(parse_schema(text)) == text


def test_our_operator_file_round_trips(native_text: str, model: Operators) -> None:
    written = [line[8:] for line in native_text.splitlines() if line.startswith("- func: ")]
    declared = [str(f.func) for f in model.functions if not f.is_generated]
    assert declared == written


@pytest.mark.peer
def test_operator_file_of_pytorch_round_trips(peer_packaged: Path) -> None:
    text = (peer_packaged / "native_functions.yaml").read_text(encoding="utf-8")
    tags = (peer_packaged / "tags.yaml").read_text(encoding="utf-8")
    operators = read_operators(text, tags)
    written = [
        line[8:].split(" #")[0].rstrip() for line in text.splitlines() if line[:8] == "- func: "
    ]
    assert [str(f.func) for f in operators.functions if not f.is_generated] == written
    assert len(written) == 2584
    assert len(operators.functions) == 3101


names = st.from_regex(r"[a-z][a-z0-9_]{0,8}", fullmatch=True)
types = st.recursive(
    st.sampled_from(sorted(BASE_TYPES)),
    lambda inner: (
        inner.map(lambda t: t + "?")
        | inner.map(lambda t: t + "[]")
        | st.tuples(inner, st.integers(0, 99)).map(lambda p: f"{p[0]}[{p[1]}]")
    ),
    max_leaves=3,
)


@given(types)
def test_types_round_trip(text: str) -> None:
    assert str(parse_type(text)) == text


@given(names, st.lists(st.tuples(types, names), max_size=6, unique_by=lambda pair: pair[1]), types)
def test_schemas_round_trip(name: str, arguments: list[tuple[str, str]], result: str) -> None:
    text = f"{name}({', '.join(f'{t} {n}' for t, n in arguments)}) -> {result}"
    if name.endswith("_"):
        return
    schema = parse_schema(text)
    assert str(schema) == text
    assert schema.kind is SchemaKind.functional
    assert len(schema.arguments.all) == len(arguments)


letters = st.sampled_from("abc")
defaults = {
    "int": st.integers(-9, 9).map(str),
    "bool": st.sampled_from(["True", "False"]),
    "Scalar": st.sampled_from(["1", "0.5"]),
    "int[]": st.lists(st.integers(0, 9), max_size=3).map(str),
    "str": st.sampled_from(["'none'", '"linear"', "'a, (b'"]),
    "ScalarType?": st.just("None"),
}


@st.composite
def inputs(draw: st.DrawFn, name: str) -> str:
    """Draw an input: plain, with a default, or with a view annotation."""
    kind = draw(st.sampled_from(["plain", "default", "view"]))
    if kind == "view":
        shape = draw(st.sampled_from(["Tensor({})", "Tensor({})[]", "Tensor({} -> *)"]))
        return f"{shape.format(draw(letters))} {name}"
    if kind == "plain":
        return f"{draw(types)} {name}"
    type = draw(st.sampled_from(sorted(defaults)))
    return f"{type} {name}={draw(defaults[type])}"


@st.composite
def schemas(draw: st.DrawFn) -> str:
    """Draw schemas of every kind: positional, keyword-only and out arguments, named results."""
    used = draw(st.lists(names, max_size=6, unique=True))
    split = draw(st.integers(0, len(used)))
    positional = [draw(inputs(name)) for name in used[:split]]
    keyword = [draw(inputs(name)) for name in used[split:]]
    outs = [f"Tensor({letter}!) out{letter}" for letter in "xyz"[: draw(st.integers(0, 3))]]
    results = draw(st.lists(st.sampled_from(["Tensor", "Tensor values", "int[] n"]), max_size=3))
    if outs:
        results = [f"Tensor({out[7]}!)" for out in outs]
    arguments = [*positional, *(["*"] if keyword or outs else []), *keyword, *outs]
    shown = results[0] if len(results) == 1 else f"({', '.join(results)})"
    name = "f.out" if outs else draw(st.sampled_from(["f", "f.Tensor", "__and__", "_f_functional"]))
    return f"{name}({', '.join(arguments)}) -> {shown}"


@given(schemas())
def test_schemas_of_every_kind_round_trip(text: str) -> None:
    schema = parse_schema(text)
    assert str(schema) == text
    assert parse_schema(str(schema)) == schema
    assert (schema.kind is SchemaKind.out) == (".out(" in text)


@given(st.from_regex(r"_{0,2}[a-z][a-z0-9_]{0,12}(\.[A-Za-z_]{1,8})?", fullmatch=True))
def test_operator_names_round_trip(text: str) -> None:
    assert str(OperatorName.parse(text)) == text
