"""Programs that change tensors in place. As a script, prints what functionalize makes of them.

The script runs with the Python that TORCH_PEER names; it must not import anything of this project.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any

import torch


def chain(x):
    y = x.clone()
    view = y.view(-1)[2:8].view(2, 3).t()
    view[1].add_(10)
    y.mul_(2)
    view.sub_(1)
    return y, view


def several_outputs(x):
    y = x + 0
    a, b = y.split(2, dim=1)
    first, *_ = y.unbind(0)
    a.mul_(3)
    b[0].zero_()
    first.add_(1)
    return y, a, b, first


def view_of_views(x):
    y = x.clone()
    y.transpose(0, 1).unsqueeze(0)[0, 1:3].squeeze().fill_(7)
    y.diagonal()[1:].neg_()
    return y


def out_arguments(x):
    out = torch.empty(3, 4)
    torch.add(x, 1, out=out)
    values, indices = torch.empty(3), torch.empty(3, dtype=torch.int64)
    torch.max(out, 1, out=(values, indices))
    part = torch.zeros(6, 4)
    torch.mul(x, x, out=part[1:4])
    return out, values, indices, part


def changed_input(x):
    x[0].add_(5)
    return x.sum()


def in_place_views(x):
    y = x.clone()
    z = y.view(12)
    y.t_()
    y.unsqueeze_(0)
    y.mul_(2)
    y.squeeze_(0)
    return y, z


def strided(x):
    y = x.clone()
    part = y[1].as_strided((2, 2), (4, 1), 5)
    part.add_(100)
    y.t().as_strided((3,), (4,), 2).mul_(-1)
    return y, part


def detached(x):
    y = x * 2
    y.detach().add_(1)
    y.data.mul_(3)
    return y


def new_tensors(x):
    y = torch.tensor([1.0, 2.0, 3.0, 4.0])
    y.add_(x[0])
    z = torch.zeros(2, 4)
    z[1] = x[1]
    z[:, 1:3] += 1
    w = torch.ones_like(z)
    w.copy_(z)
    return y, z, w


def indexed(x):
    y = x.clone()
    y[torch.tensor([0, 2]), 1] = -1.0
    y.index_add_(0, torch.tensor([1]), torch.ones(1, 4))
    y.masked_fill_(y > 8, 0)
    y.scatter_(1, torch.tensor([[0], [1], [2]]), 42.0)
    return y


def other_dtypes(x):
    y = torch.stack([x, x + 1], -1).contiguous()
    complex_view = torch.view_as_complex(y)
    complex_view[0].mul_(2)
    torch.view_as_real(complex_view)[1].zero_()
    bits = x.clone()
    bits.view(torch.int32)[0, 0] = 0
    return y, bits


def expanded(x):
    y = x.clone()
    rows = y[:1].expand(3, 4)
    y.add_(1)
    return rows + x


def windows(x):
    y = torch.arange(9.0)
    y.unfold(0, 3, 3)[1].add_(x[0, :3])
    return y


def resized(x):
    y = x.clone()
    y.resize_(2, 2)
    y.add_(1)
    return y


def grown(x):
    y = x.clone()
    y.resize_(4, 4)
    y.add_(1)
    out = torch.empty(0)
    torch.neg(y, out=out)
    return y.view(-1)[:12], out.view(2, 8)[0].as_strided((2,), (3,), 1)


def alias_of_another(x):
    y, z = x.clone(), torch.zeros(2)
    z.set_(y)
    z[0].add_(1)
    return y, z


def assigned_data(x):
    y = x.clone()
    z = torch.zeros(2)
    z.data = y
    z.add_(1)
    return y, z


def changed_shape_of_input(x):
    x.t_()
    x[0].zero_()
    return x * 2


def loops(x):
    for i in range(3):
        row = x[i]
        row -= row.mean()
        row /= 2
    return x.relu_()


PROGRAMS: dict[str, Callable[..., Any]] = {
    function.__name__: function
    for function in (
        *(chain, several_outputs, view_of_views, out_arguments, changed_input, in_place_views),
        *(strided, detached, new_tensors, indexed, other_dtypes, expanded, windows, resized),
        *(grown, alias_of_another, assigned_data, changed_shape_of_input, loops),
    )
}


def argument() -> torch.Tensor:
    """Return the input of each program."""
    return torch.arange(12.0).reshape(3, 4).contiguous()


def lists(results: Any) -> Any:
    """Return tensors as lists of numbers, with their sizes."""
    if isinstance(results, torch.Tensor):
        real = torch.view_as_real(results) if results.is_complex() else results
        return [list(results.shape), real.tolist()]
    return [lists(result) for result in results]


def main() -> None:
    """Print the results of each program under functionalize, and its input afterwards."""
    found = {}
    for name, program in PROGRAMS.items():
        for remove in ("mutations", "mutations_and_views"):
            x = argument()
            try:
                results = torch.func.functionalize(program, remove=remove)(x)
                found[f"{name} {remove}"] = lists([results, x])
            except (RuntimeError, NotImplementedError) as error:
                found[f"{name} {remove}"] = f"{type(error).__name__}: {str(error)[:80]}"
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main()
