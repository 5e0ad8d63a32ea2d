"""torch.fx: inputs that were fixed, indices and lists of proxies, and copies of tracers."""

from __future__ import annotations

import collections
import copy
from typing import Any

import pytest

import torch
from torch import fx, nn
from torch.fx._symbolic_trace import PHWithMeta
from torch.fx.experimental.proxy_tensor import make_fx


class Sum(nn.Module):
    """Has an input that may be absent."""

    def forward(self, x: Any, other: Any = None) -> Any:
        """Add the other input, if there is one."""
        return x if other is None else x + other


@pytest.mark.parametrize("value", [None, 3, True, 1.5])
def test_inputs_that_were_fixed_are_checked(value: Any) -> None:
    traced = fx.symbolic_trace(Sum(), concrete_args={"other": value})
    assert traced(2, value) == (2 if value is None else 2 + value)
    with pytest.raises(AssertionError, match=f"other has been specialized to have value {value}"):
        traced(2, 7)


def test_texts_that_were_fixed_are_checked() -> None:
    def program(x: Any, mode: str) -> Any:
        return x + 1 if mode == "add" else x

    traced = fx.symbolic_trace(program, concrete_args={"mode": "add"})
    assert traced(1, "add") == 2
    with pytest.raises(AssertionError, match="specialized to have value add"):
        traced(1, "keep")


def test_graphs_with_containers_as_inputs_can_be_traced_again() -> None:
    arguments = {"x": {"a": fx.PH, "b": 3}, "y": [fx.PH, 2]}
    traced = fx.symbolic_trace(lambda x, y: x["a"] + y[0], concrete_args=arguments)
    again = fx.symbolic_trace(traced)
    assert again({"a": 1, "b": 3}, [4, 2]) == 5


Point = collections.namedtuple("Point", "x y")


def test_graphs_of_named_tuples_can_be_traced_again() -> None:
    arguments = {"p": Point(fx.PH, fx.PH)}
    traced = fx.symbolic_trace(lambda p: p.x + p.y, concrete_args=arguments)
    assert fx.symbolic_trace(traced)(Point(1, 2)) == 3


def test_fixed_inputs_may_be_empty_containers() -> None:
    traced = fx.symbolic_trace(lambda x, y: y + len(x), concrete_args={"x": []})
    assert traced([], 2) == 2
    assert fx.symbolic_trace(lambda x: 3, concrete_args={"x": {}})({}) == 3
    traced = make_fx(lambda x, y: y + len(x))([], torch.ones(1))
    assert traced([], torch.ones(1)).item() == 1


def test_inputs_that_are_not_fixed_may_have_keys() -> None:
    arguments = {"x": [PHWithMeta("first"), fx.PH]}
    traced = fx.symbolic_trace(lambda x: x[0] + x[1], concrete_args=arguments)
    placeholders = [node for node in traced.graph.nodes if node.op == "placeholder"]
    assert placeholders[0].ph_key == "first" and len(placeholders) == 2
    assert traced([1, 2]) == 3


def test_operators_take_lists_of_proxies() -> None:
    traced = fx.symbolic_trace(lambda x: torch.ops.aten.cat([x, x.sigmoid()]))
    assert traced(torch.zeros(1)).tolist() == [0, 0.5]


@pytest.mark.parametrize("index", ["i", "(0, i)", "(i, slice(1, None))"])
def test_tensors_are_indexed_by_proxies(index: str) -> None:
    matrix = torch.arange(9.0).reshape(3, 3)
    traced = fx.symbolic_trace(lambda i: matrix[eval(index, {"i": i})])
    assert torch.equal(traced(2), matrix[eval(index, {"i": 2})])


@pytest.mark.filterwarnings("ignore:Using a non-tuple sequence")
def test_assignments_by_proxies_are_recorded() -> None:
    def program(i: Any) -> Any:
        result = torch.zeros(3)
        result[i] = 1
        return result

    assert "__setitem__" in fx.symbolic_trace(program).code


def test_copies_of_tracers_and_modules() -> None:
    tracer = fx.Tracer()
    graph = tracer.trace(nn.ReLU())
    assert str(copy.deepcopy(tracer).graph) == str(graph)
    traced = fx.symbolic_trace(nn.ReLU())
    traced.meta["self"] = traced
    copied = copy.deepcopy(traced)
    assert copied.meta["self"] is copied
    replica = traced._replicate_for_data_parallel()
    assert replica(torch.ones(1)) == 1 and replica._is_replica


class Pair(metaclass=fx.ProxyableClassMeta):
    """Has a method that adds."""

    def __init__(self, left: Any) -> None:
        self.left = left

    def plus(self, other: Pair) -> Pair:
        """Return the sum."""
        return Pair(self.left + other.left)


def test_constant_objects_of_proxyable_classes_are_attributes() -> None:
    traced = fx.symbolic_trace(lambda x: x.plus(Pair(2)))
    assert traced(Pair(1)).left == 3


def test_transformers_keep_stack_traces() -> None:
    tracer = fx.Tracer()
    tracer.record_stack_traces = True
    traced = fx.GraphModule(nn.Module(), tracer.trace(lambda a, b: a + b))
    nodes = fx.Transformer(traced).transform().graph.nodes
    assert [bool(node.stack_trace) for node in nodes if node.op == "call_function"] == [True]


def test_nodes_for_attributes_that_do_not_exist_are_warned_about() -> None:
    graph = fx.symbolic_trace(nn.ReLU()).graph
    with pytest.warns(UserWarning, match="get_attr Node with no underlying reference"):
        graph.get_attr("nothing")


def test_the_module_cannot_be_among_variable_arguments() -> None:
    class Variable(nn.Module):
        def forward(*args: Any) -> Any:
            return args[1]

    with pytest.raises(RuntimeError, match=r"cannot be part of \*args expansion"):
        fx.symbolic_trace(Variable())
