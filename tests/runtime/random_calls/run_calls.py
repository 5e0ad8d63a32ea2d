"""Run drawn calls in this interpreter: `python run_calls.py CALLS OUTCOMES FIRST`.

Appends the outcome of each call as it ends, so that the caller knows which call ended the process.
An outcome is a dictionary: "result" or "error" (the exception's class) with "message", and what a
program can see besides: "warnings", "text" (labels of the repr), "strides", "view", "versions" of the arguments,
and "gradient".
"""

from __future__ import annotations

import pickle
import re
import signal
import sys
import warnings
from operator import attrgetter
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
        tensor = tensor[..., ::2]
    elif drawn.layout == "transposed":
        tensor = tensor.permute(*range(len(shape) - 1, -1, -1)) if shape else tensor
    elif drawn.layout == "expanded" and shape:
        tensor = tensor.expand(drawn.shape)
    return tensor.detach().requires_grad_(drawn.requires_grad)


class Arguments:
    """The arguments of one call; in-place forms get a copy of a tensor that requires grad."""

    def __init__(self, inplace: bool) -> None:
        self.inplace = inplace
        self.leaves: list[torch.Tensor] = []
        self.tensors: list[torch.Tensor] = []

    def value_of(self, value: Any) -> Any:
        """Return the argument that a drawn value stands for."""
        if hasattr(value, "layout"):
            tensor = tensor_of(value)
            if tensor.requires_grad:
                self.leaves.append(tensor)
                tensor = tensor.clone() if self.inplace and not self.tensors else tensor
            self.tensors.append(tensor)
            return tensor
        if isinstance(value, tuple):
            items = [self.value_of(item) for item in value]
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


def tensors_in(result: Any) -> list[torch.Tensor]:
    if isinstance(result, torch.Tensor):
        return [result]
    if isinstance(result, (tuple, list)):
        return [tensor for item in result for tensor in tensors_in(item)]
    return []


def strides_of(tensor: torch.Tensor) -> tuple[int, ...]:
    """Return the strides that decide where elements are."""
    if tensor.numel() == 0:
        return ()
    return tuple(step for size, step in zip(tensor.shape, tensor.stride(), strict=True) if size > 1)


def labels(text: str) -> list[str]:
    """Return what a repr says besides the values, whose last digits depend on the processor."""
    return re.findall(r"(?:dtype|size|grad_fn|requires_grad|device)=[^,)\n]+|[\w.]+\(|\w+=", text)


def plain_warning(warning: warnings.WarningMessage) -> tuple[str, str]:
    """Return the class and the text without the place in PyTorch's own sources."""
    text = re.sub(r" \(Triggered internally at .*\)$", "", str(warning.message))
    return warning.category.__name__, text


def gradient(results: list[torch.Tensor], leaves: list[torch.Tensor]) -> Any:
    """Return the gradients of the leaves, the results weighted with different numbers."""
    roots = [result for result in results if result.requires_grad]
    if not roots or not leaves:
        return None
    weights = [
        torch.from_numpy(1 + np.arange(root.numel()) % 5 / 4).to(root.dtype).reshape(root.shape)
        for root in roots
    ]
    try:
        found = torch.autograd.grad(roots, leaves, weights, allow_unused=True)
    except Exception as error:
        return "error", type(error).__name__, str(error)
    return described(found)


def outcome(call: tuple[str, list[Any], dict[str, Any]]) -> dict[str, Any]:
    """Run a call and return what a program can see of it."""
    name, positional, keywords = call
    found: dict[str, Any] = {}
    made = Arguments(name.endswith("_"))
    signal.alarm(SECONDS)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            function = attrgetter(name)(torch)
            arguments = [made.value_of(value) for value in positional]
            options = {key: made.value_of(value) for key, value in keywords.items()}
            caught.clear()
            before = [tensor._version for tensor in made.tensors]
            result = function(*arguments, **options)
            found["warnings"] = [plain_warning(warning) for warning in caught]
            tensors = tensors_in(result)
            found["result"] = described(result)
            found["text"] = labels(repr(result))
            found["strides"] = [strides_of(tensor) for tensor in tensors]
            found["view"] = [tensor._is_view() for tensor in tensors]
            found["versions"] = [
                tensor._version - version
                for tensor, version in zip(made.tensors, before, strict=True)
            ]
            found["result versions"] = [tensor._version for tensor in tensors]
            found["gradient"] = gradient(tensors, made.leaves)
        except Exception as error:
            found["error"], found["message"] = type(error).__name__, str(error)
        finally:
            signal.alarm(0)
    return found


def main(calls: Path, outcomes: Path, first: int) -> None:
    torch.set_num_threads(1)
    torch.set_warn_always(True)
    drawn = pickle.loads(calls.read_bytes())
    with outcomes.open("ab") as stream:
        for call in drawn[first:]:
            stream.write(pickle.dumps(outcome(call)))
            stream.flush()


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent))
    main(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]))
