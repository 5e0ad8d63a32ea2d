"""Checks of what the `jvp` of an autograd.Function returns: a tangent for each differentiable output.

An output that is an input, or a view of one, shares memory with it; its tangent must share the
memory of the input's tangent in the same way, or later changes in place would part them.
"""

from __future__ import annotations

from typing import Any

import torch
from torch._transforms.levels import LevelTensor

Tensor = torch.Tensor
_NOT_A_VIEW = (
    "A custom Function's forward is returning a view (or an input as-is) but the jvp is not "
    "returning a view."
)


def check_tangents(context: Any, inputs: tuple[Any, Any], outputs: Any, tangents: Any) -> None:
    """Raise an error unless the tangents fit the outputs.

    Args:
        context: The `ctx` of the call, with the tensors that it marked.
        inputs: The arguments of `forward`, and their tangents.
        outputs: What `forward` returned.
        tangents: What `jvp` returned.
    """
    several = isinstance(tangents, tuple)
    results = (outputs,) if isinstance(outputs, Tensor) else outputs
    found = tangents if several else (tangents,)
    if len(found) != len(results):
        raise RuntimeError(
            "Function's jvp returned an invalid number of forward gradients (expected "
            f"{len(results)} but got {len(found)})"
        )
    for position, (result, tangent) in enumerate(zip(results, found, strict=True)):
        if tangent is None:
            continue
        if not isinstance(tangent, Tensor):
            raise RuntimeError(
                f"expected Variable or None (got {type(tangent).__name__}) for grad output "
                f"{position}."
            )
        _check_kind(context, position, result)
        _check_memory(context, inputs, result, tangent)
        if tangent.shape != result.shape:
            raise RuntimeError(
                "Trying to set a forward gradient that has a different size than that of the "
                f"original Tensor, this is not supported. Tensor is of size {list(result.shape)} "
                f"while the given forward gradient is of size {list(tangent.shape)}."
            )


def _check_kind(context: Any, position: int, result: Any) -> None:
    differentiable = isinstance(result, Tensor) and (
        result.is_floating_point() or result.is_complex()
    )
    if not differentiable or any(result is each for each in context.constant):
        raise RuntimeError(
            f"Function's jvp returned a gradient at position {position}, but  the corresponding "
            "forward output is not a differentiable Tensor.You should return None at that position "
            "instead."
        )


def _check_memory(context: Any, inputs: tuple[Any, Any], result: Tensor, tangent: Tensor) -> None:
    for primal, given in zip(*inputs, strict=True):
        if not isinstance(primal, Tensor) or given is None or isinstance(given, LevelTensor):
            continue
        if result is primal and any(result is each for each in context.dirty):
            if tangent is not given:
                raise RuntimeError(
                    "An inplace custom Function is not modifying the forward mode gradients "
                    "inplace. If the forward is modifying an input inplace, then the jvp function "
                    "must modify the corresponding gradient inplace."
                )
        elif result is primal or (
            result._is_view() and result._base is (primal._base if primal._is_view() else primal)
        ):
            _check_view(given, tangent)


def _check_view(given: Tensor, tangent: Tensor) -> None:
    if not tangent._is_view():
        raise RuntimeError(_NOT_A_VIEW)
    if given._is_view() and tangent._base is not given._base:
        raise RuntimeError(
            "A custom Function is returning a view but the jvp is not returning a view of the same "
            "base as the given grad input."
        )
    if not given._is_view() and tangent._base is not given:
        raise RuntimeError(
            "A custom Function is returning a view but the jvp is not returning a view of the given "
            "grad input."
        )
