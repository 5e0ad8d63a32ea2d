"""The type of torch.Tensor, torch._C._TensorMeta, and torch.autograd.Variable over torch._C._LegacyVariableBase."""

from __future__ import annotations

from typing import Any

import pytest

import torch
from torch.autograd import Variable

DISABLED = torch._C._disabled_torch_function_impl


def test_tensor_classes_have_a_type_of_their_own() -> None:
    assert type(torch.Tensor) is type(torch._C.TensorBase) is torch._C._TensorMeta
    assert issubclass(torch._C._TensorMeta, type)
    assert isinstance(torch.nn.Parameter, torch._C._TensorMeta)


def test_only_tensor_is_a_direct_subclass_of_its_base() -> None:
    for bases in ((torch._C.TensorBase,), ()):
        with pytest.raises(RuntimeError, match="Cannot subclass _TensorBase directly"):
            torch._C._TensorMeta("Other", bases, {})


def dispatching(base: type, **members: Any) -> type:
    def dispatch(cls: type, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return NotImplemented

    return type(base)("Sub", (base,), {"__torch_dispatch__": classmethod(dispatch), **members})


def test_subclasses_that_handle_operators_do_not_convert_results() -> None:
    sub = dispatching(torch.Tensor)
    assert sub.__torch_function__ is DISABLED
    assert type(sub)("SubSub", (sub,), {}).__torch_function__ is DISABLED


def test_a_torch_function_of_the_subclass_itself_stays() -> None:
    def function(cls: type, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> str:
        return "own"

    sub = dispatching(torch.Tensor, __torch_function__=classmethod(function))
    assert sub.__torch_function__.__func__ is function
    assert type(torch.Tensor)("Plain", (torch.Tensor,), {}).__torch_function__ is not DISABLED


def test_variables_are_tensors() -> None:
    data = torch.ones(2)
    made = Variable(data, requires_grad=True)
    assert type(made) is torch.Tensor and isinstance(made, Variable)
    assert made.requires_grad and made.data_ptr() == data.data_ptr() and made is not data
    assert Variable().shape == (0,) and Variable(data, True).requires_grad
    assert issubclass(Variable, torch._C._LegacyVariableBase)
    assert torch._C._LegacyVariableBase(data, name="weights", _grad_fn=None).name == "weights"


def test_variables_of_other_things_are_refused() -> None:
    with pytest.raises(TypeError, match="Variable data has to be a tensor, but got list"):
        Variable([1.0])
    with pytest.raises(TypeError, match="_grad_fn has to be a Function object or None"):
        Variable(torch.ones(1), _grad_fn=3)
    with (
        pytest.warns(UserWarning, match="volatile was removed"),
        pytest.raises(ValueError, match="can't be volatile and require_grad"),
    ):
        Variable(torch.ones(1), volatile=True, requires_grad=True)
    with pytest.warns(UserWarning, match="volatile was removed"):
        assert not Variable(torch.ones(1), volatile=True).requires_grad


def test_classes_of_tensors_are_subclasses_of_tensor() -> None:
    made = torch.ones(1)
    for call in (
        lambda cls: torch.Tensor._make_subclass(cls, made),
        lambda cls: torch.Tensor._make_wrapper_subclass(cls, (1,)),
        made.as_subclass,
    ):
        for _ in range(100):  # once was enough to damage memory
            with pytest.raises(TypeError, match="a class that does not inherit from Tensor"):
                call(int)
        with pytest.raises(TypeError, match=r"cls must be a type \(got str\)"):
            call("Tensor")
    with pytest.raises(TypeError, match=r"argument 'data' \(position 2\) must be Tensor, not int"):
        torch.Tensor._make_subclass(torch.Tensor, 3)
    with pytest.raises(TypeError, match="Tensor must define __torch_dispatch__"):
        torch.Tensor._make_wrapper_subclass(torch.Tensor, (1,))
