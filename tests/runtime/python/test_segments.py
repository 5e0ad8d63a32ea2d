"""segment_reduce and grouped_mm: what each segment, or each group, gives by itself."""

from __future__ import annotations

from typing import Any

import pytest

import torch
import torch.nn.functional as F

LENGTHS = [2, 0, 3, 1]
REDUCTIONS = {
    "sum": torch.sum,
    "mean": torch.mean,
    "prod": torch.prod,
    "max": torch.max,
    "min": torch.min,
}


def parts(data: torch.Tensor) -> list[torch.Tensor]:
    return list(data.split(LENGTHS))


@pytest.mark.parametrize("reduce", REDUCTIONS)
def test_each_segment_is_reduced(reduce: str) -> None:
    torch.manual_seed(0)
    data = torch.randn(6, dtype=torch.float64, requires_grad=True)
    found = torch.segment_reduce(data, reduce, lengths=torch.tensor(LENGTHS))
    starts = torch.tensor([0, *LENGTHS]).cumsum(0)
    assert torch.equal(
        found.nan_to_num(), torch.segment_reduce(data, reduce, offsets=starts).nan_to_num()
    )
    expected = [REDUCTIONS[reduce](part) for part in parts(data) if len(part)]
    torch.testing.assert_close(found[[0, 2, 3]], torch.stack(expected))
    factors = torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64)
    ours = torch.autograd.grad(found[[0, 2, 3]] @ factors, data)
    theirs = torch.autograd.grad(torch.stack(expected) @ factors, data)
    torch.testing.assert_close(ours, theirs)


@pytest.mark.parametrize(
    ("reduce", "initial", "expected"),
    [
        ("max", None, [1, 1, 0, 0, 0.5, 0.5]),
        ("max", 5.0, [0, 1, 0, 0, 0.5, 0.5]),
        ("min", 1.0, [1, 1, 0, 0, 0, 0]),
        ("prod", 2.0, [2, 6, float("nan"), 50, 40, 40]),
    ],
)
def test_gradients_of_nan_and_of_ties_with_initial(
    reduce: str, initial: float | None, expected: list[float]
) -> None:
    data = torch.tensor([1, float("nan"), 3, 4, 5, 5], dtype=torch.float64, requires_grad=True)
    found = torch.segment_reduce(data, reduce, lengths=torch.tensor([1, 2, 3, 0]), initial=initial)
    (grad,) = torch.autograd.grad(found.sum(), data)
    torch.testing.assert_close(grad, torch.tensor(expected, dtype=torch.float64), equal_nan=True)


def test_gradients_of_products_with_zeros() -> None:
    torch.manual_seed(0)
    data = torch.tensor([0.0, 2.0, 3.0, 4.0, 0.0, 5.0], dtype=torch.float64, requires_grad=True)

    def product(values: torch.Tensor) -> torch.Tensor:
        return torch.segment_reduce(values, "prod", lengths=torch.tensor([3, 3]))

    assert torch.autograd.grad(product(data).sum(), data)[0].tolist() == [6, 0, 0, 0, 20, 0]
    assert torch.autograd.gradgradcheck(product, data)


def test_segments_without_elements() -> None:
    data, lengths = torch.tensor([1.0, 2.0]), torch.tensor([0, 2])

    def first(reduce: str, **arguments: Any) -> float:
        return torch.segment_reduce(data, reduce, lengths=lengths, **arguments)[0].item()

    assert [first(r) for r in ("sum", "prod", "max", "min")] == [0, 1, float("-inf"), float("inf")]
    assert str(first("mean")) == "nan"
    assert {first(r, initial=3.0) for r in REDUCTIONS} == {3.0}
    assert torch.segment_reduce(data, "mean", lengths=lengths, initial=3.0)[1] == 3.0


def test_segments_of_rows_and_of_further_dimensions() -> None:
    data = torch.arange(12.0)
    rows = torch.segment_reduce(data.view(6, 2), "sum", lengths=torch.tensor([2, 4]))
    assert rows.tolist() == [[2.0, 4.0], [28.0, 32.0]]
    lengths = torch.tensor([[2, 4], [3, 3]])
    found = torch.segment_reduce(data.view(2, 6), "max", lengths=lengths, axis=1)
    assert found.tolist() == [[1.0, 5.0], [8.0, 11.0]]
    assert torch.equal(
        torch.segment_reduce(data.view(2, 6), "max", lengths=lengths, axis=-1), found
    )
    short = torch.segment_reduce(
        data.view(2, 6), "sum", lengths=torch.tensor([[1, 1], [2, 3]]), axis=1, unsafe=True
    )
    assert short.tolist() == [[0.0, 1.0], [13.0, 27.0]]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"reduce": "sum", "lengths": torch.tensor([2, 3])}, "Expected all rows of lengths"),
        ({"reduce": "most", "lengths": torch.tensor([6])}, "must be either sum, prod, mean"),
        ({"reduce": "sum"}, "Either lengths or offsets must be defined"),
        ({"reduce": "sum", "lengths": torch.tensor([-1, 7])}, "contains negative value"),
        ({"reduce": "sum", "indices": torch.zeros(6)}, "indices based reduction"),
        ({"reduce": "sum", "lengths": torch.tensor([[6]])}, "last dimension of lengths"),
    ],
)
def test_segments_that_do_not_fit(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(RuntimeError, match=message):
        torch.segment_reduce(torch.ones(6), **arguments)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_products_of_groups(dtype: torch.dtype) -> None:
    torch.manual_seed(0)
    ends = torch.tensor([2, 2, 5], dtype=torch.int32)
    tokens, experts = torch.randn(6, 4).to(dtype), torch.randn(3, 4, 2).to(dtype)
    found = F.grouped_mm(tokens, experts, offs=ends)
    expected = torch.cat(
        [tokens[:2] @ experts[0], tokens[2:5] @ experts[2], torch.zeros(1, 2, dtype=dtype)]
    )
    torch.testing.assert_close(found, expected)
    assert torch.equal(torch._grouped_mm(tokens, experts, ends), found)
    columns = F.grouped_mm(experts.mT, tokens.mT, offs=ends)
    torch.testing.assert_close(columns, expected.mT)
    left, right = torch.randn(2, 6).to(dtype), torch.randn(6, 3).to(dtype)
    sums = F.grouped_mm(left, right, offs=ends)
    torch.testing.assert_close(sums[2], left[:, 2:5] @ right[2:5])
    assert sums.shape == (3, 2, 3) and not sums[1].any()
    torch.testing.assert_close(F.grouped_mm(experts, experts.mT), experts @ experts.mT)


def test_gradients_of_groups() -> None:
    tokens = torch.randn(5, 4, requires_grad=True)
    experts = torch.randn(2, 4, 3, requires_grad=True)
    ends = torch.tensor([3, 5], dtype=torch.int32)
    plain = torch.cat([tokens[:3] @ experts[0], tokens[3:] @ experts[1]])
    weights = torch.randn(5, 3)
    ours = torch.autograd.grad(
        (F.grouped_mm(tokens, experts, offs=ends) * weights).sum(), (tokens, experts)
    )
    theirs = torch.autograd.grad((plain * weights).sum(), (tokens, experts))
    torch.testing.assert_close(ours, theirs)


@pytest.mark.parametrize(
    ("a", "b", "ends", "message"),
    [
        ((4,), (4, 2), None, "mat_a has to be 2 or 3d"),
        ((6, 3), (2, 4, 2), [1, 6], "contraction dimension"),
        ((6, 4), (2, 4, 2), None, "Have to provide offsets"),
        ((2, 6, 4), (2, 4, 2), [1, 6], "Have to provide offsets"),
        ((6, 4), (3, 4, 2), [1, 6], "matrix batch sizes have to match"),
        ((2, 6, 4), (3, 4, 2), None, "batched dimension has to match"),
        ((6, 4), (2, 4, 2), [3, 2], "must not decrease"),
        ((6, 4), (2, 4, 2), [3, 7], "end at most at 6"),
    ],
)
def test_groups_that_do_not_fit(
    a: tuple[int, ...], b: tuple[int, ...], ends: list[int] | None, message: str
) -> None:
    offs = None if ends is None else torch.tensor(ends, dtype=torch.int32)
    with pytest.raises(RuntimeError, match=message):
        F.grouped_mm(torch.ones(a), torch.ones(b), offs=offs)
