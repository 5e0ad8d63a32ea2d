"""Calls with wrong arguments of the functions of torch that are written in Python here.

`python wrong_arguments.py CALLS OUTCOMES` evaluates the expressions of a JSON list in this interpreter and writes
what each of them raises. This package's own table of signatures says what the calls are.
"""

from __future__ import annotations

import json
import sys
import warnings
from pathlib import Path

import torch

# An argument of each type that suits some function, and the ones that take the place of a tensor.
FITTING = {
    "Tensor": "torch.ones(2, 2)",
    "Tensor[]": "[torch.ones(2, 2)]",
    "Scalar": "1",
    "Scalar[]": "[1.0]",
    "int": "1",
    "SymInt": "1",
    "int[]": "[1]",
    "float": "0.5",
    "float[]": "[0.5]",
    "bool": "True",
    "str": "'mean'",
    "object": "torch.ones(2, 2)",
}
WRONG = {
    "Tensor": ("1.5", "None", "[1.0]", "'text'", "object()"),
    "Tensor[]": ("1.5", "'text'"),
    "Scalar": ("'text'", "[1]"),
    "int": ("1.5", "'text'"),
    "SymInt": ("1.5", "'text'"),
    "int[]": ("'text'", "[0.5]"),
    "float": ("'text'", "[1]"),
    "bool": ("'text'", "2"),
    "str": ("1", "torch.ones(1)"),
    "ScalarType": ("'float32'", "3"),
    "Device": ("0.5", "[]"),
}


def calls(name: str, rows: list[tuple[str, str, bool, bool]]) -> list[str]:
    """Return wrong calls of a function whose (name, type, has default, is keyword) are given."""
    required = [row for row in rows if not row[2]]

    def call(arguments: dict[str, str], *more: str) -> str:
        texts = [arguments[parameter] for parameter, *_, keyword in required if not keyword]
        texts += [f"{p}={arguments[p]}" for p, *_, keyword in required if keyword]
        return f"torch.{name}({', '.join([*texts, *more])})"

    fitting = {parameter: FITTING[type_] for parameter, type_, *_ in required}
    found = [f"torch.{name}()", call(fitting, "unknown=1")]
    if not any(keyword for *_, keyword in required):
        found.append(f"{call(fitting)[:-1]}, {', '.join(['torch.ones(1)'] * 14)})")
    for parameter, type_, default, _ in rows:
        for wrong in WRONG.get(type_, ()):
            if default and wrong != "None":
                found.append(call(fitting, f"{parameter}={wrong}"))
            elif not default:
                found.append(call({**fitting, parameter: wrong}))
    return found


def raised(expression: str) -> str:
    """Return the name of the exception that an expression raises, or "nothing"."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            eval(expression, {"torch": torch})  # the expressions are this project's own
        except Exception as error:
            return type(error).__name__
    return "nothing"


if __name__ == "__main__":
    expressions = json.loads(Path(sys.argv[1]).read_text())
    found = {expression: raised(expression) for expression in expressions}
    found |= {f"type of {n}": type(getattr(torch, n, None)).__name__ for n in sys.argv[3:]}
    Path(sys.argv[2]).write_text(json.dumps(found))
