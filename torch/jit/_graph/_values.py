"""The values of a graph, and where they are used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from torch.jit._graph._types import TensorType, Type

if TYPE_CHECKING:
    from torch.jit._graph._ir import Node


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
