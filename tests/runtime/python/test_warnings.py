"""Warnings from C++ reach Python's warnings in the calling thread."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

import torch

PART = "Casting complex values to real discards the imaginary part"


@pytest.fixture(autouse=True)
def every_time() -> Iterator[None]:
    """Repeat warnings that are otherwise shown once per process."""
    torch.set_warn_always(True)
    yield
    torch.set_warn_always(False)


def discard_imaginary_part() -> torch.Tensor:
    return torch.ones(2, dtype=torch.complex64).to(torch.float32)


def in_another_thread(call: Callable[[], object]) -> object:
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(call).result()


def test_a_warning_reaches_python() -> None:
    with pytest.warns(UserWarning, match=PART):
        discard_imaginary_part()


def test_a_warning_in_another_thread_reaches_python(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.warns(UserWarning, match=PART):
        in_another_thread(discard_imaginary_part)
    assert capfd.readouterr().err == ""


def test_a_warning_turned_into_an_error_is_raised_in_its_thread() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(UserWarning, match=PART):
            in_another_thread(discard_imaginary_part)


def test_threads_warn_concurrently() -> None:
    start = threading.Barrier(4)

    def many() -> None:
        start.wait()
        for _ in range(50):
            discard_imaginary_part()

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with ThreadPoolExecutor(4) as pool:
            for done in [pool.submit(many) for _ in range(4)]:
                done.result()
    assert len(caught) == 200


def test_truth_values_of_complex_tensors_do_not_warn() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert torch.tensor([0j, 1j]).to(torch.bool).tolist() == [False, True]


def test_a_real_gradient_of_a_complex_copy_does_not_warn() -> None:
    x = torch.ones(2, requires_grad=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        (x.to(torch.complex64) * 1j).abs().sum().backward()
    assert x.grad is not None
