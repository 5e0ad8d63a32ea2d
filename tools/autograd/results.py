"""The results of an operator as formulas see them: their names, and which have a gradient."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tools.codegen.schema import FunctionSchema, is_tensor_list
from tools.codegen.types import Type

_SINGLE = re.compile(r"(?<![\w.])grad\b")


def result_names(func: FunctionSchema) -> tuple[str, ...]:
    """Return the name of each result in formulas."""
    arguments = {argument.name for argument in func.arguments.all}
    names: list[str] = []
    for index, result in enumerate(func.returns):
        if result.name is None:
            names.append("result" if len(func.returns) == 1 else f"result{index}")
        else:
            names.append(f"{result.name}_return" if result.name in arguments else result.name)
    return tuple(names)


def is_differentiable(type: Type) -> bool:
    """Return whether a value of this type can have a gradient: a tensor or a list of tensors."""
    return str(type) in ("Tensor", "Tensor?", "Tensor?[]") or is_tensor_list(type)


def reads_single(formula: str) -> bool:
    """Return whether the formula reads `grad`, the gradient of the only differentiable result."""
    return _SINGLE.search(formula) is not None


def differentiable_results(
    func: FunctionSchema, declared: Sequence[bool] | None, *, single: bool
) -> tuple[int, ...]:
    """Return the results that have a gradient; if undeclared, `grad` is the first result's."""
    tensors = [i for i, result in enumerate(func.returns) if is_differentiable(result.type)]
    if declared is not None:
        return tuple(i for i in tensors if i >= len(declared) or declared[i])
    return tuple(tensors[:1] if single else tensors)


def named_gradients(func: FunctionSchema, declared: Sequence[bool] | None) -> tuple[str, ...]:
    """Return `grad_<result>` for the results that have a name of their own and a gradient."""
    names = result_names(func)
    return tuple(
        f"grad_{names[i]}"
        for i in differentiable_results(func, declared, single=False)
        if func.returns[i].name is not None
    )
