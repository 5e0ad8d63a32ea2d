"""Run the sample table on the device, and compare values and gradients with the CPU's.

    python run_table.py BUILD_FOLDER SAMPLES_FOLDER values|gradients [OPERATOR ...]

Each operator runs in a process of its own, because a host function that touches the device's memory
kills it. Prints a line of JSON for each operator: its name, how many samples agreed, and what went
wrong.
"""

from __future__ import annotations

import json
import os
import sys
import traceback
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch

sys.path[:0] = [str(Path(__file__).parent), sys.argv[2]]

import device  # noqa: E402

from samples import TABLE, Operator  # noqa: E402
from samples import gradient as gradients  # noqa: E402
from samples.model import LOW_FLOATS, Sample  # noqa: E402
from samples.outcome import assert_close, to_numpy  # noqa: E402

# Arguments that are on the CPU by contract, on every device: lengths and offsets for the host.
ON_CPU: dict[str, tuple[int, ...]] = {
    "_pack_padded_sequence": (1,),
    "_pack_padded_sequence_backward": (2,),
    "_pad_packed_sequence": (1,),
    **dict.fromkeys(("lstm.packed", "gru.packed", "rnn_tanh.packed", "rnn_relu.packed"), (1,)),
}
# Computed by other operators on the device, which round to 16 bits in between.
LOW_TOLERANCE = {"layer_norm": (2e-2, 2e-2)}
GRADIENT_DTYPES = ("float32", "float64", "complex64")


class Mover:
    """Copies arguments to the device: tensors that share memory still do, strides stay."""

    def __init__(self, kept: tuple[int, ...] = ()) -> None:
        self.kept = kept
        self.storages: dict[int, torch.UntypedStorage] = {}

    def tensor(self, source: torch.Tensor) -> torch.Tensor:
        """Return the tensor on the device."""
        storage = source.untyped_storage()
        if storage._cdata not in self.storages:
            self.storages[storage._cdata] = storage.to(device=device.NAME)
        moved = torch.empty(0, dtype=source.dtype, device=device.NAME)
        moved.set_(
            self.storages[storage._cdata], source.storage_offset(), source.shape, source.stride()
        )
        return moved.requires_grad_(source.requires_grad)

    def value(self, value: Any) -> Any:
        """Return an argument with its tensors on the device."""
        if isinstance(value, torch.Tensor):
            return self.tensor(value)
        if isinstance(value, list | tuple):
            return type(value)(self.value(each) for each in value)
        if isinstance(value, torch.device | str) and str(value) == "cpu":
            return torch.device(device.NAME)
        return value

    def sample(self, sample: Sample) -> Sample:
        """Return the call's arguments on the device."""
        args = (
            each if index in self.kept else self.value(each)
            for index, each in enumerate(sample.args)
        )
        kwargs = {name: self.value(each) for name, each in sample.kwargs.items()}
        return Sample(tuple(args), kwargs)


@dataclass(frozen=True)
class Refused:
    """The exception of a call; what it says is not compared."""

    type: str
    lines: list[str] = field(compare=False)


def results_of(call: Callable[[], Any]) -> list[Any] | Refused:
    """Return the results as a list, or the exception."""
    torch.manual_seed(0)
    try:
        result = call()
    except Exception as error:
        return Refused(type(error).__name__, str(error).splitlines())
    return list(result) if isinstance(result, tuple | list) else [result]


Results = list[Any] | Refused


def on_cpu(value: Any) -> Any:
    return value.detach().cpu() if isinstance(value, torch.Tensor) else value


def has_tensor(sample: Sample) -> bool:
    return bool(gradients.leaves_of(list(sample.args))) or any(
        isinstance(each, torch.Tensor) for each in [*sample.args, *sample.kwargs.values()]
    )


def compare(operator: Operator, dtype: str, there: Results, here: Results) -> None:
    """Raise AssertionError if the device's results are not the CPU's."""
    if isinstance(here, Refused) or isinstance(there, Refused):
        assert there == here, f"on the device {str(there)[:300]}, on the CPU {str(here)[:100]}"
        return
    assert len(there) == len(here)
    for actual, expected in zip(there, here, strict=True):
        if not isinstance(expected, torch.Tensor):
            assert str(actual).replace(f"{device.NAME}:0", "cpu") == str(expected) or (
                actual != actual and expected != expected
            ), f"{actual} on the device, {expected} on the CPU"
            continue
        assert actual.dtype == expected.dtype and actual.shape == expected.shape
        name = str(expected.dtype).removeprefix("torch.")
        values = to_numpy(on_cpu(actual)), to_numpy(expected.detach())
        tolerance = operator.tolerance_for(dtype)
        if dtype in LOW_FLOATS:
            tolerance = LOW_TOLERANCE.get(operator.name, tolerance)
        assert_close(*values, name, tolerance)


def check_values(operator: Operator, dtype: str, index: int) -> None:
    kept = ON_CPU.get(operator.title, ON_CPU.get(operator.name, ()))
    here = operator.make(dtype)[index]
    there = Mover(kept).sample(operator.make(dtype)[index])
    expected = results_of(lambda: operator.function()(*here.args, **here.kwargs))
    torch.set_default_device(device.NAME)
    try:
        actual = results_of(lambda: operator.function()(*there.args, **there.kwargs))
    finally:
        torch.set_default_device(None)
    if isinstance(actual, list) and has_tensor(here) and not kept:
        places = {each.device.type for each in actual if isinstance(each, torch.Tensor)}
        assert places <= {device.NAME, "meta"}, f"the result is on {places}"
    compare(operator, dtype, actual, expected)


def gradients_of(operator: Operator, sample: Sample) -> list[Any]:
    """Return the gradients of all floating arguments."""
    function, leaves = gradients.as_function(operator, sample)
    results = function(*leaves)
    if not results or not leaves:
        return []
    weights = [gradients.weight_of(on_cpu(each)).to(each.device) for each in results]
    found = torch.autograd.grad(results, leaves, weights, allow_unused=True)
    return [None if each is None else each for each in found]


def check_gradients(operator: Operator, dtype: str, index: int) -> None:
    kept = ON_CPU.get(operator.title, ON_CPU.get(operator.name, ()))
    here = operator.make(dtype)[index]
    there = Mover(kept).sample(operator.make(dtype)[index])
    expected = results_of(lambda: gradients_of(operator, here))
    torch.set_default_device(device.NAME)
    try:
        actual = results_of(lambda: gradients_of(operator, there))
    finally:
        torch.set_default_device(None)
    compare(operator, dtype, actual, expected)


def run(operator: Operator, kind: str, note: Callable[[dict[str, Any]], None]) -> None:
    """Run all samples of an operator, noting each."""
    check = check_values if kind == "values" else check_gradients
    for dtype in operator.dtypes:
        if kind == "gradients" and dtype not in GRADIENT_DTYPES:
            continue
        for index in range(len(operator.make(dtype))):
            note({"at": f"{dtype}[{index}]"})
            try:
                check(operator, dtype, index)
                note({"ok": 1})
            except Exception:
                lines = traceback.format_exc().splitlines()
                note({"failure": f"{dtype}[{index}]: {' | '.join(lines[-3:])[:600]}"})


def in_child(operator: Operator, kind: str) -> dict[str, Any]:
    """Run an operator in a process of its own; return what it noted."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        with os.fdopen(writer, "w") as notes:

            def note(fact: dict[str, Any]) -> None:
                notes.write(json.dumps(fact) + "\n")
                notes.flush()

            try:
                run(operator, kind, note)
            finally:
                notes.flush()
                os._exit(0)
    os.close(writer)
    record: dict[str, Any] = {"operator": operator.title, "agreed": 0, "failures": []}
    place = "the start"
    with os.fdopen(reader) as notes:
        for line in notes:
            fact = json.loads(line)
            place = fact.get("at", place)
            record["agreed"] += fact.get("ok", 0)
            if "failure" in fact:
                record["failures"].append(fact["failure"])
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        record["failures"].append(f"{place}: killed by signal {os.WTERMSIG(status)}")
    return record


def main() -> None:
    folder, _, kind, *names = sys.argv[1:]
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    device.load(folder)
    for operator in TABLE:
        if not names or operator.title in names or operator.name in names:
            print(json.dumps(in_child(operator, kind)), flush=True)


if __name__ == "__main__":
    main()
