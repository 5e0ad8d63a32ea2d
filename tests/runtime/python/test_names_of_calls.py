"""Which function modes see for a call, and which function an old pickle means."""

from __future__ import annotations

import pickle
import subprocess
import sys
from typing import Any

import pytest

import torch
import torch.nn.functional as F
from torch.overrides import TorchFunctionMode

EYE = torch.eye(2)


class Names(TorchFunctionMode):
    """Collects the names of the functions that are called."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.seen.append(f"{func.__module__}.{func.__name__}")
        return func(*args, **kwargs or {})


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda s: torch.sparse.mm(s, EYE), "torch._C._sparse._sparse_mm"),
        (lambda s: torch.sparse.mm(s, s), "torch._C._sparse._sparse_mm"),
        (lambda s: torch.sparse.addmm(EYE, s, EYE), "torch._C._sparse._sparse_addmm"),
        (lambda s: torch.sparse.softmax(s, 1), "torch._C._sparse._sparse_softmax"),
        (lambda s: torch.sparse.log_softmax(s, 1), "torch._C._sparse._sparse_log_softmax"),
        (lambda s: torch.sparse.sum(s), "torch._sparse_sum"),
        (lambda s: torch.sparse.sum(s, 0, torch.float64), "torch._sparse_sum"),
        (lambda s: F.threshold(EYE, 0.5, 2.0), "torch.nn.functional._threshold"),
    ],
)
def test_modes_see_pytorchs_names(call: Any, name: str) -> None:
    s = EYE.to_sparse()
    expected = call(s)
    with Names() as names:
        result = call(s)
    assert names.seen[0] == name
    assert torch.equal(result.to_dense(), expected.to_dense())


# What PyTorch's pickles name, and what it is.
PICKLED = {
    ("torch._C._linalg", "linalg_inv"): "torch.linalg.inv",
    ("torch._C._fft", "fft_fft"): "torch.fft.fft",
    ("torch._C._special", "special_erf"): "torch.special.erf",
    ("torch._C._sparse", "_sparse_mm"): "torch.sparse.mm",
    ("torch._C._sparse", "_sparse_softmax"): "torch.sparse.softmax",
    ("torch._C._nested", "nested_to_padded_tensor"): "torch.nested.to_padded_tensor",
    ("torch.nn.functional", "_threshold"): "torch.nn.functional.threshold",
    ("torch.signal.windows.windows", "hann"): "torch.signal.windows.hann",
}


@pytest.mark.parametrize(("home", "name"), PICKLED)
def test_fresh_interpreter_reads_pickled_functions(home: str, name: str) -> None:
    program = (
        "import pickle, sys; f = pickle.loads(bytes.fromhex(sys.argv[1])); "
        "import importlib; path, _, name = sys.argv[2].rpartition('.'); "
        "assert f is getattr(importlib.import_module(path), name)"
    )
    data = f"c{home}\n{name}\n.".encode()
    subprocess.run([sys.executable, "-c", program, data.hex(), PICKLED[home, name]], check=True)


def test_functions_survive_a_round_trip() -> None:
    for function in (
        torch.linalg.inv,
        torch.sparse.mm,
        torch.sparse.sum,
        F.threshold,
        torch.hstack,
    ):
        assert pickle.loads(pickle.dumps(function)) is function
