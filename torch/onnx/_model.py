"""A model of ONNX while it is built: nodes, constants and values, and its bytes.

The parts are those that torch/csrc/onnx/protobuf/model.cpp reads.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import _C

IR_VERSION = 8
ELEMENT_TYPES = {
    torch.float32: 1, torch.uint8: 2, torch.int8: 3, torch.int16: 5, torch.int32: 6, torch.int64: 7,
    torch.bool: 9, torch.float16: 10, torch.float64: 11, torch.bfloat16: 16,
}  # fmt: skip
"""TensorProto.DataType of each dtype."""


class GraphBuilder:
    """Collects the parts of a graph, and makes names for its values.

    Args:
        opset: The version of the operators.
    """

    def __init__(self, opset: int) -> None:
        self.opset = opset
        self.nodes: list[tuple[str, str, list[str], list[str], dict[str, Any]]] = []
        self.initializers: dict[str, torch.Tensor] = {}
        self._names: set[str] = set()

    def name(self, wanted: str) -> str:
        """Return a name that no value of the graph has."""
        name, number = wanted, 0
        while name in self._names:
            number += 1
            name = f"{wanted}_{number}"
        self._names.add(name)
        return name

    def node(self, op: str, inputs: Sequence[str], output: str = "", **attributes: Any) -> str:
        """Add a call of an operator and return the name of its one result."""
        output = output or self.name(op.lower())
        self.nodes.append((op, f"node_{output}", list(inputs), [output], attributes))
        return output

    def constant(self, value: torch.Tensor, wanted: str = "constant") -> str:
        """Add a tensor and return its name."""
        name = self.name(wanted)
        self.initializers[name] = value.detach()
        return name

    def model(self, inputs: Sequence[tuple], outputs: Sequence[tuple]) -> dict[str, Any]:
        """Return the model; each value is (name, element type, sizes or names of dimensions)."""
        tensors = [
            (name, ELEMENT_TYPES[tensor.dtype], list(tensor.shape), _bytes(tensor))
            for name, tensor in self.initializers.items()
        ]
        graph = {
            "name": "main_graph",
            "nodes": self.nodes,
            "initializers": tensors,
            "inputs": list(inputs),
            "outputs": list(outputs),
        }
        return {
            "ir_version": IR_VERSION,
            "opset": self.opset,
            "producer": "pytorch",
            "graph": graph,
        }


def _bytes(tensor: torch.Tensor) -> bytes:
    flat = tensor.cpu().contiguous().reshape(-1)
    return bytes(flat.view(torch.uint8).numpy()) if flat.numel() else b""


def serialize(model: Mapping[str, Any]) -> bytes:
    """Return the model's bytes, from the build's own writer or else from the package `onnx`.

    Raises:
        ImportError: If there is neither.
    """
    if hasattr(_C._onnx, "_serialize_model"):
        return _C._onnx._serialize_model(model)
    return proto(model).SerializeToString()


def proto(model: Mapping[str, Any]) -> Any:
    """Return the model as an onnx.ModelProto of the package `onnx`."""
    import onnx
    from onnx import helper

    graph = model["graph"]
    made = helper.make_graph(
        [
            helper.make_node(op, inputs, outputs, name=name, **attributes)
            for op, name, inputs, outputs, attributes in graph["nodes"]
        ],
        graph["name"],
        [helper.make_tensor_value_info(*value) for value in graph["inputs"]],
        [helper.make_tensor_value_info(*value) for value in graph["outputs"]],
        [helper.make_tensor(*tensor, raw=True) for tensor in graph["initializers"]],
    )
    return helper.make_model(
        made,
        producer_name=model["producer"],
        ir_version=model["ir_version"],
        opset_imports=[onnx.OperatorSetIdProto(version=model["opset"])],
    )
