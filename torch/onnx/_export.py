"""torch.onnx.export: trace a module with torch.fx, run it once for the sizes, and translate each call.

What a module computes from sizes is evaluated with the example's, so only dimensions that are named as dynamic may
change later.
"""

from __future__ import annotations

import operator
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any

import torch
from torch import fx
from torch.onnx._model import ELEMENT_TYPES, GraphBuilder, proto, serialize
from torch.onnx._operators import FUNCTIONS, LAYERS, tensor_of

LATEST_OPSET = 20
FIRST_OPSET = 18


class ONNXProgram:
    """A model of ONNX that torch.onnx.export made.

    Args:
        model: The parts of the model.

    Example:
        >>> torch.onnx.export(nn.ReLU(), torch.ones(2)).save("relu.onnx")  # doctest: +SKIP
    """

    def __init__(self, model: Mapping[str, Any]) -> None:
        self._model = model

    @property
    def model_proto(self) -> Any:
        """The model as an onnx.ModelProto; needs the package `onnx`."""
        return proto(self._model)

    def save(self, destination: str | os.PathLike[str] | IO[bytes]) -> None:
        """Write the model to a file.

        Args:
            destination: The path of the file, or an open file.
        """
        data = serialize(self._model)
        if isinstance(destination, (str, os.PathLike)):
            Path(destination).write_bytes(data)
        else:
            destination.write(data)


class _Values(fx.Interpreter):
    """Runs the traced module and keeps the value of every node."""

    def run_node(self, n: fx.Node) -> Any:
        """Run a node and record its result."""
        result = super().run_node(n)
        n.meta["value"] = result
        return result


class _Call:
    """One call of the traced module, as the rules of torch.onnx._operators see it."""

    def __init__(self, exporter: _Exporter, node: fx.Node, name: str) -> None:
        self._exporter = exporter
        self._node = node
        self.name = name
        self.result = node.meta["value"]

    def value(self, name: str) -> torch.Tensor:
        """Return what a value of the graph was in the example."""
        return self._exporter.example[name]

    def emit(self, op: str, *inputs: Any, **attributes: Any) -> str:
        """Add an operator; numbers among its inputs become tensors of the first tensor's dtype."""
        builder = self._exporter.builder
        like = next((self.value(i) for i in inputs if isinstance(i, str) and i), self.result)
        names = [i if isinstance(i, str) else builder.constant(tensor_of(i, like)) for i in inputs]
        output = builder.node(op, names, **attributes)
        # A later number takes the dtype of what was emitted; only the last result has the final shape.
        self._exporter.example[output] = like if op != "Cast" else self.result
        return output

    def parameter(self, name: str) -> str:
        """Return the name of a parameter or buffer of the layer."""
        return self._exporter.tensor(f"{self._node.target}.{name}")

    def scalar(self, value: float, dtype: torch.dtype) -> str:
        """Return the name of a number as a tensor."""
        return self._exporter.builder.constant(torch.tensor(value, dtype=dtype))

    def integers(self, values: Sequence[int]) -> str:
        """Return the name of a list of integers, such as axes."""
        return self._exporter.builder.constant(torch.tensor(list(values), dtype=torch.int64))

    def reshape(self, input: str, sizes: Sequence[int]) -> str:
        """Change the shape; a size that equals the input's dynamic one in its place follows it."""
        dynamic = self._exporter.dynamic_sizes
        source = list(self.value(input).shape)
        wanted = [
            0 if i < len(source) and size == source[i] and size in dynamic else size
            for i, size in enumerate(sizes)
        ]
        return self.emit("Reshape", input, self.integers(wanted))

    def element_type(self, dtype: torch.dtype) -> int:
        return ELEMENT_TYPES[dtype]

    def unsupported(self, what: str) -> Exception:
        """Return the error for a call that has no equal in ONNX."""
        return torch.onnx.OnnxExporterError(f"{self._node.format_node()}: {what} is not supported")


class _Exporter:
    """Translates the nodes of one traced module."""

    def __init__(self, traced: fx.GraphModule, opset: int, dynamic_sizes: set[int]) -> None:
        self.builder = GraphBuilder(opset)
        self.traced = traced
        self.dynamic_sizes = dynamic_sizes
        self.example: dict[str, torch.Tensor] = {}
        self._names: dict[fx.Node, str] = {}
        self._tensors: dict[str, str] = {}

    def input(self, node: fx.Node, wanted: str) -> str:
        """Give an input its name."""
        name = self.builder.name(wanted)
        self._define(node, name)
        return name

    def tensor(self, path: str) -> str:
        """Return the name of a parameter or buffer, which becomes a constant of the graph."""
        if path not in self._tensors:
            value = operator.attrgetter(path)(self.traced)
            self._tensors[path] = self.builder.constant(value, path)
            self.example[self._tensors[path]] = value
        return self._tensors[path]

    def translate(self, node: fx.Node) -> None:
        """Add the operators of one node; arguments other than tensors are constants."""
        if not isinstance(node.meta.get("value"), torch.Tensor):
            return
        if node.op == "get_attr":
            self._define(node, self.tensor(str(node.target)))
            return
        name = getattr(node.target, "__name__", str(node.target))
        if node.op == "call_module":
            layer = self.traced.get_submodule(str(node.target))
            rule, name = LAYERS.get(type(layer)), type(layer).__name__
            arguments: tuple[Any, ...] = (layer, *self._resolved(node.args))
        else:
            rule, arguments = FUNCTIONS.get(name), self._resolved(node.args)
        call = _Call(self, node, name)
        if rule is None:
            raise call.unsupported(f"{name!r}")
        try:
            result = rule(call, *arguments, **self._resolved(node.kwargs))
        except TypeError as error:
            raise call.unsupported(f"this way of calling {name!r} ({error})") from error
        self._define(node, result)

    def _define(self, node: fx.Node, name: str) -> None:
        self._names[node] = name
        self.example[name] = node.meta["value"]

    def _resolved(self, value: Any) -> Any:
        """Replace nodes by the names of their results, or by their constant values."""
        return fx.node.map_arg(value, lambda n: self._names.get(n, n.meta["value"]))

    def outputs(self, node: fx.Node, names: Sequence[str]) -> list[str]:
        """Return the names of the results, which get the given names."""
        results = node.args[0] if isinstance(node.args[0], (tuple, list)) else (node.args[0],)
        return [
            self.builder.node("Identity", [self._names[result]], self.builder.name(wanted))
            for result, wanted in zip(results, names, strict=False)
        ]


def export_module(
    model: torch.nn.Module,
    args: Any,
    *,
    input_names: Sequence[str],
    output_names: Sequence[str],
    opset: int,
    dynamic_axes: Mapping[str, Any],
) -> ONNXProgram:
    """Return the model of ONNX that computes what the module does in evaluation mode."""
    if not FIRST_OPSET <= opset <= LATEST_OPSET:
        raise torch.onnx.OnnxExporterError(
            f"opset_version must be between {FIRST_OPSET} and {LATEST_OPSET}, not {opset}"
        )
    args = tuple(args) if isinstance(args, (tuple, list)) else (args,)
    was_training = model.training
    model.eval()
    try:
        traced = fx.symbolic_trace(model)
        with torch.no_grad():
            result = _Values(traced).run(*args)
    finally:
        model.train(was_training)
    results = result if isinstance(result, (tuple, list)) else (result,)
    nodes = list(traced.graph.nodes)
    inputs = [
        n for n in nodes if n.op == "placeholder" and isinstance(n.meta["value"], torch.Tensor)
    ]
    names = [*input_names, *(str(n.target) for n in inputs[len(input_names) :])]
    axes = {name: _axes(value) for name, value in dynamic_axes.items()}
    sizes = {
        node.meta["value"].shape[axis]
        for name, node in zip(names, inputs, strict=True)
        for axis in axes.get(name, ())
    }
    exporter = _Exporter(traced, opset, sizes)
    given = [exporter.input(node, name) for node, name in zip(inputs, names, strict=True)]
    for node in nodes:
        if node.op not in ("placeholder", "output"):
            exporter.translate(node)
    wanted = [*output_names, *(f"output_{i}" for i in range(len(output_names), len(results)))]
    made = exporter.outputs(nodes[-1], wanted)
    return ONNXProgram(
        exporter.builder.model(
            [
                _value(n, node.meta["value"], axes.get(n, {}))
                for n, node in zip(given, inputs, strict=True)
            ],
            [_value(n, value, axes.get(n, {})) for n, value in zip(made, results, strict=True)],
        )
    )


def _axes(value: Any) -> dict[int, str]:
    return dict(value) if isinstance(value, Mapping) else {axis: f"dim_{axis}" for axis in value}


def _value(name: str, tensor: torch.Tensor, axes: Mapping[int, str]) -> tuple:
    sizes = [axes.get(i, size) for i, size in enumerate(tensor.shape)]
    return name, ELEMENT_TYPES[tensor.dtype], sizes
