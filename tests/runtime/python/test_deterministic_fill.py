"""New memory is filled while deterministic algorithms are on, unless a setting says otherwise."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import pytest

import torch


@pytest.fixture(autouse=True)
def deterministic() -> Iterator[None]:
    torch.use_deterministic_algorithms(True)
    yield
    torch.use_deterministic_algorithms(False)
    torch.utils.deterministic.fill_uninitialized_memory = True


NEW: dict[str, Callable[[], torch.Tensor]] = {
    "empty": lambda: torch.empty(3),
    "empty with channels last": lambda: torch.empty(1, 2, 3, 4, memory_format=torch.channels_last),
    "empty_like": lambda: torch.empty_like(torch.ones(3)),
    "empty_like of a view": lambda: torch.empty_like(torch.ones(3, 4)[::2]),
    "empty_strided": lambda: torch.empty_strided((2, 3), (1, 2)),
    "empty_permuted": lambda: torch.empty_permuted((2, 3), (1, 0)),
    "new_empty": lambda: torch.ones(3).new_empty(2),
    "Tensor": lambda: torch.Tensor(3),
    "bfloat16": lambda: torch.empty(3, dtype=torch.bfloat16),
    "gradient": lambda: torch.empty(3, requires_grad=True),
}


@pytest.mark.parametrize("name", NEW)
def test_new_floats_are_nan(name: str) -> None:
    found = NEW[name]()
    assert found.isnan().all()
    assert found._version == 0


@pytest.mark.parametrize(
    "dtype", [torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64, torch.uint16]
)
def test_new_integers_are_the_largest(dtype: torch.dtype) -> None:
    assert torch.empty(2, dtype=dtype).tolist() == [torch.iinfo(dtype).max] * 2


def test_new_flags_are_true() -> None:
    assert torch.empty(2, dtype=torch.bool).tolist() == [True, True]


def test_elements_that_a_storage_grows_by() -> None:
    grown = torch.ones(3).resize_(2).resize_(5)
    assert grown[:3].tolist() == [1, 1, 1]
    assert all(map(math.isnan, grown[3:].tolist()))
    assert torch.ones(2, dtype=torch.int8).resize_(3).tolist() == [1, 1, 127]


def test_numbers_are_not_disturbed() -> None:
    assert torch.zeros(3).tolist() == [0, 0, 0]
    assert (torch.ones(3) + 1).tolist() == [2, 2, 2]
    assert torch.empty(3, device="meta").shape == (3,)


def test_a_given_result_is_filled() -> None:
    assert torch.empty(2, 2, out=torch.zeros(1)).isnan().all()


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("put_", lambda: torch.zeros(3).put_(torch.tensor([0]), torch.ones(1))),
        ("max_unpooling2d_forward_out", lambda: unpooled(1)),
        ("max_unpooling2d_forward_out", lambda: unpooled(2)),
        ("max_unpooling3d_forward_out", lambda: unpooled(3)),
    ],
)
def test_functions_without_a_deterministic_form_are_refused(
    name: str, call: Callable[[], torch.Tensor]
) -> None:
    with pytest.raises(RuntimeError, match=f"^{name} does not have a deterministic"):
        call()
    torch.use_deterministic_algorithms(True, warn_only=True)
    with pytest.warns(UserWarning, match=f"^{name} does not have a deterministic"):
        call()


def unpooled(dims: int) -> torch.Tensor:
    """Call MaxUnpool1d, 2d or 3d."""
    layer = getattr(torch.nn, f"MaxUnpool{dims}d")(3, 1)
    shape = (1, 1, *[3] * dims)
    return layer(torch.ones(shape), torch.zeros(shape, dtype=torch.int64))


def test_the_setting() -> None:
    settings = torch.utils.deterministic
    assert settings.fill_uninitialized_memory is True
    settings.fill_uninitialized_memory = False
    kept = torch.ones(1000)
    del kept
    assert not torch.empty(1000).isnan().all()
    with pytest.raises(RuntimeError, match="expected a bool, but got int"):
        settings.fill_uninitialized_memory = 1
