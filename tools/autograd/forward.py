"""Forward formulas: those in derivatives.yaml, and those derived from backward formulas."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

from tools.autograd.model import ForwardDerivative, ForwardKind
from tools.codegen.api import cpp
from tools.codegen.model import NativeFunction

_IDENTIFIER = re.compile(r"(?<![\w.:])[A-Za-z_]\w*")


def rename(formula: str, names: Mapping[str, str]) -> str:
    """Rename variables in the formula; a name after `.` or `::` is a member and stays."""
    return _IDENTIFIER.sub(lambda match: names.get(match[0], match[0]), formula)


def given(
    formula: str, outputs: tuple[str, ...], function: NativeFunction, kind: ForwardKind
) -> ForwardDerivative:
    """Return the formula as written, with the tangents and primal values that it reads."""
    read = set(_IDENTIFIER.findall(formula))
    arguments = [argument.name for argument in function.func.arguments.all]
    return ForwardDerivative(
        outputs,
        formula,
        kind,
        tuple(name for name in arguments if f"{name}_t" in read),
        tuple(name for name in arguments if f"{name}_p" in read),
    )


def linear(
    function: NativeFunction, outputs: tuple[str, ...], variables: Collection[str]
) -> ForwardDerivative:
    """Derive the formula of a linear operator, which calls the operator on the tangents."""
    func = function.func
    name = cpp.name(func) + ("_symint" if func.has_symint else "")
    tangents = [f"{a.name}_t" if a.name in variables else a.name for a in func.arguments.all]
    if "function" in function.variants:
        formula = f"at::{name}({', '.join(tangents)})"
    else:
        arguments = [text for text in tangents if text != "self_t"]
        formula = f"self_t.{name}({', '.join(arguments)})"
    return given(formula, outputs, function, ForwardKind.auto_linear)


def element_wise(
    function: NativeFunction, outputs: tuple[str, ...], variable: str, backward: str
) -> ForwardDerivative:
    """Derive the formula of an element-wise operator.

    Its Jacobian is diagonal, so forward is backward, conjugated twice.
    """
    names = {"grad": f"{variable}_t.conj()", variable: f"{variable}_p"}
    formula = f"({rename(backward, names)}).conj()"
    return given(formula, outputs, function, ForwardKind.auto_element_wise)


def in_place(forward: ForwardDerivative) -> ForwardDerivative:
    """Adapt the formula to an in-place variant, which evaluates it after the call.

    The result is then `self`, and the former value of `self` is another tensor.
    """
    if any(output not in ("result", "result0") for output in forward.outputs):
        return forward
    names = dict.fromkeys(forward.outputs, "self_p")
    original = "self" in forward.primals
    if original:
        names |= {"self_p": "original_self_p", "self_t": "original_self_t"}
    return ForwardDerivative(
        ("self",),
        rename(forward.formula, names),
        forward.kind,
        forward.tangents,
        forward.primals,
        needs_original_self=original,
    )
