"""Declarations.yaml: every operator as data, for generators in other projects."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

from tools.codegen.api import cpp, dispatcher
from tools.codegen.emit.common import Emitter, is_function, is_method
from tools.codegen.model import NativeFunction
from tools.codegen.schema import Argument, Return, SchemaKind
from tools.codegen.types import OptionalType


def declarations(emitter: Emitter) -> None:
    """Emit one item per operator: names, arguments and results with their C++ and schema types."""
    functions = emitter.operators.functions
    values = partial(_items, functions)
    emitter.file("Declarations.yaml", "Declarations.yaml", functions, values)


def _items(functions: Iterable[NativeFunction]) -> Mapping[str, str]:
    return {"items": "".join(f"- {json.dumps(record(f))}\n" for f in functions)}


def record(function: NativeFunction) -> dict[str, Any]:
    """Return an operator as an item of Declarations.yaml."""
    func = function.func
    arguments = func.arguments
    keywords = {*arguments.kwarg_only, *arguments.out}
    types = dispatcher.signature(function).bindings
    places = ["Type", *(["Tensor"] if is_method(function) else [])]
    return {
        "name": cpp.name(func),
        "operator_name": str(func.name.name),
        "overload_name": func.name.overload,
        "manual_kernel_registration": function.manual_kernel_registration,
        "category_override": function.category_override or "",
        "schema_string": f"{function.namespace}::{func}",
        "arguments": [
            _argument(argument, binding.type, argument in keywords)
            for argument, binding in zip(arguments.all, types, strict=True)
        ],
        "method_of": [*places, *(["namespace"] if is_function(function) else [])],
        "mode": "native",
        "python_module": function.python_module or "",
        "returns": [_return(result, index) for index, result in enumerate(func.returns)],
        "inplace": func.kind is SchemaKind.inplace,
        "is_factory_method": arguments.options is not None and arguments.self_arg is None,
        "abstract": any(key != "CompositeImplicitAutograd" for key in function.dispatch),
        "device_guard": function.device_guard,
        "with_gil": False,
        "deprecated": False,
        "has_math_kernel": function.composite_implicit,
    }


def _argument(argument: Argument, cpp_type: str, keyword_only: bool) -> dict[str, Any]:
    record: dict[str, Any] = {
        "name": argument.name,
        "type": cpp_type,
        "dynamic_type": str(argument.type.base()),
        "is_nullable": isinstance(argument.type, OptionalType),
        "annotation": None if argument.annotation is None else str(argument.annotation),
    }
    if argument.default is not None:
        record["default"] = cpp.default_expr(argument.default, argument.type)
    if keyword_only:
        record["kwarg_only"] = True
    return record


def _return(result: Return, index: int) -> dict[str, Any]:
    return {
        "name": result.name or ("result" if index == 0 else f"result{index}"),
        "type": cpp.return_type(result.type, mutable=result.is_write),
        "dynamic_type": str(result.type.base()),
    }
