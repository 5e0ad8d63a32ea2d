"""Checkpoints with more than tensors: what weights-only loads accept, and what they answer."""

from __future__ import annotations

import collections
import copy
import functools
import io
import pickle
from collections.abc import Callable
from typing import Any

import both

import torch


class Plain:
    """A class of a program."""

    def __init__(self) -> None:
        self.value = 3


def written(value: Any) -> io.BytesIO:
    buffer = io.BytesIO()
    torch.save(value, buffer)
    buffer.seek(0)
    return buffer


def loaded(value: Any, *safe: Any) -> Any:
    with torch.serialization.safe_globals(list(safe)):
        return torch.load(written(value))


def builtins() -> list[Any]:
    """Names of `builtins` are Python 2's in files of protocol 2."""
    call = loaded(functools.partial(int, "3"), functools.partial, int)
    return [
        str(loaded(slice(1, 2), slice)),
        list(loaded(range(3), range)),
        list(loaded(frozenset([1]), frozenset)),
        dict(loaded(collections.defaultdict(list), collections.defaultdict, list)),
        loaded(Plain(), Plain).value,
        call(),
        loaded(int, int).__name__,
    ]


def refused() -> list[list[str]]:
    values = [slice(1), range(1), frozenset([1]), print, torch.float16, torch.Size([1])]
    return [torch.serialization.get_unsafe_globals_in_checkpoint(written(v)) for v in values]


def layouts() -> list[str]:
    values = [torch.strided, torch.sparse_coo, torch.sparse_csr]
    return [str(value) for value in loaded(values)] + [str(copy.deepcopy(values[1]))]


def generators() -> list[Any]:
    """A copy continues with the numbers of the original."""
    generator = torch.Generator().manual_seed(5)
    torch.rand(3, generator=generator)
    copies = [
        pickle.loads(pickle.dumps(generator, protocol)) for protocol in (2, pickle.HIGHEST_PROTOCOL)
    ]
    copies += [copy.deepcopy(generator), copy.copy(generator)]
    copies.append(torch.load(written(generator), weights_only=False))
    numbers = [torch.rand(2, generator=each) for each in (*copies, generator)]
    return [numbers, [each.initial_seed() for each in copies]]


def generator_state() -> list[Any]:
    function, arguments, state = torch.Generator().manual_seed(7).__reduce__()
    return [function.__name__, [str(value) for value in arguments], list(state[:2]), state[2]]


CASES: dict[str, Callable[[], Any]] = {
    "builtins": builtins,
    "refused": refused,
    "generators": generators,
    "generator state": generator_state,
    "layouts": layouts,
}

if __name__ == "__main__":
    both.record(CASES)
