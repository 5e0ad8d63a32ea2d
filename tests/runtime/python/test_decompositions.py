"""torch._decomp: each decomposition computes what the operator's kernel computes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

import torch
from samples import TABLE, Operator
from torch import _decomp
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_map

NATIVE = Path(__file__).parents[3] / "aten/src/ATen/native/native_functions.yaml"
# Draws other numbers than the kernel, or writes to arguments that were already written to.
UNCOMPARED = {"aten::native_dropout", "aten::detach"}


class Comparison(TorchDispatchMode):
    """Compares the decomposition of every operator that is called with its kernel."""

    def __init__(self, table: Mapping[Any, Callable[..., Any]]) -> None:
        super().__init__()
        self.table = table
        self.compared: set[str] = set()

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        kwargs = kwargs or {}
        decomposition = self.table.get(func)
        given = args, kwargs
        if func._schema.is_mutable:  # the decomposition gets what the kernel gets
            given = tree_map(lambda x: x.clone() if isinstance(x, torch.Tensor) else x, given)
        expected = func(*args, **kwargs)
        if decomposition is not None and func.name() not in UNCOMPARED:
            try:
                found = decomposition(*given[0], **given[1])
            except Exception as error:
                raise AssertionError(
                    f"the decomposition of {func.name()} fails: {error}"
                ) from error
            assert_same(found, expected, func.name())
            self.compared.add(func.name())
        return expected


def assert_same(found: Any, expected: Any, name: str) -> None:
    if isinstance(expected, (list, tuple)):
        assert len(found) == len(expected), name
        for one, other in zip(found, expected, strict=True):
            assert_same(one, other, name)
    elif isinstance(expected, torch.Tensor) and expected.numel() + expected.dim():
        assert found is not None and found.dtype == expected.dtype, name
        assert found.shape == expected.shape, name
        low = expected.dtype in (torch.float16, torch.bfloat16)
        scale = 0.02 if low else 1e-4
        torch.testing.assert_close(
            found, expected, rtol=scale, atol=scale, equal_nan=True, msg=lambda m: f"{name}: {m}"
        )


def leaf(value: Any) -> Any:
    differentiable = isinstance(value, torch.Tensor) and value.is_floating_point()
    return value.detach().clone().requires_grad_() if differentiable else value


def _call(operator: Operator, sample: Any, differentiated: slice) -> None:
    chosen = range(len(sample.args))[differentiated]
    args = [tree_map(leaf, x) if i in chosen else x for i, x in enumerate(sample.args)]
    result = operator.function()(*args, **sample.kwargs)
    for each in result if isinstance(result, (list, tuple)) else [result]:
        if isinstance(each, torch.Tensor) and each.grad_fn is not None:
            each.backward(torch.ones_like(each), retain_graph=True)


def run_samples(operator: Operator, dtype: str, seen: Comparison) -> None:
    """Call the operator with as many gradients as it has."""
    for sample in operator.make(dtype)[:6]:
        for differentiated in (slice(None), slice(1), slice(0)):
            try:
                _call(operator, sample, differentiated)
            except (RuntimeError, ValueError, IndexError, NotImplementedError):
                continue
            with seen:
                _call(operator, sample, differentiated)
            break


def _groups() -> Iterator[Any]:
    rows = [operator for operator in TABLE if not operator.random]
    for start in range(0, len(rows), 40):
        yield pytest.param(rows[start : start + 40], id=rows[start].title)


@pytest.mark.slow
@pytest.mark.parametrize("operators", list(_groups()))
@pytest.mark.filterwarnings("ignore")
def test_decompositions_compute_what_kernels_do(operators: list[Operator]) -> None:
    seen = Comparison(_decomp.decomposition_table)
    for operator in operators:
        for dtype in dict.fromkeys((operator.dtypes[0], operator.dtypes[-1])):
            run_samples(operator, dtype, seen)


def _x(*shape: int) -> torch.Tensor:
    return torch.linspace(-2, 2, max(1, torch.Size(shape).numel())).reshape(shape)


NAN = torch.tensor([[1.0, float("nan")], [float("-inf"), 2.0]])
# Operators that decompose by themselves before a mode sees them, and forms that write.
DIRECT: dict[str, tuple[Any, ...]] = {
    "count_nonzero.dim_IntList": (_x(2, 3).relu(), [0]),
    "deg2rad": (_x(3),),
    "detach": (_x(2, 2),),
    "diagonal_backward": (_x(3), [3, 4], 1, 0, 1),
    "fill.Scalar": (_x(2), 3),
    "fill.Tensor": (_x(2), torch.tensor(3)),
    "logit": (_x(3).sigmoid(), 0.3),
    "masked_fill.Tensor": (_x(4), _x(4) > 0, torch.tensor(7)),
    "nansum": (NAN, [0], True),
    "rad2deg": (_x(3),),
    "rsub.Scalar": (_x(3), 2, 3),
    "select_backward": (_x(3), [2, 3], 0, 1),
    "slice_backward": (_x(2, 3), [2, 8], 1, 0, 9, 3),
    "unfold_backward": (_x(3, 4), [8], 0, 4, 2),
    "xlogy.Scalar_Other": (_x(3).relu(), 2.0),
    "xlogy.Scalar_Self": (0.0, NAN),
    "addcmul_": (_x(4), _x(4), _x(4)),
    "lerp_.Scalar": (_x(4), _x(4) + 1, 0.25),
    "hardtanh_": (_x(4), -1, 1),
}


def _overload(name: str) -> Any:
    base, _, overload = name.partition(".")
    return getattr(getattr(torch.ops.aten, base), overload or "default")


@pytest.mark.parametrize("name", DIRECT)
def test_decomposition_called_directly(name: str) -> None:
    overload = _overload(name)
    given = tree_map(lambda x: x.clone() if isinstance(x, torch.Tensor) else x, DIRECT[name])
    found = _decomp.decomposition_table[overload](*given)
    assert_same(found, overload(*DIRECT[name]), name)


def test_out_form_resizes_and_casts() -> None:
    overload = torch.ops.aten.lerp.Scalar_out
    out = torch.empty(0, dtype=torch.float64)
    found = _decomp.decomposition_table[overload](_x(4), _x(4) + 1, 0.25, out=out)
    assert found is out and out.tolist() == torch.lerp(_x(4), _x(4) + 1, 0.25).double().tolist()


def _tags(entry: dict[str, Any]) -> list[str]:
    tags = entry.get("tags", [])
    return [tags] if isinstance(tags, str) else tags


def test_core_decompositions_leave_the_core_set_alone() -> None:
    entries = yaml.safe_load(NATIVE.read_text())
    core = {
        f"aten::{entry['func'].partition('(')[0]}" for entry in entries if "core" in _tags(entry)
    }
    table = _decomp.core_aten_decompositions()
    rest = {overload.name() for overload in _decomp.decomposition_table if overload not in table}
    assert rest == core & {overload.name() for overload in _decomp.decomposition_table}


def test_tables_are_filled_searched_and_emptied() -> None:
    aten = torch.ops.aten
    found = _decomp.get_decompositions([aten.lerp, aten.mse_loss.default, aten.relu])
    assert {str(each) for each in found} >= {"aten.lerp.Scalar", "aten.mse_loss.default"}
    assert aten.relu.default not in found
    table = dict(found)
    _decomp.remove_decompositions(table, [aten.lerp])
    assert aten.lerp.Tensor not in table and aten.mse_loss.default in table

    own: dict[Any, Any] = {}
    register = _decomp.register_decomposition([aten.sin, aten.cos.default], own)
    register(lambda x: x)
    assert {aten.sin.default, aten.sin.out, aten.cos.default} == set(own)
    with pytest.raises(RuntimeError, match=r"duplicate registrations for aten\.sin"):
        register(lambda x: x)
    with pytest.raises(ValueError, match="no table"):
        _decomp.register_decomposition(aten.sin, type="late")
    with pytest.raises(TypeError, match=r"operator of torch\.ops"):
        _decomp.get_decompositions([torch.sin])  # type: ignore[list-item]
