"""The functions and methods that random calls are drawn of, as schemas.

Operators come from native_functions.yaml: functions, methods, in-place and out= forms, and those of
torch.linalg, torch.special and torch.fft. The functions of torch.nn.functional come from their
annotated signatures.
"""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any, NamedTuple

import yaml

DECLARED = Path(__file__).parents[3] / "aten" / "src" / "ATen" / "native" / "native_functions.yaml"

# What is drawn is random, not initialized, of the whole process, or of this project alone.
SKIPPED = {
    *("alpha_dropout", "bernoulli", "binomial", "dropout", "empty", "empty_like", "empty_strided"),
    *("feature_alpha_dropout", "feature_dropout", "multinomial", "native_dropout", "new_empty"),
    *("new_empty_strided", "normal", "poisson", "rand", "rand_like", "randint", "randint_like"),
    *("randn", "randn_like", "randperm", "rrelu", "cudnn_is_acceptable", "set_", "resize_"),
    *("resize_as_", "data", "requires_grad_", "retain_grad", "record_stream", "is_pinned"),
    *("pin_memory", "to_sparse", "from_file", "rename", "item", "is_set_to", "scalar_tensor"),
    *("lstm", "gru", "rnn_relu", "rnn_tanh", "geqrf", "promote_types", "can_cast"),
    *("bernoulli_", "cauchy_", "exponential_", "geometric_", "log_normal_", "normal_", "random_"),
    *("uniform_", "dropout_", "alpha_dropout_", "feature_dropout_", "feature_alpha_dropout_"),
    *("rrelu_", "rrelu_with_noise", "rrelu_with_noise_", "rename_", "set_data", "empty_permuted"),
    *("dropout1d", "dropout2d", "dropout3d", "gumbel_softmax", "multi_head_attention_forward"),
    *("fractional_max_pool2d", "fractional_max_pool3d", "fractional_max_pool2d_with_indices"),
    "fractional_max_pool3d_with_indices",
}
TYPES = (
    *("Tensor", "Scalar", "int", "SymInt", "float", "bool", "ScalarType", "Tensor[]", "int[]"),
    "str",
)
MODULES = {"linalg": "linalg.", "special": "special.", "fft": "fft."}


class Parameter(NamedTuple):
    """A parameter of a schema."""

    type: str
    name: str
    default: str | None
    keyword: bool


class Schema(NamedTuple):
    """A function or method that can be called from Python: `name` is its path below torch."""

    name: str
    full_name: str
    parameters: tuple[Parameter, ...]


def _split(text: str) -> list[str]:
    """Split at commas outside brackets."""
    parts, depth, start = [], 0, 0
    for i, character in enumerate(text):
        depth += (character in "([") - (character in ")]")
        if character == "," and depth == 0:
            parts.append(text[start:i])
            start = i + 1
    return [part.strip() for part in (*parts, text[start:]) if part.strip()]


def _path(name: str, module: str | None, method: bool) -> str:
    """Return where Python finds an operator below torch."""
    if module is not None:
        return MODULES[module] + name.removeprefix(f"{module}_")
    return f"Tensor.{name}" if method else name


def parse(func: str, method: bool, module: str | None = None) -> Schema:
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
    path = _path(full_name.split(".")[0], module, method)
    return Schema(path, full_name, tuple(parameters))


def base_type(type_: str) -> str:
    """Return the type without its question mark and the length of lists."""
    plain = type_.rstrip("?").replace("SymInt", "int")
    return "int[]" if plain.startswith("int[") else plain


def is_drawable(schema: Schema) -> bool:
    """Return whether values of all required parameters can be drawn."""
    last = schema.name.rsplit(".", 1)[-1]
    for parameter in schema.parameters:
        if base_type(parameter.type) not in TYPES and parameter.default is None:
            return False
    return bool(schema.parameters) and not last.startswith("_") and last not in SKIPPED


def operators() -> list[Schema]:
    """Return the operators that Python can call, in the order of the file."""
    found = []
    for entry in yaml.load(DECLARED.read_text(), getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
        module = entry.get("python_module")
        name = entry["func"].split("(")[0].split(".")[0]
        if "backward" in name or (module is not None and module not in MODULES):
            continue
        schema = parse(entry["func"], "function" not in entry.get("variants", "function"), module)
        if is_drawable(schema):
            found.append(schema)
    return found


def _functional_type(annotation: str) -> str | None:
    """Return the schema type of a parameter of torch.nn.functional, or None."""
    parts = [part.strip() for part in annotation.split("|")]
    optional = "?" if "None" in parts else ""
    names = {"OutputSize": "int[]", "Extent": "int[]", "Sequence[int]": "int[]"}
    names["torch.dtype"] = "ScalarType"
    named = [names.get(part, part) for part in parts]
    for type_ in ("int[]", *TYPES):
        if type_ in named:
            return type_ + optional
    return None


def _functional_schema(name: str, function: Any) -> Schema | None:
    """Return the schema of a function of torch.nn.functional, or None if it is not annotated."""
    parameters = []
    for parameter in inspect.signature(function).parameters.values():
        type_ = _functional_type(str(parameter.annotation))
        default = None if parameter.default is parameter.empty else repr(parameter.default)
        if type_ is None and default is None:
            return None
        keyword = parameter.kind is parameter.KEYWORD_ONLY
        parameters.append(Parameter(type_ or "other", parameter.name, default, keyword))
    return Schema(f"nn.functional.{name}", f"nn.functional.{name}", tuple(parameters))


def functionals() -> list[Schema]:
    """Return the functions of torch.nn.functional that are written in Python."""
    import torch.nn.functional as functional

    found = []
    for name, function in sorted(vars(functional).items()):
        if name in functional._LAZY_HOMES:  # present only if something has used it
            continue
        if not inspect.isfunction(function) or not function.__module__.startswith("torch.nn"):
            continue
        schema = _functional_schema(name, function)
        if schema is not None and is_drawable(schema):
            found.append(schema)
    return found


def schemas() -> list[Schema]:
    """Return everything that is called."""
    return operators() + functionals()
