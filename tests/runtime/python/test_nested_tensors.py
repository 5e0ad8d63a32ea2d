"""Nested tensors: memory, sizes, files exchanged with PyTorch, and what is refused."""

from __future__ import annotations

import copy
import os
import pickle
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import torch
from torch import nn

PEER = os.environ.get("TORCH_PEER")
LAYOUTS = (torch.strided, torch.jagged)


def _nested(layout: torch.layout, **options: Any) -> Any:
    rows = torch.arange(12.0).reshape(4, 3)
    return torch.nested.nested_tensor([rows[:2], rows - 5], layout=layout, **options)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_components_share_memory_with_the_tensor(layout: torch.layout) -> None:
    nested = _nested(layout)
    nested.unbind()[1].fill_(7)
    assert nested.values().flatten().tolist()[6:] == [7.0] * 12
    nested.add_(1)
    assert nested[1].tolist() == [[8.0] * 3] * 4


@pytest.mark.parametrize("layout", LAYOUTS)
def test_copies_have_memory_of_their_own(layout: torch.layout) -> None:
    nested = _nested(layout, requires_grad=True)
    for copied in (copy.deepcopy(nested), pickle.loads(pickle.dumps(nested))):
        with torch.no_grad():
            copied.zero_()
        assert nested[0].tolist() == [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_gradients_accumulate_in_a_leaf(layout: torch.layout) -> None:
    nested = _nested(layout, requires_grad=True)
    for _ in range(2):
        (nested * 3).backward(torch.ones_like(nested))
    assert nested.grad.layout == layout
    assert [part.unique().tolist() for part in nested.grad.unbind()] == [[6.0], [6.0]]


def test_gradient_of_a_view_has_the_structure_of_its_base() -> None:
    nested = _nested(torch.strided, requires_grad=True)
    view = nested.transpose(1, 2)
    view.backward(torch.nested.nested_tensor([torch.ones(3, 2), torch.zeros(3, 4)]))
    assert nested.grad[0].tolist() == [[1.0] * 3] * 2
    assert nested.grad.is_contiguous()


def test_gradients_of_gradients() -> None:
    nested = _nested(torch.jagged, requires_grad=True)
    cubes = (nested * nested * nested).to_padded_tensor(0.0).sum()
    (first,) = torch.autograd.grad(cubes, nested, create_graph=True)
    (second,) = torch.autograd.grad((first * 1.0).values().sum(), nested)
    assert torch.allclose(second.values(), 6 * nested.values().detach())


def test_ragged_sizes_are_equal_for_equal_offsets_only() -> None:
    a, b = _nested(torch.jagged), _nested(torch.jagged)
    size = a.size(1)
    assert size == (a * 2).size(1) and size != b.size(1) and size != 4
    assert str(a.shape) == f"torch.Size([2, {size}, 3])"
    assert str(size * 2) == f"2*{size}" and size >= 2
    with pytest.raises(ValueError, match="nested ints cannot be compared"):
        size >= 3  # noqa: B015
    with pytest.raises(RuntimeError, match="cannot call binary pointwise function add"):
        a + b


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_leaf_that_requires_grad_is_not_changed_in_place(layout: torch.layout) -> None:
    nested = _nested(layout, requires_grad=True)
    with pytest.raises(RuntimeError, match="leaf Variable that requires grad"):
        nested.mul_(2)
    with torch.no_grad():
        nested.mul_(2)
    assert nested[0, 1].tolist() == [6.0, 8.0, 10.0]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_functions_without_a_nested_form_are_refused(layout: torch.layout) -> None:
    nested = _nested(layout)
    for call in (torch.sort, torch.cumsum, torch.linalg.norm, torch.nn.functional.glu):
        with pytest.raises((NotImplementedError, RuntimeError)):
            call(nested, 1) if call is torch.cumsum else call(nested)


def test_plain_tensors_are_not_padded() -> None:
    with pytest.raises(NotImplementedError, match="to_padded_tensor"):
        torch.ones(2).to_padded_tensor(0.0)


def test_a_buffer_is_viewed_as_components_of_any_strides() -> None:
    buffer = torch.arange(8.0, requires_grad=True)
    sizes, strides = torch.tensor([[2, 2], [1, 3]]), torch.tensor([[1, 2], [3, 1]])
    nested = torch._nested_view_from_buffer(buffer, sizes, strides, torch.tensor([0, 5]))
    first, second = nested.unbind()
    assert first.tolist() == [[0.0, 2.0], [1.0, 3.0]] and second.tolist() == [[5.0, 6.0, 7.0]]
    (first * 2).sum().backward()
    assert buffer.grad.tolist() == [2.0] * 4 + [0.0] * 4
    with pytest.raises(TypeError, match=r"argument 'nested_size' \(position 2\) must be Tensor"):
        torch._nested_view_from_buffer(buffer, 1, 2, 3)


def test_modules_train_on_jagged_batches() -> None:
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU(), torch.nn.Linear(4, 1))
    optimizer = torch.optim.SGD(model.parameters(), 0.01)
    losses = []
    for _ in range(20):
        optimizer.zero_grad()
        loss = (model(_nested(torch.jagged)).mean(1) - 1).square().mean()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < losses[0] / 2


SCRIPT = """
import sys, torch
import torch.nested
loaded = [torch.load(f"{sys.argv[1]}/{name}.pt") for name in ("strided", "jagged")]
assert [str(each.layout) for each in loaded] == ["torch.strided", "torch.jagged"]
for each in loaded:
    assert each[0].tolist() == [[0, 1, 2], [3, 4, 5]], each
    torch.save(each * 2, f"{sys.argv[1]}/twice_{str(each.layout).split('.')[1]}.pt")
"""


@pytest.mark.peer
@pytest.mark.skipif(not PEER, reason="set TORCH_PEER to a Python that has torch==2.13.0")
def test_files_are_exchanged_with_pytorch(tmp_path: Path) -> None:
    assert PEER
    for layout in LAYOUTS:
        torch.save(_nested(layout), tmp_path / f"{str(layout).split('.')[1]}.pt")
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    result = subprocess.run(
        [PEER, "-W", "ignore", "-c", SCRIPT, str(tmp_path)],
        capture_output=True, text=True, cwd=tmp_path, env=environment,
    )  # fmt: skip
    assert result.returncode == 0, result.stderr
    for layout in LAYOUTS:
        loaded = torch.load(tmp_path / f"twice_{str(layout).split('.')[1]}.pt")
        assert loaded.is_nested and loaded.layout == layout
        assert loaded[0].tolist() == [[0, 2, 4], [6, 8, 10]]


def _matrices() -> Any:
    return torch.nested.nested_tensor([torch.ones(2, 4), torch.ones(3, 4)])


@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")
def test_functions_of_a_nested_tensor_without_components() -> None:
    empty = torch.nested.nested_tensor([])
    for result in (torch.softmax(empty, 1), torch.relu(empty), empty * 2):
        assert (result.is_nested, result.dim(), len(result)) == (True, 1, 0)


def test_rows_of_a_tensor_share_its_memory() -> None:
    rows = torch.zeros(2, 3, 2, requires_grad=True)
    nested = torch.nested.as_nested_tensor(rows)
    rows.detach()[1, 0, 0] = 5
    assert nested[1][0, 0] == 5
    nested.values().sum().backward()
    assert torch.equal(rows.grad, torch.ones(2, 3, 2))  # type: ignore[arg-type]
    same = torch.nested.as_nested_tensor(nested, torch.float32, "cpu", torch.strided)
    assert same is nested


def test_empty_tensors_can_be_contiguous() -> None:
    swapped = _matrices().transpose(1, 2)
    assert not torch.empty_like(swapped).is_contiguous()
    alike = torch.empty_like(swapped, memory_format=torch.contiguous_format)
    assert alike.is_contiguous()
    assert torch.is_same_size(alike, swapped)


@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")
@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (lambda a, v: v.bmm(a), RuntimeError, "batch1 must be a 3D tensor"),
        (lambda a, v: a.bmm(v), RuntimeError, "batch2 must be a 3D tensor"),
        (lambda a, v: a.bmm(a), RuntimeError, "0-th nested matrices in batch cannot be multiplied"),
        (lambda a, v: torch.matmul(v, a), RuntimeError, "1st input has rank: 2"),
        (lambda a, v: nn.functional.linear(v, torch.ones(1, 1)), RuntimeError, "tensor dim: 2"),
        (lambda a, v: nn.functional.linear(a, torch.ones(1, 3)), RuntimeError, "last_dim = 4"),
        (lambda a, v: a.view(2, -1, 2), RuntimeError, "is invalid for input of size 8"),
        (lambda a, v: a.reshape(-1, -1, 4), RuntimeError, "change or infer the implicit batch"),
        (lambda a, v: a.transpose(1, 2).chunk(2, -1), RuntimeError, "to be contiguous"),
        (lambda a, v: a.split_with_sizes([1, 1], -1), RuntimeError, "to sum exactly to 4"),
        (lambda a, v: v.to_padded_tensor(0.0, (1, 3)), RuntimeError, "Truncation is not supported"),
        (lambda a, v: v.to_padded_tensor(0.0, (2,)), RuntimeError, "Broadcasting is not supported"),
        (
            lambda a, v: torch.nested.nested_tensor([torch.ones(0)]).to_padded_tensor(0.0),
            RuntimeError,
            "should have non-zero numel",
        ),
        (
            lambda a, v: a.clone(memory_format=torch.channels_last),
            RuntimeError,
            "with memory format: ChannelsLast",
        ),
        (lambda a, v: torch.is_same_size(a, torch.ones(2)), RuntimeError, "to be nested tensors"),
        (
            lambda a, v: v + torch.nested.nested_tensor([torch.ones(2)], layout=torch.jagged),
            RuntimeError,
            "different layouts",
        ),
        (lambda a, v: torch.sum(a, 1), RuntimeError, "got dimension 1 instead"),
        (lambda a, v: a.squeeze(0), RuntimeError, "squeezing dimension 0 is not supported"),
        (lambda a, v: a[2], IndexError, "index 2 is out of bounds for dimension 0 with size 2"),
    ],
)
def test_refusals(call: Callable[..., Any], kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        call(_matrices(), torch.nested.nested_tensor([torch.ones(2), torch.ones(3)]))
