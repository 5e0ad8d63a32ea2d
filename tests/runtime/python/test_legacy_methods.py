"""Methods of torch.Tensor that older programs call."""

from __future__ import annotations

import pytest

import torch


def test_new_makes_tensors_of_the_same_dtype() -> None:
    x = torch.ones(2, dtype=torch.float64)
    assert x.new(2, 3).shape == x.new(torch.Size([2, 3])).shape == (2, 3)
    assert x.new(3).dtype == x.new([1]).dtype == torch.float64
    assert x.new((1, 2)).tolist() == [1.0, 2.0]
    assert x.new().shape == (0,)
    assert x.new(size=(3, 4)).shape == (3, 4)
    assert torch.ones(1, dtype=torch.int64).new([1.5]).tolist() == [1]
    shared = x.new(x)
    shared[0] = 5
    assert x.tolist() == [5.0, 1.0]
    assert x.new(x.untyped_storage()).tolist() == [5.0, 1.0]
    assert type(torch.nn.Parameter(x).new([2.0])) is torch.Tensor
    assert torch.ones(1, device="meta").new(3).device.type == "meta"


def test_new_refuses_what_does_not_fit() -> None:
    x = torch.ones(2, dtype=torch.float64)
    for arguments in (
        *((torch.ones(2),), ("a",), (2, 3.5), (x, x), (None, 1), ([1], [2])),
        *((torch.Size([1]), torch.Size([2])), ((1,), 2)),
    ):
        with pytest.raises(TypeError):
            x.new(*arguments)
    with pytest.raises(RuntimeError, match="expects device type: meta"):
        torch.ones(1, device="meta").new(3, device="cpu")


def test_reversed_flips_the_first_dimension() -> None:
    x = torch.arange(6).view(2, 3)
    assert torch.equal(reversed(x), torch.tensor([[3, 4, 5], [0, 1, 2]]))
    assert reversed(torch.tensor(1)).item() == 1


def test_map2_calls_a_function_of_three_elements() -> None:
    x = torch.tensor([1.0, 2.0])
    assert x.map2_(torch.tensor(10.0), torch.tensor([3.0, 4.0]), lambda a, b, c: a * b + c) is x
    assert x.tolist() == [13.0, 24.0]


def test_functions_of_elements_do_not_leave_the_graph() -> None:
    x, leaf = torch.ones(2), torch.ones(2, requires_grad=True)
    for name, arguments in (("apply_", ()), ("map_", (leaf,)), ("map2_", (x, leaf))):
        with pytest.raises(RuntimeError, match=f"Can't call {name}"):
            getattr(x if arguments else leaf, name)(*arguments, lambda *values: values[0])


def test_functions_of_elements_return_numbers() -> None:
    with pytest.raises(TypeError, match="must be real number, not str"):
        torch.ones(2).apply_(lambda value: "a")
    with pytest.raises(TypeError, match="'NoneType' object cannot be interpreted as an integer"):
        torch.ones(2, dtype=torch.int64).apply_(lambda value: None)


def test_resize_keeps_the_elements() -> None:
    x = torch.arange(6)
    with pytest.warns(UserWarning, match="non-inplace resize is deprecated"):
        assert x.resize(2, 3).shape == x.resize_as(torch.ones(2, 3)).shape == (2, 3)
    with (
        pytest.warns(UserWarning),
        pytest.raises(RuntimeError, match=r"requested resize to 2x2 \(4 el.*size of 6 \(6 el"),
    ):
        x.resize((2, 2))


def test_names_of_python_2() -> None:
    x = torch.tensor([3.0])
    assert (x.__div__(2).item(), x.__rdiv__(6).item(), x.__idiv__(3).item()) == (1.5, 2.0, 1.0)
    assert torch.tensor(2.5).__long__() == 2 and torch.tensor(2.5).__nonzero__() is True
    assert x.is_distributed() is False


@pytest.mark.parametrize("name", ["eig", "lstsq", "reinforce", "solve", "symeig"])
def test_removed_methods_name_what_replaces_them(name: str) -> None:
    with pytest.raises(RuntimeError, match=r"now removed. Use torch\.(linalg|distributions)"):
        getattr(torch.ones(1), name)()
