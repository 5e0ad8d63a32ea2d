"""Operators of torch.library that are defined again or destroyed, and their signatures."""

from __future__ import annotations

from typing import Any

import pytest

import torch


def test_operators_can_be_defined_again() -> None:
    def define(by: float) -> Any:
        @torch.library.custom_op("test_defined_again::scale", mutates_args=())
        def scale(x: torch.Tensor) -> torch.Tensor:
            return x * by

        scale.register_autograd(lambda ctx, grad: grad * by)
        return scale

    for by in (2.0, 3.0):
        scale, x = define(by), torch.ones(1, requires_grad=True)
        assert torch.ops.test_defined_again.scale(x).tolist() == [by]
        scale(x).backward()
        assert x.grad.tolist() == [by]


def test_a_destroyed_library_takes_its_names_along() -> None:
    for destroy in (True, False):
        library = torch.library.Library("test_destroyed", "FRAGMENT")
        library.define("double(Tensor x) -> Tensor")
        library.impl("double", lambda x: x * 2, "CPU")
        assert torch.ops.test_destroyed.double(torch.ones(1)).tolist() == [2]
        if destroy:
            library._destroy()
        del library
        assert not hasattr(torch.ops.test_destroyed, "double")


def test_missing_parts_of_signatures_are_named() -> None:
    def function(x: torch.Tensor):  # type: ignore[no-untyped-def]
        return x

    with pytest.raises(ValueError, match="No return type annotation was provided"):
        torch.library.infer_schema(function, mutates_args=())
    with pytest.raises(ValueError, match="expected schema to look like"):
        torch.library.define("test_signature::one", "Tensor x -> Tensor")
