"""The Python attributes of an operator's node: its class, its name and its saved values."""

from __future__ import annotations

import pytest

import torch


def leaf(*size: int) -> torch.Tensor:
    return torch.arange(1.0, 1.0 + torch.Size(size).numel()).view(size).requires_grad_()


def saved(node: object) -> set[str]:
    return {name for name in dir(node) if name.startswith("_saved_")}


def test_class_of_a_node_is_in_the_functions_module() -> None:
    node = leaf(2).exp().grad_fn
    assert type(node) is torch._C._functions.ExpBackward0
    assert node.name() == "ExpBackward0"
    with pytest.raises(TypeError, match="cannot create 'ExpBackward0' instances"):
        type(node)()


@pytest.mark.parametrize("operation", ["add", "sub", "mul", "div"])
def test_number_gives_the_node_of_a_tensor(operation: str) -> None:
    node = getattr(leaf(2), operation)(2).grad_fn
    assert node.name() == f"{operation.capitalize()}Backward0" == type(node).__name__


def test_saved_input_is_the_tensor_itself() -> None:
    x, y = leaf(3), leaf(3)
    node = (x * y).grad_fn
    assert saved(node) == {"_saved_self", "_saved_other"}
    assert node._saved_self is x and node._saved_other is y


def test_unneeded_input_is_not_saved() -> None:
    x, y = leaf(3), torch.ones(3)
    node = (x * y).grad_fn
    assert node._saved_self is None
    assert node._saved_other is y


def test_saved_output_leads_back_to_its_node() -> None:
    result = leaf(3).exp()
    unpacked = result.grad_fn._saved_result
    assert torch.equal(unpacked, result)
    assert unpacked.grad_fn is result.grad_fn


def test_sizes_numbers_and_texts_are_plain_values() -> None:
    x = leaf(2, 3)
    node = x.sum(1, keepdim=True).grad_fn
    assert node._saved_dim == (1,) and type(node._saved_dim) is tuple
    assert node._saved_keepdim is True
    assert node._saved_self_sym_sizes == (2, 3)
    assert x.mean().grad_fn._saved_self_sym_numel == 6
    assert torch.div(x, x, rounding_mode="floor").grad_fn._saved_rounding_mode == "floor"
    assert torch.as_strided(x, (2,), (1,)).grad_fn._saved_storage_offset is None
    node = x.clamp(0, 2.5).grad_fn
    assert (node._saved_min, node._saved_max) == (0, 2.5)
    assert type(node._saved_min) is int


def test_values_of_internal_types_are_hidden() -> None:
    assert saved(torch.add(leaf(3), leaf(3), alpha=2).grad_fn) == {"_saved_alpha"}
    assert saved(torch.cat([leaf(3), leaf(3)]).grad_fn) == {"_saved_dim"}


def test_lists_of_saved_tensors_are_tuples() -> None:
    x, i, j = leaf(2, 3), torch.tensor([0]), torch.tensor([1])
    node = x[i, j].grad_fn
    assert node._saved_indices == (i, j)
    assert len(node._raw_saved_indices) == 2


def test_released_tensor_raises_and_its_raw_form_does_not() -> None:
    x = leaf(3)
    result = x.exp()
    node = result.grad_fn
    result.sum().backward()
    with pytest.raises(RuntimeError, match="after they have already been freed"):
        _ = node._saved_result
    assert type(node._raw_saved_result).__name__ == "SavedTensor"
    assert (x * x).grad_fn._saved_self is x


def test_changed_input_is_an_error_when_read() -> None:
    x, factor = leaf(3), torch.ones(3)
    node = (x * factor).grad_fn
    factor.add_(1)
    with pytest.raises(RuntimeError, match="has been modified by an inplace operation"):
        _ = node._saved_other


def test_raw_saved_tensors_accept_hooks() -> None:
    x = leaf(3)
    result = x.exp()
    result.grad_fn._raw_saved_result.register_hooks(lambda t: t * 2, lambda t: t + 1)
    assert torch.equal(result.grad_fn._saved_result, result.detach() * 2 + 1)


def test_operator_without_derivative_raises_in_backward() -> None:
    result = torch.floor_divide(leaf(3), 2)
    assert type(result.grad_fn).__name__ == "NotImplemented"
    with pytest.raises(RuntimeError, match="derivative for aten::floor_divide is not implemented"):
        result.sum().backward()


def test_out_arguments_have_no_history() -> None:
    with pytest.raises(RuntimeError, match=r"mul\(\): functions with out=\.\.\. arguments"):
        torch.mul(leaf(3), leaf(3), out=torch.empty(3))
    with torch.no_grad():
        torch.mul(leaf(3), leaf(3), out=torch.empty(3))


@pytest.mark.parametrize("name", ["argmax", "isnan", "sign", "floor"])
def test_only_differentiable_results_require_gradients(name: str) -> None:
    result = getattr(torch, name)(leaf(3))
    assert result.requires_grad == (name in ("sign", "floor"))


def test_calls_inside_a_constant_operator_are_not_recorded() -> None:
    """multinomial calls div with out=, which would fail if it were recorded."""
    weights = leaf(3)
    assert not torch.multinomial(weights, 2).requires_grad
    assert torch.allclose(weights, weights)
