"""TreeSpec: the shape of a tree without its leaves."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from torch.utils._pytree_nodes import (
    STANDARD_DICT_TYPES,
    SUPPORTED_NODES,
    Context,
    _get_node_type,
)

PyTree = Any


# ---- specifications -------------------------------------------------------------------------------
class TreeSpec:
    """The shape of a tree: the type and the context of each node, without the leaves."""

    __slots__ = ("_children", "_context", "num_children", "num_leaves", "num_nodes", "type")

    def __init__(self, type: Any, context: Context, children_specs: list[TreeSpec]) -> None:
        self.type = type
        self._context = context
        self._children = children_specs
        leaf = type is None
        self.num_children = len(children_specs)
        self.num_leaves = 1 if leaf else sum(child.num_leaves for child in children_specs)
        self.num_nodes = 1 + sum(child.num_nodes for child in children_specs)

    @property
    def context(self) -> Context:
        """What the type needs besides the children: keys, the class of a named tuple, ..."""
        return self._context

    @property
    def children_specs(self) -> list[TreeSpec]:
        """The specifications of the children."""
        return self._children

    def children(self) -> list[TreeSpec]:
        """Return the specifications of the children."""
        return self._children

    def child(self, index: int) -> TreeSpec:
        """Return the specification of a child."""
        return self._children[index]

    def is_leaf(self) -> bool:
        """Return whether this is the specification of a leaf."""
        return self.type is None

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TreeSpec):
            return NotImplemented
        return (
            self.type == other.type
            and self._context == other._context
            and self._children == other._children
        )

    def __hash__(self) -> int:
        context = self._context
        if self.type in STANDARD_DICT_TYPES:
            context = tuple(map(str, context))
        try:
            own = hash(context)
        except TypeError:
            own = hash(str(context))
        return hash((self.type, own, tuple(self._children)))

    def __repr__(self) -> str:
        if self.type is None:
            return "*"
        inner = ",\n".join(map(repr, self._children)).replace("\n", "\n  ")
        return f"TreeSpec({self.type.__name__}, {self._context}, [{inner}])"

    def flatten_up_to(self, tree: PyTree) -> list[PyTree]:
        """Return the parts of a tree that stand where this specification has its leaves.

        Raises:
            ValueError: If the tree has another shape.
        """
        found: list[PyTree] = []
        self._collect(tree, found)
        return found

    def _collect(self, tree: PyTree, found: list[PyTree]) -> None:
        if self.type is None:
            found.append(tree)
            return
        kind = _get_node_type(tree)
        both = {kind, self.type} <= STANDARD_DICT_TYPES
        if kind != self.type and not both:
            raise ValueError(f"Type mismatch; expected {self.type!r}, but got {type(tree)!r}.")
        if both:
            keys = self._context[1] if self.type is defaultdict else self._context
            if set(keys) != set(tree):
                raise ValueError(f"Node keys mismatch; expected {keys!r}, but got {list(tree)!r}.")
            children = [tree[key] for key in keys]
        else:
            children, context = SUPPORTED_NODES[kind].flatten_fn(tree)
            children = list(children)
            if len(children) != self.num_children:
                raise ValueError(
                    f"Node arity mismatch; expected {self.num_children}, but got {len(children)}."
                )
            if kind is not deque and context != self._context:
                raise ValueError(
                    f"Node context mismatch for custom node type {self.type!r}; expected "
                    f"{self._context!r}, but got {context!r}."
                )
        for child, spec in zip(children, self._children, strict=True):
            spec._collect(child, found)

    def unflatten(self, leaves: Iterable[Any]) -> PyTree:
        """Return the tree of this shape with the given leaves.

        Raises:
            ValueError: If their number is wrong.
        """
        leaves = leaves if isinstance(leaves, (list, tuple)) else list(leaves)
        if len(leaves) != self.num_leaves:
            raise ValueError(
                f"treespec.unflatten(leaves): `leaves` has length {len(leaves)} but the spec refers "
                f"to a pytree that holds {self.num_leaves} items ({self})."
            )
        return self._rebuild(iter(leaves))

    def _rebuild(self, leaves: Iterator[Any]) -> PyTree:
        if self.type is None:
            return next(leaves)
        children = [child._rebuild(leaves) for child in self._children]
        return SUPPORTED_NODES[self.type].unflatten_fn(children, self._context)


PyTreeSpec = TreeSpec


class _LeafKind(type):
    """Makes `LeafSpec()` the one specification of leaves, and `isinstance` recognize it."""

    def __call__(cls) -> TreeSpec:
        return _LEAF_SPEC

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, TreeSpec) and instance.is_leaf()


class LeafSpec(TreeSpec, metaclass=_LeafKind):
    """The specification of a leaf."""

    __slots__ = ()


# The module that programs know them by, which pickles contain.
TreeSpec.__module__ = LeafSpec.__module__ = "torch.utils._pytree"


_LEAF_SPEC = TreeSpec(None, None, [])


def treespec_leaf() -> TreeSpec:
    """Return the specification of a leaf."""
    return _LEAF_SPEC


def treespec_tuple(iterable: Iterable[TreeSpec] = (), /) -> TreeSpec:
    """Return the specification of a tuple."""
    return TreeSpec(tuple, None, list(iterable))


def treespec_dict(
    mapping: Mapping[Any, TreeSpec] | Iterable[tuple[Any, TreeSpec]] = (), /, **further: TreeSpec
) -> TreeSpec:
    """Return the specification of a dictionary."""
    specs = dict(mapping, **further)
    return TreeSpec(dict, list(specs), list(specs.values()))
