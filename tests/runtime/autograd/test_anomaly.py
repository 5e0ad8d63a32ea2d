"""Anomaly mode points from a failing backward to the forward call behind it."""

from __future__ import annotations

import warnings
from typing import Any

import pytest

import torch
from torch.utils._python_dispatch import TorchDispatchMode


class Fails(torch.autograd.Function):
    """A function whose backward fails."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        return x.clone()

    @staticmethod
    def backward(ctx: Any, g: torch.Tensor) -> torch.Tensor:
        raise ValueError("no gradient")


def failing_call(x: torch.Tensor) -> torch.Tensor:
    return Fails.apply(x)


def detect(**options: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return torch.autograd.detect_anomaly(**options)


def test_the_traceback_of_the_forward_call_is_shown() -> None:
    x = torch.ones(1, requires_grad=True)
    with detect(), pytest.warns(UserWarning, match="Error detected in FailsBackward") as caught:
        y = failing_call(x)
        with pytest.raises(ValueError, match="no gradient"):
            y.backward()
    assert "failing_call" in str(caught[0].message)


def test_without_a_recorded_forward_there_is_a_hint() -> None:
    y = failing_call(torch.ones(1, requires_grad=True))
    with (
        detect(),
        pytest.warns(UserWarning, match="No forward pass information"),
        pytest.raises(ValueError, match="no gradient"),
    ):
        y.backward()


def test_nan_gradients_are_errors() -> None:
    x = torch.zeros(1, requires_grad=True)
    with detect(), pytest.warns(UserWarning, match="Error detected in"):
        y = x.sqrt() * 0
        with pytest.raises(RuntimeError, match=r"returned nan values in its 0th output"):
            y.backward()
    with detect(check_nan=False):
        (x.sqrt() * 0).backward()


def test_the_mode_is_set_and_restored() -> None:
    assert not torch.is_anomaly_enabled()
    with torch.autograd.set_detect_anomaly(True, check_nan=False):
        assert torch.is_anomaly_enabled()
        assert not torch.is_anomaly_check_nan_enabled()
    assert not torch.is_anomaly_enabled()
    with pytest.warns(UserWarning, match="Anomaly Detection has been enabled"):
        torch.autograd.detect_anomaly()


def test_metadata_is_a_dictionary() -> None:
    y = torch.ones(1, requires_grad=True) * 2
    y.grad_fn.metadata["mine"] = 1
    assert y.grad_fn.metadata["mine"] == 1


class _Raising(TorchDispatchMode):
    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        raise ValueError("mine")


def test_an_error_of_python_code_below_autograd_is_kept() -> None:
    with detect():
        y, gradient = (torch.ones(2, requires_grad=True) * 2).sum(), torch.ones(())
        with (
            pytest.warns(UserWarning, match="Error detected in SumBackward"),
            pytest.raises(ValueError, match="mine"),
            _Raising(),
        ):
            y.backward(gradient)
