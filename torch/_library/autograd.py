"""Record calls of operators written in Python: one graph node for each call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import torch
from torch import _C


@dataclass(frozen=True)
class Formula:
    """The derivative of an operator."""

    backward: Callable[..., Any]
    setup_context: Callable[..., None] | None = None


def _is_tensor_list(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and any(isinstance(x, torch.Tensor) for x in value)


@dataclass(frozen=True)
class _Nesting:
    """Which arguments are lists of tensors; a graph node needs each tensor as an argument."""

    lengths: tuple[int | None, ...]
    """The length of each list; None for arguments that are not lists of tensors."""

    @classmethod
    def of(cls, args: Sequence[Any]) -> _Nesting:
        """Record which arguments are lists of tensors."""
        return cls(tuple(len(arg) if _is_tensor_list(arg) else None for arg in args))

    def flat(self, values: Sequence[Any]) -> list[Any]:
        """Flatten one value per argument; for a list, None counts as a list of Nones."""
        result: list[Any] = []
        for index, value in enumerate(values):
            length = self.lengths[index] if index < len(self.lengths) else None
            if length is None:
                result.append(value)
            else:
                result += [None] * length if value is None else value
        return result

    def nested(self, flat: Sequence[Any]) -> tuple[Any, ...]:
        """Restore the nesting of a flat sequence."""
        rest = iter(flat)
        return tuple(
            next(rest) if length is None else [next(rest) for _ in range(length)]
            for length in self.lengths
        )


@cache
def _node(op: Any, formula: Formula | None) -> type[torch.autograd.Function]:
    """Create the Function whose nodes represent calls of the operator in the graph."""

    def forward(ctx: Any, *inputs: Any) -> Any:
        *flat, nesting, keywords = inputs
        args = nesting.nested(flat)
        with _C._AutoDispatchBelowAutograd():
            output = op(*args, **keywords)
        ctx.nesting = nesting
        if formula is not None and formula.setup_context is not None:
            more = {"keyword_only_inputs": keywords} if keywords else {}
            formula.setup_context(ctx=ctx, inputs=args, output=output, **more)
        return output

    def backward(ctx: Any, *gradients: Any) -> tuple[Any, ...]:
        if formula is None:
            raise RuntimeError(
                f"Trying to backward through {op} but no autograd formula was registered. "
                "Please use register_autograd to add one."
            )
        returned = formula.backward(ctx, *gradients)
        values = returned if isinstance(returned, tuple) else (returned,)
        return *ctx.nesting.flat(values), None, None

    return type(
        f"GeneratedBackwardFor_{str(op).replace('.', '_')}",
        (torch.autograd.Function,),
        {"forward": staticmethod(forward), "backward": staticmethod(backward)},
    )


def autograd_kernel(op: Any, formula: Formula | None) -> Callable[..., Any]:
    """Create the kernel of an operator for the dispatch key Autograd."""

    def kernel(*args: Any, **keywords: Any) -> Any:
        nesting = _Nesting.of(args)
        flat = nesting.flat(args)
        if torch.is_grad_enabled() and any(
            isinstance(value, torch.Tensor) and value.requires_grad for value in flat
        ):
            return _node(op, formula).apply(*flat, nesting, keywords)  # type: ignore[no-untyped-call]
        with _C._AutoDispatchBelowAutograd():
            return op(*args, **keywords)

    return kernel
