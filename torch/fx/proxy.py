"""Proxies of values, which record the operations on them."""

from __future__ import annotations

import dataclasses
import enum
import inspect
import operator
import types
from collections.abc import Iterator
from typing import Any

import torch
from torch._quantized_dtypes import QuantizedDtype
from torch.fx import traceback as fx_traceback
from torch.fx._codegen import MAGIC, REFLECTABLE
from torch.fx.graph import Graph
from torch.fx.immutable_collections import immutable_dict, immutable_list
from torch.fx.node import Argument, Node, Target
from torch.overrides import is_tensor_method_or_property

__all__ = ["Proxy", "TraceError"]


class TraceError(ValueError):
    """A program did something with a traced value that cannot be recorded."""


class TracerBase:
    """Base class of the tracers of this package, which turn calls into nodes."""

    graph: Graph
    record_stack_traces = False
    check_mutable_operations = False
    trace_asserts = False
    proxy_buffer_attributes = False
    traced_func_name = "forward"
    module_stack: Any = None

    def create_node(self, kind, target, args, kwargs, name=None, type_expr=None) -> Node:
        """Add a node to the graph."""
        if kind == "call_function" and self.check_mutable_operations:
            from torch.fx.operator_schemas import check_for_mutable_operation

            check_for_mutable_operation(target, args, kwargs)
        node = self.graph.create_node(kind, target, args, kwargs, name, type_expr)
        if getattr(self, "module_stack", None):
            node.meta["nn_module_stack"] = dict(self.module_stack)
        return node

    def proxy(self, node: Node) -> Proxy:
        """Return a proxy for a node."""
        return Proxy(node, self)

    def create_proxy(
        self, kind, target, args, kwargs, name=None, type_expr=None, proxy_factory_fn=None
    ):
        """Add a node with arguments that may be proxies, and return a proxy for it."""
        node_args = self.create_arg(args)
        node_kwargs = self.create_arg(kwargs)
        if not isinstance(node_args, tuple) or not isinstance(node_kwargs, dict):
            raise AssertionError("the arguments of a node are a tuple and a dict")
        node = self.create_node(kind, target, node_args, node_kwargs, name, type_expr)
        proxy = self.proxy(node) if proxy_factory_fn is None else proxy_factory_fn(node)
        if fx_traceback.has_preserved_node_meta():
            kept = fx_traceback.get_current_meta()
            names = ("stack_trace", "nn_module_stack", "custom", "seq_nr", "source_fn_stack")
            node.meta.update({name: kept[name] for name in names if name in kept})
        if self.record_stack_traces and not proxy.node.stack_trace:
            import traceback

            frames = traceback.extract_stack()[:-1]
            here = __file__.rpartition("/")[0]
            frames = [f for f in frames if not f.filename.startswith(here)]
            proxy.node.stack_trace = "".join(traceback.format_list(frames)).strip()
        return proxy

    def create_arg(self, a: Any) -> Argument:
        """Convert a value of the traced program to an argument of a node."""
        if isinstance(a, Proxy):
            return a.node
        if hasattr(a, "__fx_create_arg__"):
            return a.__fx_create_arg__(self)
        if isinstance(a, tuple):
            items = [self.create_arg(item) for item in a]
            return type(a)(*items) if hasattr(a, "_fields") else tuple(items)
        if isinstance(a, list):
            return [self.create_arg(item) for item in a]
        if isinstance(a, dict):
            return {self._create_key(key): self.create_arg(value) for key, value in a.items()}
        if isinstance(a, slice):
            return slice(*(self.create_arg(item) for item in (a.start, a.stop, a.step)))
        if isinstance(a, range):
            return range(*(self.create_arg(item) for item in (a.start, a.stop, a.step)))
        if isinstance(a, (torch._ops.OpOverload, torch._ops.OpOverloadPacket)):
            return a
        if a is None or a is ... or isinstance(a, (str, int, float, bool, complex, *_CONSTANTS)):
            return a
        if isinstance(a, (enum.Enum, type, types.FunctionType, types.BuiltinFunctionType)):
            return a
        if dataclasses.is_dataclass(a):
            fields = {f.name: self.create_arg(getattr(a, f.name)) for f in dataclasses.fields(a)}
            return self.create_node("call_function", type(a), (), fields)
        raise NotImplementedError(f"argument of type: {type(a)}")

    def _create_key(self, key: Any) -> Any:
        made = self.create_arg(key)
        if isinstance(made, Node):
            raise RuntimeError(
                f"Keys for dictionaries used as an argument cannot contain a Node. Got key: {made}"
            )
        return made

    def to_bool(self, obj: Proxy) -> bool:
        """Refuse a condition that depends on a proxy; subclasses may decide it."""
        raise TraceError("symbolically traced variables cannot be used as inputs to control flow")

    def iter(self, obj: Proxy) -> Iterator[Any]:
        """Record an unpacking into names, and refuse other iterations."""
        count = _unpacked_count()
        if count is not None:
            return (obj[i] for i in range(count))
        raise TraceError(
            "Proxy object cannot be iterated. This can be attempted when the Proxy is used in a "
            "loop or as a *args or **kwargs function argument. See the torch.fx docs on "
            "pytorch.org for a more detailed explanation of what types of control flow can be "
            "traced, and check out the Proxy docstring for help troubleshooting Proxy iteration "
            "errors"
        )

    def keys(self, obj: Proxy) -> Any:
        """Record the question for the keys of a proxy, as by **kwargs."""
        return Attribute(obj, "keys")()


_CONSTANTS = (
    torch.dtype,
    torch.device,
    torch.memory_format,
    torch.layout,
    torch.Generator,
    type(torch.per_tensor_affine) if hasattr(torch, "per_tensor_affine") else torch.dtype,
    QuantizedDtype,
)


def _unpacked_count() -> int | None:
    """Return the number of names that the traced code unpacks an iterable into, if it does."""
    import dis

    frame = inspect.currentframe()
    while frame is not None and frame.f_code.co_filename == __file__:
        frame = frame.f_back
    if frame is None:
        return None
    for instruction in dis.get_instructions(frame.f_code):
        if instruction.offset == frame.f_lasti:
            return instruction.argval if instruction.opname == "UNPACK_SEQUENCE" else None
    return None


class GraphAppendingTracer(TracerBase):
    """A tracer that adds to an existing graph."""

    def __init__(self, graph: Graph):
        super().__init__()
        self.graph = graph


class Proxy:
    """A proxy of a value; operations on it become nodes of the graph.

    Args:
        node: The node that computes the value.
        tracer: The tracer that records; by default one that adds to the node's graph.

    Example:
        >>> import torch.fx
        >>> graph = torch.fx.Graph()
        >>> x = torch.fx.Proxy(graph.placeholder("x"))
        >>> (torch.relu(x) + 1).node
        add
    """

    def __init__(self, node: Node, tracer: TracerBase | None = None):
        self.tracer = GraphAppendingTracer(node.graph) if tracer is None else tracer
        self.node = node

    def __repr__(self) -> str:
        return f"Proxy({self.node.name})"

    def __getattr__(self, k: str) -> Attribute:
        if k in ("node", "tracer") or (k.startswith("__") and k.endswith("__")):
            raise AttributeError(k)
        return Attribute(self, k)

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__ = state

    def __deepcopy__(self, memo: dict[int, Any]) -> Proxy:
        import copy

        copied = Proxy.__new__(type(self))
        copied.__dict__ = {k: copy.deepcopy(v, memo) for k, v in self.__dict__.items()}
        return copied

    def __call__(self, *args: Any, **kwargs: Any) -> Proxy:
        """Record a call of the value."""
        return self.tracer.create_proxy("call_method", "__call__", (self, *args), kwargs)

    def __iter__(self) -> Iterator[Any]:
        return self.tracer.iter(self)

    def __abs__(self) -> Proxy:
        return self.tracer.create_proxy("call_function", operator.abs, (self,), {})

    def __bool__(self) -> bool:
        if self.tracer.trace_asserts and _is_assert(self):
            return True
        return self.tracer.to_bool(self)

    def __len__(self) -> int:
        raise RuntimeError(
            "'len' is not supported in symbolic tracing by default. If you want this call to be "
            "recorded, please call torch.fx.wrap('len') at module scope"
        )

    def keys(self) -> Any:
        """Ask the tracer for the keys."""
        return self.tracer.keys(self)

    @classmethod
    def __torch_function__(cls, orig_method, types, args=None, kwargs=None):
        args, kwargs = args or (), kwargs or {}
        tracer = _tracer_of((args, kwargs))
        if isinstance(
            orig_method, torch._C.ScriptMethod if hasattr(torch._C, "ScriptMethod") else ()
        ):
            return tracer.create_proxy("call_method", orig_method.name, args, kwargs)
        if is_tensor_method_or_property(orig_method):
            if orig_method.__name__ == "__get__":
                name = orig_method.__self__.__name__
                return tracer.create_proxy("call_function", getattr, (args[0], name), {})
            return tracer.create_proxy("call_method", orig_method.__name__, args, kwargs)
        return tracer.create_proxy(
            "call_function",
            orig_method,
            args,
            kwargs,
            name=tracer.graph._target_to_str(orig_method.__name__),
        )


def _is_assert(proxy: Proxy) -> bool:
    """Whether the value decides an assert statement of the traced program."""
    import dis

    frame = inspect.currentframe()
    while frame is not None and frame.f_code.co_filename == __file__:
        frame = frame.f_back
    if frame is None:
        return False
    instructions = list(dis.get_instructions(frame.f_code))
    at = next((i for i, x in enumerate(instructions) if x.offset == frame.f_lasti), None)
    if (
        at is None
        or at + 1 >= len(instructions)
        or not instructions[at].opname.startswith("POP_JUMP")
    ):
        return False
    if instructions[at + 1].opname != "LOAD_ASSERTION_ERROR":
        return False
    proxy.tracer.create_proxy("call_function", torch._assert, (proxy, "Assertion failed"), {})
    return True


def _tracer_of(arguments: Any) -> TracerBase:
    found: dict[Any, None] = {}

    def look(value: Any) -> None:
        if isinstance(value, Proxy):
            found[value.tracer] = None
        elif isinstance(value, (tuple, list)):
            for item in value:
                look(item)
        elif isinstance(value, dict):
            for item in value.values():
                look(item)
        elif isinstance(value, slice):
            look((value.start, value.stop, value.step))

    look(arguments)
    if len(found) > 1:
        raise RuntimeError(
            f"Found multiple different tracers {list(found)} while trying to trace operations"
        )
    return next(iter(found))


class Attribute(Proxy):
    """An attribute of a proxy; it becomes a node only if it is not called."""

    def __init__(self, root: Proxy, attr: str):
        self.root = root
        self.attr = attr
        self.tracer = root.tracer
        self._node: Node | None = None

    @property
    def node(self) -> Node:
        """The node that reads the attribute."""
        if self._node is None:
            made = self.tracer.create_proxy("call_function", getattr, (self.root, self.attr), {})
            self._node = made.node
        return self._node

    def __call__(self, *args: Any, **kwargs: Any) -> Proxy:
        return self.tracer.create_proxy("call_method", self.attr, (self.root, *args), kwargs)


class ParameterProxy(Proxy):
    """A proxy for a parameter, which knows the parameter's shape."""

    def __init__(self, tracer: TracerBase, node: Node, name: str, param: torch.Tensor):
        super().__init__(node, tracer)
        self.param = param
        self.name = name

    def __repr__(self) -> str:
        return f"ParameterProxy({self.name})"

    @property
    def shape(self) -> torch.Size:
        """The parameter's shape."""
        return self.param.shape

    def size(self, *args: Any) -> Any:
        """Return the parameter's size."""
        return self.param.size(*args)

    def dim(self) -> int:
        """Return the number of dimensions."""
        return self.param.dim()

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return self.param.ndim

    def numel(self) -> int:
        """Return the number of elements."""
        return self.param.numel()

    def nelement(self) -> int:
        """Return the number of elements."""
        return self.param.nelement()


def _add_operator(name: str) -> None:
    target = getattr(operator, name)

    def record(*args: Any) -> Proxy:
        return args[0].tracer.create_proxy("call_function", target, args, {})

    method = f"__{name.strip('_')}__"
    record.__name__ = method
    setattr(Proxy, method, record)


def _add_reflected(name: str) -> None:
    target = getattr(operator, name)

    def record(self: Proxy, other: Any) -> Proxy:
        return self.tracer.create_proxy("call_function", target, (other, self), {})

    method = f"__r{name.strip('_')}__"
    record.__name__ = method
    setattr(Proxy, method, record)


for _name in MAGIC:
    _add_operator(_name)
for _name in REFLECTABLE:
    _add_reflected(_name)


def _setitem(self: Proxy, index: Any, value: Any) -> None:
    raise TypeError(f"'{type(self).__name__}' object does not support item assignment")


Proxy.__setitem__ = _setitem  # type: ignore[attr-defined]
Proxy.__hash__ = object.__hash__  # type: ignore[method-assign]
del immutable_dict, immutable_list, Target
