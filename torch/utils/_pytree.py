"""Trees of Python containers: take the leaves out, change them, and put them back.

A container is a node if its type is registered; every other object is a leaf. Leaves come in the
order of the containers; the values of a dictionary in the order of its keys.
"""

from __future__ import annotations

import enum
import importlib
import json
from collections import OrderedDict, defaultdict, deque, namedtuple
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from torch.utils._pytree_nodes import (  # noqa: F401 (part of this module's interface)
    BUILTIN_TYPES,
    CONSTANT_NODES,
    STANDARD_DICT_TYPES,
    SUPPORTED_NODES,
    Context,
    FlattenFunc,
    GetAttrKey,
    MappingKey,
    NodeDef,
    SequenceKey,
    UnflattenFunc,
    _deregister_pytree_node,
    _flatten_defaultdict,
    _get_node_type,
    _is_leaf,
    _is_namedtuple_instance,
    _mapping_context,
    _mapping_with_keys,
    _named_with_keys,
    _private_register_pytree_node,
    _register_builtin_types,
    _register_namedtuple,
    _register_pytree_node,
    _sequence_with_keys,
    _unflatten_defaultdict,
    is_constant_class,
    is_namedtuple,
    is_namedtuple_class,
    is_namedtuple_instance,
    is_structseq,
    is_structseq_class,
    is_structseq_instance,
    key_get,
    keystr,
    register_constant,
    register_dataclass,
    register_pytree_node,
    tree_is_leaf,
)
from torch.utils._pytree_spec import (  # noqa: F401
    _LEAF_SPEC,
    LeafSpec,
    PyTreeSpec,
    TreeSpec,
    treespec_dict,
    treespec_leaf,
    treespec_tuple,
)

PyTree = Any

# The functions of the built-in containers, under the names that libraries call.
for _kind, _name in (
    (dict, "dict"),
    (list, "list"),
    (tuple, "tuple"),
    (deque, "deque"),
    (defaultdict, "defaultdict"),
    (OrderedDict, "ordereddict"),
    (namedtuple, "namedtuple"),
):
    _node = SUPPORTED_NODES[_kind]  # type: ignore[index]
    globals()[f"_{_name}_flatten"] = _node.flatten_fn
    globals()[f"_{_name}_unflatten"] = _node.unflatten_fn
    globals()[f"_{_name}_flatten_with_keys"] = _node.flatten_with_keys_fn


# ---- flatten and unflatten ------------------------------------------------------------------------
def tree_flatten(
    tree: PyTree, is_leaf: Callable[[Any], bool] | None = None
) -> tuple[list[Any], TreeSpec]:
    """Return the leaves of a tree, and its specification."""
    leaves: list[Any] = []
    return leaves, _flatten(tree, leaves, is_leaf)


def _flatten(tree: PyTree, leaves: list[Any], is_leaf: Callable[[Any], bool] | None) -> TreeSpec:
    kind = _get_node_type(tree)
    if kind not in SUPPORTED_NODES or (is_leaf is not None and is_leaf(tree)):
        leaves.append(tree)
        return _LEAF_SPEC
    children, context = SUPPORTED_NODES[kind].flatten_fn(tree)
    return TreeSpec(kind, context, [_flatten(child, leaves, is_leaf) for child in children])


def tree_unflatten(leaves: Iterable[Any], treespec: TreeSpec) -> PyTree:
    """Return the tree of a specification with the given leaves."""
    if not isinstance(treespec, TreeSpec):
        raise TypeError(
            f"Expected `treespec` to be an instance of PyTreeSpec but got item of type {type(treespec)}."
        )
    return treespec.unflatten(leaves)


def tree_iter(tree: PyTree, is_leaf: Callable[[Any], bool] | None = None) -> Iterator[Any]:
    """Yield the leaves of a tree."""
    if tree_is_leaf(tree, is_leaf):
        yield tree
        return
    for child in SUPPORTED_NODES[_get_node_type(tree)].flatten_fn(tree)[0]:
        yield from tree_iter(child, is_leaf)


def tree_leaves(tree: PyTree, is_leaf: Callable[[Any], bool] | None = None) -> list[Any]:
    """Return the leaves of a tree."""
    return list(tree_iter(tree, is_leaf))


def arg_tree_leaves(*args: PyTree, **kwargs: PyTree) -> list[Any]:
    """Return the leaves of the arguments of a call."""
    leaves: list[Any] = []
    for value in (*args, *kwargs.values()):
        leaves.extend(tree_iter(value))
    return leaves


def tree_structure(tree: PyTree, is_leaf: Callable[[Any], bool] | None = None) -> TreeSpec:
    """Return the specification of a tree."""
    return tree_flatten(tree, is_leaf)[1]


def tree_flatten_with_path(
    tree: PyTree, is_leaf: Callable[[Any], bool] | None = None
) -> tuple[list[tuple[Any, Any]], TreeSpec]:
    """Return pairs of a path and a leaf, and the specification of the tree."""
    return list(_with_paths((), tree, is_leaf)), tree_structure(tree, is_leaf)


def tree_leaves_with_path(
    tree: PyTree, is_leaf: Callable[[Any], bool] | None = None
) -> list[tuple[Any, Any]]:
    """Return pairs of a path and a leaf."""
    return list(_with_paths((), tree, is_leaf))


def _with_paths(
    path: tuple[Any, ...], tree: PyTree, is_leaf: Callable[[Any], bool] | None
) -> Iterator[tuple[Any, Any]]:
    if tree_is_leaf(tree, is_leaf):
        yield path, tree
        return
    node = SUPPORTED_NODES[_get_node_type(tree)]
    if node.flatten_with_keys_fn is None:
        raise ValueError(
            f"Did not find a flatten_with_keys_fn for type: {node.type}. Please pass a "
            "flatten_with_keys_fn argument to register_pytree_node."
        )
    for key, child in node.flatten_with_keys_fn(tree)[0]:
        yield from _with_paths((*path, key), child, is_leaf)


# ---- map ------------------------------------------------------------------------------------------
def tree_map(
    func: Callable[..., Any],
    tree: PyTree,
    *rests: PyTree,
    is_leaf: Callable[[Any], bool] | None = None,
) -> PyTree:
    """Return a tree with a function's results as leaves; further trees give it more arguments."""
    leaves, treespec = tree_flatten(tree, is_leaf)
    columns = [leaves, *(treespec.flatten_up_to(rest) for rest in rests)]
    return treespec.unflatten([func(*row) for row in zip(*columns, strict=True)])


def tree_map_(
    func: Callable[..., Any],
    tree: PyTree,
    *rests: PyTree,
    is_leaf: Callable[[Any], bool] | None = None,
) -> PyTree:
    """Call a function for each leaf and return the tree itself."""
    tree_map(func, tree, *rests, is_leaf=is_leaf)
    return tree


def tree_map_with_path(
    func: Callable[..., Any],
    tree: PyTree,
    *rests: PyTree,
    is_leaf: Callable[[Any], bool] | None = None,
) -> PyTree:
    """Return a tree with a function's results as leaves; its first argument is the path."""
    pairs, treespec = tree_flatten_with_path(tree, is_leaf)
    columns = [*zip(*pairs, strict=True), *(treespec.flatten_up_to(rest) for rest in rests)]
    return treespec.unflatten([func(*row) for row in zip(*columns, strict=True)] if pairs else [])


def map_only(
    type_or_types_or_pred: Any, /
) -> Callable[[Callable[[Any], Any]], Callable[[Any], Any]]:
    """Return a decorator: the function is called for some types, or where a predicate holds."""
    chosen = type_or_types_or_pred
    if isinstance(chosen, (type, tuple)) or hasattr(chosen, "__args__"):
        predicate = lambda x: isinstance(x, chosen)  # noqa: E731
    elif callable(chosen):
        predicate = chosen
    else:
        raise TypeError("Argument must be a type, a tuple of types, or a callable.")

    def decorate(func: Callable[[Any], Any]) -> Callable[[Any], Any]:
        return lambda x: func(x) if predicate(x) else x

    return decorate


def tree_map_only(
    type_or_types_or_pred: Any,
    /,
    func: Callable[[Any], Any],
    tree: PyTree,
    is_leaf: Callable[[Any], bool] | None = None,
) -> PyTree:
    """Return a tree with a function's results for the leaves of some types."""
    return tree_map(map_only(type_or_types_or_pred)(func), tree, is_leaf=is_leaf)


def tree_map_only_(
    type_or_types_or_pred: Any,
    /,
    func: Callable[[Any], Any],
    tree: PyTree,
    is_leaf: Callable[[Any], bool] | None = None,
) -> PyTree:
    """Call a function for the leaves of some types and return the tree itself."""
    return tree_map_(map_only(type_or_types_or_pred)(func), tree, is_leaf=is_leaf)


def tree_all(
    pred: Callable[[Any], bool], tree: PyTree, is_leaf: Callable[[Any], bool] | None = None
) -> bool:
    """Return whether a predicate holds for all leaves."""
    return all(map(pred, tree_iter(tree, is_leaf)))


def tree_any(
    pred: Callable[[Any], bool], tree: PyTree, is_leaf: Callable[[Any], bool] | None = None
) -> bool:
    """Return whether a predicate holds for a leaf."""
    return any(map(pred, tree_iter(tree, is_leaf)))


def tree_all_only(
    type_or_types: Any,
    /,
    pred: Callable[[Any], bool],
    tree: PyTree,
    is_leaf: Callable[[Any], bool] | None = None,
) -> bool:
    """Return whether a predicate holds for all leaves of some types."""
    return all(pred(x) for x in tree_iter(tree, is_leaf) if isinstance(x, type_or_types))


def tree_any_only(
    type_or_types: Any,
    /,
    pred: Callable[[Any], bool],
    tree: PyTree,
    is_leaf: Callable[[Any], bool] | None = None,
) -> bool:
    """Return whether a predicate holds for a leaf of some types."""
    return any(pred(x) for x in tree_iter(tree, is_leaf) if isinstance(x, type_or_types))


def _broadcast_to_and_flatten(
    tree: PyTree, treespec: TreeSpec, is_leaf: Callable[[Any], bool] | None = None
) -> list[Any] | None:
    """Return a leaf for each leaf of a specification, repeating leaves; None for another shape."""
    if tree_is_leaf(tree, is_leaf):
        return [tree] * treespec.num_leaves
    if treespec.type is None or _get_node_type(tree) != treespec.type:
        return None
    children, context = SUPPORTED_NODES[treespec.type].flatten_fn(tree)
    children = list(children)
    if len(children) != treespec.num_children or context != treespec.context:
        return None
    found: list[Any] = []
    for child, spec in zip(children, treespec.children_specs, strict=True):
        part = _broadcast_to_and_flatten(child, spec, is_leaf)
        if part is None:
            return None
        found += part
    return found


# ---- serialization --------------------------------------------------------------------------------
DEFAULT_TREESPEC_SERIALIZATION_PROTOCOL = 1


def treespec_dumps(treespec: TreeSpec, protocol: int | None = None) -> str:
    """Return a specification as JSON.

    Raises:
        NotImplementedError: If a type has no name for that.
        TypeError: For another object, or a context that JSON cannot hold.
        ValueError: For an unknown protocol.
    """
    if not isinstance(treespec, TreeSpec):
        raise TypeError(
            "Expected `treespec` to be an instance of PyTreeSpec but got item of type "
            f"{type(treespec)}."
        )
    protocol = _known_protocol(
        DEFAULT_TREESPEC_SERIALIZATION_PROTOCOL if protocol is None else protocol
    )
    return json.dumps([protocol, _to_json(treespec)], default=_enum_to_json)


def _known_protocol(protocol: int) -> int:
    known = DEFAULT_TREESPEC_SERIALIZATION_PROTOCOL
    if protocol != known:
        raise ValueError(f"Unknown protocol {protocol}. Available protocols: [{known}]")
    return protocol


def _enum_to_json(value: Any) -> dict[str, Any]:
    if not isinstance(value, enum.Enum):
        raise TypeError(f"Object of type {type(value).__name__} is not JSON serializable")
    kind = type(value)
    return {"__enum__": True, "fqn": f"{kind.__module__}:{kind.__qualname__}", "name": value.name}


def _enum_from_json(found: dict[str, Any]) -> Any:
    if "__enum__" not in found:
        return found
    module, _, path = found["fqn"].partition(":")
    kind: Any = importlib.import_module(module)
    for name in path.split("."):
        kind = getattr(kind, name)
    return kind[found["name"]]


def _to_json(spec: TreeSpec) -> dict[str, Any]:
    if spec.type is None:
        return {"type": None, "context": None, "children_spec": []}
    node = SUPPORTED_NODES[spec.type]
    if node.serialized_type_name is None:
        raise NotImplementedError(
            f"No registered serialization name for {spec.type} found. Please update your "
            "_register_pytree_node call with a `serialized_type_name` kwarg."
        )
    children = [_to_json(child) for child in spec.children_specs]
    if node.to_dumpable_context is not None:
        context = node.to_dumpable_context(spec.context)
    else:
        try:
            context = json.dumps(spec.context, default=_enum_to_json)
        except TypeError as error:
            raise TypeError(
                "Unable to serialize context. Please make the context json dump-able or register a "
                "custom serializer using register_pytree_node()."
            ) from error
    return {"type": node.serialized_type_name, "context": context, "children_spec": children}


def treespec_loads(serialized: str) -> TreeSpec:
    """Return the specification that `treespec_dumps` wrote."""
    protocol, schema = json.loads(serialized)
    _known_protocol(protocol)
    return _from_json(schema)


def _from_json(schema: dict[str, Any]) -> TreeSpec:
    if schema["type"] is None:
        return _LEAF_SPEC
    for node in SUPPORTED_NODES.values():
        if node.serialized_type_name == schema["type"]:
            children = [_from_json(child) for child in schema["children_spec"]]
            dumped = schema["context"]
            if node.from_dumpable_context is None:
                context = json.loads(dumped, object_hook=_enum_from_json)
            else:
                context = node.from_dumpable_context(dumped)
            return TreeSpec(node.type, context, children)
    raise NotImplementedError(f"Deserializing {schema['type']} in pytree is not registered.")


def treespec_pprint(treespec: TreeSpec) -> str:
    """Return a specification as a tree of containers whose leaves are asterisks."""

    class Asterisk:
        def __repr__(self) -> str:
            return "*"

    return repr(tree_unflatten([Asterisk()] * treespec.num_leaves, treespec))
