"""Run the sample table on the CPU and on CUDA in one interpreter: `python sample_table.py FILE`.

The file gets a JSON object: for each operator's title the list of what differs, empty if nothing does.
"""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "runtime"))

import torch
from samples import TABLE, Operator, Sample, gradient

GRADIENT_DTYPES = ("float64", "complex128")
# Each device has its own stream of random numbers, so only dtypes and shapes are compared.
RANDOM = {"dropout", "feature_dropout", "alpha_dropout", "feature_alpha_dropout", "native_dropout"}
RANDOM |= {"rrelu"}
# Lengths of sequences stay on the CPU: the position of the argument.
ON_CPU = {
    "_pack_padded_sequence": 1,
    "_pad_packed_sequence": 1,
    "_pack_padded_sequence_backward": 2,
}
ON_CPU |= {f"{name}.packed": 1 for name in ("lstm", "gru", "rnn_tanh", "rnn_relu")}
# Operators whose result PyTorch lays out differently on the two devices.
OTHER_LAYOUT = {"scaled_dot_product_attention"}


def on_cuda(value: Any) -> Any:
    """Move the tensors of an argument, with their strides and offsets."""
    if isinstance(value, torch.Tensor):
        count = value.untyped_storage().nbytes() // value.element_size()
        whole = value.as_strided((count,), (1,), 0).to("cuda")
        return whole.as_strided(value.size(), value.stride(), value.storage_offset())
    if isinstance(value, list | tuple):
        return type(value)(map(on_cuda, value))
    if isinstance(value, torch.UntypedStorage):
        return torch.UntypedStorage(value.nbytes(), device="cuda").copy_(value)
    if isinstance(value, torch.Generator):
        return torch.Generator("cuda")
    return "cuda" if isinstance(value, torch.device) else value


def has_tensor(value: Any) -> bool:
    if isinstance(value, list | tuple):
        return any(map(has_tensor, value))
    return isinstance(value, torch.Tensor)


def moved(operator: Operator, sample: Sample) -> Sample:
    """Return the call on CUDA; a factory gets the device as an argument."""
    kwargs = {name: on_cuda(value) for name, value in sample.kwargs.items()}
    if not has_tensor([*sample.args, *sample.kwargs.values()]):
        kwargs["device"] = "cuda"
    args = list(map(on_cuda, sample.args))
    if operator.title in ON_CPU:
        args[ON_CPU[operator.title]] = sample.args[ON_CPU[operator.title]]
    return Sample(tuple(args), kwargs)


def is_random(operator: Operator) -> bool:
    return operator.random or operator.name in RANDOM


def call(function: Callable[..., Any], sample: Sample) -> tuple[Any, Exception | None]:
    try:
        return function(*sample.args, **sample.kwargs), None
    except Exception as error:
        return None, error


def first_line(error: Exception) -> str:
    return f"{type(error).__name__}: {(str(error).splitlines() or [''])[0]}"[:300]


def differences(actual: Any, expected: Any, operator: Operator, dtype: str) -> Iterator[str]:
    """Yield what is different in the results of two calls."""
    if isinstance(expected, list | tuple):
        for pair in zip(actual, expected, strict=True):
            yield from differences(*pair, operator, dtype)
        return
    if not isinstance(expected, torch.Tensor):
        if actual != expected and not is_random(operator):
            yield f"{actual!r} instead of {expected!r}"
        return
    if (actual.dtype, actual.shape) != (expected.dtype, expected.shape):
        yield f"{actual.dtype} {tuple(actual.shape)}, not {expected.dtype} {tuple(expected.shape)}"
    elif not is_random(operator):
        same_layout = operator.title not in OTHER_LAYOUT
        if expected.numel() and actual.stride() != expected.stride() and same_layout:
            yield f"strides {actual.stride()}, not {expected.stride()}"
        relative, absolute = operator.tolerance_for(dtype) or (None, None)
        try:
            torch.testing.assert_close(
                actual.cpu(), expected, rtol=relative, atol=absolute, equal_nan=True
            )
        except AssertionError as error:
            yield " ".join(str(error).split())[:300]


def compare(
    operator: Operator, dtype: str, function: Callable[..., Any], samples: list[Sample]
) -> Iterator[str]:
    """Yield what differs between the CPU and CUDA for these calls."""
    for sample in samples:
        there = moved(operator, sample)  # before the CPU's call changes its arguments
        expected, refused = call(function, sample)
        actual, error = call(function, there)
        if isinstance(error, TypeError) and "'device'" in str(error):
            continue  # neither a tensor nor a factory
        if refused is not None:
            if error is None or type(error) is not type(refused):
                yield f"{error and first_line(error)} instead of {first_line(refused)}"
        elif error is not None:
            yield first_line(error)
        else:
            yield from differences(actual, expected, operator, dtype)


def in_place(operator: Operator) -> Callable[..., Any]:
    def function(target: torch.Tensor, *args: Any, **kwargs: Any) -> Any:
        return getattr(target.clone(), operator.name + "_")(*args, **kwargs)

    return function


def to_out(operator: Operator, result: torch.Tensor) -> Callable[..., Any]:
    def function(*args: Any, **kwargs: Any) -> Any:
        device = kwargs.pop("device", None) or next(
            (x.device for x in _flat([*args, *kwargs.values()]) if isinstance(x, torch.Tensor)),
            None,
        )
        out = torch.empty(tuple(reversed(result.shape)), dtype=result.dtype, device=device)
        out = out.permute(tuple(reversed(range(result.dim()))))
        operator.function()(*args, **kwargs, out=out)
        return out

    return function


def _flat(values: list[Any]) -> Iterator[Any]:
    for value in values:
        if isinstance(value, list | tuple):
            yield from _flat(list(value))
        else:
            yield value


def gradients(operator: Operator, dtype: str) -> Iterator[str]:
    """Yield what differs between the gradients of the two devices."""
    for sample in operator.make(dtype):
        results = []
        for each in (sample, moved(operator, sample)):
            try:
                function, leaves = gradient.as_function(operator, each)
                outputs = function(*leaves)
                weights = [gradient.weight_of(x.cpu()).to(x.device) for x in outputs]
                grads = torch.autograd.grad(outputs, leaves, weights, allow_unused=True)
                results.append([None if x is None else x.cpu() for x in grads])
            except Exception as error:
                results.append(first_line(error))
        expected, actual = results
        if isinstance(expected, str):
            continue
        if isinstance(actual, str):
            yield f"gradient: {actual}"
            continue
        for mine, theirs in zip(actual, expected, strict=True):
            if (mine is None) != (theirs is None):
                yield "gradient: one device has none"
            elif mine is not None:
                try:
                    torch.testing.assert_close(mine, theirs, equal_nan=True, check_stride=False)
                except AssertionError as error:
                    yield "gradient: " + " ".join(str(error).split())[:300]


def problems(operator: Operator) -> list[str]:
    """Return what differs, each with its dtype."""
    found = []
    for dtype in operator.dtypes:
        samples = operator.make(dtype)
        found += [(dtype, x) for x in compare(operator, dtype, operator.function(), samples)]
        if operator.in_place and not is_random(operator):
            found += [
                (dtype, f"in place: {x}")
                for x in compare(operator, dtype, in_place(operator), samples)
            ]
        if operator.out and not is_random(operator):
            for sample in samples:
                result, error = call(operator.function(), sample)
                if error is None and isinstance(result, torch.Tensor):
                    function = to_out(operator, result)
                    found += [
                        (dtype, f"out=: {x}") for x in compare(operator, dtype, function, [sample])
                    ]
        if dtype in GRADIENT_DTYPES and not is_random(operator):
            found += [(dtype, x) for x in gradients(operator, dtype)]
    return [f"{dtype}: {text}" for dtype, text in dict.fromkeys(found)]


def main(file: Path, part: int, parts: int) -> None:
    warnings.simplefilter("ignore")
    answer = {}
    for operator in TABLE[part::parts]:
        try:
            answer[operator.title] = problems(operator)
        except Exception as error:
            answer[operator.title] = [f"the comparison failed: {first_line(error)}"]
    file.write_text(json.dumps(answer, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), *map(int, sys.argv[2:] or ("0", "1")))
