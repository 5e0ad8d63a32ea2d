"""An object with everything a checkpoint can contain. Also a script that saves it or describes a file.

python saved_objects.py save FILE
python saved_objects.py load FILE
"""

from __future__ import annotations

import json
import sys
from typing import Any

import torch
from torch import nn


def made() -> dict[str, Any]:
    """Make tensors of all dtypes and layouts, views, parameters, states and plain values."""
    torch.manual_seed(0)
    base = torch.arange(12.0).reshape(3, 4)
    network = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3))
    optimizer = torch.optim.Adam(network.parameters())
    for parameter in network.parameters():
        parameter.grad = torch.ones_like(parameter)
    optimizer.step()
    dtypes = ("float16", "bfloat16", "float64", "int8", "int64", "uint8", "uint16", "complex64")
    return {
        "base": base,
        "view": base[1:],
        "transposed": base.t(),
        "empty": torch.zeros(0, 3),
        "needs gradient": torch.ones(2, requires_grad=True),
        "parameter": nn.Parameter(torch.ones(2)),
        "frozen": nn.Parameter(torch.ones(2), requires_grad=False),
        "bool": torch.tensor([True, False]),
        "network": network.state_dict(),
        "optimizer": optimizer.state_dict(),
        "plain": [1, 2.5, "text", b"bytes", 1j, None, {3}, (4,), {"deep": [torch.ones(())]}],
        "size": torch.Size([1, 2]),
        "device": torch.device("cpu"),
        "dtype": torch.float16,
        "layout": torch.sparse_coo,
        **{dtype: torch.arange(3).to(getattr(torch, dtype)) for dtype in dtypes},
    }


def described(value: Any) -> Any:
    """Describe everything that must survive of a value, as JSON."""
    if isinstance(value, torch.Tensor):
        fields = [type(value).__name__, str(value.dtype), list(value.shape), list(value.stride())]
        values = [str(item) for item in value.detach().reshape(-1).tolist()]
        return [*fields, value.storage_offset(), value.requires_grad, values]
    if isinstance(value, dict):
        extra = [described(value._metadata)] if hasattr(value, "_metadata") else []
        return [type(value).__name__, [[k, described(v)] for k, v in value.items()], *extra]
    if isinstance(value, (list, tuple)):
        return [type(value).__name__, [described(item) for item in value]]
    return repr(value)


def shared(values: dict[str, Any]) -> list[bool]:
    """Return whether the views still share the storage of their base."""
    base = values["base"].untyped_storage().data_ptr()
    return [values[name].untyped_storage().data_ptr() == base for name in ("view", "transposed")]


def loaded(path: str) -> list[Any]:
    """Describe a file, loaded in every possible way."""
    ways: list[dict[str, Any]] = [{}, {"mmap": True}, {"weights_only": False}]
    ways += [{"map_location": "cpu"}, {"map_location": lambda storage, location: None}]
    values = [torch.load(path, **way) for way in ways]
    return [[described(value), shared(value)] for value in values]


if __name__ == "__main__":
    if sys.argv[1] == "save":
        torch.save(made(), sys.argv[2])
    else:
        print(json.dumps(loaded(sys.argv[2])))
