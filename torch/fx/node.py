"""One call in a graph."""

from __future__ import annotations

import builtins
import types
from collections.abc import Callable
from typing import Any

import torch
from torch.fx.immutable_collections import immutable_dict, immutable_list

__all__ = ["Node", "has_side_effect", "map_arg"]

Argument = Any
Target = Any

_LEGAL_OPS = (
    *("placeholder", "call_method", "call_module", "call_function"),
    *("get_attr", "output", "root"),
)
_side_effectful_functions: set[Callable[..., Any]] = (
    {torch._assert} if hasattr(torch, "_assert") else set()
)


def has_side_effect(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Keep calls of a function when unused nodes are eliminated.

    Example:
        >>> import torch.fx
        >>> @torch.fx.has_side_effect
        ... def log(x):
        ...     print(x)
    """
    _side_effectful_functions.add(fn)
    return fn


def map_aggregate(a: Argument, fn: Callable[[Argument], Argument]) -> Argument:
    """Apply a function to all leaves of nested tuples, lists, dictionaries and slices."""
    if isinstance(a, tuple):
        items = tuple(map_aggregate(item, fn) for item in a)
        return items if not hasattr(a, "_fields") else type(a)(*items)
    if isinstance(a, list):
        return immutable_list([map_aggregate(item, fn) for item in a])
    if isinstance(a, dict):
        return immutable_dict({key: map_aggregate(value, fn) for key, value in a.items()})
    if isinstance(a, slice):
        return slice(*(map_aggregate(item, fn) for item in (a.start, a.stop, a.step)))
    return fn(a)


def map_arg(a: Argument, fn: Callable[[Node], Argument]) -> Argument:
    """Apply a function to all nodes in nested tuples, lists, dictionaries and slices.

    Example:
        >>> import torch.fx
        >>> graph = torch.fx.Graph()
        >>> x = graph.placeholder("x")
        >>> torch.fx.map_arg((x, [x, 1]), lambda node: node.name)
        ('x', ['x', 1])
    """
    return map_aggregate(a, lambda x: fn(x) if isinstance(x, Node) else x)


def _find_module_of_method(method: Callable[..., Any]) -> str:
    name = method.__name__
    module = getattr(method, "__module__", None)
    if module in (None, "torch._C._VariableFunctions", "torch._C"):
        for guess in (torch, torch.nn.functional):
            if getattr(guess, name, None) is method:
                return guess.__name__
    if module is None:
        raise RuntimeError(f"cannot find module for {method}")
    return str(module)


def _get_qualified_name(func: Any) -> str:
    """Return the name by which generated code finds a function."""
    if getattr(builtins, func.__name__, None) is func:
        return str(func.__name__)
    if isinstance(func, torch._ops.OpOverload):
        return f"torch.ops.{func}"
    if isinstance(func, (types.MethodDescriptorType, types.WrapperDescriptorType)):
        return f"{func.__objclass__.__module__}.{func.__objclass__.__name__}.{func.__name__}"
    if isinstance(func, types.FunctionType) and func.__qualname__.startswith("Tensor."):
        return f"torch.{func.__qualname__}"
    module = _find_module_of_method(func)
    return f"{module}.{func.__name__}"


def _type_repr(found: Any) -> str:
    if isinstance(found, type) and not isinstance(found, types.GenericAlias):
        if found.__module__ == "builtins":
            return found.__qualname__
        return f"{found.__module__}.{found.__qualname__}"
    if found is ...:
        return "..."
    if isinstance(found, types.FunctionType):
        return found.__name__
    return repr(found)


def _format_arg(arg: Any) -> str:
    if isinstance(arg, list):
        return f"[{', '.join(map(_format_arg, arg))}]"
    if isinstance(arg, tuple):
        items = ", ".join(map(_format_arg, arg))
        return f"({items},)" if len(arg) == 1 else f"({items})"
    if isinstance(arg, dict):
        return f"{{{', '.join(f'{key}: {_format_arg(value)}' for key, value in arg.items())}}}"
    return f"%{arg}" if isinstance(arg, Node) else str(arg)


class Node:
    """One operation of a graph: an input, a call, an attribute or the output.

    Args:
        graph: The graph that owns the node.
        name: The name, unique in the graph.
        op: "placeholder", "get_attr", "call_function", "call_module", "call_method" or "output".
        target: What is called: a function, or the name of a module, method, attribute or input.
        args: The arguments, with nodes for the results of others.
        kwargs: The keyword arguments.
        return_type: The annotated type of the result.

    Example:
        >>> import torch.fx
        >>> traced = torch.fx.symbolic_trace(lambda x: torch.relu(x) + 1)
        >>> [(node.op, node.name) for node in traced.graph.nodes]
        [('placeholder', 'x'), ('call_function', 'relu'), ('call_function', 'add'), ('output', 'output')]
    """

    def __init__(self, graph, name, op, target, args, kwargs, return_type=None):
        if op not in _LEGAL_OPS:
            raise AssertionError(f"op '{op}' is not one of {', '.join(_LEGAL_OPS)}")
        if op == "call_function":
            if not callable(target):
                raise ValueError(
                    f"Node [graph = {graph}, name = '{name}'] target {target} has type "
                    f"{torch.typename(target)} but a Callable is expected"
                )
        elif not isinstance(target, str):
            raise ValueError(
                f"Node [graph = {graph}, name = '{name}'] target {target} has type "
                f"{torch.typename(target)} but a str is expected"
            )
        self.graph = graph
        self.name = name
        self.op = op
        self.target = target
        self.type = return_type
        self.users: dict[Node, None] = {}
        self.meta: dict[str, Any] = {}
        self._input_nodes: dict[Node, None] = {}
        self._args: tuple[Any, ...] = ()
        self._kwargs: dict[str, Any] = {}
        self._prev = self._next = self
        self._erased = False
        self._repr_fn = None
        self._update_args_kwargs(args, kwargs)

    # ---- the list of nodes
    @property
    def next(self) -> Node:
        """The node after this one."""
        return self._next

    @property
    def prev(self) -> Node:
        """The node before this one."""
        return self._prev

    def prepend(self, x: Node) -> None:
        """Move a node of the same graph before this one."""
        if self.graph is not x.graph:
            raise AssertionError("Attempting to move a Node into a different Graph")
        if self is x:
            return
        x._remove_from_list()
        before = self._prev
        before._next, x._prev = x, before
        x._next, self._prev = self, x

    def append(self, x: Node) -> None:
        """Move a node of the same graph after this one."""
        self._next.prepend(x)

    def _remove_from_list(self) -> None:
        self._prev._next, self._next._prev = self._next, self._prev

    # ---- arguments
    @property
    def args(self) -> tuple[Any, ...]:
        """The arguments; assign a new tuple to change them."""
        return self._args

    @args.setter
    def args(self, new: tuple[Any, ...]) -> None:
        self._update_args_kwargs(new, self._kwargs)

    @property
    def kwargs(self) -> dict[str, Any]:
        """The keyword arguments; assign a new dictionary to change them."""
        return self._kwargs

    @kwargs.setter
    def kwargs(self, new: dict[str, Any]) -> None:
        self._update_args_kwargs(self._args, new)

    @property
    def all_input_nodes(self) -> list[Node]:
        """The nodes among the arguments, each once."""
        return list(self._input_nodes)

    def update_arg(self, idx: int, arg: Argument) -> None:
        """Replace one argument."""
        args = list(self.args)
        args[idx] = arg
        self.args = tuple(args)

    def insert_arg(self, idx: int, arg: Argument) -> None:
        """Insert an argument before position `idx`."""
        if not 0 <= idx <= len(self.args):
            raise AssertionError("insert_args index must be between 0 and len(self.args)")
        self.args = (*self.args[:idx], arg, *self.args[idx:])

    def update_kwarg(self, key: str, arg: Argument) -> None:
        """Replace or add a keyword argument."""
        self.kwargs = {**self.kwargs, key: arg}

    def _update_args_kwargs(self, args: Any, kwargs: Any) -> None:
        for used in self._input_nodes:
            used.users.pop(self, None)
        self._input_nodes = {}

        def register(node: Node) -> Node:
            self._input_nodes.setdefault(node)
            node.users.setdefault(self)
            return node

        self._args = map_arg(tuple(args), register)
        self._kwargs = map_arg(dict(kwargs), register)

    def replace_all_uses_with(
        self,
        replace_with: Node,
        delete_user_cb: Callable[[Node], bool] | None = None,
        *,
        propagate_meta: bool = False,
    ) -> list[Node]:
        """Make the users of this node use another one.

        Args:
            replace_with: The other node.
            delete_user_cb: Whether a user is to be changed; by default all are.
            propagate_meta: Whether to copy this node's `meta` to the other one.

        Returns:
            The users that were changed.
        """
        if propagate_meta:
            if replace_with.meta:
                raise AssertionError("the replacement already has meta information")
            replace_with.meta.update(self.meta)
        changed = [user for user in self.users if not delete_user_cb or delete_user_cb(user)]
        for user in changed:
            user.replace_input_with(self, replace_with)
        return changed

    def replace_input_with(self, old_input: Node, new_input: Node) -> None:
        """Replace one node by another in the arguments."""

        def swap(node: Node) -> Node:
            return new_input if node is old_input else node

        module = self.graph.owning_module
        for hook in getattr(module, "_replace_hooks", ()):
            hook(old=old_input, new=new_input.name, user=self)
        self._update_args_kwargs(map_arg(self.args, swap), map_arg(self.kwargs, swap))

    # ---- description
    @property
    def stack_trace(self) -> str | None:
        """Where the traced program made the call, if the tracer recorded it."""
        return self.meta.get("stack_trace")

    @stack_trace.setter
    def stack_trace(self, trace: str | None) -> None:
        self.meta["stack_trace"] = trace

    def is_impure(self, impure_random: bool = True) -> bool:
        """Return whether the node must stay although nothing uses its result."""
        if self.op in ("placeholder", "output"):
            return True
        if self.op == "call_function":
            schema = getattr(self.target, "_schema", None)
            if schema is not None and schema.is_mutable:
                return True
            return self.target in _side_effectful_functions
        if self.op == "call_module":
            module = self.graph.owning_module
            if module is None:
                raise AssertionError("self.graph.owning_module not set for purity check")
            return bool(getattr(module.get_submodule(self.target), "_is_impure", False))
        return False

    def normalized_arguments(
        self,
        root: torch.nn.Module,
        arg_types: Any = None,
        kwarg_types: Any = None,
        normalize_to_only_use_kwargs: bool = False,
    ) -> Any:
        """Return the arguments as keyword arguments of the target, or None if that is unknown."""
        from torch.fx import operator_schemas

        args, kwargs = self.args, self.kwargs
        if self.op == "call_module":
            return operator_schemas.normalize_module(
                root, self.target, args, kwargs, normalize_to_only_use_kwargs
            )
        if self.op == "call_function":
            return operator_schemas.normalize_function(
                self.target, args, kwargs, arg_types, kwarg_types, normalize_to_only_use_kwargs
            )
        return None

    def _pretty_print_target(self, target: Any) -> str:
        if isinstance(target, str):
            return target
        module = getattr(target, "__module__", None)
        if module == "builtins":
            return f"builtins.{target.__name__}"
        if module == "_operator":
            return f"operator.{target.__name__}"
        return _get_qualified_name(target)

    def format_node(self, placeholder_names=None, maybe_return_typename=None, **ignored):
        """Return one line that describes the node."""
        typename = f"{_type_repr(self.type)} " if self.type else ""
        if self.op == "placeholder":
            default = f"(default={self.args[0]})" if self.args else ""
            if placeholder_names is not None:
                annotation = f" : {typename.rstrip()}" if typename else ""
                placeholder_names.append(f"{self.target}{annotation}{default}")
                return None
            return (
                f"%{self.name} : {typename}[num_users={len(self.users)}] = {self.op}"
                f"[target={self.target}]{default}"
            )
        head = f"%{self.name} : {typename}[num_users={len(self.users)}] = {self.op}"
        target = f"[target={self._pretty_print_target(self.target)}]"
        if self.op == "get_attr":
            return head + target
        if self.op == "output":
            if self.type and maybe_return_typename:
                maybe_return_typename[0] = f" -> {_type_repr(self.type)}"
            return f"return {self.args[0]}"
        arguments = f"(args = {_format_arg(self.args)}, kwargs = {_format_arg(self.kwargs)})"
        return head + target + arguments

    def __repr__(self) -> str:
        return self._repr_fn(self) if self._repr_fn else self.name

    def _rename(self, candidate: str) -> None:
        if candidate != self.name:
            self.name = self.graph._graph_namespace.create_name(candidate, None)
            self.graph._graph_namespace._rename_object(self, self.name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "name" and "name" in self.__dict__:
            module = self.graph.owning_module
            for hook in getattr(module, "_replace_hooks", ()):
                for user in self.users:
                    hook(old=self, new=value, user=user)
        object.__setattr__(self, name, value)

    def __lt__(self, other: Node) -> bool:
        return self._position() < other._position()

    def __gt__(self, other: Node) -> bool:
        return self._position() > other._position()

    def __le__(self, other: Node) -> bool:
        return self is other or self < other

    def __ge__(self, other: Node) -> bool:
        return self is other or self > other

    def _position(self) -> int:
        return next(i for i, node in enumerate(self.graph.nodes) if node is self)
