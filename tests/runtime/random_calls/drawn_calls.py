"""Draw calls from schemas, as plain data that either interpreter can run.

A call is (name, positional arguments, keyword arguments). A drawn tensor is a `Drawn`, and a dtype
the string "torch.NAME"; all other values stand for themselves.
"""

from __future__ import annotations

import random
from typing import Any, NamedTuple

from callables import TYPES, Parameter, Schema, base_type, schemas

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
WORDS = {
    "reduction": ("none", "mean", "sum", "mean", "most"),
    "mode": ("nearest", "bilinear", "linear", "constant", "reflect", "replicate", "circular"),
    "padding_mode": ("zeros", "border", "reflection", "cubic"),
    "indexing": ("ij", "xy", "yx"),
    "rounding_mode": ("trunc", "floor", "up"),
    "norm": ("backward", "ortho", "forward", "none"),
    "ord": ("fro", "nuc"),
    "UPLO": ("L", "U", "x"),
    "side": ("left", "right", "up"),
    "reduce": ("sum", "prod", "mean", "amax", "amin", "any"),
    "interpolation": ("linear", "lower", "higher", "midpoint", "nearest", "far"),
    "approximate": ("none", "tanh", "sine"),
    "driver": ("gels", "gelsd", "gesvd"),
}


class Drawn(NamedTuple):
    """A tensor: `seed` decides the values, small whole numbers or halves."""

    shape: tuple[int, ...]
    dtype: str
    layout: str
    seed: int
    requires_grad: bool = False


class Drawing:
    """The values of one call: tensors share a shape and a dtype more often than not."""

    def __init__(self, source: random.Random) -> None:
        self.source = source
        self.shape = source.choice(SHAPES)
        self.dtype = source.choice(DTYPES)
        self.differentiated = source.random() < 0.3

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
        grad = self.differentiated and ("float" in dtype or "complex" in dtype) and name != "out"
        grad = grad and source.random() < 0.8
        return Drawn(shape, dtype, source.choice(LAYOUTS), source.randrange(1 << 30), grad)

    def integers(self) -> Any:
        """Return a list of numbers, or one number."""
        source = self.source
        if source.random() < 0.3:
            return source.choice((0, 1, -1, 2))
        return tuple(source.choice((0, 1, 1, 2, -1, 3)) for _ in range(source.randint(0, 3)))

    def integer(self) -> Any:
        source = self.source
        if source.random() < 0.05:
            return Drawn(source.choice(((), (1,))), "int64", "contiguous", source.randrange(99))
        return source.choice((0, 0, 1, 1, -1, 2, 3, -2, 5))

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
            return self.integer()
        if kind == "int[]":
            return self.integers()
        if kind == "float":
            return source.choice((0.0, 1.0, 2.0, 0.5, -1.0, 1e-5))
        if kind == "bool":
            return source.random() < 0.5
        if kind == "str":
            return source.choice(WORDS.get(parameter.name, ("text",)))
        return f"torch.{source.choice(DTYPES)}"


def draw(schema: Schema, source: random.Random) -> tuple[str, list[Any], dict[str, Any]]:
    """Return a call: now and then with an argument too few, too many or of an unknown name."""
    drawing = Drawing(source)
    positional: list[Any] = []
    keywords: dict[str, Any] = {}
    omitting = source.random() < 0.1
    for parameter in schema.parameters:
        plain = base_type(parameter.type)
        optional = parameter.default is not None
        if optional and (plain not in TYPES or source.random() < 0.5):
            omitting = True
            continue
        value = drawing.value(parameter)
        first = not positional and not keywords
        named = parameter.keyword or (omitting and not first)
        if named:
            keywords["input" if parameter.name == "self" else parameter.name] = value
        else:
            positional.append(value)
    mistake = source.random()
    if mistake < 0.01 and positional:
        positional.pop()
    elif mistake < 0.02:
        positional.append(source.choice(WRONG))
    elif mistake < 0.03:
        keywords["unknown"] = 1
    return schema.name, positional, keywords


def draws(each: int, seed: int) -> list[tuple[str, list[Any], dict[str, Any]]]:
    """Return `each` calls of every schema; other schemas do not change them."""
    return [
        draw(schema, random.Random(f"{seed}/{schema.full_name}/{number}"))
        for schema in schemas()
        for number in range(each)
    ]
