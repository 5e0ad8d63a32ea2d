"""Random programs of views and in-place changes; runs in both interpreters.

`python inplace_programs.py FILE COUNT` writes what each of COUNT programs came to as JSON: values,
versions, histories, gradients and errors.
"""

from __future__ import annotations

import json
import random
import sys
import warnings
from collections.abc import Callable
from typing import Any

import torch

Tensor = torch.Tensor

VIEWS: dict[str, Callable[[Tensor], Any]] = {
    "row": lambda x: x[0],
    "last": lambda x: x.select(-1, 1),
    "slice": lambda x: x[..., 1:],
    "step": lambda x: x[::2, ...],
    "transpose": lambda x: x.transpose(0, -1),
    "flat": lambda x: x.view(-1),
    "reshape": lambda x: x.reshape(-1, 2),
    "unsqueeze": lambda x: x.unsqueeze(0),
    "squeeze": lambda x: x.squeeze(),
    "expand": lambda x: x.unsqueeze(0).expand(2, *x.shape),
    "diagonal": lambda x: x.diagonal(),
    "as_strided": lambda x: x.as_strided((2,), (1,), 1),
    "narrow": lambda x: x.narrow(0, 0, 1),
    "permute": lambda x: x.permute(*reversed(range(x.dim()))),
    "unbind": lambda x: x.unbind(0)[1],
    "split": lambda x: x.split(1)[0],
    "chunk": lambda x: x.chunk(2, -1)[1],
    "view_as": lambda x: x.view_as(x),
    # In PyTorch, only detached inference tensors count versions.
    "detach": lambda x: x if x.is_inference() else x.detach(),
    "complex": lambda x: torch.view_as_complex(x),
    "real": lambda x: torch.view_as_real(x),
}

OUT_OF_PLACE: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "double": lambda x, w: x * 2,
    "square": lambda x, w: x * x,
    "sine": lambda x, w: x.sin(),
    "tanh": lambda x, w: x.tanh(),
    "weighted": lambda x, w: x * w.sum(),
}

IN_PLACE: dict[str, Callable[[Tensor, Tensor], Any]] = {
    "mul_": lambda x, w: x.mul_(3),
    "add_": lambda x, w: x.add_(w.sum()),
    "mul_w_": lambda x, w: x.mul_(w.sum()),
    "zero_": lambda x, w: x.zero_(),
    "fill_": lambda x, w: x.fill_(2),
    "copy_": lambda x, w: x.copy_(w.sum()),
    "copy_half_": lambda x, w: x.copy_(w.sum().double()),
    "sin_": lambda x, w: x.sin_(),
    "sigmoid_": lambda x, w: x.sigmoid_(),
    "set_item": lambda x, w: x.__setitem__(0, w.sum().to(x.dtype)),
    "fill_part_": lambda x, w: x.narrow(0, 0, 1).fill_(5.0),
    "add_view_": lambda x, w: x.add_(x.detach()),
    "masked_fill_": lambda x, w: x.masked_fill_(x.detach().abs() > 1, 0.5),
    "transpose_": lambda x, w: x.transpose_(0, -1),
    "unsqueeze_": lambda x, w: x.unsqueeze_(0),
}


def start(choose: random.Random) -> Tensor:
    """Return a leaf that requires grad, a function of it, or a tensor without gradients."""
    x = torch.arange(12.0).reshape(3, 2, 2) / 7 + 0.1
    kind = choose.choice(["leaf", "function", "function", "plain", "plain"])
    if kind == "plain":
        return x
    leaf = x.clone().requires_grad_()
    return leaf if kind == "leaf" else leaf * 1.5


def describe(x: Tensor) -> list[Any]:
    """Return what a user can observe of a tensor without running backward."""
    if x.is_inference():
        return ["inference", list(x.shape)]
    base = x._base
    return [
        list(x.shape),
        [step for step, size in zip(x.stride(), x.shape, strict=True) if size > 1],
        x._version,
        x.requires_grad,
        x.is_leaf,
        x.output_nr,
        type(x.grad_fn).__name__,
        x._is_view(),
        None if base is None else list(base.shape),
        None if base is None else base.requires_grad,
    ]


def gradients(tensors: list[Tensor], leaves: list[Tensor]) -> list[Any]:
    """Return the gradients of a weighted sum of all tensors."""
    total = torch.zeros((), requires_grad=True) * 0
    for i, x in enumerate(tensors):
        x = torch.view_as_real(x) if x.is_complex() else x
        total = total + (x * (i + 1) * torch.arange(1.0, x.numel() + 1).reshape(x.shape)).sum()
    found = torch.autograd.grad(total, leaves, allow_unused=True)
    return [None if g is None else g.reshape(-1).tolist() for g in found]


def attempt(step: Callable[[], Any]) -> Any:
    """Return the result of a step, or its error as text."""
    try:
        return step()
    except (RuntimeError, IndexError, ValueError, TypeError) as error:
        return f"{type(error).__name__}: {error}"


def run(seed: int) -> list[Any]:
    """Run one program and return its steps and their outcomes."""
    choose = random.Random(seed)
    weight = torch.tensor([0.5, 0.25], requires_grad=True)
    first = start(choose)
    root = first if first.is_leaf else first.grad_fn.next_functions[0][0].variable
    tensors = [first]
    log: list[Any] = []
    for _ in range(choose.randint(2, 6)):
        table = choose.choice([VIEWS, VIEWS, OUT_OF_PLACE, IN_PLACE, IN_PLACE])
        name = choose.choice(list(table))
        index = choose.randrange(len(tensors))
        guard = choose.choice([None, None, None, None, torch.no_grad, torch.inference_mode])

        def step(table: Any = table, name: str = name, index: int = index) -> Any:
            x = tensors[index]
            return table[name](x) if table is VIEWS else table[name](x, weight)

        if guard is None:
            result = attempt(step)
        else:
            with guard():
                result = attempt(step)
        log.append([name, index, guard.__name__ if guard else None])
        if isinstance(result, str):
            log.append(result)
        elif table is not IN_PLACE:
            tensors.append(result)
        log.append([attempt(lambda x=x: describe(x)) for x in tensors])
    leaves = [weight] + ([root] if root.requires_grad else [])
    log.append([x.detach().reshape(-1).tolist() for x in tensors if not x.is_complex()])
    log.append(attempt(lambda: gradients(tensors, leaves)))
    return log


def main() -> None:
    """Write the outcomes of the programs with seeds from 0 to COUNT."""
    warnings.simplefilter("ignore")
    with open(sys.argv[1], "w") as file:
        json.dump([run(seed) for seed in range(int(sys.argv[2]))], file)


if __name__ == "__main__":
    main()
