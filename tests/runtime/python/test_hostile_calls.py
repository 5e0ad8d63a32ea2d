"""Nonsensical arguments: every binding refuses them with a Python exception and keeps working."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

import torch

TENSORS: list[Callable[[], torch.Tensor]] = [
    lambda: torch.ones(2),
    lambda: torch.ones(2, 3),
    lambda: torch.tensor(1.0),
    lambda: torch.tensor(2),
    lambda: torch.empty(0),
    lambda: torch.empty(0, 3),
    lambda: torch.tensor([True, False]),
    lambda: torch.ones(2, 3, device="meta"),
    lambda: torch.ones(1, 2, 4, 4),
    lambda: torch.ones(3, 2).t(),
    lambda: torch.ones(2, dtype=torch.complex64),
    lambda: torch.ones(2, 3, dtype=torch.bfloat16),
    lambda: torch.ones(1).expand(2, 3),
    lambda: torch.ones(2, dtype=torch.uint16),
    lambda: torch.tensor([5, -7, 100]),
]
JUNK: list[Any] = [
    *(None, 0, 1, 3, -1, -2, 2**62, 2**63 - 1, -(2**63), 2**64, 0.5, float("nan"), float("inf")),
    *(1j, True, "x", "mean", "", (), [], (1,), (-1,), [0, 1], (2**40, 2**40), [None], object()),
    *(torch.float32, torch.bool, torch.strided, torch.device("meta"), torch.channels_last),
    *(torch.default_generator, slice(None), ...),
]
KEYWORDS = ["dim", "keepdim", "out", "dtype", "alpha", "size", "other", "device", "min", "weight"]


def functions() -> list[tuple[str, Callable[..., Any]]]:
    found = []
    for owner in (torch._C._VariableFunctions, torch._C._nn, torch.Tensor):
        for name in dir(owner):
            if not name.startswith("_") and callable(getattr(owner, name)):
                found.append((f"{owner}.{name}", getattr(owner, name)))
    for name in (
        "__getitem__",
        "__setitem__",
        "__add__",
        "__rsub__",
        "__pow__",
        "__eq__",
        "__iadd__",
    ):
        found.append((name, getattr(torch.Tensor, name)))
    return found


def argument(choose: random.Random) -> Any:
    kind = choose.random()
    if kind < 0.5:
        return choose.choice(TENSORS)()
    if kind < 0.6:
        return [choose.choice(TENSORS)() for _ in range(choose.randint(0, 3))]
    return choose.choice(JUNK)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.filterwarnings("ignore")
def test_junk_is_refused_and_nothing_breaks(seed: int) -> None:
    choose = random.Random(seed)
    bindings = functions()
    for _ in range(2500):
        name, function = choose.choice(bindings)
        args = [argument(choose) for _ in range(choose.randint(0, 4))]
        kwargs = {
            choose.choice(KEYWORDS): argument(choose) for _ in range(choose.choice([0, 0, 1, 2]))
        }
        try:
            function(*args, **kwargs)
        except SystemError as error:
            raise AssertionError(f"{name}{args!r} {kwargs!r}") from error
        except Exception as error:
            assert "INTERNAL ASSERT" not in str(error), f"{name}{args!r} {kwargs!r}"
    assert (torch.ones(2) + 1).tolist() == [2.0, 2.0]


def test_a_number_is_not_an_output() -> None:
    with pytest.raises(TypeError):
        torch.div(torch.ones(2), 2, out=2)
    with pytest.raises(TypeError):
        torch.add(torch.ones(2), torch.ones(2), out=1)


def test_devices_do_not_mix_in_dot() -> None:
    with pytest.raises(RuntimeError, match="expected device"):
        torch.dot(torch.ones(2), torch.ones(2, device="meta"))


def test_an_empty_tensor_has_no_scalar() -> None:
    with pytest.raises(RuntimeError):
        torch.ops.aten._local_scalar_dense(torch.empty(0))
    with pytest.raises((RuntimeError, MemoryError)):
        torch.empty(0).chunk(2**62)
