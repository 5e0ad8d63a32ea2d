"""Passes of torch.fx that sort, match, divide and fuse graphs."""

from __future__ import annotations

import operator
import random
from typing import Any

import pytest

import torch
from torch import fx, nn
from torch.fx.annotate import annotate
from torch.fx.passes import graph_drawer
from torch.fx.passes.fake_tensor_prop import FakeTensorProp
from torch.fx.passes.infra.partitioner import CapabilityBasedPartitioner
from torch.fx.passes.operator_support import OperatorSupport, OpSupports, create_op_support
from torch.fx.passes.pass_manager import PassManager, this_before_that_pass_constraint
from torch.fx.passes.shape_prop import ShapeProp
from torch.fx.passes.split_utils import split_by_tags
from torch.fx.passes.tools_common import CALLABLE_NODE_OPS, legalize_graph, stable_topological_sort
from torch.fx.passes.utils import compare_graphs
from torch.fx.passes.utils.fuser_utils import validate_partition
from torch.fx.passes.utils.matcher_utils import SubgraphMatcher
from torch.fx.tensor_type import Dyn, TensorType, is_consistent, is_more_precise

FUNCTIONS = {
    "torch.relu": torch.relu,
    "torch.neg": torch.neg,
    "torch.sin": torch.sin,
    "torch.frexp": torch.frexp,
    "_operator.add": operator.add,
}


def random_module(seed: int) -> fx.GraphModule:
    """Return a module of functions that take each other's results, all of one shape."""
    choose = random.Random(seed)
    graph = fx.Graph()
    values = [graph.placeholder("x"), graph.placeholder("y")]
    for _ in range(14):
        function = choose.choice(list(FUNCTIONS.values()))
        arguments = [choose.choice(values)]
        if function is operator.add:
            arguments.append(choose.choice(values))
        node = graph.call_function(function, tuple(arguments))
        if function is torch.frexp:
            parts = [graph.call_function(operator.getitem, (node, i)) for i in range(2)]
            values += [parts[0], graph.call_function(torch.sin, (parts[1],))]
        else:
            values.append(node)
    graph.output(tuple(value for value in values if not value.users))
    return fx.GraphModule(nn.Module(), graph)


def support_of(names: list[str]) -> Any:
    table = OperatorSupport(dict.fromkeys([*names, "_operator.getitem"]))
    return create_op_support(
        lambda modules, node: (
            node.op in CALLABLE_NODE_OPS and table.is_node_supported(modules, node)
        )
    )


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("skip_horizontal_fusion", [False, True])
def test_fused_modules_compute_the_same(seed: int, skip_horizontal_fusion: bool) -> None:
    names = random.Random(seed).sample(list(FUNCTIONS), 3)
    module = random_module(seed)
    x, y = torch.arange(4.0), torch.ones(4)
    expected = module(x, y)
    partitioner = CapabilityBasedPartitioner(
        module,
        support_of(names),
        allows_single_node_partition=bool(seed % 2),
        skip_horizontal_fusion=skip_horizontal_fusion,
    )
    partitions = partitioner.propose_partitions()
    assert all(validate_partition(p.nodes) for p in partitions)
    fused = partitioner.fuse_partitions(partitions)
    fused.graph.lint()
    calls = [node for node in fused.graph.nodes if node.op == "call_module"]
    assert len(calls) == len(partitions)
    for one, other in zip(fused(x, y), expected, strict=True):
        assert torch.equal(one, other)


def test_partitions_have_no_path_that_leaves_and_returns() -> None:
    traced = fx.symbolic_trace(lambda x: torch.relu(x) + torch.sin(torch.relu(torch.neg(x))))
    partitioner = CapabilityBasedPartitioner(
        traced, support_of(["torch.relu", "torch.neg", "_operator.add"])
    )
    names = [sorted(node.name for node in p.nodes) for p in partitioner.propose_partitions()]
    # With `relu` in the second part, too, the two would need results of each other.
    assert all(not {"add", "neg"} <= set(found) for found in names)


def test_support_depends_on_dtypes() -> None:
    traced = fx.symbolic_trace(lambda x: torch.relu(x))
    relu = list(traced.graph.nodes)[1]
    for dtype, expected in ((torch.float32, True), (torch.float64, False)):
        ShapeProp(traced).propagate(torch.ones(2, dtype=dtype))
        table = OperatorSupport({"torch.relu": (((torch.float32,),), {})})
        assert table.is_node_supported({}, relu) is expected
        declined = OpSupports.decline_if_input_dtype(torch.float64)
        assert declined.is_node_supported({}, relu) is expected


@pytest.mark.parametrize("sort", [legalize_graph, stable_topological_sort])
def test_nodes_come_after_their_inputs(sort: Any) -> None:
    module = random_module(3)
    x, y = torch.arange(4.0), torch.ones(4)
    expected = module(x, y)
    nodes = list(module.graph.nodes)
    for node in nodes[2:-1]:
        nodes[2].prepend(node)  # the reverse order
    sort(module).graph.lint()
    assert all(map(torch.equal, module(x, y), expected))


def test_cycles_are_errors() -> None:
    traced = fx.symbolic_trace(lambda x: torch.neg(torch.relu(x)))
    _, relu, neg, _ = traced.graph.nodes
    relu.args = (neg,)
    with pytest.raises(RuntimeError, match="cycles"):
        stable_topological_sort(traced)


def test_patterns_are_found_with_what_their_nodes_stand_for() -> None:
    pattern = fx.symbolic_trace(lambda a, b: torch.relu(a) + b)
    traced = fx.symbolic_trace(lambda x, y: (torch.relu(x) + y) * (torch.relu(y) + 2))
    found = SubgraphMatcher(pattern.graph).match(traced.graph)
    assert len(found) == 2
    assert {str(match.returning_nodes) for match in found} == {"[add]", "[add_1]"}
    used_twice = fx.symbolic_trace(lambda x, y: (lambda r: (r + y) * r)(torch.relu(x)))
    assert not SubgraphMatcher(pattern.graph).match(used_twice.graph)


def test_literals_must_agree_unless_ignored() -> None:
    pattern = fx.symbolic_trace(lambda a: torch.relu(a) + 1)
    traced = fx.symbolic_trace(lambda a: torch.relu(a) + 2)
    assert not compare_graphs(pattern.graph, traced.graph)
    assert SubgraphMatcher(pattern.graph, ignore_literals=True).match(traced.graph)


def test_dead_code_is_no_pattern() -> None:
    def unused(a: Any) -> Any:
        torch.neg(a)
        return torch.relu(a)

    with pytest.raises(ValueError, match="dead code"):
        SubgraphMatcher(fx.symbolic_trace(unused).graph)


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(3, 3))
        self.scale = nn.Parameter(torch.ones(3))

    def forward(self, x: Any) -> Any:
        first = self.body(x)
        second = first * self.scale
        return second + first, torch.relu(second)


def test_graphs_are_divided_by_tags() -> None:
    model = Model()
    traced = fx.symbolic_trace(model)
    for node in traced.graph.nodes:
        if node.op in CALLABLE_NODE_OPS:
            node.tag = "first" if node.name in ("body_0", "mul") else "second"
    divided, names = split_by_tags(traced, ["first", "second"], return_fqn_mapping=True)
    assert names == {"body.0": "first.body.0", "scale": "first.scale"}
    x = torch.ones(2, 3)
    assert all(map(torch.equal, divided(x), model(x)))
    with pytest.raises(AssertionError, match="order must be"):
        split_by_tags(traced, ["second", "first"])


def test_shapes_are_found_on_the_device_meta() -> None:
    traced = fx.symbolic_trace(Model())
    FakeTensorProp(traced).propagate(torch.ones(2, 3))
    relu = next(node for node in traced.graph.nodes if node.name == "relu")
    assert relu.meta["val"].device.type == "meta"
    assert relu.meta["tensor_meta"].shape == (2, 3)


def test_constraints_of_passes_are_checked() -> None:
    manager = PassManager([abs, int], [this_before_that_pass_constraint(int, abs)])
    with pytest.raises(RuntimeError, match="pass schedule constraint violated"):
        manager(1)


def test_drawing_needs_pydot(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graph_drawer, "pydot", None)
    with pytest.raises(RuntimeError, match="requires the pydot package"):
        graph_drawer.FxGraphDrawer(fx.symbolic_trace(nn.ReLU()), "relu")


def test_values_are_annotated_once() -> None:
    with pytest.raises(RuntimeError, match="already had a type"):
        fx.symbolic_trace(lambda x: annotate(annotate(x + 1, int), int))


def test_types_of_tensors() -> None:
    some, known = TensorType((1, Dyn)), TensorType((1, 2))
    assert is_consistent(some, known) and is_consistent(known, some)
    assert is_more_precise(known, some) and not is_more_precise(some, known)
    assert not is_consistent(TensorType((1,)), known)
    assert str(TensorType[1, Dyn]) == "TensorType[(1, Dyn)]"
