"""The error for operators without a form for sparse tensors."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torch
from torch.sparse._layouts import COMPRESSED

# Operators that fill a new tensor of a layout with another operator, which has no kernel for it.
_FILLED_BY = {
    **dict.fromkeys(
        ("aten::full_like", "aten::new_full", "aten::new_ones", "aten::ones_like"),
        "aten::fill_.Scalar",
    ),
    "aten::rand_like": "aten::uniform_",
    "aten::randint_like": "aten::random_.from",
    "aten::randn_like": "aten::normal_",
}


def could_not_run(operator: str, tensors: Iterable[Any]) -> NotImplementedError:
    """Return the error that an operator has no kernel for the layouts of its arguments.

    Args:
        operator: The name of the operator, such as "aten::exp".
        tensors: Its arguments, or their classes.
    """
    operator = _FILLED_BY.get(operator, operator)
    layouts = [getattr(tensor, "layout", torch.strided) for tensor in tensors]
    if any(layout in COMPRESSED or isinstance(layout, property) for layout in layouts):
        backend = "SparseCsrCPU"
    elif torch.sparse_coo in layouts:
        backend = "SparseCPU"
    else:
        backend = "CPU"
    hint = "" if backend == "CPU" else ". Use Tensor.to_dense() first"
    return NotImplementedError(
        f"Could not run '{operator}' with arguments from the '{backend}' backend: it does not "
        f"support their layouts{hint}."
    )
