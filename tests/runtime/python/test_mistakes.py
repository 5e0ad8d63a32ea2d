"""What calls with common mistakes and with odd arguments do, and removed functions."""

from __future__ import annotations

import math
from typing import Any

import pytest

import torch
import torch.nn.functional as F
from torch import nn

X = torch.arange(12.0).reshape(3, 4)
V = torch.ones(3)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda: torch.trace(V),
            RuntimeError,
            "trace: expected a matrix, but got tensor with dim 1",
        ),
        (lambda: torch.renorm(X, 2, 5, 1.0), IndexError, "Dimension out of range"),
        (lambda: nn.Hardtanh(2.0, 0.5), AssertionError, "max_val (0.5) must be greater than min_"),
        (
            lambda: nn.LSTM(4, 2)(X[None, None]),
            ValueError,
            "LSTM: Expected input to be 2D or 3D, g",
        ),
        (lambda: F.nll_loss(V, torch.tensor([0, 1])), ValueError, "For 1D input, 1D target must"),
        (
            lambda: torch.compile(1),
            AssertionError,
            "A callable function is expected, but <class 'in",
        ),
        (
            lambda: torch.quantize_per_tensor(torch.arange(3), 1.0, 0, torch.quint8),
            RuntimeError,
            "Quantize only works on Float Tensor, got Long",
        ),
        (
            lambda: F.softshrink(V, -1),
            RuntimeError,
            "lambda must be in range [0, 3.40282e+38] for input dtype Float, but found -1",
        ),
        (
            lambda: F.fold(X, 2, 2),
            RuntimeError,
            "Expected size of input's dimension 1 to be divisible by the product of kernel_size, "
            "but got input.size(1)=3 and kernel_size=(2, 2).",
        ),
    ],
)
@pytest.mark.filterwarnings("ignore:torch.quantize_per_tensor")
def test_message_is_pytorchs(call: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error) as caught:
        call()
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize("name", ["eig", "lstsq", "matrix_rank", "solve", "symeig"])
def test_removed_functions_name_their_successors(name: str) -> None:
    with pytest.raises(RuntimeError, match=r"is now removed.*torch\.linalg\."):
        getattr(torch, name)(X, X)


def test_complex_modules_warn() -> None:
    with pytest.warns(UserWarning, match="Complex modules are a new feature"):
        nn.Linear(2, 2).to(torch.complex64)


def test_unused_number_of_features_warns() -> None:
    with pytest.warns(UserWarning, match="input's size at dim=1 does not match num_features"):
        nn.InstanceNorm1d(2)(torch.ones(2, 3, 4))


def test_numbers_are_copied() -> None:
    assert X.clone().copy_(1).eq(1).all()


def test_unsigned_numbers_have_no_sign() -> None:
    for dtype in (torch.uint16, torch.uint32, torch.uint64):
        assert torch.signbit(torch.ones(2, dtype=dtype)).tolist() == [False, False]


def test_pinned_tensors_need_an_accelerator() -> None:
    if torch.cuda.is_available():
        assert torch.tensor([1.0], pin_memory=True).is_pinned()
    elif not torch.accelerator.is_available():
        with pytest.raises(RuntimeError, match="pin_memory=True requires a CUDA or other accel"):
            torch.tensor([1.0], pin_memory=True)
    assert torch.tensor([1.0], pin_memory=True, device="meta").is_meta


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_one_argument_may_decide_incomplete_gamma_functions(dtype: torch.dtype) -> None:
    inf, nan = math.inf, math.nan
    a = torch.tensor([inf, nan, nan, 0, inf, nan, 1, -1], dtype=dtype)
    x = torch.tensor([nan, 0, inf, nan, inf, 1, nan, nan], dtype=dtype)
    lower = torch.tensor([0, 0, 1, nan, nan, nan, nan, nan], dtype=dtype)
    torch.testing.assert_close(torch.igamma(a, x), lower, equal_nan=True)
    torch.testing.assert_close(torch.igammac(a, x), 1 - lower, equal_nan=True)


def test_empty_batches_keep_running_statistics() -> None:
    layer = nn.InstanceNorm2d(4, track_running_stats=True)
    layer(torch.ones(0, 4, 8, 4))
    assert layer.running_mean is not None
    assert layer.running_mean.tolist() == [0.0] * 4


def test_no_gradient_flows_back_from_logarithms_of_negative_targets() -> None:
    target = torch.tensor([-1.0, 0.5], requires_grad=True)
    loss = F.kl_div(torch.zeros(2), target, reduction="none")
    loss.backward(torch.tensor([0.0, 1.0]))
    assert target.grad is not None
    assert target.grad[0] == 0


def test_sorters_out_of_range_are_refused() -> None:
    for sorter in ([0, 1, 3], [-1, 0, 1]):
        with pytest.raises(RuntimeError, match="sorter index out of range"):
            torch.searchsorted(V, V, sorter=torch.tensor(sorter))
