"""All of the generator's operator files together: either what they mean, or every problem in them."""

from __future__ import annotations

from dataclasses import dataclass

from tools.autograd.load_derivatives import build_derivatives, declared_derivatives
from tools.autograd.model import Derivatives
from tools.codegen.errors import InputError, Problem
from tools.codegen.model import Operators
from tools.codegen.read import OperatorFile, build_operators, declared_functions


@dataclass(frozen=True)
class Inputs:
    """What the files declare; None for a file that was not given."""

    operators: Operators
    derivatives: Derivatives | None


def build_inputs(
    native_functions: OperatorFile, tags: OperatorFile, derivatives: OperatorFile | None = None
) -> Inputs:
    """The meaning of the files; raises InputError with the problems of all of them."""
    try:
        operators = build_operators(native_functions, tags)
    except InputError as error:
        problems = [*error.problems]
        sources = dict(error.sources)
        if derivatives is not None:
            problems += _derivative_problems(derivatives, native_functions, tags)
            sources[derivatives.name] = derivatives.text
        raise InputError(problems, sources) from None
    built = None if derivatives is None else build_derivatives(derivatives, operators)
    return Inputs(operators, built)


def _derivative_problems(
    derivatives: OperatorFile, native_functions: OperatorFile, tags: OperatorFile
) -> list[Problem]:
    """What is wrong with the derivatives of those operators that could be read."""
    problems: list[Problem] = []
    functions = {f.full_name: f for f in declared_functions(native_functions, tags)}
    declared_derivatives(derivatives, functions, problems, all_known=False)
    return problems
