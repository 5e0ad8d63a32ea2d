"""Passes of torch.fx that fold constants and merge calls, and the normal forms of arguments."""

from __future__ import annotations

import argparse
import dataclasses
import numbers
import operator
import pickle
from typing import Any

import pytest

import torch
from torch import fx, nn
from torch.fx import _pytree as fx_pytree
from torch.fx import subgraph_rewriter
from torch.fx.experimental.const_fold import get_unique_attr_name_in_module, split_const_subgraphs
from torch.fx.experimental.proxy_tensor import make_fx
from torch.fx.experimental.rewriter import RewritingTracer
from torch.fx.operator_schemas import (
    check_for_mutable_operation,
    get_signature_for_torch_op,
    normalize_function,
    normalize_module,
    type_matches,
)
from torch.fx.passes.dialect.common.cse_pass import CSEPass
from torch.fx.passes.infra.pass_base import PassResult
from torch.fx.passes.infra.pass_manager import (
    PassManager,
    pass_result_wrapper,
    this_before_that_pass_constraint,
)
from torch.fx.passes.param_fetch import extract_attrs_for_lowering, lift_lowering_attrs_to_nodes
from torch.fx.passes.split_module import split_module
from torch.fx.tensor_type import Dyn, TensorType
from torch.utils import _pytree as pytree


class Scaled(nn.Module):
    """Several results depend only on parameters."""

    def __init__(self) -> None:
        super().__init__()
        self.a, self.b = nn.Parameter(torch.ones(2)), nn.Parameter(torch.full((2,), 2.0))
        self.linear = nn.Linear(2, 2)

    def forward(self, x: torch.Tensor) -> Any:
        """Return a dictionary."""
        both = self.a + self.b
        return {"y": self.linear(x * both) + both.sum(), "constant": both, "x": x}


def test_constants_are_computed_once_and_read_from_an_attribute() -> None:
    module, x = Scaled(), torch.randn(2)
    folded = split_const_subgraphs(module)
    for _ in range(2):
        found, expected = folded(x), module(x)
        for key in expected:
            assert torch.equal(found[key], expected[key])
    assert len(folded._FX_CONST_FOLDED_ATTRS) == 2
    assert "self.a" in folded.const_subgraph_module.code and "self.a" not in folded.code
    with pytest.raises(AssertionError, match="already been run"):
        folded.run_folding()


def test_skipped_and_absent_constants_stay() -> None:
    skipped = split_const_subgraphs(Scaled(), lambda node: node.target is operator.add)
    assert skipped.const_subgraph_module is None and "self.a" in skipped.code
    assert skipped(torch.ones(2))["constant"].tolist() == [3, 3]


def test_unique_names_of_attributes() -> None:
    traced = fx.symbolic_trace(Scaled())
    assert get_unique_attr_name_in_module(traced, "linear") == "linear_1"
    assert get_unique_attr_name_in_module(traced, "1.x") == "_1_x"


def test_equal_calls_are_merged_unless_they_are_random_or_change_tensors() -> None:
    def program(x: torch.Tensor) -> Any:
        a, b = x.cos() + 1, x.cos() + 1
        return a + b, torch.rand(2), torch.rand(2), x.view(-1), x.view(-1), x + 1, x + 1.0

    traced = make_fx(program)(torch.ones(2))
    merged, modified = CSEPass()(traced)
    names = [node.target.overloadpacket._qualified_op_name.partition("::")[2] for node in merged.graph.nodes if node.op == "call_function"]  # fmt: skip
    assert modified
    assert [names.count(name) for name in ("cos", "rand", "view", "add")] == [1, 2, 1, 4]
    assert not CSEPass()(merged).modified


def test_flags_of_calls_that_differ_in_the_sign_of_zero_are_not_merged() -> None:
    traced = fx.symbolic_trace(lambda x: (x * 0.0, x * -0.0, x * 0.0))
    first, second, third = CSEPass()(traced).graph_module(torch.ones(1))
    assert not torch.signbit(first) and torch.signbit(second) and not torch.signbit(third)


class Checked(nn.Module):
    """Asserts something of its input."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return the input."""
        assert x.sum() > 1, "too small"
        return x * 2


def test_assertions_are_traced() -> None:
    module = nn.Sequential(Checked())
    traced = fx.GraphModule(module, RewritingTracer().trace(module))
    assert traced(torch.ones(2)).tolist() == [2, 2]
    with pytest.raises(AssertionError, match="too small"):
        traced(torch.zeros(2))
    assert type(module[0]) is Checked


def test_attributes_for_lowering() -> None:
    traced = fx.symbolic_trace(nn.Sequential(nn.Conv2d(1, 1, 1), nn.ReLU()))
    lift_lowering_attrs_to_nodes(traced)
    nodes = [node for node in traced.graph.nodes if node.op == "call_module"]
    assert nodes[0].attrs_for_lowering["kernel_size"] == (1, 1)
    with pytest.raises(RuntimeError, match="Tanh is not in the module_fetch_book"):
        extract_attrs_for_lowering(nn.Tanh())


def test_normal_forms_keep_positions_and_name_defaults() -> None:
    one = torch.ones(1)
    function, overload = nn.functional.dropout, torch.ops.aten.sum.dim_IntList
    assert normalize_function(function, (one, 0.3)) == (
        (one, 0.3),
        {"training": True, "inplace": False},
    )
    found = normalize_function(overload, (one, [0]), {"keepdim": True})
    assert found == ((one, [0]), {"keepdim": True, "dtype": None})
    with pytest.raises(RuntimeError, match="the schema match was ambiguous"):
        normalize_function(torch.add, (one, 2))
    found = normalize_function(torch.add, (one, 2), {}, (torch.Tensor, int), {}, True)
    assert found == ((), {"input": one, "other": 2, "alpha": 1})
    with pytest.raises(RuntimeError, match="target x but root did not have that target"):
        normalize_module(nn.Sequential(), "x", ())


def test_signatures_of_operators() -> None:
    (signature,) = get_signature_for_torch_op(torch.ops.aten.conv2d.default)
    assert signature.parameters["stride"].default == [1, 1]
    assert signature.return_annotation is torch.Tensor
    parameters = get_signature_for_torch_op(torch.ops.aten.add.Tensor)[0].parameters
    assert parameters["alpha"].annotation is numbers.Number
    assert get_signature_for_torch_op(len) is None
    assert get_signature_for_torch_op(nn.functional.relu) is None
    with pytest.raises(RuntimeError, match=r"mutable operation aten::relu_\("):
        check_for_mutable_operation(torch.relu_, (torch.ones(1),), {})


def test_tracers_may_refuse_operators_that_change_tensors() -> None:
    tracer = fx.Tracer()
    tracer.check_mutable_operations = True
    tracer.trace(lambda x: torch.relu(x))
    with pytest.raises(RuntimeError, match="Tried to trace mutable operation"):
        tracer.trace(lambda x: torch.relu_(x))


@pytest.mark.parametrize(
    ("wanted", "given", "fits"),
    [
        (int | float, int, True),
        (list[int], tuple[int, int], True),
        (list[int], int, True),
        (list[int], list, False),
        (torch.Tensor, nn.Parameter, True),
        (list[torch.Tensor], list[nn.Parameter], True),
        (int, bool, True),
        (bool, int, False),
        (list[int] | None, type(None), True),
        (list[float], list[int], False),
    ],
)
def test_types_that_fit_parameters(wanted: Any, given: Any, fits: bool) -> None:
    assert type_matches(wanted, given) is fits


def test_inputs_are_flattened_by_the_structure_that_was_recorded(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    spec = pytree.tree_structure({"a": 1, "b": [2, (3,)]})
    assert fx_pytree.tree_flatten_spec({"b": [2, (3,)], "a": 1}, spec) == [1, 2, 3]
    for wrong in ({"a": 1}, {"a": 1, "b": [2]}, 1):
        with pytest.raises(ValueError, match=r"mismatch|the graph was recorded"):
            fx_pytree.tree_flatten_spec(wrong, spec)
    leaf = pytree.tree_structure(0)
    own = pytree.TreeSpec(argparse.Namespace, None, [leaf])
    monkeypatch.setattr(fx_pytree, "SUPPORTED_NODES", {})
    fx_pytree.register_pytree_flatten_spec(argparse.Namespace, lambda tree, spec: [tree.x])
    assert fx_pytree.tree_flatten_spec(argparse.Namespace(x=5), own) == [5]


@pytest.mark.filterwarnings("ignore:.*quantized tensor creation functions:UserWarning")
def test_quantized_dtypes_are_arguments_of_nodes() -> None:
    traced = fx.symbolic_trace(lambda x: torch.quantize_per_tensor(x, 0.1, 0, torch.quint8))
    assert "torch.quint8" in traced.code
    assert traced(torch.ones(1)).dtype is torch.quint8


def test_annotations_with_sizes_are_written_as_expressions() -> None:
    def program(x: Any, y: Any) -> Any:
        return x + y

    program.__annotations__ = {"x": TensorType((1, Dyn)), "y": Dyn}
    traced = fx.symbolic_trace(program)
    assert "x : torch.fx.tensor_type.TensorType((1, torch.fx.tensor_type.Dyn,))" in traced.code
    assert traced(1, 2) == 3 and pickle.loads(pickle.dumps(traced))(1, 2) == 3


def negated(module: fx.GraphModule) -> None:
    """Change a module in place."""
    for node in module.graph.nodes:
        if node.target is torch.relu:
            node.target = torch.neg


def test_passes_that_return_nothing_are_wrapped() -> None:
    traced = fx.symbolic_trace(lambda x: torch.relu(x))
    wrapped = pass_result_wrapper(negated)
    assert wrapped is not None and wrapped.__name__ == "negated"
    module, modified = PassManager([wrapped])(traced)
    module.recompile()
    assert modified and module(torch.ones(1)) == -1
    with pytest.raises(TypeError, match="only take in one variable, a module"):
        PassManager().add_checks(lambda module, other: None)  # type: ignore[arg-type, misc]


def test_errors_of_passes_name_them_and_those_before() -> None:
    def broken(module: fx.GraphModule) -> PassResult:
        raise KeyError("missing")

    traced = fx.symbolic_trace(lambda x: torch.relu(x))
    for failing, error in ((broken, KeyError), (lambda module: None, TypeError)):
        manager = PassManager([CSEPass(), failing])  # type: ignore[list-item]
        with pytest.raises(error, match=rf"'{failing.__name__}' pass after .*'CSEPass'"):
            manager(traced)
    manager = PassManager([])
    manager.add_checks(lambda module: module.no_such_attribute)  # type: ignore[arg-type]
    with pytest.raises(AttributeError):
        manager(traced)


class Activated(nn.Module):
    """Two layers without parameters."""

    def __init__(self, first: nn.Module) -> None:
        super().__init__()
        self.first, self.second = first, nn.ReLU()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Apply both."""
        return self.second(self.first(x))


class Squashed(nn.Module):
    """A layer of another name."""

    def __init__(self) -> None:
        super().__init__()
        self.tanh = nn.Tanh()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Apply it."""
        return self.tanh(x)


def test_submodules_that_a_replacement_leaves_unused_are_deleted() -> None:
    traced = fx.symbolic_trace(Activated(nn.Sigmoid()))
    subgraph_rewriter.replace_pattern(traced, Activated(nn.Sigmoid()), Squashed())
    assert [name for name, _ in traced.named_children()] == ["tanh"]


def test_filters_see_what_inputs_stand_for() -> None:
    def program(x: Any) -> Any:
        return torch.add(torch.add(x, 2), x.neg())

    def number(match: Any, graph: fx.Graph, pattern: fx.Graph) -> bool:
        second = list(pattern.nodes)[1]
        return isinstance(match.nodes_map[second], int)

    traced = fx.symbolic_trace(program)
    replaced = subgraph_rewriter.replace_pattern_with_filters(
        traced, lambda x, y: torch.add(x, y), lambda x, y: torch.mul(x, y), [number]
    )
    assert len(replaced) == 1 and traced(torch.ones(1)) == 1


@pytest.mark.parametrize("ignored", [True, False])
def test_literals_may_be_ignored(ignored: bool) -> None:
    traced = fx.symbolic_trace(lambda x: torch.add(x, 2))
    replaced = subgraph_rewriter.replace_pattern_with_filters(
        traced, lambda x: torch.add(x, 5), lambda x: x * 3, ignore_literals=ignored
    )
    assert len(replaced) == int(ignored)


def test_arguments_match_by_name() -> None:
    pool = torch.ops.aten.max_pool2d_with_indices.default
    traced = fx.symbolic_trace(lambda x: pool(x, [2, 2], stride=[2, 2]))

    def pattern(x: Any, size: Any, stride: Any) -> Any:
        return pool(x, size, stride, padding=[0, 0])

    assert len(subgraph_rewriter.replace_pattern(traced, pattern, pattern)) == 1


def annotated(x: Any) -> Any:
    """Annotate a local name."""
    y: int = x
    return y + 1


def test_annotations_of_local_names_are_traced() -> None:
    placeholder = next(iter(RewritingTracer().trace(annotated).nodes))
    assert placeholder.type is int


def test_passes_in_a_wrong_order_are_refused() -> None:
    first, second = (lambda module: PassResult(module, False) for _ in range(2))
    manager = PassManager([first, second], [this_before_that_pass_constraint(second, first)])
    with pytest.raises(RuntimeError, match="pass schedule constraint violated"):
        manager.validate_constraints()
    manager.solve_constraints()
    manager.validate_constraints()
    assert manager.passes == [second, first]


fx.wrap("len")


def test_wrapped_builtins_keep_their_names() -> None:
    traced = fx.symbolic_trace(lambda x: len(x) + 1)
    assert "len(x)" in traced.code
    assert pickle.loads(pickle.dumps(traced))([1, 2]) == 3


class Explained(nn.Module):
    """Asserts something with a text that is not indented."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return the input."""
        text = """
not indented"""
        assert x.sum() > 1, text
        return x


def test_assertions_of_methods_may_have_texts_of_several_lines() -> None:
    traced = fx.GraphModule(Explained(), RewritingTracer().trace(Explained()))
    with pytest.raises(AssertionError, match="not indented"):
        traced(torch.zeros(1))


def test_parts_of_modules_tell_the_old_names_of_their_layers() -> None:
    traced = fx.symbolic_trace(nn.Sequential(nn.Linear(1, 1), nn.Sequential(nn.ReLU())))
    names: dict[str, str] = {}
    split_module(traced, traced, lambda node: int(node.target == "1.0"), names)
    assert names == {"submod_0.0": "0", "submod_1.1_0": "1.0"}


def test_normalizations_are_folded_into_layers_of_other_dtypes() -> None:
    conv, norm = nn.Conv2d(1, 1, 1, bias=False).bfloat16().eval(), nn.BatchNorm2d(1).eval()
    fused = nn.utils.fuse_conv_bn_eval(conv, norm)
    assert fused.weight.dtype is torch.bfloat16 and fused.bias.dtype is torch.bfloat16
    assert fused(torch.ones(1, 1, 2, 2, dtype=torch.bfloat16)).shape == (1, 1, 2, 2)


@dataclasses.dataclass
class Output:
    """Named results."""

    first: Any
    second: Any


def test_dataclasses_are_results() -> None:
    traced = fx.symbolic_trace(lambda x: Output(x + 1, x * 2))
    assert traced(3) == Output(4, 6)
