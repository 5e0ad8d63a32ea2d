"""Store the dtypes of every operator's results under autocast: `python record_autocast.py FILE`."""

from __future__ import annotations

import pickle
import sys
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

if TYPE_CHECKING:
    from .model import Operator, Sample

DTYPES = ("float32", "bfloat16", "float64")
Key = tuple[str, str]


def dtypes_of(operator: Operator, sample: Sample) -> list[Any] | str:
    """Return the dtypes of one call's results, or the name of the exception's type."""
    try:
        with torch.autocast("cpu", dtype=torch.bfloat16):
            result = operator.function()(*sample.args, **sample.kwargs)
    except Exception as error:
        return type(error).__name__
    results = result if isinstance(result, tuple | list) else [result]
    return [str(each.dtype) if isinstance(each, torch.Tensor) else None for each in results]


def record() -> dict[Key, list[Any]]:
    """Return the dtypes by (operator title, dtype of the samples), for CPU tensors."""
    from samples import TABLE

    outcomes: dict[Key, list[Any]] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for operator in TABLE:
            for dtype in DTYPES:
                try:
                    inputs = operator.make(dtype)
                except Exception:  # the dtype cannot hold these values
                    continue
                outcomes[operator.title, dtype] = [dtypes_of(operator, each) for each in inputs]
    return outcomes


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))
    Path(sys.argv[1]).write_bytes(pickle.dumps(record()))
