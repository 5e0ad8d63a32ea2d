"""The types that are nodes of a tree, and the keys that lead to their children."""

from __future__ import annotations

import importlib
import warnings
from collections import OrderedDict, defaultdict, deque, namedtuple
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, fields
from typing import Any, NamedTuple

from torch._C import Size

Context = Any
FlattenFunc = Callable[[Any], tuple[list[Any], Context]]
UnflattenFunc = Callable[[Iterable[Any], Context], Any]


# ---- how to reach a leaf --------------------------------------------------------------------------
@dataclass(frozen=True)
class SequenceKey:
    """The position of an item in a sequence."""

    idx: int

    def __str__(self) -> str:
        return f"[{self.idx!r}]"

    def get(self, sequence: Any) -> Any:
        """Return the item."""
        return sequence[self.idx]


@dataclass(frozen=True)
class MappingKey:
    """The key of an item in a dictionary."""

    key: Hashable

    def __str__(self) -> str:
        return f"[{self.key!r}]"

    def get(self, mapping: Any) -> Any:
        """Return the item."""
        return mapping[self.key]


@dataclass(frozen=True)
class GetAttrKey:
    """The name of an attribute."""

    name: str

    def __str__(self) -> str:
        return f".{self.name}"

    def get(self, obj: Any) -> Any:
        """Return the attribute."""
        return getattr(obj, self.name)


def keystr(kp: Iterable[Any]) -> str:
    """Return the text of a path, such as "['a'][0]"."""
    return "".join(map(str, kp))


def key_get(obj: Any, kp: Iterable[Any]) -> Any:
    """Return what a path leads to."""
    for key in kp:
        obj = key.get(obj)
    return obj


# ---- the types of nodes ---------------------------------------------------------------------------
class NodeDef(NamedTuple):
    """How to take a container apart and put it together again."""

    type: type
    flatten_fn: FlattenFunc
    unflatten_fn: UnflattenFunc
    flatten_with_keys_fn: Callable[[Any], Any] | None
    serialized_type_name: str | None = None
    to_dumpable_context: Callable[[Context], Any] | None = None
    from_dumpable_context: Callable[[Any], Context] | None = None


SUPPORTED_NODES: dict[type, NodeDef] = {}
BUILTIN_TYPES: frozenset[type]


def register_pytree_node(
    cls: type,
    flatten_fn: FlattenFunc,
    unflatten_fn: UnflattenFunc,
    *,
    serialized_type_name: str | None = None,
    to_dumpable_context: Any = None,
    from_dumpable_context: Any = None,
    flatten_with_keys_fn: Callable[[Any], Any] | None = None,
) -> None:
    """Make a type a node.

    Args:
        cls: The type.
        flatten_fn: Returns the children of an object, and a context that tells how to rebuild it.
        unflatten_fn: Rebuilds an object from its children and the context.
        serialized_type_name: The name of the type in a serialized specification.
        to_dumpable_context: Converts a context to what JSON can hold; by default JSON's text.
        from_dumpable_context: Converts it back.
        flatten_with_keys_fn: Returns pairs of a key and a child, and the context.

    Raises:
        ValueError: If the type is registered already, or only one of the conversions is given.
    """
    if cls in SUPPORTED_NODES:
        raise ValueError(f"{cls} is already registered as pytree node.")
    if (to_dumpable_context is None) != (from_dumpable_context is None):
        raise ValueError(
            f"Both to_dumpable_context and from_dumpable_context for {cls} must be None or registered."
        )
    SUPPORTED_NODES[cls] = NodeDef(
        cls,
        flatten_fn,
        unflatten_fn,
        flatten_with_keys_fn,
        serialized_type_name,
        to_dumpable_context,
        from_dumpable_context,
    )


# The named tuples that specifications with their names may contain.
NAMED_TUPLES: dict[type, str] = {}


def _register_namedtuple(cls: type, *, serialized_type_name: str) -> None:
    """Give a named tuple the name that stands for it in a serialized specification."""
    NAMED_TUPLES[cls] = serialized_type_name


_private_register_pytree_node = register_pytree_node


def _register_pytree_node(cls: type, flatten_fn: Any, unflatten_fn: Any, **options: Any) -> None:
    """Make a type a node, or do nothing if it is one."""
    warnings.warn(
        "`torch.utils._pytree._register_pytree_node` is deprecated. Please use "
        "`torch.utils._pytree.register_pytree_node` instead.",
        FutureWarning,
        stacklevel=2,
    )
    if cls in SUPPORTED_NODES:
        warnings.warn(f"{cls} is already registered as pytree node.", stacklevel=2)
    else:
        register_pytree_node(cls, flatten_fn, unflatten_fn, **options)


def _deregister_pytree_node(cls: type) -> None:
    del SUPPORTED_NODES[cls]


def register_dataclass(
    cls: type,
    *,
    field_names: list[str] | None = None,
    drop_field_names: list[str] | None = None,
    serialized_type_name: str | None = None,
) -> None:
    """Make a dataclass a node, with its fields as children."""
    dropped = set(drop_field_names or ())
    names = field_names or [f.name for f in fields(cls) if f.init and f.name not in dropped]

    def flatten(obj: Any) -> tuple[list[Any], Context]:
        present = [name for name in names if getattr(obj, name) is not None]
        absent = [name for name in names if getattr(obj, name) is None]
        return [getattr(obj, name) for name in present], [present, absent]

    def unflatten(values: Iterable[Any], context: Context) -> Any:
        present, absent = context
        return cls(**dict(zip(present, values, strict=True)), **dict.fromkeys(absent))

    def with_keys(obj: Any) -> tuple[list[Any], Context]:
        values, context = flatten(obj)
        return [(GetAttrKey(k), v) for k, v in zip(context[0], values, strict=True)], context

    register_pytree_node(
        cls,
        flatten,
        unflatten,
        serialized_type_name=serialized_type_name,
        flatten_with_keys_fn=with_keys,
    )


CONSTANT_NODES: set[type] = set()


def register_constant(cls: type) -> None:
    """Make a type a node without children, whose objects are part of the specification.

    Raises:
        TypeError: If objects of the type are compared or hashed by identity.
    """
    for name in ("__eq__", "__hash__"):
        if getattr(cls, name) is getattr(object, name):
            raise TypeError(
                f"register_constant(cls) expects `cls` to have a non-default `{name}` implementation."
            )
    register_pytree_node(
        cls, lambda x: ([], x), lambda _, x: x, flatten_with_keys_fn=lambda x: ([], x)
    )
    CONSTANT_NODES.add(cls)


def is_constant_class(cls: type) -> bool:
    """Return whether a type was registered by `register_constant`."""
    return isinstance(cls, type) and cls in CONSTANT_NODES


def _sequence_with_keys(flatten: FlattenFunc) -> Callable[[Any], Any]:
    def with_keys(obj: Any) -> tuple[list[Any], Context]:
        values, context = flatten(obj)
        return [(SequenceKey(i), value) for i, value in enumerate(values)], context

    return with_keys


def _mapping_with_keys(obj: Any) -> tuple[list[Any], Context]:
    return [(MappingKey(k), v) for k, v in obj.items()], _mapping_context(obj)


def _mapping_context(obj: Any) -> Context:
    return [obj.default_factory, list(obj)] if isinstance(obj, defaultdict) else list(obj)


def _named_with_keys(obj: Any) -> tuple[list[Any], Context]:
    return [(GetAttrKey(k), v) for k, v in zip(obj._fields, obj, strict=True)], type(obj)


def _flatten_defaultdict(obj: Any) -> tuple[list[Any], Context]:
    return list(obj.values()), _mapping_context(obj)


def _unflatten_defaultdict(values: Iterable[Any], context: Context) -> Any:
    factory, keys = context
    return defaultdict(factory, zip(keys, values, strict=True))


def _dumpable_defaultdict(context: Context) -> Any:
    factory, keys = context
    module, name = (None, None) if factory is None else (factory.__module__, factory.__qualname__)
    return {
        "default_factory_module": module,
        "default_factory_name": name,
        "dict_context": keys,
    }


def _defaultdict_context(dumped: Any) -> Context:
    module, name = dumped["default_factory_module"], dumped["default_factory_name"]
    factory = None if module is None else getattr(importlib.import_module(module), name)
    return [factory, dumped["dict_context"]]


def _dumpable_namedtuple(context: Context) -> Any:
    if context not in NAMED_TUPLES:
        raise NotImplementedError(
            f"Can't serialize TreeSpec of namedtuple class {context} because we didn't register a "
            "serializated_type_name. Please register using `_register_namedtuple`."
        )
    return NAMED_TUPLES[context]


def _namedtuple_context(dumped: Any) -> Context:
    found = next((cls for cls, name in NAMED_TUPLES.items() if name == dumped), None)
    if found is None:
        raise NotImplementedError(
            f"Can't deserialize TreeSpec of namedtuple class {dumped} because we couldn't find a "
            "serializated name."
        )
    return found


def _register_builtin_types() -> None:
    def register(
        kind: type,
        flatten: FlattenFunc,
        unflatten: UnflattenFunc,
        with_keys: Any = None,
        *dumped: Any,
    ) -> None:
        name = f"{kind.__module__}.{kind.__qualname__}"
        SUPPORTED_NODES[kind] = NodeDef(
            kind, flatten, unflatten, with_keys or _sequence_with_keys(flatten), name, *dumped
        )

    register(tuple, lambda x: (list(x), None), lambda values, _: tuple(values))
    register(list, lambda x: (x, None), lambda values, _: list(values))
    register(
        deque, lambda x: (list(x), x.maxlen), lambda values, maxlen: deque(values, maxlen=maxlen)
    )
    for kind in (dict, OrderedDict):
        register(
            kind,
            lambda x: (list(x.values()), list(x)),
            lambda values, keys, kind=kind: kind(zip(keys, values, strict=True)),
            _mapping_with_keys,
        )
    register(
        defaultdict,
        _flatten_defaultdict,
        _unflatten_defaultdict,
        _mapping_with_keys,
        _dumpable_defaultdict,
        _defaultdict_context,
    )
    register(
        namedtuple,  # type: ignore[arg-type] # stands for all named tuples
        lambda x: (list(x), type(x)),
        lambda values, kind: kind(*values),
        _named_with_keys,
        _dumpable_namedtuple,
        _namedtuple_context,
    )


_register_builtin_types()
BUILTIN_TYPES = frozenset(SUPPORTED_NODES)
register_pytree_node(
    Size,
    lambda size: (list(size), None),
    lambda values, _: Size(values),
    serialized_type_name="torch.Size",
    flatten_with_keys_fn=_sequence_with_keys(lambda size: (list(size), None)),
)


def register_named_result(kind: type) -> None:
    """Make a type of torch.return_types a node, or do nothing if it is one."""

    def flatten(result: Any) -> tuple[list[Any], Context]:
        return list(result), None

    if kind not in SUPPORTED_NODES:
        register_pytree_node(
            kind,
            flatten,
            lambda values, _: kind(values),
            flatten_with_keys_fn=_sequence_with_keys(flatten),
        )


STANDARD_DICT_TYPES = frozenset((dict, OrderedDict, defaultdict))


def is_namedtuple_class(cls: type) -> bool:
    """Return whether a type is a named tuple."""
    return (
        isinstance(cls, type)
        and issubclass(cls, tuple)
        and isinstance(getattr(cls, "_fields", None), tuple)
    )


def is_namedtuple_instance(obj: object) -> bool:
    """Return whether an object is a named tuple."""
    return is_namedtuple_class(type(obj))


def is_namedtuple(obj: object) -> bool:
    """Return whether an object or a type is a named tuple."""
    return is_namedtuple_class(obj if isinstance(obj, type) else type(obj))


_is_namedtuple_instance = is_namedtuple_instance


def is_structseq_class(cls: type) -> bool:
    """Return whether a type is a structure of C that behaves as a tuple."""
    return (
        isinstance(cls, type)
        and tuple in cls.__bases__
        and all(
            isinstance(getattr(cls, f"n_{name}", None), int)
            for name in ("fields", "sequence_fields", "unnamed_fields")
        )
    )


def is_structseq(obj: object) -> bool:
    """Return whether an object or a type is a structure of C that behaves as a tuple."""
    return is_structseq_class(obj if isinstance(obj, type) else type(obj))


def is_structseq_instance(obj: object) -> bool:
    """Return whether an object is a structure of C that behaves as a tuple."""
    return is_structseq_class(type(obj))


def _get_node_type(tree: Any) -> Any:
    kind = type(tree)
    if kind not in SUPPORTED_NODES and issubclass(kind, tuple):
        if is_namedtuple_class(kind):
            return namedtuple
        if kind.__module__ == "torch.return_types":
            register_named_result(kind)
    return kind


def tree_is_leaf(tree: Any, is_leaf: Callable[[Any], bool] | None = None) -> bool:
    """Return whether an object is a leaf: no type of node, or one that `is_leaf` names a leaf."""
    if is_leaf is not None and is_leaf(tree):
        return True
    return _get_node_type(tree) not in SUPPORTED_NODES


_is_leaf = tree_is_leaf
