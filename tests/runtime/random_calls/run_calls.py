"""Run drawn calls in this interpreter: `python run_calls.py CALLS OUTCOMES FIRST`.

Appends the outcome of each call as it ends, so that the caller knows which call ended the process.
"""

from __future__ import annotations

import pickle
import signal
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np

import torch

SECONDS = 20


def tensor_of(drawn: Any) -> torch.Tensor:
    """Make a tensor of the shape, dtype, strides and values that `drawn` describes."""
    generator = np.random.RandomState(drawn.seed % (1 << 31))
    shape = list(drawn.shape)
    if drawn.layout == "strided" and shape:
        shape[-1] *= 2
    elif drawn.layout == "transposed":
        shape = shape[::-1]
    elif drawn.layout == "expanded" and shape:
        shape[0] = min(shape[0], 1)
    values = generator.randint(-4, 5, tuple(shape)).astype("float64")
    if "float" in drawn.dtype or "complex" in drawn.dtype:
        values = values / 2
    if drawn.dtype in ("uint8", "bool"):
        values = abs(values)
    tensor = torch.from_numpy(np.asarray(values)).to(getattr(torch, drawn.dtype))
    if drawn.layout == "strided" and shape:
        return tensor[..., ::2]
    if drawn.layout == "transposed":
        return tensor.permute(*range(len(shape) - 1, -1, -1)) if shape else tensor
    if drawn.layout == "expanded" and shape:
        return tensor.expand(drawn.shape)
    return tensor


def value_of(value: Any) -> Any:
    """Return the argument that a drawn value stands for."""
    if hasattr(value, "layout"):
        return tensor_of(value)
    if isinstance(value, tuple):
        items = [value_of(item) for item in value]
        return items if any(isinstance(item, torch.Tensor) for item in items) else tuple(items)
    if isinstance(value, str) and value.startswith("torch."):
        return getattr(torch, value.removeprefix("torch."))
    return value


def described(result: Any) -> Any:
    """Return a result as plain data: (dtype, shape, values) of tensors."""
    if isinstance(result, torch.Tensor):
        dtype = str(result.dtype)
        plain = result.detach()
        if plain.dtype in (torch.bfloat16, torch.float16):
            plain = plain.float()
        return dtype, tuple(result.shape), plain.resolve_conj().resolve_neg().numpy().copy()
    if isinstance(result, (tuple, list)):
        return [described(item) for item in result]
    return repr(result)


def outcome(call: tuple[str, list[Any], dict[str, Any]]) -> Any:
    """Run a call and return ("value", ...) or ("error", type of the exception)."""
    name, positional, keywords = call
    place = torch.Tensor if name.startswith("Tensor.") else torch
    signal.alarm(SECONDS)
    try:
        function = getattr(place, name.removeprefix("Tensor."))
        arguments = [value_of(value) for value in positional]
        options = {key: value_of(value) for key, value in keywords.items()}
        return "value", described(function(*arguments, **options))
    except Exception as error:
        return "error", type(error).__name__
    finally:
        signal.alarm(0)


def main(calls: Path, outcomes: Path, first: int) -> None:
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    drawn = pickle.loads(calls.read_bytes())
    with outcomes.open("ab") as stream:
        for call in drawn[first:]:
            stream.write(pickle.dumps(outcome(call)))
            stream.flush()


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent))
    main(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]))
