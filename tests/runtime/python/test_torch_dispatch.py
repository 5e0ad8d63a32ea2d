"""__torch_dispatch__: subclasses and modes that handle operators below autograd."""

from __future__ import annotations

import copy
from typing import Any

import pytest

import torch
from torch.utils._python_dispatch import (
    TorchDispatchMode,
    _disable_current_modes,
    is_traceable_wrapper_subclass,
    return_and_correct_aliasing,
    transform_subclass,
)
from torch.utils._pytree import tree_map


class Names(TorchDispatchMode):
    def __init__(self) -> None:
        super().__init__()
        self.seen: list[str] = []
        self.calls: list[tuple[Any, ...]] = []

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        self.seen.append(str(func))
        self.calls.append((args, kwargs))
        return func(*args, **(kwargs or {}))


class Wrapper(torch.Tensor):
    elem: torch.Tensor
    seen: list[str] = []  # noqa: RUF012 (cleared by each test)

    @staticmethod
    def __new__(cls: Any, elem: torch.Tensor) -> Any:
        return torch.Tensor._make_wrapper_subclass(
            cls, elem.size(), strides=elem.stride(), dtype=elem.dtype, device=elem.device
        )

    def __init__(self, elem: torch.Tensor) -> None:
        self.elem = elem

    def __repr__(self) -> str:  # type: ignore[override]
        return f"Wrapper({self.elem})"

    def __tensor_flatten__(self) -> Any:
        return ["elem"], None

    @staticmethod
    def __tensor_unflatten__(inner: Any, context: Any, size: Any, stride: Any) -> Any:
        return Wrapper(inner["elem"])

    @classmethod
    def __torch_dispatch__(
        cls, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        cls.seen.append(str(func))
        plain = tree_map(lambda x: x.elem if isinstance(x, Wrapper) else x, (args, kwargs or {}))
        out = func(*plain[0], **plain[1])
        out = tree_map(lambda x: Wrapper(x) if isinstance(x, torch.Tensor) else x, out)
        return return_and_correct_aliasing(func, args, kwargs, out)


@pytest.fixture(autouse=True)
def _forget() -> None:
    Wrapper.seen.clear()


def test_a_mode_sees_operators_below_autograd() -> None:
    x = torch.tensor([0.5], requires_grad=True)
    with Names() as mode:
        y = x.sigmoid() * 2
        y.sum().backward()
    assert mode.seen[:3] == ["aten.sigmoid.default", "aten.detach.default", "aten.mul.Tensor"] or (
        mode.seen[:2] == ["aten.sigmoid.default", "aten.mul.Tensor"]
    )
    assert "aten.sigmoid_backward.default" in mode.seen
    assert x.grad is not None
    s = torch.sigmoid(torch.tensor(0.5))
    assert torch.allclose(x.grad, 2 * s * (1 - s))


def test_arguments_with_their_default_are_left_out() -> None:
    x = torch.ones(2, 3)
    with Names() as mode:
        x + 1
        x.sum(dim=1, keepdim=True)
        torch.zeros(2)
    assert mode.calls[0][0][1] == 1
    assert mode.calls[1][0][1:] == ([1], True)
    assert mode.calls[2][0][0] == [2]


def test_modes_nest_and_end_with_their_blocks() -> None:
    x = torch.ones(2)
    with Names() as outer, Names() as inner:
        x.exp()
        with _disable_current_modes():
            x.sin()
    x.exp()
    assert inner.seen == outer.seen == ["aten.exp.default"]


def test_composites_and_indices_are_seen_as_what_they_call() -> None:
    x = torch.randn(3, 3)
    with Names() as mode:
        torch.matmul(x, x)
        x[1:, 0]
        x.softmax(0)
    assert mode.seen == [
        "aten.mm.default",
        "aten.slice.Tensor",
        "aten.select.int",
        "aten._softmax.default",
    ]
    wrapper = Wrapper(x)
    assert type(wrapper[1:, 0]) is Wrapper
    assert wrapper[0, 0].item() == x[0, 0].item()
    assert bool((wrapper == wrapper).all())
    assert type(torch.where(wrapper > 0, wrapper, 0.0)) is Wrapper
    assert type(torch.isfinite(wrapper)) is Wrapper
    assert type(torch.isclose(wrapper, wrapper)) is Wrapper
    with pytest.raises(RuntimeError, match="in memory"):
        torch._pad_packed_sequence(x, Wrapper(torch.tensor([3])), True, 0.0, 3)
    for unsupported in (wrapper.tolist, wrapper.numpy):
        with pytest.raises(RuntimeError, match="subclasses"):
            unsupported()


def test_an_error_in_a_mode_reaches_the_caller() -> None:
    class Refuses(TorchDispatchMode):
        def __torch_dispatch__(
            self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
        ) -> Any:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError), Refuses():
        torch.ones(1)
    assert torch.ones(1).item() == 1


def test_wrapper_subclass_handles_operators() -> None:
    x = Wrapper(torch.arange(3.0))
    y = torch.relu(x) + x
    assert type(y) is Wrapper
    assert y.elem.tolist() == [0.0, 2.0, 4.0]
    assert Wrapper.seen == ["aten.relu.default", "aten.add.Tensor"]
    assert y.shape == (3,)
    assert y.dtype == torch.float32


def test_wrapper_subclass_has_gradients() -> None:
    x = Wrapper(torch.tensor([0.5, 1.0])).requires_grad_()
    (x.exp() * x).sum().backward()
    grad = x.grad
    assert type(grad) is Wrapper
    plain = torch.tensor([0.5, 1.0])
    assert torch.allclose(grad.elem, plain.exp() * plain + plain.exp())


def test_views_and_in_place_changes_alias_their_arguments() -> None:
    x = Wrapper(torch.arange(4.0))
    view = x.view(2, 2)
    assert type(view) is Wrapper
    assert view.untyped_storage()._cdata == x.untyped_storage()._cdata
    assert x.add_(1) is x
    assert x.elem.tolist() == [1.0, 2.0, 3.0, 4.0]
    assert view.elem.tolist() == [[1.0, 2.0], [3.0, 4.0]]


def test_taking_a_wrapper_apart() -> None:
    x = Wrapper(torch.ones(2))
    assert is_traceable_wrapper_subclass(x)
    assert not is_traceable_wrapper_subclass(torch.ones(2))
    assert transform_subclass(x, lambda name, t: t * 2).elem.tolist() == [2.0, 2.0]


def test_subclass_with_memory() -> None:
    class Doubles(torch.Tensor):
        @classmethod
        def __torch_dispatch__(
            cls, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
        ) -> Any:
            with torch._C._DisableTorchDispatch():
                result = func(*args, **(kwargs or {}))
                return result * 2 if func is torch.ops.aten.exp.default else result

    x = torch.Tensor._make_subclass(Doubles, torch.zeros(1))
    assert x.exp().item() == 2.0


def test_declining_is_an_error() -> None:
    class Declines(torch.Tensor):
        @classmethod
        def __torch_dispatch__(cls, *args: Any, **kwargs: Any) -> Any:
            return NotImplemented

    x = torch.Tensor._make_subclass(Declines, torch.zeros(1))
    with pytest.raises(TypeError, match="Multiple dispatch failed"):
        x.exp()


def test_a_wrapper_needs_a_handler() -> None:
    class Plain(torch.Tensor):
        pass

    with pytest.raises(TypeError, match="Plain must define __torch_dispatch__"):
        torch.Tensor._make_wrapper_subclass(Plain, (2,))


def test_a_wrapper_is_copied_by_its_class() -> None:
    wrapper = Wrapper(torch.tensor([1.0, 2.0]))
    copied = copy.deepcopy(wrapper)
    assert type(copied) is Wrapper
    copied.elem[0] = 5
    assert wrapper.elem.tolist() == [1.0, 2.0]


def test_a_wrapper_whose_clone_is_plain_is_not_copied() -> None:
    class Plain(Wrapper):
        @classmethod
        def __torch_dispatch__(
            cls, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
        ) -> Any:
            return func(*(x.elem if isinstance(x, Plain) else x for x in args), **(kwargs or {}))

    with pytest.raises(RuntimeError, match=r"Plain\.clone\(\) returned a Tensor"):
        copy.deepcopy(Plain(torch.ones(2)))


def test_the_storage_of_a_wrapper_has_no_bytes() -> None:
    storage = Wrapper(torch.ones(2)).untyped_storage()
    for use in (
        storage.clone,
        storage.tolist,
        lambda: storage[0],
        lambda: storage.fill_(1),
        lambda: torch.ones(2).untyped_storage().copy_(storage),
    ):
        with pytest.raises(RuntimeError, match="invalid python storage"):
            use()


def test_a_mode_sees_that_numbers_are_read() -> None:
    seen: list[str] = []

    class Record(TorchDispatchMode):
        def __torch_dispatch__(
            self, func: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            seen.append(str(func))
            return func(*args, **(kwargs or {}))

    x = torch.ones(1)
    with Record():
        assert (x.item(), float(x), int(x), bool(x)) == (1, 1, 1, True)
    assert seen == ["aten._local_scalar_dense.default"] * 4
