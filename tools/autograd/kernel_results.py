"""The results of a kernel: values that it makes, or arguments that it wrote."""

from __future__ import annotations

from tools.autograd.results import result_names
from tools.codegen.api import dispatcher
from tools.codegen.model import NativeFunction
from tools.codegen.schema import Argument


def are_written(function: NativeFunction) -> bool:
    """Whether the results are arguments that the call wrote, not new values."""
    return all(result.is_write for result in function.func.returns)


def written_results(function: NativeFunction) -> list[Argument]:
    """The written arguments that are returned; all of them where nothing is."""
    mutable = function.func.arguments.mutable
    if not function.func.returns:
        return list(mutable)
    by_annotation = {argument.annotation: argument for argument in mutable}
    return [by_annotation[result.annotation] for result in function.func.returns]


def kernel_result_names(function: NativeFunction) -> tuple[str, ...]:
    """What a kernel calls them: written arguments by their names, new values as formulas do."""
    if are_written(function):
        return tuple(argument.name for argument in written_results(function))
    return result_names(function.func)


def returned(function: NativeFunction) -> str:
    """What a kernel of an operator whose results are written returns; empty for none."""
    if not function.func.returns:
        return ""
    names = [argument.name for argument in written_results(function)]
    if len(names) == 1:
        return names[0]
    return f"{dispatcher.signature(function).returns}({', '.join(names)})"
