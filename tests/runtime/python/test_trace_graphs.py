"""The graphs of traces have PyTorch's nodes, values, types and attributes."""

from __future__ import annotations

import io
import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="the package is not built: python setup.py develop")

from torch import nn  # noqa: E402

PEER = os.environ.get("TORCH_PEER")
needs_peer = pytest.mark.skipif(
    not PEER, reason="set TORCH_PEER to a Python that has torch==2.13.0"
)

# Describes graphs by what does not depend on how values are numbered.
DESCRIBE = """
import json
import re
import torch
from torch import nn

def described(value):
    text = re.sub("requires_grad=[01], ", "", value.type().str())  # PyTorch forgets it at times
    return [value.type().kind(), text, value.isCompleteTensor()]

def operators(graph):
    return [
        [node.kind(), [described(v) for v in node.inputs()], [described(v) for v in node.outputs()]]
        for node in graph.nodes()
        if node.kind().startswith("aten::")
    ]

def constants(graph):
    return [
        [v.toIValue() for v in node.inputs() if v.node().kind() == "prim::Constant"]
        for node in graph.nodes()
        if node.kind() in ("aten::_convolution", "aten::flatten", "aten::lstm")
    ]

class Chunks(nn.Module):
    def forward(self, pair, scale):
        first, second = pair[0].chunk(2, 1)
        return torch.cat([first, second]) * scale, pair[1].softmax(-1)

torch.manual_seed(0)
image = torch.randn(2, 3, 4, 4)
cases = {
    "convolution": (
        nn.Sequential(
            nn.Conv2d(3, 4, 3, padding=1), nn.BatchNorm2d(4), nn.ReLU(), nn.Flatten(), nn.Linear(64, 5)
        ).eval(),
        (image,),
    ),
    "same": (nn.Conv1d(3, 4, 3, padding="same"), (torch.randn(2, 3, 5),)),
    "transposed": (nn.ConvTranspose2d(3, 4, 3, 2), (image,)),
    "lstm": (nn.LSTM(3, 4, 2), (torch.randn(5, 2, 3), (torch.zeros(2, 2, 4), torch.zeros(2, 2, 4)))),
    "lists": (Chunks(), ([torch.randn(2, 4), torch.randn(3)], torch.ones(2))),
    "shared": (nn.Sequential(*[nn.Linear(2, 2)] * 2), (torch.ones(1, 2),)),
}
found = {}
for name, (module, inputs) in cases.items():
    graph, result = torch.jit._get_trace_graph(module, inputs)
    found[name] = {
        "operators": operators(graph),
        "constants": constants(graph),
        "inputs": [[*described(value), value.requires_grad()] for value in graph.inputs()],
        "outputs": [described(value) for value in graph.outputs()],
    }
"""


@pytest.fixture(scope="module")
def graphs() -> Any:
    names: dict[str, Any] = {}
    exec(DESCRIBE, names)
    return names["found"]


@needs_peer
def test_graphs_are_those_of_pytorch(graphs: Any, tmp_path: Path) -> None:
    done = subprocess.run(
        [str(PEER), "-W", "ignore", "-c", DESCRIBE + "print(json.dumps(found))"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    expected = json.loads(done.stdout)
    for name, graph in expected.items():
        for part, value in graph.items():
            assert json.loads(json.dumps(graphs[name][part])) == value, (name, part)


def linear_graph() -> Any:
    return torch.jit._get_trace_graph(nn.Linear(2, 3), (torch.ones(1, 2),))[0]


def test_inputs_are_the_arguments_and_the_state() -> None:
    sizes = [value.type().sizes() for value in linear_graph().inputs()]
    assert sizes == [[1, 2], [3, 2], [3]]


def test_the_result_of_the_call_is_returned() -> None:
    module = nn.Linear(2, 3)
    _, result, inputs = torch.jit._get_trace_graph(module, (torch.ones(1, 2),), return_inputs=True)
    torch.testing.assert_close(result, module(*inputs))


def test_arguments_may_be_given_by_name() -> None:
    graph, _ = torch.jit._get_trace_graph(nn.Linear(2, 3), (), {"input": torch.ones(4, 2)})
    assert next(graph.outputs()).type().sizes() == [4, 3]


def test_hooks_name_the_scopes_of_nodes() -> None:
    module = nn.Sequential(nn.Linear(2, 3), nn.ReLU())

    def enter(child: Any, inputs: Any) -> None:
        torch._C._get_tracing_state().push_scope(type(child).__name__)

    def leave(child: Any, inputs: Any, result: Any) -> None:
        torch._C._get_tracing_state().pop_scope()

    for child in module.modules():
        child.register_forward_pre_hook(enter)
        child.register_forward_hook(leave)
    graph, _ = torch.jit._get_trace_graph(module, (torch.ones(1, 2),))
    scopes = {node.kind(): node.scopeName() for node in graph.nodes()}
    assert scopes == {"aten::linear": "Sequential/Linear", "aten::relu": "Sequential/ReLU"}
    assert torch._C._get_tracing_state() is None


def test_text_shows_types_and_scopes() -> None:
    traced = torch.jit.trace(nn.Linear(2, 3), torch.ones(1, 2))
    text = str(traced.graph)
    assert text.startswith(
        "graph(%self : __torch__.torch.nn.modules.linear.Linear,\n      %input : "
    )
    assert 'Tensor = prim::GetAttr[name="weight"](%self)' in text
    assert (
        "Float(1, 3, strides=[3, 1], requires_grad=1, device=cpu) = aten::linear(%input, " in text
    )
    assert str(traced.inlined_graph) == text


def test_a_function_has_a_graph() -> None:
    traced = torch.jit.trace(lambda x: (x * 2.5, -x), torch.ones(2))
    kinds = [node.kind() for node in traced.graph.nodes()]
    assert kinds[0] == "prim::Constant"
    assert kinds[-1] == "prim::TupleConstruct"


def test_a_loaded_program_has_a_graph_without_sizes() -> None:
    buffer = io.BytesIO()
    torch.jit.save(torch.jit.trace(nn.Linear(2, 3), torch.ones(1, 2)), buffer)
    buffer.seek(0)
    node = torch.jit.load(buffer).graph.findNode("aten::linear")
    assert node.output().type().sizes() is None
    assert not node.output().isCompleteTensor()


def test_attributes_have_kinds() -> None:
    graph = torch.jit.trace(lambda x: x.sum(0), torch.ones(2)).graph
    node = graph.findNode("prim::Constant")
    assert (node.attributeNames(), node.kindOf("value"), node.i("value")) == (["value"], "i", 0)
    with pytest.raises(RuntimeError, match="attribute 'value' has the wrong type"):
        node.s("value")
    with pytest.raises(RuntimeError, match="attribute 'other' is undefined"):
        node.kindOf("other")


def test_a_node_with_several_inputs_has_no_single_input() -> None:
    node = linear_graph().findNode("aten::linear")
    with pytest.raises(RuntimeError, match="Tried to access a single input on node 'aten::linear'"):
        node.input()
    assert node.namedInput("bias").type().sizes() == [3]


def test_values_can_be_replaced_and_nodes_taken_out() -> None:
    graph = torch.jit._get_trace_graph(nn.ReLU(), (torch.ones(2),))[0]
    node = graph.findNode("aten::relu")
    with pytest.raises(RuntimeError, match="its outputs are used"):
        node.destroy()
    node.output().replaceAllUsesWith(node.input())
    node.destroy()
    assert list(graph.nodes()) == []
    assert next(graph.outputs()) is next(graph.inputs())


def test_unused_sizes_are_left_out() -> None:
    def unused(x: Any) -> Any:
        x.size(0) * 2
        return x.relu()

    graph, _ = torch.jit._get_trace_graph(unused, (torch.ones(2),))
    assert [node.kind() for node in graph.nodes()] == ["aten::relu"]


def test_other_arguments_are_refused() -> None:
    with pytest.raises(RuntimeError, match="Type 'int' cannot be traced"):
        torch.jit._get_trace_graph(lambda x, n: x + n, (torch.ones(2), 3))


def test_the_classes_have_public_names() -> None:
    graph = linear_graph()
    value = next(graph.inputs())
    assert isinstance(graph, torch._C.Graph)
    assert isinstance(value, torch._C.Value)
    assert isinstance(value.node(), torch._C.Node)
    assert isinstance(value.type(), torch._C.TensorType)
    assert value.type().isSubtypeOf(torch._C.AnyType.get())
