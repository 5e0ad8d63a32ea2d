"""variable_factories.h: torch::ones and the like, whose options may ask for a gradient."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from tools.autograd.emission import AutogradEmitter, schema_line
from tools.codegen.api import cpp
from tools.codegen.emit.operators import root_headers
from tools.codegen.model import NativeFunction
from tools.codegen.templates import Templates

_TEMPLATE = "variable_factories.h"


def variable_factories(emitter: AutogradEmitter) -> None:
    """Emit one inline function for each operator that makes a tensor from TensorOptions."""
    factories = [f for f in emitter.operators.functions if is_factory(f)]
    emitter.file(_TEMPLATE, _TEMPLATE, factories, partial(_holes, emitter.templates, factories))


def is_factory(function: NativeFunction) -> bool:
    """Return whether the operator is a function that takes options and returns a new tensor."""
    if "function" not in function.variants or function.manual_cpp_binding:
        return False
    returns = function.func.returns
    makes_tensor = len(returns) == 1 and str(returns[0].type) == "Tensor"
    return makes_tensor and function.func.arguments.options is not None and not function.is_view


def _holes(templates: Templates, factories: list[NativeFunction]) -> Mapping[str, str]:
    return {
        "includes": root_headers(factories, ""),
        "functions": "".join(_factory(templates, function) for function in factories),
    }


def _factory(templates: Templates, function: NativeFunction) -> str:
    signature = cpp.signature(function)
    arguments = [
        "options.requires_grad(std::nullopt)" if name == "options" else name
        for name in signature.names()
    ]
    return templates.section(_TEMPLATE, "factory").fill(
        schema=schema_line(function),
        declaration=signature.declaration(defaults=True),
        name=signature.name,
        arguments=", ".join(arguments),
    )
