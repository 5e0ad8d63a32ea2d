"""Graphs, their nodes and the values that these compute, and the text that shows them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import torch
from torch.jit._graph._types import BoolType, DeviceObjType, TensorType, Type


class Use(NamedTuple):
    """A place where a value is an input: a node, and which of its inputs."""

    user: Node
    offset: int


class Value:
    """A value of a graph, which one node computes and others use."""

    def __init__(self, node: Node, unique: int, type: Type, name: str | None = None) -> None:
        self._node = node
        self._unique = unique
        self._type = type
        self._name = name
        self._uses: list[Use] = []

    def debugName(self) -> str:
        """Return the name of the value in the text of the graph."""
        return self._name or str(self._unique)

    def setDebugName(self, name: str) -> Value:
        """Change the name of the value in the text of the graph."""
        self._name = name
        return self

    def unique(self) -> int:
        """Return the number of the value in its graph."""
        return self._unique

    def node(self) -> Node:
        """Return the node that computes the value."""
        return self._node

    def offset(self) -> int:
        """Return which output of its node the value is."""
        return self._node._outputs.index(self)

    def type(self) -> Type:
        """Return the type of the value."""
        return self._type

    def setType(self, type: Type) -> Value:
        """Change the type of the value."""
        self._type = type
        return self

    def isCompleteTensor(self) -> bool:
        """Return whether the sizes, the strides, the dtype and the device are known."""
        return isinstance(self._type, TensorType) and self._type.is_complete

    def requires_grad(self) -> bool:
        """Return whether the value is a tensor with a gradient."""
        return isinstance(self._type, TensorType) and self._type.requires_grad()

    requiresGrad = requires_grad

    def uses(self) -> list[Use]:
        """Return where the value is an input."""
        return [*self._uses]

    def replaceAllUsesWith(self, other: Value) -> None:
        """Put another value where this one is an input."""
        for use in self.uses():
            use.user.replaceInput(use.offset, other)

    def toIValue(self) -> Any:
        """Return the value of a constant, or None for a value that is computed."""
        return self._node.constant() if self._node.kind() == "prim::Constant" else None

    def __str__(self) -> str:
        return str(self._node)

    def __repr__(self) -> str:
        return f"{self.debugName()} defined in ({self._node})"

    def declaration(self) -> str:
        """Return the name with the type, such as "%x : int"."""
        return f"%{self.debugName()} : {self._type.str()}"


class Node:
    """A node of a graph: an operator or a part of the language, its inputs, outputs and attributes.

    Args:
        graph: The graph it belongs to.
        kind: What it does, such as "aten::add" or "prim::Constant".
        inputs: The values it uses.
        attributes: Its constants by name: the letter of the kind ("i", "f", "s", "t", "c" or "is")
            and the value.
        schema: The schema of the operator, if known.
    """

    def __init__(
        self,
        graph: Graph,
        kind: str,
        inputs: list[Value],
        attributes: dict[str, tuple[str, Any]],
        schema: Any = None,
    ) -> None:
        self._graph = graph
        self._kind = kind
        self._inputs = inputs
        self._outputs: list[Value] = []
        self._attributes = attributes
        self._schema = schema
        self._scope = graph.scope
        for offset, value in enumerate(inputs):
            value._uses.append(Use(self, offset))

    def kind(self) -> str:
        """Return what the node does, such as "aten::add"."""
        return self._kind

    def schema(self) -> str:
        """Return the schema of the operator, or "(no schema)"."""
        return "(no schema)" if self._schema is None else str(self._schema)

    def scopeName(self) -> str:
        """Return the scopes that the node was traced in, with slashes between them."""
        return self._scope

    def owningGraph(self) -> Graph:
        """Return the graph that the node belongs to."""
        return self._graph

    # ---- inputs and outputs
    def inputs(self) -> Iterator[Value]:
        """Return the values that the node uses."""
        return iter([*self._inputs])

    def outputs(self) -> Iterator[Value]:
        """Return the values that the node computes."""
        return iter([*self._outputs])

    def inputsSize(self) -> int:
        """Return the number of inputs."""
        return len(self._inputs)

    def outputsSize(self) -> int:
        """Return the number of outputs."""
        return len(self._outputs)

    def inputsAt(self, index: int) -> Value:
        """Return an input by its position."""
        return self._inputs[index]

    def outputsAt(self, index: int) -> Value:
        """Return an output by its position."""
        return self._outputs[index]

    def input(self) -> Value:
        """Return the only input.

        Raises:
            RuntimeError: If there is not exactly one.
        """
        return self._single(self._inputs, "input")

    def output(self) -> Value:
        """Return the only output.

        Raises:
            RuntimeError: If there is not exactly one.
        """
        return self._single(self._outputs, "output")

    def _single(self, values: list[Value], what: str) -> Value:
        if len(values) != 1:
            raise RuntimeError(
                f"Tried to access a single {what} on node '{self._kind}' which has {len(values)} "
                f"{what}s. You may consider using node.{what}s() instead."
            )
        return values[0]

    def namedInput(self, name: str) -> Value:
        """Return the input for an argument of the operator's schema.

        Raises:
            RuntimeError: If the schema has no such argument, or is not known.
        """
        names = [] if self._schema is None else [each.name for each in self._schema.arguments]
        if name not in names:
            raise RuntimeError(f"{self._kind} has no argument named {name}")
        return self._inputs[names.index(name)]

    def hasMultipleOutputs(self) -> bool:
        """Return whether there is more than one output."""
        return len(self._outputs) > 1

    def hasUses(self) -> bool:
        """Return whether an output is used."""
        return any(value._uses for value in self._outputs)

    def addOutput(self, type: Type | None = None, name: str | None = None) -> Value:
        """Add an output, and return it."""
        value = Value(self, self._graph.next_unique(), type or TensorType(), name)
        self._outputs.append(value)
        return value

    def replaceInput(self, index: int, value: Value) -> Value:
        """Change an input, and return what it was."""
        before = self._inputs[index]
        before._uses.remove(Use(self, index))
        self._inputs[index] = value
        value._uses.append(Use(self, index))
        return before

    def destroy(self) -> None:
        """Take the node out of its graph.

        Raises:
            RuntimeError: If an output is still used.
        """
        if self.hasUses():
            raise RuntimeError(f"{self._kind} cannot be destroyed: its outputs are used")
        for offset, value in enumerate(self._inputs):
            value._uses.remove(Use(self, offset))
        self._inputs = []
        self._graph._nodes.remove(self)

    # ---- attributes
    def attributeNames(self) -> list[str]:
        """Return the names of the attributes."""
        return [*self._attributes]

    def hasAttributes(self) -> bool:
        """Return whether there are attributes."""
        return bool(self._attributes)

    def hasAttribute(self, name: str) -> bool:
        """Return whether there is an attribute of a name."""
        return name in self._attributes

    def kindOf(self, name: str) -> str:
        """Return the letter of the kind of an attribute: "i", "f", "s", "t", "c" or "is"."""
        return self._attribute(name)[0]

    def _attribute(self, name: str) -> tuple[str, Any]:
        if name not in self._attributes:
            raise RuntimeError(f"required keyword attribute '{name}' is undefined")
        return self._attributes[name]

    def _of_kind(self, kind: str, name: str) -> Any:
        found, value = self._attribute(name)
        if found != kind:
            raise RuntimeError(f"required keyword attribute '{name}' has the wrong type")
        return value

    def i(self, name: str) -> int:
        """Return an integer; True and False are 1 and 0."""
        return int(self._of_kind("i", name))

    def f(self, name: str) -> float:
        """Return a floating-point number."""
        return float(self._of_kind("f", name))

    def c(self, name: str) -> complex:
        """Return a complex number."""
        return complex(self._of_kind("c", name))

    def s(self, name: str) -> str:
        """Return a string."""
        return str(self._of_kind("s", name))

    def t(self, name: str) -> torch.Tensor:
        """Return a tensor."""
        found: torch.Tensor = self._of_kind("t", name)
        return found

    def ival(self, name: str) -> Any:
        """Return an object that is no number, string or tensor."""
        return self._of_kind("ival", name)

    def constant(self) -> Any:
        """Return the value of a prim::Constant."""
        if not self._attributes:
            return None
        value = self._attributes["value"][1]
        if isinstance(self._outputs[0].type(), BoolType):
            return bool(value)
        is_device = isinstance(self._outputs[0].type(), DeviceObjType)
        return torch.device(value) if is_device else value

    # ---- text
    def __str__(self) -> str:
        declared = ", ".join(value.declaration() for value in self._outputs)
        head = f"{declared} = " if self._outputs else " = "
        scope = f", scope: {self._scope}" if self._scope else ""
        return f"{head}{self._kind}{self._attributes_text()}({_names(self._inputs)}){scope}\n"

    __repr__ = __str__

    def _attributes_text(self) -> str:
        if not self._attributes:
            return ""
        items = (f"{name}={_text(*each)}" for name, each in self._attributes.items())
        return f"[{', '.join(items)}]"


def _names(values: list[Value]) -> str:
    return ", ".join(f"%{value.debugName()}" for value in values)


def _text(kind: str, value: Any) -> str:
    """Return an attribute as graphs print it."""
    if kind == "i":
        return str(int(value))
    if kind == "f":
        return f"{value:.17g}" if value % 1 else f"{value:g}."
    if kind == "s":
        return f'"{value}"'
    if kind == "t":
        return f"{{{value.item()}}}" if value.numel() == 1 else "<Tensor>"
    return str(value)


class Graph:
    """The nodes of a program in the order in which they run.

    Example:
        >>> graph, result = torch.jit._get_trace_graph(nn.ReLU(), (torch.ones(2),))
        >>> [node.kind() for node in graph.nodes()]
        ['aten::relu']
        >>> next(graph.outputs()).type().sizes()
        [2]
    """

    def __init__(self) -> None:
        self._count = 0
        self.scope = ""
        self._nodes: list[Node] = []
        self._parameters = Node(self, "prim::Param", [], {})
        self._return = Node(self, "prim::Return", [], {})

    def next_unique(self) -> int:
        """Return a number that no value has."""
        self._count += 1
        return self._count - 1

    def addInput(self, name: str | None = None, type: Type | None = None) -> Value:
        """Add an input, and return it."""
        return self._parameters.addOutput(type, name)

    def append(
        self,
        kind: str,
        inputs: list[Value],
        attributes: dict[str, tuple[str, Any]] | None = None,
        schema: Any = None,
    ) -> Node:
        """Add a node without outputs at the end, and return it."""
        node = Node(self, kind, inputs, attributes or {}, schema)
        self._nodes.append(node)
        return node

    def registerOutput(self, value: Value) -> int:
        """Add an output of the graph, and return its position."""
        offset = len(self._return._inputs)
        self._return._inputs.append(value)
        value._uses.append(Use(self._return, offset))
        return offset

    def eliminate_dead_code(self) -> None:
        """Take out the nodes whose results nothing uses, but for those that write to a tensor."""
        for node in reversed([*self._nodes]):
            if not node.hasUses() and not (node._schema is not None and node._schema.is_mutable):
                node.destroy()

    def inputs(self) -> Iterator[Value]:
        """Return the inputs of the graph."""
        return self._parameters.outputs()

    def outputs(self) -> Iterator[Value]:
        """Return the outputs of the graph."""
        return self._return.inputs()

    def nodes(self) -> Iterator[Node]:
        """Return the nodes."""
        return iter([*self._nodes])

    def param_node(self) -> Node:
        """Return the node whose outputs are the inputs of the graph."""
        return self._parameters

    def return_node(self) -> Node:
        """Return the node whose inputs are the outputs of the graph."""
        return self._return

    def findNode(self, kind: str, recurse: bool = True) -> Node | None:
        """Return the first node of a kind, or None."""
        return next((node for node in self._nodes if node.kind() == kind), None)

    def findAllNodes(self, kind: str, recurse: bool = True) -> list[Node]:
        """Return the nodes of a kind."""
        return [node for node in self._nodes if node.kind() == kind]

    def str(self, print_source_ranges: bool = True) -> str:
        """Return the text of the graph; source ranges are not known."""
        declared = ",\n      ".join(value.declaration() for value in self.inputs())
        body = "".join(f"  {node}" for node in self._nodes)
        return f"graph({declared}):\n{body}  return ({_names(self._return._inputs)})\n"

    def __str__(self) -> str:
        return self.str()

    __repr__ = __str__
