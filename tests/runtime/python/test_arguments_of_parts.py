"""Arguments of functions in parts of torch, such as torch.fft and torch.linalg, as in PyTorch."""

from __future__ import annotations

import pickle
import subprocess
import sys
from typing import Any

import pytest

import torch

MATRIX = torch.arange(6.0).reshape(2, 3) + torch.eye(2, 3)


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (lambda: torch.linalg.norm(MATRIX, axis=1, keepdims=True), lambda: MATRIX.norm(2, 1, True)),
        (lambda: torch.linalg.norm(x=MATRIX), lambda: MATRIX.norm()),
        (
            lambda: torch.linalg.norm(MATRIX, "fro", axis=(0, 1), keepdims=True),
            lambda: MATRIX.norm()[None, None],
        ),
        (
            lambda: torch.linalg.matrix_norm(MATRIX, 1, axis=(0, 1)),
            lambda: MATRIX.abs().sum(0).amax(),
        ),
        (lambda: torch.linalg.vecdot(MATRIX, MATRIX, axis=0), lambda: MATRIX.square().sum(0)),
        (lambda: torch.linalg.cond(a=torch.eye(2)), lambda: torch.tensor(1.0)),
        (lambda: torch.fft.fft(MATRIX, axis=0), lambda: torch.fft.fft(MATRIX, None, 0)),
        (lambda: torch.fft.rfftn(x=MATRIX, axis=(0,)), lambda: torch.fft.rfftn(MATRIX, None, (0,))),
        (lambda: torch.fft.fftshift(MATRIX, axis=1), lambda: MATRIX.roll(1, 1)),
        (
            lambda: torch.nn.functional.pairwise_distance(MATRIX, MATRIX + 1, eps=0, keepdims=True),
            lambda: torch.full((2, 1), 3**0.5),
        ),
    ],
)
def test_functions_of_parts_take_the_names_of_numpy(call: Any, expected: Any) -> None:
    assert torch.allclose(call(), expected())


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: torch.fft.fft([1.0]),
            "fft_fft(): argument 'input' (position 1) must be Tensor, not list",
        ),
        (
            lambda: torch.fft.fft2(MATRIX, bad=1),
            "fft_fft2() got an unexpected keyword argument 'bad'",
        ),
        (
            lambda: torch.linalg.matrix_power(MATRIX, 1.5),
            "linalg_matrix_power(): argument 'n' (position 2) must be int, not float",
        ),
        (
            lambda: torch.linalg.lstsq(MATRIX),
            'linalg_lstsq() missing 1 required positional arguments: "b"',
        ),
        (
            lambda: torch.linalg.norm(MATRIX, [1]),
            "linalg_norm() received an invalid combination of arguments - got (Tensor, list), "
            "but expected one of:\n"
            " * (Tensor input, Number ord = None, tuple of ints dim = None, bool keepdim = False, *, "
            "torch.dtype dtype = None, Tensor out = None)\n",
        ),
    ],
)
def test_functions_of_parts_check_their_arguments(call: Any, message: str) -> None:
    with pytest.raises(TypeError) as caught:
        call()
    assert str(caught.value).startswith(message)


def test_functions_of_parts_are_pickled_as_functions_of_the_extension() -> None:
    names = {torch.fft.fft: "_fft fft_fft", torch.linalg.norm: "_linalg linalg_norm"}
    for function, name in names.items():
        assert pickle.dumps(function, 0).startswith(
            f"ctorch._C.{name}\n".replace(" ", "\n").encode()
        )
        assert pickle.loads(pickle.dumps(function)) is function
    program = """
import pickle, torch
loaded = [pickle.loads(b"ctorch._C._fft\\nfft_fft\\n."), pickle.loads(b"ctorch._C._linalg\\nlinalg_norm\\n.")]
assert loaded == [torch.fft.fft, torch.linalg.norm]
assert not hasattr(torch._C._fft, "fft_none") and not hasattr(torch._C._linalg, "other")
"""
    subprocess.run([sys.executable, "-c", program], check=True)
