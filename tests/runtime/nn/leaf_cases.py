"""Orthogonal weights, gradient dtypes of leaves, and events: what both libraries answer."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import both

import torch
from torch import nn
from torch.nn.utils.parametrizations import orthogonal


def trained(
    shape: tuple[int, ...], orthogonal_map: str | None, use_trivialization: bool, dtype: torch.dtype
) -> Any:
    """Return the weight and its gradient after steps of training, and after an assignment."""
    torch.manual_seed(0)
    module = nn.Module()
    module.weight = nn.Parameter(torch.randn(*shape, dtype=dtype))
    goal = torch.randn(*shape, dtype=dtype)
    orthogonal(module, orthogonal_map=orthogonal_map, use_trivialization=use_trivialization)
    optimizer = torch.optim.SGD(module.parameters(), lr=0.1)
    for _ in range(3):
        optimizer.zero_grad()
        (module.weight - goal).abs().square().sum().backward()
        optimizer.step()
    result = [
        module.weight,
        module.parametrizations.weight.original.grad,
        sorted(module.state_dict()),
    ]
    if use_trivialization:
        module.weight = torch.eye(*shape[-2:], dtype=dtype).expand(shape).clone()
        result.append(module.weight)
    return result


def gradients(dtype: torch.dtype | None, input_dtype: torch.dtype = torch.float32) -> Any:
    x = torch.tensor([1.0, 2.0], dtype=input_dtype, requires_grad=True)
    early = x * 3
    x.grad_dtype = dtype
    (x * 2).sum().backward()
    early.sum().backward()
    (grad,) = torch.autograd.grad(x.square().sum(), x)
    return [x.grad.dtype == x.grad_dtype, str(x.grad.dtype), x.grad.double(), str(grad.dtype)]


def own_grad_dtype() -> list[str]:
    x = torch.ones(2, requires_grad=True)
    values = [x.grad_dtype, torch.ones(1, dtype=torch.int64).grad_dtype]
    x.grad_dtype = torch.float64
    x.grad = torch.ones(2, dtype=torch.float64)
    values += [x.grad_dtype, x.detach().grad_dtype, x.grad.dtype]
    x.grad_dtype = None
    x.grad = torch.ones(2, dtype=torch.float16)
    return [str(value) for value in [*values, x.grad_dtype, x.grad.dtype]]


def set_grad_dtype(value: Any, of_result: bool = False) -> None:
    x = torch.ones(2, requires_grad=True)
    (x * 2 if of_result else x).grad_dtype = value


def events() -> list[Any]:
    event = torch.Event("cpu", enable_timing=True)
    stream = torch.Stream("cpu")
    stream.wait_event(event)
    event.wait(stream)
    event.synchronize()
    return [event.query(), str(event), str(event.device), event.event_id]


def kept_layout(enforced: bool) -> list[Any]:
    x = torch.empty(2, 3).T.requires_grad_()
    with torch.autograd.enforce_grad_layout_policy(enforced):
        (x * 1).contiguous().sigmoid().sum().backward()
    return [x.grad.stride()]


MAPS = ("matrix_exp", "cayley", "householder", None)
CASES: dict[str, Callable[[], Any]] = {
    **{
        f"{name} {shape} {trivial} {dtype}": partial(trained, shape, name, trivial, dtype)
        for name in MAPS
        for shape in ((3, 3), (5, 3), (2, 4), (2, 4, 3))
        for trivial in (True, False)
        for dtype in (torch.float64, torch.complex128)
        if not (name == "householder" and dtype.is_complex)
    },
    "error: complex householder": partial(trained, (3, 3), "householder", True, torch.complex64),
    "error: unknown map": partial(trained, (3, 3), "givens", True, torch.float32),
    "error: vector": partial(trained, (3,), None, True, torch.float32),
    "error: no such weight": lambda: orthogonal(nn.ReLU(), "weights"),
    "float64 gradients": partial(gradients, torch.float64),
    "complex gradients": partial(gradients, torch.complex64),
    "any gradients": partial(gradients, None),
    "float32 gradients of bfloat16": partial(gradients, torch.float32, torch.bfloat16),
    "own dtype": own_grad_dtype,
    "error: not a dtype": partial(set_grad_dtype, "float32"),
    "error: dtype of a result": partial(set_grad_dtype, torch.float64, True),
    "event": events,
    "error: no events on the CPU": lambda: torch.Event("cpu").record(),
    "error: record of a CPU stream": lambda: torch.Stream("cpu").record_event(),
    "error: events without times": lambda: torch.Event("cpu").elapsed_time(torch.Event("cpu")),
    "error: not recorded": lambda: torch.Event("cpu", enable_timing=True).elapsed_time(
        torch.Event("cpu", enable_timing=True)
    ),
    "enforced layout": partial(kept_layout, True),
    "free layout": partial(kept_layout, False),
}

if __name__ == "__main__":
    both.record(CASES)
