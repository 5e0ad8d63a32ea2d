"""Forward formulas: those of derivatives.yaml, and those that follow from the backward ones."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

from tools.autograd.model import ForwardDerivative, ForwardKind
from tools.codegen.api import cpp
from tools.codegen.model import NativeFunction

_IDENTIFIER = re.compile(r"(?<![\w.:])[A-Za-z_]\w*")


def rename(formula: str, names: Mapping[str, str]) -> str:
    """The formula with other names; a name after `.` or `::` is a member and stays."""
    return _IDENTIFIER.sub(lambda match: names.get(match[0], match[0]), formula)


def given(
    formula: str, outputs: tuple[str, ...], function: NativeFunction, kind: ForwardKind
) -> ForwardDerivative:
    """The formula as it stands, with the tangents and primal values that it reads."""
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
    """A linear operator maps tangents as it maps values: the formula calls the operator."""
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
    """An element-wise operator's Jacobian is diagonal: forward is backward, conjugated twice."""
    names = {"grad": f"{variable}_t.conj()", variable: f"{variable}_p"}
    formula = f"({rename(backward, names)}).conj()"
    return given(formula, outputs, function, ForwardKind.auto_element_wise)


def in_place(forward: ForwardDerivative) -> ForwardDerivative:
    """The formula as an in-place variant evaluates it, after the call.

    The result is then the value of `self`, and `self` as it was is another tensor.
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
