"""Build the graph of a call, which is traced for it."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator, Mapping
from typing import Any

import torch
from torch.jit._graph._ir import Graph, Value
from torch.jit._graph._lowering import Lowering
from torch.jit._graph._types import TensorType
from torch.jit._torchscript._statements import Statements
from torch.jit._torchscript._traced_modules import record_call, tensor_attributes
from torch.nn.modules.module import Module


def trace_graph(function: Any, args: Any, kwargs: Mapping[str, Any] | None) -> tuple[Graph, Any]:
    """Return the graph of a call, whose inputs are the tensors given and the state, and its result."""
    inputs = args if isinstance(args, tuple) else (args,)
    if kwargs:
        inputs = _by_position(function, inputs, kwargs)
    attributes = tensor_attributes(function) if isinstance(function, Module) else []
    texts = {id(tensor): text for tensor, text in attributes}
    constants: list[torch.Tensor] = []
    statements = Statements(constants, texts)
    call = record_call(function, inputs, statements)
    state = _unique_state(function)
    graph = Graph()
    values = _argument_values(graph, call.parameters, inputs)
    values |= {
        texts[key]: graph.addInput(None, TensorType.create_from_tensor(tensor))
        for key, tensor in state.items()
    }
    others = {text: tensor for tensor, text in attributes if id(tensor) not in state}
    lowering = Lowering(graph, statements.facts, constants, values, others)
    lowering.statements(ast.parse("\n".join(statements.lines)).body)
    leaves = [lowering.value(each) for each in _leaves(ast.parse(call.returned, mode="eval").body)]
    graph.registerOutput(leaves[0] if len(leaves) == 1 else lowering.tuple(leaves))
    graph.eliminate_dead_code()
    return graph, call.result


def _by_position(
    function: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> tuple[Any, ...]:
    bound = inspect.signature(getattr(function, "forward", function)).bind(*args, **kwargs)
    return bound.args


def _unique_state(function: Any) -> dict[int, torch.Tensor]:
    """Return the tensors of a module's state by their ids, each once."""
    state = function.state_dict(keep_vars=True) if isinstance(function, Module) else {}
    return {id(each): each for each in state.values() if isinstance(each, torch.Tensor)}


def _argument_values(
    graph: Graph, parameters: list[str], inputs: tuple[Any, ...]
) -> dict[str, Value]:
    """Add an input for each tensor of the arguments, and return them by their expressions."""
    values = {}
    for parameter, given in zip(parameters, inputs, strict=True):
        for text, tensor in _tensors(given, parameter):
            name = text if text.isidentifier() else None
            values[text] = graph.addInput(name, TensorType.create_from_tensor(tensor))
    return values


def _tensors(value: Any, text: str) -> Iterator[tuple[str, torch.Tensor]]:
    if isinstance(value, torch.Tensor):
        yield text, value
    elif isinstance(value, (list, tuple)):
        for number, each in enumerate(value):
            yield from _tensors(each, f"{text}[{number}]")
    else:
        for key, each in value.items():
            yield from _tensors(each, f"{text}[{key!r}]")


def _leaves(node: ast.expr) -> Iterator[ast.expr]:
    """Return the tensors of a result that may be nested."""
    match node:
        case ast.Tuple(elts=items) | ast.List(elts=items) | ast.Dict(values=items):
            for item in items:
                yield from _leaves(item)
        case _:
            yield node
