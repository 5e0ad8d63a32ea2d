"""Which rule a call with masked tensors takes; their class gets its rules from here."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import torch
from torch._torch_function import implementing_name
from torch.masked.maskedtensor import _conversions as conversions
from torch.masked.maskedtensor import _elementwise as elementwise
from torch.masked.maskedtensor import _reductions as reductions
from torch.masked.maskedtensor._layouts import same_masks
from torch.masked.maskedtensor.core import (
    MaskedTensor,
    data_of,
    each_part,
    is_masked_tensor,
    make,
    mask_of,
)

Tensor = torch.Tensor
Rule = Callable[..., Any]

# Operators that rearrange elements: of the data and of the mask alike.
_REARRANGEMENTS = (
    "_reshape_alias", "_unsafe_view", "cat", "col2im", "expand", "im2col", "index", "select",
    "select_backward", "slice", "slice_backward", "split", "stack", "t", "transpose", "unbind",
    "unfold", "unfold_backward", "unsqueeze", "view",
)  # fmt: skip
_UNSUPPORTED = (
    "{name} is not implemented in __torch_dispatch__ for MaskedTensor.\n"
    "If you would like this operator to be supported, please file an issue for a feature request "
    "at https://github.com/pytorch/maskedtensor/issues with a minimal reproducible code snippet.\n"
    "In the case that the semantics for the operator are not trivial, it would be appreciated "
    "to also include a proposal for the semantics."
)


def of_function(func: Any) -> Rule | None:
    """Return the rule of a public function or method, if it has one."""
    return _FUNCTIONS.get(implementing_name(func))


def of_operator(func: Any) -> Rule | None:
    """Return the rule of an operator, or warn that it has none."""
    name = func.name().partition("::")[2].partition(".")[0]
    if name in _REARRANGEMENTS:
        return _rearrangement(func)
    rule = _OPERATORS.get(name)
    if rule is None:
        warnings.warn(_UNSUPPORTED.format(name=name), UserWarning, stacklevel=3)
    return rule


def _rearrangement(func: Any) -> Rule:
    def rule(*args: Any, **kwargs: Any) -> Any:
        data = func(*each_part(data_of, args), **kwargs)
        mask = func(*each_part(mask_of, args), **kwargs)
        if isinstance(data, (list, tuple)):
            return type(data)(make(d, m) for d, m in zip(data, mask, strict=True))
        return make(data, mask)

    return rule


def _require(condition: bool, name: str, text: str) -> None:
    if not condition:
        raise ValueError(f"__torch_dispatch__, aten.{name}: {text}")


def _to_copy(input: Any, **kwargs: Any) -> Any:
    copy = torch.ops.aten._to_copy
    data, mask = data_of(input), mask_of(input)
    return make(copy(data, **kwargs), copy(mask, **{**kwargs, "dtype": torch.bool}))


def _like(name: str) -> Rule:
    def rule(input: Any, **kwargs: Any) -> Any:
        return make(getattr(torch, name)(data_of(input), **_given(kwargs)), mask_of(input))

    return rule


def _given(options: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in options.items() if value is not None}


def _on_data(name: str) -> Rule:
    def rule(input: Any, **kwargs: Any) -> Any:
        return make(getattr(torch.ops.aten, name)(data_of(input)), mask_of(input))

    return rule


def _new_empty_strided(input: Any, size: Any, stride: Any, **kwargs: Any) -> Any:
    data = data_of(input)
    _require(
        tuple(size) == tuple(data.size()),
        "new_empty_strided",
        "args[1] expected to be the same as data.size()",
    )
    _require(
        tuple(stride) == tuple(data.stride()),
        "new_empty_strided",
        "args[2] expected to be the same as data.stride()",
    )
    return make(data.new_empty_strided(size, stride, **_given(kwargs)), mask_of(input))


def _item(input: Any) -> Any:
    _require(bool(mask_of(input)), "_local_scalar_dense", "expected a mask tensor")
    return data_of(input).item()


def _softmax(input: Any, dim: int, half_to_float: bool) -> Any:
    data, mask = data_of(input), mask_of(input)
    kept = torch.softmax(data.masked_fill(~mask, -torch.inf), dim)
    return make(torch.where(mask.any(dim, keepdim=True), kept, 0.0).to(data.dtype), mask)


def _softmax_backward(grad: Any, output: Any, dim: int, input_dtype: Any) -> Any:
    name = "_softmax_backward_data"
    _require(
        is_masked_tensor(grad) and is_masked_tensor(output),
        name,
        "grad and output must both be MaskedTensors",
    )
    mask = mask_of(grad)
    _require(
        same_masks(mask, mask_of(output)), name, "expected the masks of grad and output to match"
    )
    weighted = torch.where(mask, data_of(grad) * data_of(output), 0.0)
    data = weighted - data_of(output) * weighted.sum(dim, keepdim=True)
    return make(torch.where(mask, data, 0.0), mask)


def _copy(input: Any, source: Any, non_blocking: bool = False) -> Any:
    both = is_masked_tensor(input) and is_masked_tensor(source)
    if both and not same_masks(mask_of(input), mask_of(source)):
        raise ValueError("args[0] mask and args[1] mask must match but do not")
    data_of(input).copy_(data_of(source))
    return input


def _is_any_true(input: Any) -> Any:
    data, mask = data_of(input), mask_of(input)
    _require(data.dtype == torch.bool, "_is_any_true", "expected a boolean tensor")
    return make((data & mask).any(), torch.tensor(True))


def _any(input: Any, *dims: Any, **options: Any) -> Any:
    if dims or options or data_of(input).dtype != torch.bool:
        return NotImplemented
    return _is_any_true(input)


_REDUCTIONS = reductions.rules()
_FUNCTIONS: dict[str, Rule] = {
    **_REDUCTIONS,
    "where": conversions.where_function,
    "contiguous": conversions.contiguous,
    "_is_any_true": _is_any_true,
}
_OPERATORS: dict[str, Rule] = {
    **_REDUCTIONS,
    **elementwise.rules(),
    "_is_any_true": _is_any_true,
    "_local_scalar_dense": _item,
    "any": _any,
    "_softmax": _softmax,
    "_softmax_backward_data": _softmax_backward,
    "_to_copy": _to_copy,
    "alias": _on_data("detach"),
    "clone": _on_data("clone"),
    "copy_": _copy,
    "detach": _on_data("detach"),
    "is_same_size": lambda a, b: data_of(a).is_same_size(data_of(b)),
    "new_empty_strided": _new_empty_strided,
    "ones_like": _like("ones_like"),
    "where": conversions.where,
}

MaskedTensor._rule_of_function = staticmethod(of_function)
MaskedTensor._rule_of_operator = staticmethod(of_operator)
