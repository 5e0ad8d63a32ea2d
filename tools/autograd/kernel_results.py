"""The results of a kernel: new values, or arguments that it wrote."""

from __future__ import annotations

from tools.autograd.results import result_names
from tools.codegen.api import dispatcher
from tools.codegen.model import NativeFunction
from tools.codegen.schema import Argument


def are_written(function: NativeFunction) -> bool:
    """Return whether the results are written arguments, not new values."""
    return all(result.is_write for result in function.func.returns)


def written_results(function: NativeFunction) -> list[Argument]:
    """Return the written arguments that the operator returns; all of them if it returns nothing."""
    mutable = function.func.arguments.mutable
    if not function.func.returns:
        return list(mutable)
    by_annotation = {argument.annotation: argument for argument in mutable}
    return [by_annotation[result.annotation] for result in function.func.returns]


def kernel_result_names(function: NativeFunction) -> tuple[str, ...]:
    """Return a kernel's names for its results: of written arguments, else those of formulas."""
    if are_written(function):
        return tuple(argument.name for argument in written_results(function))
    return result_names(function.func)


def returned(function: NativeFunction) -> str:
    """Return the expression that a kernel with written results returns; empty for none."""
    if not function.func.returns:
        return ""
    names = [argument.name for argument in written_results(function)]
    if len(names) == 1:
        return names[0]
    return f"{dispatcher.signature(function).returns}({', '.join(names)})"
