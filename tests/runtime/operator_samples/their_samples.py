"""Write PyTorch's own sample calls of its operators, and what comes of them: run by PyTorch.

`python their_samples.py DTYPE FILE`. The samples come with PyTorch's wheel, which needs the
package expecttest to import them.
"""

from __future__ import annotations

import pickle
import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import replay

import torch
from torch.testing._internal.common_methods_invocations import op_db

EACH = 5  # samples of an operator
LARGEST = 20_000  # elements of a sample's first argument
# Their results are whatever was in memory.
UNDEFINED = {"empty", "empty_like", "empty_permuted", "empty_strided"}
UNDEFINED |= {"Tensor.new_empty", "Tensor.new_empty_strided"}


def dotted_name(operator: Any) -> str | None:
    """Return where the operator's function is found in torch, or None for a function around it."""
    for name in (operator.name, f"Tensor.{operator.name}"):
        try:
            if replay.function(name) is operator.op:
                return name
        except AttributeError:
            continue
    return None


def calls(operator: Any, dtype: torch.dtype) -> Iterator[replay.Call]:
    """Yield the operator's first samples as calls."""
    name = dotted_name(operator)
    if name is None or name in UNDEFINED or dtype not in operator.dtypes:
        return
    differentiable = operator.supports_autograd and (dtype.is_floating_point or dtype.is_complex)
    samples = operator.sample_inputs("cpu", dtype, requires_grad=differentiable)
    for sample in islice(samples, EACH):
        if isinstance(sample.input, torch.Tensor) and sample.input.numel() > LARGEST:
            continue
        try:
            arguments = replay.written((sample.input, *sample.args))
            yield replay.Call(name, arguments, replay.written(sample.kwargs))
        except replay.NotWritable:
            continue


def main() -> None:
    dtype = getattr(torch, sys.argv[1])
    torch.manual_seed(0)
    pairs = [(call, replay.outcome(call)) for operator in op_db for call in calls(operator, dtype)]
    Path(sys.argv[2]).write_bytes(pickle.dumps(pairs))


if __name__ == "__main__":
    main()
