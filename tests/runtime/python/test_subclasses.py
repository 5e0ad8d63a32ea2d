"""Tensors of subclasses as objects: attributes in slots, copies, pickles and parameters."""

from __future__ import annotations

import copy
import io
from typing import Any

import pytest

import torch
from torch import nn
from torch.utils._pytree import tree_map


class Slotted(torch.Tensor):
    __slots__ = ("elem",)
    elem: torch.Tensor

    @staticmethod
    def __new__(cls: Any, elem: torch.Tensor) -> Any:
        wrapper = torch.Tensor._make_wrapper_subclass(
            cls, elem.shape, strides=elem.stride(), dtype=elem.dtype
        )
        wrapper.elem = elem
        return wrapper

    def __repr__(self, *, tensor_contents: Any = None) -> str:
        return super().__repr__(tensor_contents=f"{self.elem}")

    @classmethod
    def __torch_dispatch__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        def inner(value: Any) -> Any:
            return value.elem if isinstance(value, cls) else value

        result = func(*tree_map(inner, args), **tree_map(inner, kwargs or {}))
        return tree_map(lambda x: cls(x) if isinstance(x, torch.Tensor) else x, result)


class Marked(torch.Tensor):
    __slots__ = ("mark",)
    mark: Any


def marked(values: list[float], mark: Any) -> Marked:
    tensor = torch.tensor(values).as_subclass(Marked)
    tensor.mark = mark
    return tensor


def test_slots_outlive_the_last_reference_in_python() -> None:
    x = Slotted(torch.tensor([1.0, 2.0]))
    assert x.detach().elem.tolist() == [1, 2]
    y = x.detach().requires_grad_() * 2
    assert y.elem.tolist() == [2, 4]
    jacobian = torch.autograd.functional.jacobian(lambda x: x**2, x)
    assert jacobian.elem.tolist() == [[2, 0], [0, 4]]  # type: ignore[attr-defined]


def test_slots_are_released_with_the_tensor() -> None:
    log: list[int] = []

    class Logged:
        def __del__(self) -> None:
            log.append(1)

    class Derived(Marked):
        __slots__ = ("other",)

        def __del__(self) -> None:
            log.append(2)

    x = torch.ones(1).as_subclass(Derived)
    x.mark, x.other = Logged(), Logged()
    del x
    assert log == [2, 1, 1]


def test_a_long_chain_of_slots_is_released() -> None:
    last = marked([0.0], None)
    for _ in range(100_000):
        last = marked([0.0], last)
    del last


@pytest.mark.parametrize("make", [copy.deepcopy, lambda x: saved(x)], ids=["copied", "saved"])
def test_copies_have_the_attributes_in_slots(make: Any) -> None:
    x = marked([1.0], ["a"])
    x.note = "b"  # type: ignore[attr-defined]
    for original in (x, Slotted(torch.ones(2)), nn.Parameter(Slotted(torch.ones(2)))):
        again = make(original)
        assert type(again) is type(original)
        assert isinstance(again, nn.Parameter) == isinstance(original, nn.Parameter)
        if isinstance(again, Slotted):
            assert again.elem.tolist() == [1, 1]
        else:
            assert again.mark == ["a"] and again.note == "b"


def saved(value: Any) -> Any:
    buffer = io.BytesIO()
    torch.save(value, buffer)
    buffer.seek(0)
    with torch.serialization.safe_globals([Slotted, Marked]):
        return torch.load(buffer)


def test_parameters_of_subclasses() -> None:
    class Special(nn.Parameter):
        pass

    parameter = nn.Parameter(Slotted(torch.ones(1)))
    assert isinstance(parameter, nn.Parameter) and not isinstance(parameter, Special)
    assert not isinstance(parameter, nn.UninitializedParameter)
    assert repr(parameter) == "Parameter(Slotted(tensor([1.]), requires_grad=True))"


@pytest.mark.parametrize("protocol", ["__torch_dispatch__", "__torch_function__"])
def test_the_inherited_handler_takes_lists(protocol: str) -> None:
    def handler(cls: Any, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return getattr(super(kind, cls), protocol)(func, types, list(args), kwargs)

    kind = type("Kind", (torch.Tensor,), {protocol: classmethod(handler)})
    x = torch.Tensor._make_subclass(kind, torch.ones(2))
    assert (-x).tolist() == [-1, -1]
    disabled = torch._C._disabled_torch_function_impl
    assert disabled(torch.neg, (), [torch.ones(1)]).tolist() == [-1]
    with pytest.raises(TypeError, match="kwargs must be a dict"):
        disabled(torch.neg, (), [torch.ones(1)], [1])


def test_vmap_is_outside_subclasses() -> None:
    x = Slotted(torch.tensor([1.0, 2.0]))
    rows = torch.eye(2)
    found = torch.vmap(lambda row: (x * row).sum() * x)(rows)
    assert found.elem.tolist() == [[1, 2], [2, 4]]


class _Answering(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return func.__name__


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("type", ()),
        ("is_shared", ()),
        ("register_hook", (print,)),
        ("register_post_accumulate_grad_hook", (print,)),
        ("storage_type", ()),
        ("__reduce_ex__", (2,)),
        ("__lshift__", (1,)),
        ("__rrshift__", (1,)),
        ("__dlpack__", ()),
        ("__dlpack_device__", ()),
        ("apply_", (print,)),
        ("sum_to_size", (1,)),
        ("dim_order", ()),
        ("qscheme", ()),
        ("is_distributed", ()),
    ],
)
def test_methods_ask_the_class(name: str, args: tuple[Any, ...]) -> None:
    x = torch.ones(2).as_subclass(_Answering)
    assert getattr(x, name)(*args) == name


def test_an_index_can_answer() -> None:
    seen = []

    class Index:
        @classmethod
        def __torch_function__(
            cls, func: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            seen.append(func.__name__)
            return -1

    x = torch.tensor([5])
    for index in (Index(), (0, Index()), [Index()], torch.ones(1).as_subclass(_Answering)):
        found: Any = x[index]  # type: ignore[index]
        assert found in (-1, "__getitem__")
        x[index] = 1  # type: ignore[index]
    x[0] = Index()  # type: ignore[call-overload]
    assert seen.count("__getitem__") == 3 and seen.count("__setitem__") == 4
    assert x.tolist() == [5]


def test_shifts_are_left_to_the_other_operand() -> None:
    class Declining(torch.Tensor):
        @classmethod
        def __torch_function__(cls, *args: Any, **kwargs: Any) -> Any:
            return NotImplemented

    class Other:
        __rlshift__ = __rrshift__ = lambda self, other: -1

    x = torch.ones(2).as_subclass(Declining)
    assert x << Other() == -1 and x >> Other() == -1  # type: ignore[operator]
    with pytest.raises(TypeError, match="unsupported operand type"):
        x << 1


def test_wrappers_are_made_from_positional_arguments() -> None:
    made = torch.Tensor._make_wrapper_subclass(
        Slotted, (2, 3), (1, 2), 4, None, torch.float64, torch.strided, "cpu", False, True
    )
    assert (made.stride(), made.storage_offset(), made.dtype) == ((1, 2), 4, torch.float64)
    assert made.requires_grad
