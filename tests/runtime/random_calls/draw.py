"""Draw calls of operators from their schemas, as plain data that either interpreter can run.

A call is (operator, positional arguments, keyword arguments). A drawn tensor is a `Drawn`, and a
dtype the string "torch.NAME"; all other values stand for themselves.
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any, NamedTuple

import yaml

DECLARED = Path(__file__).parents[3] / "aten" / "src" / "ATen" / "native" / "native_functions.yaml"

SHAPES = ((), (0,), (1,), (3,), (2, 3), (3, 3), (1, 4), (2, 0, 3), (2, 3, 4), (1, 2, 4, 4))
DTYPES = (
    ("float32",) * 6
    + ("float64", "int64", "int64", "int32", "uint8", "bool")
    + (
        "float16",
        "bfloat16",
        "complex64",
    )
)
LAYOUTS = ("contiguous",) * 4 + ("transposed", "strided", "expanded")
WRONG = ("text", None, 1.5, (1, "a"), True)

# What is drawn is random, not initialized, of the whole process, or of this project alone.
SKIPPED = {
    *("alpha_dropout", "bernoulli", "binomial", "dropout", "empty", "empty_like", "empty_strided"),
    *("feature_alpha_dropout", "feature_dropout", "multinomial", "native_dropout", "new_empty"),
    *("new_empty_strided", "normal", "poisson", "rand", "rand_like", "randint", "randint_like"),
    *("randn", "randn_like", "randperm", "rrelu", "cudnn_is_acceptable", "set_", "resize_"),
    *("resize_as_", "data", "requires_grad_", "retain_grad", "record_stream", "is_pinned"),
    *("pin_memory", "to_sparse", "from_file", "rename", "item", "is_set_to", "scalar_tensor"),
    *("lstm", "gru", "rnn_relu", "rnn_tanh", "geqrf", "promote_types", "can_cast"),
}


class Drawn(NamedTuple):
    """A tensor: `seed` decides the values, small whole numbers or halves."""

    shape: tuple[int, ...]
    dtype: str
    layout: str
    seed: int


class Parameter(NamedTuple):
    """A parameter of a schema."""

    type: str
    name: str
    default: str | None
    keyword: bool


class Schema(NamedTuple):
    """An operator that can be called from Python, and how."""

    name: str
    full_name: str
    parameters: tuple[Parameter, ...]
    method: bool


def _split(text: str) -> list[str]:
    """Split at commas outside brackets."""
    parts, depth, start = [], 0, 0
    for i, character in enumerate(text):
        depth += (character in "([") - (character in ")]")
        if character == "," and depth == 0:
            parts.append(text[start:i])
            start = i + 1
    return [part.strip() for part in (*parts, text[start:]) if part.strip()]


def parse(func: str, method: bool) -> Schema:
    """Return the schema of an entry's `func`."""
    full_name, rest = func.split("(", 1)
    inside = rest[: rest.rindex(") ->")]
    parameters, keyword = [], False
    for part in _split(inside):
        if part == "*":
            keyword = True
            continue
        declaration, _, default = part.partition("=")
        type_, name = declaration.strip().rsplit(" ", 1)
        type_ = "Tensor" if type_.startswith("Tensor(") and "[" not in type_ else type_
        parameters.append(Parameter(type_, name, default or None, keyword))
    return Schema(full_name.split(".")[0], full_name, tuple(parameters), method)


TYPES = ("Tensor", "Scalar", "int", "SymInt", "float", "bool", "ScalarType", "Tensor[]", "int[]")


def is_drawable(schema: Schema) -> bool:
    """Return whether values of all required parameters can be drawn."""
    for parameter in schema.parameters:
        plain = base_type(parameter.type)
        if plain not in TYPES and parameter.default is None:
            return False
    return not schema.name.startswith("_") and schema.name not in SKIPPED


def base_type(type_: str) -> str:
    """Return the type without its question mark and the length of lists."""
    plain = type_.rstrip("?").replace("SymInt", "int")
    return "int[]" if plain.startswith("int[") else plain


def schemas() -> list[Schema]:
    """Return the functional operators that Python can call, in the order of the file."""
    found = []
    for entry in yaml.load(DECLARED.read_text(), getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
        variants = entry.get("variants", "function")
        name = entry["func"].split("(")[0].split(".")[0]
        unusable = "out" in entry["func"].split("(")[0].split(".")[-1] or "(a!)" in entry["func"]
        if unusable or "python_module" in entry or "backward" in name:
            continue
        schema = parse(entry["func"], "function" not in variants)
        if is_drawable(schema) and schema.parameters and schema.parameters[0].type:
            found.append(schema)
    return found


class Drawing:
    """The values of one call: tensors share a shape and a dtype more often than not."""

    def __init__(self, source: random.Random) -> None:
        self.source = source
        self.shape = source.choice(SHAPES)
        self.dtype = source.choice(DTYPES)

    def tensor(self, name: str = "") -> Drawn:
        source, shape, dtype = self.source, self.shape, self.dtype
        luck = source.random()
        if luck > 0.85:
            shape = source.choice(SHAPES)
        elif luck > 0.75 and shape:
            shape = tuple(1 if source.random() < 0.4 else size for size in shape)
        if "ind" in name or name in ("target", "repeats"):
            dtype = "int64" if source.random() < 0.9 else dtype
        elif "mask" in name or name == "condition":
            dtype = "bool" if source.random() < 0.9 else dtype
        elif source.random() > 0.85:
            dtype = source.choice(DTYPES)
        return Drawn(shape, dtype, source.choice(LAYOUTS), source.randrange(1 << 30))

    def value(self, parameter: Parameter) -> Any:
        """Return a value of the parameter's type, or now and then a wrong one."""
        source = self.source
        if source.random() < 0.02:
            return source.choice(WRONG)
        if parameter.type.endswith("?") and source.random() < 0.4:
            return None
        kind = base_type(parameter.type)
        if kind == "Tensor":
            return self.tensor(parameter.name)
        if kind == "Tensor[]":
            return tuple(self.tensor() for _ in range(source.randint(1, 3)))
        if kind == "Scalar":
            return source.choice((0, 1, 2, -1, 0.5, 2.0, -1.5, True))
        if kind == "int":
            if source.random() < 0.05:
                return Drawn(source.choice(((), (1,))), "int64", "contiguous", source.randrange(99))
            return source.choice((0, 0, 1, 1, -1, 2, 3, -2, 5))
        if kind == "int[]":
            if source.random() < 0.3:
                return source.choice((0, 1, -1, 2))
            return tuple(source.choice((0, 1, 1, 2, -1, 3)) for _ in range(source.randint(0, 3)))
        if kind == "float":
            return source.choice((0.0, 1.0, 2.0, 0.5, -1.0, 1e-5))
        if kind == "bool":
            return source.random() < 0.5
        return f"torch.{source.choice(DTYPES)}"


def draw(schema: Schema, source: random.Random) -> tuple[str, list[Any], dict[str, Any]]:
    """Return a call of an operator."""
    drawing = Drawing(source)
    positional: list[Any] = []
    keywords: dict[str, Any] = {}
    omitting = False
    for parameter in schema.parameters:
        plain = base_type(parameter.type)
        optional = parameter.default is not None
        if optional and (plain not in TYPES or source.random() < 0.5):
            omitting = True
            continue
        value = drawing.value(parameter)
        if parameter.keyword or omitting:
            keywords["input" if parameter.name == "self" else parameter.name] = value
        else:
            positional.append(value)
    place = "Tensor." if schema.method else ""
    return f"{place}{schema.name}", positional, keywords


def draws(each: int, seed: int) -> list[tuple[str, list[Any], dict[str, Any]]]:
    """Return `each` calls of every operator; other operators do not change them."""
    return [
        draw(schema, random.Random(f"{seed}/{schema.full_name}/{number}"))
        for schema in schemas()
        for number in range(each)
    ]
