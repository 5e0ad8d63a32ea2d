"""Operators as they were in old versions: each upgrader does what the operator did then."""

from __future__ import annotations

import json
import os
import subprocess

import pytest

torch = pytest.importorskip("torch", reason="the package is not built: python setup.py develop")

from torch import _C  # noqa: E402
from torch.fx.experimental.proxy_tensor import make_fx  # noqa: E402
from torch.fx.passes._operator_versions import upgrade_graph  # noqa: E402
from torch.jit._upgraders import find_upgrader, version_of  # noqa: E402

INTEGERS = torch.tensor([7, -7, 9]), torch.tensor([2, 2, -2])
FLOATS = INTEGERS[0].float(), INTEGERS[1].float()
TRUNCATED = torch.tensor([3, -3, -4])
EXACT = torch.tensor([3.5, -3.5, -4.5])
MODES = {None: EXACT, "trunc": TRUNCATED, "floor": torch.tensor([3, -4, -5])}


def old(operator: str, version: int):
    found = find_upgrader(operator, version)
    assert found is not None, f"{operator} has no upgrader for {version}"
    return found.program


def same(actual: torch.Tensor, expected: torch.Tensor) -> None:
    torch.testing.assert_close(actual, expected, rtol=0, atol=0)


@pytest.mark.parametrize("version", [0, 3])
def test_division_of_integers_was_truncated(version: int) -> None:
    same(old("aten::div.Tensor", version)(*INTEGERS), TRUNCATED)
    same(old("aten::div.Scalar", version)(INTEGERS[0], 2), torch.tensor([3, -3, 4]))
    same(old("aten::div.Scalar", version)(INTEGERS[0], 2.0), torch.tensor([3.5, -3.5, 4.5]))
    for dtype, expected in ((torch.int64, TRUNCATED), (torch.float32, EXACT)):
        out = torch.empty(3, dtype=dtype)
        assert old("aten::div.out", version)(*INTEGERS, out=out) is out
        same(out, expected)
    for name, other in (("Tensor", INTEGERS[1]), ("Scalar", 2)):
        x = INTEGERS[0].clone()
        assert old(f"aten::div_.{name}", version)(x, other) is x
        same(x, torch.div(INTEGERS[0], other, rounding_mode="trunc"))


def test_division_of_floating_point_numbers_was_exact() -> None:
    same(old("aten::div.Tensor", 3)(*FLOATS), EXACT)
    same(old("aten::div.Tensor", 3)(FLOATS[0], INTEGERS[1]), EXACT)
    same(old("aten::div_.Tensor", 3)(FLOATS[0].clone(), INTEGERS[1]), EXACT)
    same(old("aten::div_.Scalar", 3)(FLOATS[0].clone(), 2), torch.tensor([3.5, -3.5, 4.5]))


@pytest.mark.parametrize("mode", MODES)
def test_division_with_a_rounding_mode_has_not_changed(mode: str | None) -> None:
    same(old("aten::div.Tensor_mode", 3)(*INTEGERS, rounding_mode=mode), MODES[mode])
    out = torch.empty(3)
    same(old("aten::div.out_mode", 3)(*INTEGERS, rounding_mode=mode, out=out), MODES[mode].float())
    by_two = torch.div(INTEGERS[0], 2, rounding_mode=mode)
    same(old("aten::div.Scalar_mode", 3)(INTEGERS[0], 2, rounding_mode=mode), by_two)
    x = FLOATS[0].clone()
    same(old("aten::div_.Tensor_mode", 3)(x, INTEGERS[1], rounding_mode=mode), MODES[mode].float())
    x = FLOATS[0].clone()
    same(old("aten::div_.Scalar_mode", 3)(x, 2, rounding_mode=mode), by_two.float())


def test_full_without_a_dtype_was_floating_point() -> None:
    options = {"dtype": None, "layout": None, "device": None, "pin_memory": None}
    full = old("aten::full", 4)
    same(full([2], 3, **options), torch.tensor([3.0, 3.0]))
    same(full([2], True, **options), torch.tensor([1.0, 1.0]))
    same(full([2], 3, **{**options, "dtype": torch.int64}), torch.tensor([3, 3]))
    out = torch.empty(2)
    assert old("aten::full.out", 4)([2], 3, out=out) is out
    same(out, torch.tensor([3.0, 3.0]))


@pytest.mark.parametrize(
    ("name", "version", "more"), [("linspace", 7, ()), ("logspace", 8, (2.0,))]
)
def test_ranges_had_a_hundred_steps(name: str, version: int, more: tuple[float, ...]) -> None:
    options = {"dtype": None, "layout": None, "device": None, "pin_memory": None}
    function = getattr(torch, name)
    program = old(f"aten::{name}", version)
    same(program(0, 1, None, *more, **options), function(0, 1, 100, *more))
    same(program(0, 1, 5, *more, **options), function(0, 1, 5, *more))
    out = torch.empty(0)
    same(old(f"aten::{name}.out", version)(0, 1, None, *more, out=out), function(0, 1, 100, *more))


def test_gelu_was_exact() -> None:
    x = torch.linspace(-2, 2, 9)
    same(old("aten::gelu", 9)(x), torch.nn.functional.gelu(x))
    out = torch.empty(9)
    same(old("aten::gelu.out", 9)(x, out=out), torch.nn.functional.gelu(x))


@pytest.mark.parametrize(
    ("operator", "version"), [("aten::div.Tensor", 4), ("aten::mul.Tensor", 0)]
)
def test_operators_that_have_not_changed_since_are_not_replaced(
    operator: str, version: int
) -> None:
    assert find_upgrader(operator, version) is None


def test_versions() -> None:
    assert version_of("aten::div.Tensor") == 4 and version_of("aten::mul.Tensor") == 0
    assert _C._get_max_operator_version() == 10
    (found,) = _C._get_upgrader_ranges("aten::gelu")
    assert (found.min_version, found.max_version) == (0, 9)
    assert _C._get_upgrader_ranges("aten::mul.Tensor") == []
    assert _C._get_upgraders_map_size() == len(_C._get_upgraders_entry_map()) == 18
    assert _C._get_upgraders_entry_map()["gelu_0_9"].startswith("def gelu_0_9(self):")


def test_graphs_of_an_old_version_compute_what_they_computed() -> None:
    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return a / b + torch.full([3], 1)

    graph = make_fx(program)(*INTEGERS)
    same(graph(*INTEGERS), EXACT + 1)
    same(upgrade_graph(graph, 3)(*INTEGERS), TRUNCATED + torch.ones(3))
    fresh = make_fx(program)(*INTEGERS)
    same(upgrade_graph(fresh, 10)(*INTEGERS), EXACT + 1)


PEER = """
import json, torch
found = torch._C._get_operator_version_map()
print(json.dumps({k: [(e.bumped_at_version, e.upgrader_name, str(torch._C.parse_schema(e.old_schema)))
                      for e in v] for k, v in found.items()}))
"""


@pytest.mark.peer
def test_versions_and_old_schemas_are_those_of_pytorch() -> None:
    peer = os.environ.get("TORCH_PEER")
    if not peer:
        pytest.skip("set TORCH_PEER to a Python that has torch 2.13.0")
    found = subprocess.run(
        [peer, "-W", "ignore", "-c", PEER], capture_output=True, text=True, check=True, cwd="/"
    )
    theirs = json.loads(found.stdout)
    ours = {
        operator: [
            [e.bumped_at_version, e.upgrader_name, str(_C.parse_schema(e.old_schema))]
            for e in entries
        ]
        for operator, entries in _C._get_operator_version_map().items()
    }
    assert set(ours) == set(theirs)
    # PyTorch prints 10.0 as "10.", and its old schema of gelu.out says nothing of the result.
    for entries in theirs.values():
        entries[0][2] = entries[0][2].replace("=10.,", "=10.0,")
    assert [name for name in ours if ours[name] != theirs[name]] == ["aten::gelu.out"]
