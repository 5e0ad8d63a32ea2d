"""Reverse mode of dual tensors whose values have a graph: forward over reverse.

The gradient of a dual number p + q e is the dual number of the gradients of p and q, so two passes
give it: what wraps the values and tangents needs no graph of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import torch
from torch._transforms.dual import DualLevel, DualTensor, tangent_of

Tensor = torch.Tensor
_requires_grad: Any = Tensor.requires_grad
_grad_fn: Any = Tensor.grad_fn
_is_leaf: Any = Tensor.is_leaf


class ProgramDual(DualTensor):
    """A dual tensor of `torch.autograd.forward_ad`, which has a graph if its value has."""

    @property
    def requires_grad(self) -> bool:
        """Whether the value is part of a graph, or operators on the dual tensor are recorded."""
        return bool(_requires_grad.__get__(self) or self._primal.requires_grad)

    @requires_grad.setter
    def requires_grad(self, value: bool) -> None:
        _requires_grad.__set__(self, value)

    @property
    def grad_fn(self) -> Any:
        """The node that made the tensor, or its value."""
        return _grad_fn.__get__(self) or self._primal.grad_fn

    @property
    def is_leaf(self) -> bool:
        """Whether no node made the tensor, nor its value."""
        return bool(_is_leaf.__get__(self) and self._primal.grad_fn is None)

    @property
    def _differentiates_parts(self) -> bool:
        """Whether the value's graph leads to the leaves, and none of them is a dual tensor."""
        if not self._primal.requires_grad:
            return False
        own = _grad_fn.__get__(self)
        if own is None:
            return not _requires_grad.__get__(self)
        return not any(isinstance(leaf, DualTensor) for leaf in _leaves([own]))


def _parts(tensor: Any, level: DualLevel) -> tuple[Any, Any]:
    if isinstance(tensor, DualTensor) and tensor._level is level:
        return tensor._primal, tangent_of(tensor)
    return tensor, None


def _level_of(outputs: Sequence[Any]) -> DualLevel:
    return next(out._level for out in outputs if isinstance(out, ProgramDual))  # type: ignore[return-value]


def gradients(
    outputs: Sequence[Any],
    inputs: Sequence[Any],
    grads: Sequence[Any],
    keep: bool,
    create_graph: bool,
    allow_unused: bool,
) -> tuple[Any, ...]:
    """Return the gradients of outputs, one of them dual, as torch.autograd.grad does."""
    level = _level_of(outputs)
    variables = [_parts(each, level)[0] for each in inputs]
    values, weights, terms = [], [], []
    for out, grad in zip(outputs, grads, strict=True):
        (value, tangent), (weight, turn) = _parts(out, level), _parts(grad, level)
        values.append(value)
        weights.append(weight)
        terms.extend(
            (part, by)
            for part, by in ((tangent, weight), (value, turn))
            if part is not None and by is not None and part.requires_grad
        )
    options = {"create_graph": create_graph, "retain_graph": True}
    first = torch.autograd.grad(values, variables, weights, allow_unused=allow_unused, **options)
    second: Sequence[Any] = [None] * len(first)
    if terms:
        parts, by = zip(*terms, strict=True)
        options["retain_graph"] = keep
        second = torch.autograd.grad(parts, variables, by, allow_unused=True, **options)
    return tuple(
        None if value is None else DualTensor.make(level, value, tangent)
        for value, tangent in zip(first, second, strict=True)
    )


def _leaves(nodes: Sequence[Any]) -> Iterator[Tensor]:
    """Yield the leaves that nodes of a graph lead to."""
    waiting = list(nodes)
    seen = set(waiting)
    while waiting:
        node = waiting.pop()
        if hasattr(node, "variable"):
            yield node.variable
        following = [each for each, _ in node.next_functions if each is not None]
        waiting.extend(each for each in following if each not in seen)
        seen.update(following)


def accumulate(
    outputs: Sequence[Any], inputs: Sequence[Any], grads: Sequence[Any], keep: bool, create: bool
) -> None:
    """Add the gradients of outputs to the leaves', as torch.autograd.backward does."""
    level = _level_of(outputs)
    made_by = [_parts(out, level)[0].grad_fn for out in outputs]
    leaves = list(inputs) or list(_leaves([node for node in made_by if node is not None]))
    found = gradients(outputs, leaves, grads, keep, create, allow_unused=True)
    for leaf, grad in zip(leaves, found, strict=True):
        if grad is not None:
            leaf.grad = grad if leaf.grad is None else leaf.grad + grad
