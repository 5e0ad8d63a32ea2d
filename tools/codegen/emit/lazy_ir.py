"""The files of a lazy back end: nodes (LazyIr.h), their lowerings, and kernels that record them.

A node owns copies of the call's attributes. Tensors among the arguments are its operands, and
numbers (Scalar) are arguments of the computation that it becomes part of.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, partial

from tools.codegen.api import cpp, dispatcher
from tools.codegen.backends import Backend
from tools.codegen.emit.common import Emitter
from tools.codegen.emit.operators import root_headers
from tools.codegen.emit.shards import shard_count, sharded
from tools.codegen.model import NativeFunction
from tools.codegen.schema import Argument, SchemaKind

_NODES = "LazyIr.h"
_LOWERINGS = "LazyLowering.cpp"
_KERNELS = "LazyNativeFunctions.cpp"
_LOWERING_FAMILY = "LazyLowering"
_KERNEL_FAMILY = "LazyNativeFunctions"
_OPERANDS = {
    "Tensor": "const Value& {}",
    "Tensor?": "const std::optional<Value>& {}",
    "Tensor[]": "const std::vector<Value>& {}",
}
_VALUES = {"Tensor": "Value", "Tensor?": "std::optional<Value>", "Tensor[]": "std::vector<Value>"}
_SCALARS = ("Scalar", "Scalar?")
OWNED_TYPES = {
    "int[]": "std::vector<int64_t>",
    "float[]": "std::vector<double>",
    "int[]?": "std::optional<std::vector<int64_t>>",
    "float[]?": "std::optional<std::vector<double>>",
    "str": "std::string",
    "str?": "std::optional<std::string>",
}
"""What holds a value after the call that passes it, where that is another type; sizes of lists do not matter."""
_PLAIN = frozenset(
    f"{name}{optional}"
    for name in ("bool", "int", "float", "ScalarType", "MemoryFormat")
    for optional in ("", "?")
)


@dataclass(frozen=True)
class LazySettings:
    """The C++ names that the generated files refer to."""

    node_base: str = "torch::lazy::Node"
    node_base_header: str = "torch/csrc/lazy/core/ir.h"
    tensor_header: str = "torch/csrc/lazy/core/tensor.h"
    shape_functions: frozenset[str] = frozenset()
    """Operators' names with a function compute_shape_NAME, which is called for their shapes."""
    shape_header: str = ""
    lowerings: bool = True


def unsupported(function: NativeFunction) -> str:
    """Return why no node can be generated for the operator, or an empty string."""
    func = function.func
    if func.kind is not SchemaKind.functional or func.is_view:
        return "nodes are generated only for functional operators that are not views"
    if function.composite_implicit:
        return "its derivative is that of the operators that it calls; list those"
    if not func.returns or any(str(result.type) != "Tensor" for result in func.returns):
        return "a result is not a tensor"
    for argument in func.arguments.all:
        if not _is_known(kind_of(argument)):
            return f'nodes cannot have the argument "{argument}"'
    return ""


def kind_of(argument: Argument) -> str:
    """Return the argument's type, without the sizes of lists and with SymInt as int."""
    text = str(argument.type).replace("SymInt", "int")
    if text.startswith("bool["):
        return text
    head, bracket, tail = text.partition("[")
    return f"{head}[]{tail.partition(']')[2]}" if bracket else text


def _is_known(kind: str) -> bool:
    return (
        kind in _PLAIN
        or kind in _OPERANDS
        or kind in _SCALARS
        or kind in OWNED_TYPES
        or (kind.startswith("bool[") and kind.endswith("]") and len(kind) > len("bool[]"))
    )


@dataclass(frozen=True)
class _Node:
    """An operator as a class."""

    function: NativeFunction

    @property
    def name(self) -> str:
        """The class's name: `AddTensor` for `add.Tensor`."""
        words = str(self.function.func.name).lower().replace(".", "_").split("_")
        return "".join(word.capitalize() for word in words)

    @cached_property
    def arguments(self) -> tuple[tuple[Argument, str], ...]:
        return tuple((a, kind_of(a)) for a in self.function.func.arguments.all)

    def named(self, wanted: Callable[[str], bool]) -> list[str]:
        return [argument.name for argument, kind in self.arguments if wanted(kind)]

    @property
    def operands(self) -> list[str]:
        return self.named(_OPERANDS.__contains__)

    @property
    def scalars(self) -> list[str]:
        return self.named(_SCALARS.__contains__)

    def parameter(self, argument: Argument, kind: str) -> str:
        if kind in _OPERANDS:
            return _OPERANDS[kind].format(argument.name)
        return f"{cpp.argument_type(argument.type)} {argument.name}"

    @cached_property
    def members(self) -> list[tuple[str, str, str]]:
        """The type, name and initial value of each member."""
        members = []
        for argument, kind in self.arguments:
            name = argument.name
            if kind in ("Tensor?", "Scalar?"):
                members.append(("bool", f"has_{name}", f"{name}.has_value()"))
            elif kind == "Tensor[]":
                members.append(("size_t", f"{name}_count", f"{name}.size()"))
            elif kind in OWNED_TYPES:
                members.append((OWNED_TYPES[kind], name, f"torch::lazy::owned({name})"))
            elif kind not in ("Tensor", "Scalar"):
                members.append((cpp.argument_type(argument.type), name, name))
        return members

    def text(self, name: str) -> str:
        return f'torch::lazy::attribute_text("{name}", {name})'

    def taken(self, argument: Argument, kind: str) -> str:
        """Return the statement that takes an argument of the call, or an empty string."""
        name = argument.name
        expressions = {
            "Tensor": "tensor()",
            "Tensor?": f"optional_tensor(has_{name})",
            "Tensor[]": f"tensor_list({name}_count)",
            "Scalar": "scalar()",
            "Scalar?": f"optional_scalar(has_{name})",
        }
        return f"const auto {name} = arguments.{expressions[kind]};" if kind in expressions else ""


def lazy_tensor(emitter: Emitter, backend: Backend, settings: LazySettings) -> None:
    """Emit the nodes, their lowerings, and the kernels that record them."""
    nodes = [_Node(f) for f in (*backend.full_codegen, *backend.ir_gen)]
    kernels = [_Node(f) for f in backend.full_codegen]
    facts = (repr(backend), repr(settings))
    functions = [node.function for node in nodes]
    emitter.file(
        _NODES, _NODES, functions, lambda: _nodes(emitter, backend, settings, nodes), *facts
    )
    if settings.lowerings:
        for name, members in _files(emitter, _LOWERING_FAMILY, _LOWERING_FAMILY, nodes):
            values = partial(_lowerings, emitter, backend, members)
            emitter.file(name, _LOWERINGS, [node.function for node in members], values, *facts)
    for name, members in _files(emitter, _KERNEL_FAMILY, f"{backend.key}NativeFunctions", kernels):
        values = partial(_kernels, emitter, backend, settings, members)
        emitter.file(name, _KERNELS, [node.function for node in members], values, *facts)


def _files(
    emitter: Emitter, family: str, stem: str, nodes: list[_Node]
) -> Iterator[tuple[str, list[_Node]]]:
    """Yield the files of a family with their nodes: one file, or shards if there is a limit."""
    limit = emitter.limits.get(family)
    if limit is None:
        yield f"{stem}.cpp", nodes
        return
    count = shard_count(len(nodes), limit)
    for name, members in sharded(emitter, stem, nodes, lambda n: n.function.root_name, count):
        yield f"{name}.cpp", members


def _nodes(
    emitter: Emitter, backend: Backend, settings: LazySettings, nodes: list[_Node]
) -> Mapping[str, str]:
    section = emitter.templates.section(_NODES, "node")
    declared = "Kernel Lower() const override;" if settings.lowerings else ""
    return {
        "namespace": backend.namespace,
        "node_base_header": settings.node_base_header,
        "nodes": "".join(
            section.fill(
                schema=f"{node.function.namespace}::{node.function.func}",
                name=node.name,
                op=f"{node.function.namespace}::{node.function.root_name}",
                node_base=settings.node_base,
                parameters=", ".join(
                    [
                        *(node.parameter(argument, kind) for argument, kind in node.arguments),
                        "std::vector<Shape> shapes",
                    ]
                ),
                operands=", ".join(node.operands),
                scalars=", ".join(node.scalars),
                hashed=", ".join(value for _, _, value in node.members),
                initializers="".join(f", {name}({value})" for _, name, value in node.members),
                texts=", ".join(node.text(name) for _, name, _ in node.members),
                lower=declared,
                members="\n".join(f"{type} {name};" for type, name, _ in node.members),
            )
            for node in nodes
        ),
    }


def _lowerings(emitter: Emitter, backend: Backend, nodes: list[_Node]) -> Mapping[str, str]:
    section = emitter.templates.section(_LOWERINGS, "lowering")
    return {
        "namespace": backend.namespace,
        "includes": root_headers([node.function for node in nodes], "_ops"),
        "lowerings": "".join(
            section.fill(
                schema=f"{node.function.namespace}::{node.function.func}",
                name=node.name,
                captures=", ".join(f"{name} = {name}" for _, name, _ in node.members),
                taken="\n".join(filter(None, (node.taken(a, kind) for a, kind in node.arguments))),
                struct=node.function.unambiguous,
                call=", ".join(argument.name for argument, _ in node.arguments),
            )
            for node in nodes
        ),
    }


def _kernels(
    emitter: Emitter, backend: Backend, settings: LazySettings, nodes: list[_Node]
) -> Mapping[str, str]:
    header = f"{backend.key}NativeFunctions.h"
    includes = root_headers([node.function for node in nodes], "_ops")
    if settings.shape_header:
        includes = f'#include "{settings.shape_header}"\n{includes}'
    return {
        "namespace": backend.namespace,
        "header": header,
        "tensor_header": settings.tensor_header,
        "includes": includes,
        "kernels": "".join(_kernel(emitter, backend, settings.shape_functions, n) for n in nodes),
    }


def _kernel(
    emitter: Emitter, backend: Backend, shape_functions: Collection[str], node: _Node
) -> str:
    function = node.function
    signature = dispatcher.signature(function)
    own_name = f"{backend.class_name}::{cpp.name(function.func)}"
    root = function.root_name
    names = [argument.name for argument, _ in node.arguments]
    if root in shape_functions:
        shapes = f"torch::lazy::compute_shape_{root}({', '.join(names)})"
    else:
        on_meta = [
            f"to_meta({a.name})" if kind in _OPERANDS else a.name for a, kind in node.arguments
        ]
        section = emitter.templates.section(_KERNELS, "meta_shapes")
        text = section.fill(struct=function.unambiguous, arguments=", ".join(on_meta))
        shapes = text.rstrip("\n")
    values = [f"value_of({a.name})" if kind in _OPERANDS else a.name for a, kind in node.arguments]
    results = [f"tensor_of(node, {i})" for i in range(len(function.func.returns))]
    return emitter.templates.section(_KERNELS, "kernel").fill(
        schema=f"{function.namespace}::{function.func}",
        declaration=signature.declaration(name=own_name),
        root=root,
        name=node.name,
        shapes=shapes,
        arguments=", ".join([*values, "std::move(shapes)"]),
        results=results[0] if len(results) == 1 else f"std::make_tuple({', '.join(results)})",
    )
