"""Count the floating-point operations of matrix products, convolutions and attention."""

from __future__ import annotations

import functools
import math
import warnings
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch._ops import OpOverload
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.module_tracker import ModuleTracker

__all__ = ["FlopCounterMode", "register_flop_formula"]

aten = torch.ops.aten
Shape = Sequence[int]

flop_registry: dict[Any, Callable[..., int]] = {}


def _shapes(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return value.shape
    if isinstance(value, (list, tuple)):
        return type(value)(_shapes(each) for each in value) if not hasattr(value, "_fields") else [
            _shapes(each) for each in value
        ]  # fmt: skip
    return value


def register_flop_formula(targets: Any, get_raw: bool = False) -> Callable[..., Any]:
    """Decorate a function that counts the operations of an operator.

    Args:
        targets: The operator, such as torch.ops.aten.mm, or a list of them.
        get_raw: Whether the function takes the tensors rather than their shapes.

    Returns:
        A decorator for a function of the operator's arguments and `out_shape` (`out_val` with
        `get_raw`).

    Raises:
        ValueError: If a target is an overload, or no operator.

    Example:
        >>> from torch.utils.flop_counter import FlopCounterMode, register_flop_formula
        >>> @register_flop_formula(torch.ops.aten.dot)
        ... def dot_flop(a, b, out_shape=None, **kwargs):
        ...     return 2 * a[0]
        >>> with FlopCounterMode(display=False) as counter:
        ...     _ = torch.dot(torch.ones(5), torch.ones(5))
        >>> counter.get_total_flops()
        10
    """

    def register(formula: Callable[..., int]) -> Callable[..., int]:
        counted = formula if get_raw else _of_shapes(formula)
        for target in targets if isinstance(targets, (list, tuple)) else [targets]:
            if isinstance(target, OpOverload) or not callable(target):
                raise ValueError(
                    "register_flop_formula(targets): expected each target to be OpOverloadPacket "
                    f"(i.e. torch.ops.mylib.foo), got {target} which is of type {type(target)}"
                )
            flop_registry[target] = counted
        return formula

    return register


def _of_shapes(formula: Callable[..., int]) -> Callable[..., int]:
    """Return a formula of tensors that calls one of their shapes."""

    @functools.wraps(formula)
    def counted(*args: Any, out_val: Any = None, **kwargs: Any) -> int:
        args, kwargs = _shapes(args), {k: _shapes(v) for k, v in kwargs.items()}
        return formula(*args, out_shape=_shapes(out_val), **kwargs)

    return counted


# ---- formulas: a multiplication and an addition count as two ------------------------------------


@register_flop_formula(aten.mm)
def mm_flop(
    a_shape: Shape, b_shape: Shape, *args: Any, out_shape: Any = None, **kwargs: Any
) -> int:
    """Count the operations of a matrix product."""
    return a_shape[0] * b_shape[1] * 2 * a_shape[1]


@register_flop_formula(aten.addmm)
def addmm_flop(
    self_shape: Shape, a_shape: Shape, b_shape: Shape, out_shape: Any = None, **kwargs: Any
) -> int:
    """Count the operations of addmm; the sum is not counted."""
    return mm_flop(a_shape, b_shape)


@register_flop_formula(aten.bmm)
def bmm_flop(a_shape: Shape, b_shape: Shape, out_shape: Any = None, **kwargs: Any) -> int:
    """Count the operations of a batch of matrix products."""
    return a_shape[0] * a_shape[1] * b_shape[2] * 2 * a_shape[2]


@register_flop_formula(aten.baddbmm)
def baddbmm_flop(
    self_shape: Shape, a_shape: Shape, b_shape: Shape, out_shape: Any = None, **kwargs: Any
) -> int:
    """Count the operations of baddbmm; the sum is not counted."""
    return bmm_flop(a_shape, b_shape)


def conv_flop_count(
    x_shape: Shape, w_shape: Shape, out_shape: Shape, transposed: bool = False
) -> int:
    """Count the operations of a convolution, given the shapes of its tensors."""
    places = math.prod((x_shape if transposed else out_shape)[2:])
    return places * x_shape[0] * math.prod(w_shape) * 2


@register_flop_formula([aten.convolution, aten._convolution])
def conv_flop(
    x_shape: Shape, w_shape: Shape, _bias: Any, _stride: Any, _padding: Any, _dilation: Any,
    transposed: bool, *args: Any, out_shape: Any = None, **kwargs: Any,
) -> int:  # fmt: skip
    """Count the operations of a convolution."""
    return conv_flop_count(x_shape, w_shape, out_shape, transposed)


@register_flop_formula(aten.convolution_backward)
def conv_backward_flop(
    grad_out_shape: Shape, x_shape: Shape, w_shape: Shape, _bias: Any, _stride: Any, _padding: Any,
    _dilation: Any, transposed: bool, _output_padding: Any, _groups: int,
    output_mask: Sequence[bool], out_shape: Any = None, **kwargs: Any,
) -> int:  # fmt: skip
    """Count the operations of the gradients of a convolution."""

    def swapped(shape: Shape) -> list[int]:
        return [shape[1], shape[0], *shape[2:]]

    count = 0
    if output_mask[0]:
        count += conv_flop_count(grad_out_shape, w_shape, out_shape[0], not transposed)
    if output_mask[1]:
        pair = (grad_out_shape, x_shape) if transposed else (x_shape, grad_out_shape)
        count += conv_flop_count(swapped(pair[0]), swapped(pair[1]), swapped(out_shape[1]))
    return count


def sdpa_flop_count(query_shape: Shape, key_shape: Shape, value_shape: Shape) -> int:
    """Count the operations of attention: the scores, and their product with the values."""
    b, h, s_q, d = query_shape
    s_k, d_v = key_shape[2], value_shape[3]
    return bmm_flop((b * h, s_q, d), (b * h, d, s_k)) + bmm_flop(
        (b * h, s_q, s_k), (b * h, s_k, d_v)
    )


@register_flop_formula(aten._scaled_dot_product_flash_attention_for_cpu)
def sdpa_flop(
    query_shape: Shape, key_shape: Shape, value_shape: Shape, *args: Any, out_shape: Any = None,
    **kwargs: Any,
) -> int:  # fmt: skip
    """Count the operations of attention."""
    return sdpa_flop_count(query_shape, key_shape, value_shape)


@register_flop_formula(aten._scaled_dot_product_flash_attention_for_cpu_backward)
def sdpa_backward_flop(
    grad_out_shape: Shape, query_shape: Shape, key_shape: Shape, value_shape: Shape, *args: Any,
    out_shape: Any = None, **kwargs: Any,
) -> int:  # fmt: skip
    """Count the operations of attention's gradients: the scores again, and four products."""
    b, h, s_q, d = query_shape
    s_k, d_v = key_shape[2], value_shape[3]
    n = b * h
    return (
        bmm_flop((n, s_q, d), (n, d, s_k)) * 3
        + bmm_flop((n, s_q, d_v), (n, d_v, s_k))
        + bmm_flop((n, s_k, s_q), (n, s_q, d_v))
    )


# ---- the mode -----------------------------------------------------------------------------------


class FlopCounterMode:
    """Count the floating-point operations in a block, in all and by module.

    Args:
        mods: Ignored, with a warning; all modules are tracked.
        depth: How deep in the modules the table goes.
        display: Whether to print the table at the end.
        custom_mapping: Further formulas of shapes, by operator; one whose attribute `_get_raw` is
            true takes the tensors.

    Example:
        >>> from torch.utils.flop_counter import FlopCounterMode
        >>> with FlopCounterMode(display=False) as counter:
        ...     _ = nn.Linear(4, 3)(torch.ones(2, 4))
        >>> counter.get_total_flops()
        48
    """

    def __init__(
        self,
        mods: Any = None,
        depth: int = 2,
        display: bool = True,
        custom_mapping: dict[Any, Any] | None = None,
    ) -> None:
        self.depth = depth
        self.display = display
        self.flop_counts: dict[str, dict[Any, int]] = defaultdict(lambda: defaultdict(int))
        own = {
            operator: formula if getattr(formula, "_get_raw", False) else _of_shapes(formula)
            for operator, formula in (custom_mapping or {}).items()
        }
        self.flop_registry = {**flop_registry, **own}
        if mods is not None:
            warnings.warn(
                "mods argument is not needed anymore, you can stop passing it", stacklevel=2
            )
        self.mod_tracker = ModuleTracker()
        self.mode: _Mode | None = None

    def get_total_flops(self) -> int:
        """Return the number of operations."""
        return sum(self.flop_counts["Global"].values())

    def get_flop_counts(self) -> dict[str, dict[Any, int]]:
        """Return the number of operations by module and operator."""
        return {name: dict(counts) for name, counts in self.flop_counts.items()}

    def get_table(self, depth: int | None = None) -> str:
        """Return a table of the modules' shares.

        Args:
            depth: How deep in the modules the table goes.
        """
        depth = self.depth if depth is None else depth
        total = self.get_total_flops()
        rows = []
        for name in sorted(self.flop_counts, key=lambda n: (n != "Global", n)):
            level = 0 if name == "Global" else name.count(".") + 1
            if level > depth:
                continue
            count = sum(self.flop_counts[name].values())
            share = 100 * count / total if total else 0.0
            rows.append((" " * level + name, _with_unit(count, total), f"{share:.2f}%", True))
            for operator, part in self.flop_counts[name].items():
                share = 100 * part / total if total else 0.0
                shown = " " * (level + 1) + f"- {operator}"
                rows.append((shown, _with_unit(part, total), f"{share:.2f}%", False))
        header = ("Module", "FLOP", "% Total")
        widths = [max(len(row[i]) for row in (header, *rows)) for i in range(3)]
        lines = ["  ".join(cell.ljust(w) for cell, w in zip(header, widths, strict=True)).rstrip()]
        lines.append("  ".join("-" * w for w in widths))
        for row in rows:
            lines.append(
                f"{row[0].ljust(widths[0])}  {row[1].rjust(widths[1])}  {row[2].rjust(widths[2])}"
            )
        return "\n".join(lines)

    def _count(self, packet: Any, out: Any, args: Any, kwargs: Any) -> None:
        formula = self.flop_registry.get(packet)
        if formula is None:
            return
        count = formula(*args, **kwargs, out_val=out)
        for name in set(self.mod_tracker.parents):
            self.flop_counts[name][packet] += count

    def __enter__(self) -> FlopCounterMode:
        self.flop_counts.clear()
        self.mod_tracker.__enter__()
        self.mode = _Mode(self)
        self.mode.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        assert self.mode is not None
        self.mode.__exit__(*error)
        self.mode = None
        if self.display:
            print(self.get_table(self.depth))
        self.mod_tracker.__exit__(*error)


class _Mode(TorchDispatchMode):
    def __init__(self, counter: FlopCounterMode) -> None:
        super().__init__()
        self.counter = counter

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        kwargs = kwargs or {}
        out = func(*args, **kwargs)
        self.counter._count(func.overloadpacket, out, args, kwargs)
        return out


def _with_unit(count: int, total: int) -> str:
    units = ["", "K", "M", "B", "T"]
    index = min(len(units) - 1, (len(str(max(total, 1))) - 1) // 3)
    return f"{count / 1000**index:.3f}{units[index]}" if index else str(count)
