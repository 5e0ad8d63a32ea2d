"""Store the table's outcomes for 8-bit floats: `python record_float8.py FILE`, in either interpreter."""

from __future__ import annotations

import pickle
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

if TYPE_CHECKING:
    from .model import Operator, Sample

DTYPES = (
    "float8_e4m3fn",
    "float8_e5m2",
    "float8_e4m3fnuz",
    "float8_e5m2fnuz",
    "float8_e8m0fnu",
)
Key = tuple[str, str]


def converted(value: Any, dtype: torch.dtype) -> Any:
    """Return an argument with its floating-point tensors, nested ones too, in another dtype."""
    if isinstance(value, torch.Tensor):
        dense = value.layout == torch.strided and not value.requires_grad
        return value.to(dtype) if dense and value.is_floating_point() else value
    if type(value) in (list, tuple):
        return type(value)(converted(each, dtype) for each in value)
    return value


def is_trivial(sample: Sample) -> bool:
    """Return whether a tensor has too few elements to need a kernel that knows the dtype."""
    return any(isinstance(each, torch.Tensor) and each.numel() < 2 for each in sample.args)


def samples_of(operator: Operator, dtype: torch.dtype) -> Iterator[Sample]:
    """Yield the float32 samples that have a tensor, with their tensors in an 8-bit dtype."""
    from samples.model import Sample

    for sample in operator.make("float32"):
        args = converted(sample.args, dtype)
        kwargs = {name: converted(value, dtype) for name, value in sample.kwargs.items()}
        changed = any(new is not old for new, old in zip(args, sample.args, strict=True))
        if changed and not is_trivial(sample):
            yield Sample(args, kwargs)


def outcomes_of(operator: Operator, dtype: str) -> list[Any]:
    """Return the outcome of every sample; random results only tell that there is one."""
    from samples import outcome

    found = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for sample in samples_of(operator, getattr(torch, dtype)):
            result = outcome.run(operator, sample)
            raised = isinstance(result, outcome.Raised)
            found.append(None if operator.random and not raised else result)
    return found


def record() -> dict[Key, list[Any]]:
    """Return the outcomes by (operator title, dtype)."""
    from samples import TABLE

    return {
        (operator.title, dtype): outcomes_of(operator, dtype)
        for operator in TABLE
        if "float32" in operator.dtypes
        for dtype in DTYPES
    }


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))
    Path(sys.argv[1]).write_bytes(pickle.dumps(record()))
