"""Indexing agrees with NumPy: reading and writing, basic, advanced and mixed."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import torch

SHAPE = (4, 3, 5)
ARRAY = np.arange(60, dtype=np.float32).reshape(SHAPE)


def basic(size: int) -> st.SearchStrategy[Any]:
    slices = st.builds(
        slice,
        st.none() | st.integers(-size - 2, size + 2),
        st.none() | st.integers(-size - 2, size + 2),
        st.none() | st.integers(1, 3),
    )
    return st.integers(-size, size - 1) | slices


@st.composite
def basic_indices(draw: st.DrawFn) -> tuple[Any, ...]:
    count = draw(st.integers(0, 3))
    items = [draw(basic(SHAPE[dim])) for dim in range(count)]
    if draw(st.booleans()):
        items.append(Ellipsis)
    for _ in range(draw(st.integers(0, 2))):
        items.insert(draw(st.integers(0, len(items))), None)
    return tuple(items)


@st.composite
def mixed_indices(draw: st.DrawFn) -> tuple[Any, ...]:
    count = draw(st.integers(1, 3))
    length = draw(st.integers(1, 3))
    items: list[Any] = []
    for dim in range(count):
        size = SHAPE[dim]
        lists = st.lists(st.integers(-size, size - 1), min_size=length, max_size=length)
        items.append(draw(basic(size) | lists))
    # NumPy orders the dimensions differently when a slice separates an int from a list. PyTorch
    # handles ints as selections first, so mixtures of both are covered by the explicit cases below.
    if any(isinstance(item, list) for item in items):
        items = [slice(item, item + 1 or None) if isinstance(item, int) else item for item in items]
    return tuple(items)


def to_torch(index: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(torch.tensor(i) if isinstance(i, list) else i for i in index)


@given(basic_indices())
def test_basic_indices_give_numpys_view(index: tuple[Any, ...]) -> None:
    tensor = torch.from_numpy(ARRAY.copy())
    view = tensor[index]
    expected = ARRAY[index]
    np.testing.assert_array_equal(view.numpy(), expected)
    if view.numel():
        assert view.untyped_storage().data_ptr() == tensor.untyped_storage().data_ptr()


@given(basic_indices(), st.booleans())
def test_basic_assignment(index: tuple[Any, ...], scalar: bool) -> None:
    array = ARRAY.copy()
    tensor = torch.from_numpy(ARRAY.copy())
    value = (
        -1.0
        if scalar
        else -np.arange(ARRAY[index].size, dtype=np.float32).reshape(ARRAY[index].shape)
    )
    array[index] = value
    tensor[index] = value if scalar else torch.as_tensor(value)
    np.testing.assert_array_equal(tensor.numpy(), array)


@given(mixed_indices())
def test_advanced_indices(index: tuple[Any, ...]) -> None:
    tensor = torch.from_numpy(ARRAY.copy())
    expected = ARRAY[index]
    np.testing.assert_array_equal(tensor[to_torch(index)].numpy(), expected)
    np.testing.assert_array_equal(tensor[index].numpy(), expected)
    array = ARRAY.copy()
    array[index] = 7
    tensor[to_torch(index)] = 7
    np.testing.assert_array_equal(tensor.numpy(), array)


@given(st.integers(0, 2**12 - 1))
def test_masks(bits: int) -> None:
    mask = np.array([bool(bits >> i & 1) for i in range(12)]).reshape(4, 3)
    tensor = torch.from_numpy(ARRAY.copy())
    np.testing.assert_array_equal(tensor[torch.from_numpy(mask)].numpy(), ARRAY[mask])
    np.testing.assert_array_equal(tensor[torch.from_numpy(mask), 1:].numpy(), ARRAY[mask, 1:])
    array = ARRAY.copy()
    array[mask] = 5
    tensor[torch.from_numpy(mask)] = 5
    np.testing.assert_array_equal(tensor.numpy(), array)


def test_full_masks() -> None:
    tensor = torch.from_numpy(ARRAY.copy())
    mask = tensor > 30
    np.testing.assert_array_equal(tensor[mask].numpy(), ARRAY[ARRAY > 30])
    tensor[mask] = 0
    np.testing.assert_array_equal(tensor.numpy(), np.where(ARRAY > 30, 0, ARRAY))
    tensor[tensor == 0] = torch.tensor(9.0)
    assert (tensor == 0).sum() == 0


def test_bools_and_scalars() -> None:
    tensor = torch.arange(3)
    assert tensor[True].shape == (1, 3)
    assert tensor[False].shape == (0, 3)
    assert tensor[torch.tensor(1)].item() == 1
    assert tensor[np.int64(2)].item() == 2
    assert torch.tensor(5)[...].item() == 5
    assert torch.tensor(5)[None].shape == (1,)
    assert tensor[torch.tensor(True)].shape == (1, 3)


def test_a_short_list_of_sequences_is_a_tuple() -> None:
    tensor = torch.arange(6).reshape(2, 3)
    with pytest.warns(UserWarning, match="non-tuple sequence"):
        assert tensor[[[0, 1], [2, 0]]].tolist() == [2, 3]
    with pytest.warns(UserWarning, match="non-tuple sequence"):
        assert tensor[[torch.tensor([0]), slice(1, 3)]].tolist() == [[1, 2]]
    with pytest.warns(UserWarning, match="non-tuple sequence"):
        assert tensor[[torch.tensor([0, 1]), torch.tensor([2, 0])]].tolist() == [2, 3]
    assert tensor[[0, 1]].tolist() == tensor.tolist()


def test_assignment_broadcasts_and_drops_leading_ones() -> None:
    tensor = torch.zeros(2, 3)
    tensor[0] = torch.tensor([[1.0, 2.0, 3.0]])
    tensor[:, 1] = torch.tensor([8.0])
    tensor[1] = torch.tensor([4, 5, 6])
    assert tensor.tolist() == [[1.0, 8.0, 3.0], [4.0, 5.0, 6.0]]
    tensor[...] = torch.tensor(2)
    assert tensor.tolist() == [[2.0] * 3] * 2
    tensor[[0, 1], [2, 0]] = torch.tensor([7.0, 9.0])
    assert tensor.tolist() == [[2.0, 2.0, 7.0], [9.0, 2.0, 2.0]]
    with pytest.raises(RuntimeError, match="must match"):
        tensor[0] = torch.zeros(2)
    with pytest.raises(TypeError, match="assign a list to a torch"):
        tensor[0] = [1, 2, 3]


@pytest.mark.parametrize(
    ("index", "error", "message"),
    [
        (5, IndexError, "index 5 is out of bounds for dimension 0 with size 2"),
        ((0, 5), IndexError, "index 5 is out of bounds for dimension 1 with size 3"),
        ((0, 0, 0), IndexError, "too many indices for tensor of dimension 2"),
        (slice(None, None, -1), ValueError, "step must be greater than zero"),
        (1.5, IndexError, "only integers, slices"),
        ([0, 5], IndexError, "out of bounds"),
    ],
)
def test_bad_indices(index: Any, error: type[Exception], message: str) -> None:
    tensor = torch.zeros(2, 3)
    with pytest.raises(error, match=message):
        tensor[index]
    with pytest.raises(error, match=message):
        tensor[index] = 1


def test_a_zero_dim_tensor_has_no_index() -> None:
    with pytest.raises(IndexError, match="invalid index of a 0-dim tensor"):
        torch.tensor(1.0)[0]


def test_mask_of_another_shape_is_refused() -> None:
    with pytest.raises(IndexError, match="shape of the mask"):
        torch.zeros(2, 3)[torch.ones(2, 2, dtype=torch.bool)]


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
@pytest.mark.parametrize("width", [1, 15, 16, 37])
def test_rows_of_half_types_are_combined_at_every_width(dtype: torch.dtype, width: int) -> None:
    """Columns next to the rows keep their NaNs."""
    torch.manual_seed(0)
    room = torch.full((5, width + 2), torch.nan, dtype=dtype)
    rows = room[:, 1:-1]
    index = torch.tensor([4, 0, 2])
    start, source = torch.randn(5, width).to(dtype), torch.randn(3, width).to(dtype)
    for action, combine in (
        ("sum", torch.add),
        ("prod", torch.mul),
        ("amax", torch.maximum),
        ("amin", torch.minimum),
    ):
        rows.copy_(start)
        if action == "sum":
            rows.index_add_(0, index, source)
        else:
            rows.index_reduce_(0, index, source, action)
        expected = start.clone()
        expected[index] = combine(start[index], source)
        assert torch.equal(rows, expected)
        assert room[:, [0, -1]].isnan().all()


@pytest.mark.parametrize("dim", [0, 1, 2])
def test_slices_of_any_dimension_are_written_in_order(dim: int) -> None:
    """The last of several slices for one place stays; sums have all of them."""
    torch.manual_seed(0)
    shape = [5, 6, 7]
    start = torch.randn(shape)
    index = torch.tensor([3, 0, 3, 1, 3, 0])
    shape[dim] = len(index)
    source = torch.randn(shape)
    copied, added, filled = start.clone(), start.clone(), start.clone()
    for place, position in enumerate(index.tolist()):
        copied.select(dim, position).copy_(source.select(dim, place))
        added.select(dim, position).add_(source.select(dim, place))
        filled.select(dim, position).fill_(2)
    assert torch.equal(start.index_copy(dim, index, source), copied)
    assert torch.equal(start.index_add(dim, index, source), added)
    assert torch.equal(start.index_fill(dim, index, 2), filled)
    by_index = start.transpose(0, dim).clone().transpose(0, dim)
    by_index.transpose(0, dim)[index] = source.transpose(0, dim)
    assert torch.equal(by_index, copied)


def test_short_indices_are_broadcast() -> None:
    x = torch.arange(64.0 * 48).reshape(64, 48)
    rows, columns = torch.arange(-32, 32), torch.arange(47, -1, -1)
    expected = x.roll(32, 0).flip(1)
    assert torch.equal(x[rows[:, None], columns], expected)
    y = torch.zeros(64, 48)
    y[rows[:, None], columns] = expected
    assert torch.equal(y, x)
    with pytest.raises(IndexError, match="index 48 is out of bounds for dimension 1 with size 48"):
        x[rows[:, None], columns + 1]


@pytest.mark.parametrize("position", [-13, 12])
def test_positions_of_elements_are_checked(position: int) -> None:
    x = torch.arange(12.0).reshape(3, 4)
    assert torch.take(x, torch.tensor([[0, 11], [-1, -12]])).tolist() == [[0, 11], [11, 0]]
    assert torch.take(x, torch.tensor([3, 1])).tolist() == [3, 1]
    assert torch.take(x, torch.empty(0, dtype=torch.int64)).shape == (0,)
    for index in (torch.tensor([0, position]), torch.tensor(position)):
        with pytest.raises(IndexError, match=f"tried to access index {position}"):
            torch.take(x, index)
        with pytest.raises(IndexError, match=f"tried to access index {position}"):
            torch.put(x, index, torch.zeros(index.shape))


@pytest.mark.parametrize("again", [False, True])
@pytest.mark.parametrize("length", [0, 1, 2, 6])
def test_pairs_of_elements(length: int, again: bool) -> None:
    choose = itertools.combinations_with_replacement if again else itertools.combinations
    x = torch.arange(length) * 2
    found = torch.combinations(x, with_replacement=again)
    assert found.tolist() == [list(pair) for pair in choose(x.tolist(), 2)]
    assert found.shape[1] == 2
