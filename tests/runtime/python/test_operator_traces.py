"""make_fx records the operators below autograd; the recorded module computes the same for other inputs."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import pytest

import torch
from torch import Tensor, nn
from torch._decomp import core_aten_decompositions
from torch.fx.experimental import proxy_tensor
from torch.fx.experimental.proxy_tensor import make_fx
from torch.utils import _pytree as pytree
from torch.utils._python_dispatch import TorchDispatchMode


def targets(module: torch.fx.GraphModule) -> list[str]:
    """The operators of a graph."""
    return [str(node.target) for node in module.graph.nodes if node.op == "call_function"]


def in_place(x: Tensor) -> Tensor:
    y = x * 2
    y[0].add_(1)
    y.view(-1)[3:].mul_(x.sum())
    return y


def gradient_of_a_loss(x: Tensor) -> Tensor:
    leaf = x.detach().requires_grad_()
    loss = torch.nn.functional.cross_entropy(leaf.tanh() @ leaf.T, torch.tensor([0, 1, 0]))
    return torch.autograd.grad(loss, leaf)[0]


def second_derivative(x: Tensor) -> Tensor:
    leaf = x.detach().requires_grad_()
    (first,) = torch.autograd.grad((leaf**3).sum(), leaf, create_graph=True)
    return torch.autograd.grad(first.sum(), leaf)[0]


def step_of_gradient_descent(x: Tensor) -> Tensor:
    weight = x.clone().requires_grad_()
    (weight.exp() * weight).sum().backward()
    with torch.no_grad():
        weight -= 0.1 * weight.grad
    return weight.detach()


FUNCTIONS: dict[str, Callable[[Tensor], Any]] = {
    "in place": in_place,
    "several results": lambda x: [tuple(x.max(dim=1)), {"parts": x.split(2)}, 3],
    "new tensors": lambda x: torch.ones(4) + torch.zeros_like(x) + x.new_full((4,), 2.0),
    "gradient": gradient_of_a_loss,
    "second derivative": second_derivative,
    "gradient descent": step_of_gradient_descent,
    "torch.func.grad": torch.func.grad(lambda x: x.sin().prod()),
    "torch.func.vmap": torch.func.vmap(lambda x: x.softmax(0) @ x),
    "torch.func.jacrev": torch.func.jacrev(lambda x: x.exp().sum(1)),
    "detached data": lambda x: x.data + x.detach(),
    "attention": lambda x: torch.nn.functional.scaled_dot_product_attention(
        x[None], x[None], x[None]
    ),
    "indices": lambda x: x[:, 1:] + x[torch.tensor([0, 2]), 1].sum(),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_recorded_module_computes_the_same(name: str) -> None:
    function = FUNCTIONS[name]
    torch.manual_seed(0)
    module = make_fx(function)(torch.randn(3, 4))
    other = torch.randn(3, 4)
    found, expected = module(other.clone()), function(other.clone())
    torch.testing.assert_close(pytree.tree_leaves(found), pytree.tree_leaves(expected))
    assert pytree.tree_structure(found) == pytree.tree_structure(expected)


def test_code_reads_as_pytorchs() -> None:
    def function(x: Tensor, y: Tensor) -> Tensor:
        return torch.softmax(torch.relu(x @ y), -1).sum()

    code = make_fx(function)(torch.ones(2, 3), torch.ones(3, 2)).code.strip().splitlines()
    assert [line.strip() for line in code] == [
        "def forward(self, x_1, y_1):",
        "mm = torch.ops.aten.mm.default(x_1, y_1);  x_1 = y_1 = None",
        "relu = torch.ops.aten.relu.default(mm);  mm = None",
        "_softmax = torch.ops.aten._softmax.default(relu, -1, False);  relu = None",
        "sum_1 = torch.ops.aten.sum.default(_softmax);  _softmax = None",
        "return sum_1",
    ]


def test_parameters_and_tensors_are_constants_of_the_module() -> None:
    linear, offset = nn.Linear(4, 2), torch.randn(2)
    module = make_fx(lambda x: linear(x) + offset)(torch.ones(1, 4))
    assert dict(module.named_parameters()).keys() == {"_param_constant0", "_param_constant1"}
    assert module._tensor_constant0 is offset
    x = torch.randn(3, 4)
    torch.testing.assert_close(make_fx(linear)(x)(x), linear(x))


def test_nested_arguments_keep_their_structure() -> None:
    linear = nn.Linear(4, 2)

    def function(parameters: dict[str, Tensor], batch: tuple[Tensor, Tensor]) -> dict[str, Any]:
        result = torch.func.functional_call(linear, parameters, (batch[0],))
        return {"loss": (result - batch[1]).square().mean(), "result": result}

    given = dict(linear.named_parameters()), (torch.randn(3, 4), torch.randn(3, 2))
    module = make_fx(function)(*given)
    assert not list(module.parameters())
    assert "fx_pytree.tree_flatten_spec([parameters, batch], self._in_spec)" in module.code
    other = (
        {k: torch.randn_like(v) for k, v in given[0].items()},
        (torch.ones(5, 4), torch.ones(5, 2)),
    )
    for traced in (module, copy.deepcopy(module), torch.fx.Interpreter(module).run):
        torch.testing.assert_close(traced(*other), function(*other))
    with pytest.raises(ValueError, match="recorded with inputs like"):
        module(other[0], (torch.ones(5, 4),))


def test_decompositions_replace_operators() -> None:
    x = torch.randn(2, 3)
    plain, simple = (
        make_fx(nn.functional.silu, decomposition_table=table)(x)
        for table in (None, core_aten_decompositions())
    )
    assert targets(plain) == ["aten.silu.default"]
    assert targets(simple) == ["aten.sigmoid.default", "aten.mul.Tensor"]
    torch.testing.assert_close(simple(x), plain(x))


def test_nodes_know_the_shapes_of_their_values() -> None:
    module = make_fx(lambda x: x.sum(0, keepdim=True).int())(torch.ones(2, 3))
    last = list(module.graph.nodes)[-2]
    assert last.meta["tensor_meta"].shape == last.meta["val"].shape == (1, 3)
    assert last.meta["tensor_meta"].dtype == last.meta["val"].dtype == torch.int32


@pytest.mark.parametrize("read", ["item", "tolist", "__float__", "__bool__", "__index__", "numpy"])
def test_reading_a_traced_number_is_refused(read: str) -> None:
    kind = torch.int64 if read == "__index__" else torch.float32
    with pytest.raises(RuntimeError, match="get value out of a tracing tensor"):
        make_fx(lambda x: getattr(x.sum(), read)())(torch.ones(2, dtype=kind))
    assert make_fx(lambda x: x + torch.tensor(2.0).item())(torch.ones(1))(torch.ones(1)).item() == 3


def test_what_cannot_be_recorded_is_refused() -> None:
    with pytest.raises(NotImplementedError, match="symbolic"):
        make_fx(torch.neg, tracing_mode="symbolic")
    with pytest.raises(NotImplementedError, match="pre_dispatch"):
        make_fx(torch.neg, pre_dispatch=True)
    with pytest.raises(AssertionError, match="Unexpected tracing type: other"):
        make_fx(torch.neg, tracing_mode="other")


def test_modes_can_be_found_and_left() -> None:
    seen: list[Any] = []
    one = torch.ones(1)

    def function(x: Tensor) -> Tensor:
        seen.append(proxy_tensor.get_proxy_mode())
        with proxy_tensor.disable_proxy_modes_tracing():
            seen.append(proxy_tensor.get_proxy_mode())
            hidden = torch.ones(2) * 3
        inner = proxy_tensor.get_isolated_graphmodule(torch.exp, (one,), {})
        seen.append(targets(inner))
        return x + hidden

    module = make_fx(function)(torch.zeros(2))
    assert isinstance(seen[0], proxy_tensor.ProxyTorchDispatchMode)
    assert seen[1:] == [None, ["aten.exp.default"]]
    assert targets(module) == ["aten.add.Tensor"]
    assert proxy_tensor.get_proxy_mode() is None


def test_recorded_modules_can_be_pickled() -> None:
    x = torch.randn(2, 2)
    module = make_fx(lambda x: torch.relu(x) @ x)(x)
    again = pickle.loads(pickle.dumps(module))
    torch.testing.assert_close(again(x), module(x))


def test_vmap_runs_inside_of_a_function_mode() -> None:
    class Passing(torch.overrides.BaseTorchFunctionMode):
        pass

    with Passing():
        result = torch.vmap(torch.sum)(torch.ones(2, 3))
    assert result.tolist() == [3.0, 3.0]


def mutated_constant(x: torch.Tensor) -> Any:
    """Change a tensor that the program creates itself."""
    created = torch.tensor([3.0, 4.0])
    first = created[0]
    created.mul_(2)
    return x + created, first


def test_tensors_that_a_program_creates_and_changes_are_created_in_each_run() -> None:
    module, x = make_fx(mutated_constant)(torch.zeros(2)), torch.ones(2)
    for _ in range(2):
        total, first = module(x)
        assert total.tolist() == [7, 9] and first == 6
    assert "lift_fresh_copy" in module.code
    module = make_fx(lambda x: x + torch.as_tensor([1.0]).add_(1))(x)
    assert [module(x).tolist() for _ in range(2)] == [[3, 3]] * 2


def test_modes_see_the_creation_of_tensors() -> None:
    seen = []

    class Seen(TorchDispatchMode):
        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:  # fmt: skip
            seen.append(str(func))
            return func(*args, **(kwargs or {}))

    x = torch.ones(1)
    with Seen():
        torch.tensor([1.0])
        torch.as_tensor([1.0])
        torch.asarray([1.0])
        x.new_tensor([1.0])
        torch.as_tensor(x)
    assert seen == ["aten.lift_fresh.default"] * 4
