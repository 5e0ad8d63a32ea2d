"""Modules look up the functions they call, as profilers count calls by replacing functions."""

from __future__ import annotations

from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="the package is not built: python setup.py develop")

from torch import nn  # noqa: E402


@pytest.mark.parametrize(
    ("name", "kind", "arguments", "shape"),
    [
        ("relu", nn.ReLU, (), (2,)),
        ("max_pool2d", nn.MaxPool2d, (2,), (1, 1, 4, 4)),
        ("conv2d", nn.Conv2d, (1, 1, 1), (1, 1, 4, 4)),
        ("conv3d", nn.Conv3d, (1, 1, 1), (1, 1, 2, 4, 4)),
        ("dropout", nn.Dropout, (), (2,)),
    ],
)
def test_a_module_calls_the_function_that_replaces_its_own(
    name: str,
    kind: Any,
    arguments: tuple[int, ...],
    shape: tuple[int, ...],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    calls = []
    original = getattr(nn.functional, name)

    def counted(*args: Any, **kwargs: Any) -> Any:
        calls.append(name)
        return original(*args, **kwargs)

    module = kind(*arguments)
    monkeypatch.setattr(nn.functional, name, counted)
    module(torch.ones(shape))
    assert calls == [name]
