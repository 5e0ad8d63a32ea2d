"""Record the operators that a function calls, below autograd, as a graph.

A mode of `__torch_dispatch__` sees every operator with the tensors it gets, runs it, and adds a node.
Tensors are known by identity; one that the mode has not seen becomes a constant of the module.
"""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import torch
from torch._torch_function import TorchFunctionMode
from torch._transforms.levels import LevelTensor
from torch.fx._pytree_codegen import _PyTreeCodeGen, _PyTreeInfo
from torch.fx._tracer import Tracer
from torch.fx.graph import Graph
from torch.fx.graph_module import GraphModule
from torch.fx.node import Node
from torch.fx.passes.shape_prop import _extract_tensor_metadata
from torch.utils import _pytree as pytree
from torch.utils._python_dispatch import (
    TorchDispatchMode,
    _get_current_dispatch_mode_stack,
    _pop_mode,
    _push_mode,
)

__all__ = [
    "ProxyTorchDispatchMode",
    "PythonKeyTracer",
    "disable_proxy_modes_tracing",
    "get_innermost_proxy_mode",
    "get_isolated_graphmodule",
    "get_proxy_mode",
    "make_fx",
    "maybe_disable_thunkify",
    "wrapper_and_args_for_make_fx",
]

Decompositions = Mapping[Any, Callable[..., Any]]


class PythonKeyTracer(Tracer):
    """Creates the nodes of a graph of operators, and keeps the tensors that are constants.

    Example:
        >>> from torch.fx.experimental.proxy_tensor import PythonKeyTracer
        >>> tracer = PythonKeyTracer()
        >>> tracer.graph = torch.fx.Graph()
        >>> tracer.constant(torch.ones(1))  # doctest: +SKIP
        _tensor_constant0
    """

    def __init__(self) -> None:
        super().__init__(autowrap_modules=())
        self.root = torch.nn.Module()
        self.constants: dict[str, torch.Tensor] = {}
        self._names: dict[int, str] = {}

    def constant(self, value: torch.Tensor) -> Node:
        """Return a node for a tensor that the function did not get as an argument."""
        name = self._names.get(id(value))
        if name is None:
            kind = "param" if isinstance(value, torch.nn.Parameter) else "tensor"
            prefix = f"_{kind}_constant"
            name = f"{prefix}{sum(known.startswith(prefix) for known in self.constants)}"
            self._names[id(value)] = name
            self.constants[name] = value
            setattr(self.root, name, value)
        return self.graph.get_attr(name)


class _KnownTensors:
    """The nodes of tensors, found by identity, or by memory for other views of the same kind."""

    def __init__(self) -> None:
        self._nodes: dict[int, tuple[torch.Tensor, Node]] = {}
        self._aliases: dict[tuple[Any, ...], Node] = {}
        self._storages: set[int] = set()

    def remember(self, tensor: torch.Tensor, node: Node) -> None:
        self._nodes[id(tensor)] = (tensor, node)  # kept alive, so that no other gets its id
        place = _place(tensor)
        if place is not None:
            self._aliases[place] = node
            self._storages.add(place[0])

    def find(self, tensor: torch.Tensor) -> Node | None:
        known = self._nodes.get(id(tensor))
        if known is not None:
            return known[1]
        place = _place(tensor)
        if place is None or place[0] not in self._storages:
            return None
        if place not in self._aliases:
            raise NotImplementedError(
                "make_fx: a tensor shares memory with a traced one, but no operator that made it "
                "was seen, so it cannot be recorded"
            )
        return self._aliases[place]


def _place(tensor: torch.Tensor) -> tuple[Any, ...] | None:
    """Return what tells views of memory apart; None for tensors without memory."""
    if tensor.layout != torch.strided or tensor.device.type == "meta" or not tensor.numel():
        return None
    storage = tensor.untyped_storage()._cdata
    return storage, tensor.storage_offset(), tensor.shape, tensor.stride(), tensor.dtype


class ProxyTorchDispatchMode(TorchDispatchMode):
    """The mode that records operators into the graph of a tracer.

    Args:
        tracer: The tracer, which has a graph.
        tracing_mode: "real" or "fake", which is the same: operators run on the given tensors.
        decomposition_table: Functions that replace operators, such as those of torch._decomp.

    Example:
        >>> from torch.fx.experimental.proxy_tensor import ProxyTorchDispatchMode, PythonKeyTracer
        >>> tracer = PythonKeyTracer()
        >>> tracer.graph = torch.fx.Graph()
        >>> with ProxyTorchDispatchMode(tracer, "real"):
        ...     y = torch.ones(2)
        >>> [str(node.target) for node in tracer.graph.nodes]
        ['aten.ones.default']
    """

    def __init__(
        self,
        tracer: PythonKeyTracer,
        tracing_mode: str = "real",
        decomposition_table: Decompositions | None = None,
    ) -> None:
        super().__init__()
        self.tracer = tracer
        self.tracing_mode = tracing_mode
        self.decomposition_table = dict(decomposition_table or {})
        self.known = _KnownTensors()

    @classmethod
    def is_infra_mode(cls) -> bool:
        """Return True: the mode is machinery of this package."""
        return True

    def __torch_dispatch__(
        self, func: Any, types: Sequence[type], args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        """Run an operator and record it, or run its decomposition, which is recorded instead."""
        kwargs = kwargs or {}
        if any(issubclass(kind, LevelTensor) for kind in types):
            return NotImplemented  # a transform turns the call into others, which are recorded
        replacement = self.decomposition_table.get(func)
        if replacement is not None:
            with self:
                result = replacement(*args, **kwargs)
            if result is not NotImplemented:
                return result
        if func is torch.ops.aten.lift_fresh.default:
            return self._created(args[0])
        target_args, target_kwargs = self.arguments(args), self.arguments(kwargs)
        result = func(*args, **kwargs)
        node = self.tracer.create_node(
            "call_function", func, target_args, target_kwargs, name=func.overloadpacket.__name__
        )
        self.record(result, node)
        return result

    def _created(self, tensor: torch.Tensor) -> torch.Tensor:
        """Record that the program creates a tensor, which it may change: each run needs a copy."""
        constant = self.tracer.constant(tensor.clone())
        constant.meta.update(_facts(tensor))
        copy = torch.ops.aten.lift_fresh_copy.default
        node = self.tracer.create_node(
            "call_function", copy, (constant,), {}, name="lift_fresh_copy"
        )
        created = torch.ops.aten.lift_fresh.default(tensor)
        self.record(created, node)
        return created

    def arguments(self, value: Any) -> Any:
        """Convert arguments of an operator to those of a node."""
        if isinstance(value, torch.Tensor):
            return self.node_of(value)
        if isinstance(value, dict):
            return {name: self.arguments(item) for name, item in value.items()}
        if isinstance(value, tuple) and not isinstance(value, torch.Size):
            return tuple(map(self.arguments, value))
        if isinstance(value, (list, torch.Size)):
            return [self.arguments(item) for item in value]
        return self.tracer.create_arg(value)

    def node_of(self, tensor: torch.Tensor) -> Node:
        """Return the node that computes a tensor, which is new for a constant."""
        node = self.known.find(tensor)
        if node is None:
            node = self.tracer.constant(tensor)
            node.meta.update(_facts(tensor))
            self.known.remember(tensor, node)
        return node

    def record(self, result: Any, node: Node) -> None:
        """Make a node known as the one that computes a result, and its items as its items."""
        if isinstance(result, torch.Tensor):
            node.meta.update(_facts(result))
            self.known.remember(result, node)
        elif isinstance(result, (tuple, list)):
            import operator

            for index, item in enumerate(result):
                if isinstance(item, torch.Tensor):
                    part = self.tracer.create_node(
                        "call_function", operator.getitem, (node, index), {}
                    )
                    self.record(item, part)


def _facts(tensor: torch.Tensor) -> dict[str, Any]:
    if tensor.layout != torch.strided:
        return {}
    shape = torch.empty_strided(tensor.shape, tensor.stride(), dtype=tensor.dtype, device="meta")
    return {"val": shape, "tensor_meta": _extract_tensor_metadata(tensor)}


def _is_created(node: Node) -> bool:
    """Return whether a node is a constant, or a tensor that the program creates from one."""
    return node.op == "get_attr" or node.target is torch.ops.aten.lift_fresh_copy.default


_READS = ("__bool__", "__complex__", "__float__", "__index__", "__int__", "item", "numpy", "tolist")


class _NoReads(TorchFunctionMode):
    """Refuses to read numbers out of tensors, since the graph could not depend on them."""

    def __init__(self, mode: ProxyTorchDispatchMode) -> None:
        self.mode = mode

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        """Call the function unless it reads a tensor that depends on the inputs."""
        if getattr(func, "__name__", "") in _READS and isinstance(args[0], torch.Tensor):
            with _without_modes():
                node = self.mode.known.find(args[0])
            if node is not None and not _is_created(node):
                raise RuntimeError(
                    "It appears that you're trying to get value out of a tracing tensor - erroring "
                    "out! It's likely that this is caused by data-dependent control flow or similar."
                )
        return func(*args, **(kwargs or {}))


# ---- the modes that are active
def get_proxy_mode() -> ProxyTorchDispatchMode | None:
    """Return the innermost active mode that records operators, or None.

    Example:
        >>> from torch.fx.experimental.proxy_tensor import get_proxy_mode, make_fx
        >>> def function(x):
        ...     print(get_proxy_mode() is None)
        ...     return x
        >>> module = make_fx(function)(torch.ones(1))
        False
    """
    modes = _get_current_dispatch_mode_stack()
    return next((m for m in reversed(modes) if isinstance(m, ProxyTorchDispatchMode)), None)


def get_innermost_proxy_mode() -> ProxyTorchDispatchMode | None:
    """Return the innermost active mode that records operators, or None.

    Example:
        >>> torch.fx.experimental.proxy_tensor.get_innermost_proxy_mode() is None  # doctest: +SKIP
        True
    """
    return get_proxy_mode()


@contextlib.contextmanager
def _without_modes() -> Iterator[None]:
    modes = [_pop_mode() for _ in _get_current_dispatch_mode_stack()]
    try:
        yield
    finally:
        for mode in reversed(modes):
            _push_mode(mode)


@contextlib.contextmanager
def disable_proxy_modes_tracing(
    enable_current: bool = False,
) -> Iterator[ProxyTorchDispatchMode | None]:
    """Record nothing for the length of a block.

    Example:
        >>> from torch.fx.experimental import proxy_tensor
        >>> def function(x):
        ...     with proxy_tensor.disable_proxy_modes_tracing():
        ...         hidden = torch.ones(1)
        ...     return x + hidden
        >>> graph = proxy_tensor.make_fx(function)(torch.ones(1)).graph
        >>> [node.op for node in graph.nodes]
        ['placeholder', 'get_attr', 'call_function', 'output']
    """
    modes = [_pop_mode() for _ in _get_current_dispatch_mode_stack()]
    proxies = [mode for mode in modes if isinstance(mode, ProxyTorchDispatchMode)]
    for mode in reversed(modes):
        if mode not in proxies:
            _push_mode(mode)
    try:
        yield proxies[0] if proxies else None
    finally:
        for _ in range(len(modes) - len(proxies)):
            _pop_mode()
        for mode in reversed(modes):
            _push_mode(mode)


def maybe_disable_thunkify() -> contextlib.AbstractContextManager[None]:
    """Return a context manager that changes nothing, as sizes are integers.

    Example:
        >>> from torch.fx.experimental.proxy_tensor import maybe_disable_thunkify
        >>> with maybe_disable_thunkify():
        ...     torch.ones(1)
        tensor([1.])
    """
    return contextlib.nullcontext()


# ---- traces
def make_fx(
    f: Callable[..., Any],
    decomposition_table: Decompositions | None = None,
    tracing_mode: str = "real",
    _allow_non_fake_inputs: bool = False,
    *,
    pre_dispatch: bool = False,
    **options: Any,
) -> Callable[..., GraphModule]:
    """Return a function that runs `f` and returns the operators it calls as a GraphModule.

    The operators are those below autograd, so the graph of a function that computes gradients has
    the operators of its backward pass. Sizes and numbers become constants.

    Args:
        f: A function, or a module, whose parameters become constants.
        decomposition_table: Functions that replace operators, as torch._decomp has them.
        tracing_mode: "real" or "fake"; both run the operators on the given tensors.
        pre_dispatch: Must be false.
        **options: Accepted for compatibility.

    Raises:
        NotImplementedError: If `tracing_mode` is "symbolic" or `pre_dispatch` is true, and, in
            the call, for a view that no operator made.
        RuntimeError: In the call, if `f` reads a number out of a tensor that depends on its inputs.

    Example:
        >>> from torch.fx.experimental.proxy_tensor import make_fx
        >>> module = make_fx(lambda x: torch.softmax(x.sin(), 0))(torch.ones(2))
        >>> for node in module.graph.nodes:
        ...     print(node.name, node.target)
        x_1 x_1
        sin aten.sin.default
        _softmax aten._softmax.default
        output output
    """
    if tracing_mode not in ("real", "fake", "symbolic"):
        raise AssertionError(f"Unexpected tracing type: {tracing_mode}")
    if tracing_mode == "symbolic" or pre_dispatch:
        what = "pre_dispatch=True" if pre_dispatch else 'tracing_mode="symbolic"'
        raise NotImplementedError(f"make_fx: {what} is not supported; sizes are integers here")

    def wrapped(*args: Any) -> GraphModule:
        return _trace(f, args, tracing_mode, decomposition_table)

    return wrapped


def _trace(
    f: Callable[..., Any],
    args: tuple[Any, ...],
    tracing_mode: str,
    decomposition_table: Decompositions | None,
) -> GraphModule:
    tracer = PythonKeyTracer()
    tracer.graph = Graph(tracer_cls=PythonKeyTracer)
    mode = ProxyTorchDispatchMode(tracer, tracing_mode, decomposition_table)
    parameters = _parameter_names(f, len(args))
    leaves, in_spec = pytree.tree_flatten(list(args))
    nested = not all(child.is_leaf() for child in in_spec.children())
    for leaf, name in zip(leaves, _input_names(parameters, args), strict=True):
        node = tracer.create_node("placeholder", name, (), {}, name=name)
        if isinstance(leaf, torch.Tensor):
            mode.record(leaf, node)
    with mode, _NoReads(mode):
        result = f(*args)
    flat, out_spec = pytree.tree_flatten(result)
    nodes = [mode.node_of(x) if isinstance(x, torch.Tensor) else x for x in flat]
    returned = nodes if nested else pytree.tree_unflatten(nodes, out_spec)
    tracer.create_node("output", "output", (returned,), {})
    if nested:
        tracer.graph.set_codegen(_PyTreeCodeGen(_PyTreeInfo(parameters, in_spec, out_spec)))
    return GraphModule(tracer.root, tracer.graph, getattr(f, "__name__", type(f).__name__))


def _parameter_names(f: Callable[..., Any], count: int) -> list[str]:
    """Return a name for each argument: those of the function if it has a fixed number."""
    try:
        known = inspect.signature(f).parameters.values()
    except (TypeError, ValueError):
        known = ()  # type: ignore[assignment]
    if isinstance(f, torch.nn.Module) or any(p.kind is p.VAR_POSITIONAL for p in known):
        known = ()  # type: ignore[assignment]
    names = [p.name for p in known][:count]
    return names if len(names) == count else [f"arg{i}" for i in range(count)]


def _input_names(parameters: list[str], args: tuple[Any, ...]) -> Iterator[str]:
    """Return the names of the placeholders: the argument's, with the number of the leaf."""
    for name, value in zip(parameters, args, strict=True):
        for number in range(len(pytree.tree_leaves(value))):
            yield f"{name}_{number + 1}"


def wrapper_and_args_for_make_fx(
    func: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[Callable[[list[Any]], Any], list[Any]]:
    """Return a function of one flat list, and the list, for a call with any arguments.

    Example:
        >>> from torch.fx.experimental.proxy_tensor import wrapper_and_args_for_make_fx
        >>> function, flat = wrapper_and_args_for_make_fx(max, (1, 2), {"default": 0})
        >>> flat
        [1, 2, 0]
    """
    flat, spec = pytree.tree_flatten((args, kwargs))

    def wrapped(flat_args: list[Any]) -> Any:
        positional, named = pytree.tree_unflatten(flat_args, spec)
        return func(*positional, **named)

    return wrapped, flat


def get_isolated_graphmodule(
    func: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    tracing_mode: str = "real",
    decomposition_table: Decompositions | None = None,
) -> GraphModule:
    """Record a call into a separate graph while another trace may be active.

    Example:
        >>> from torch.fx.experimental.proxy_tensor import get_isolated_graphmodule
        >>> module = get_isolated_graphmodule(torch.add, (torch.ones(1), 2), {})
        >>> module([torch.ones(1), 2])
        tensor([3.])
    """
    wrapped, flat = wrapper_and_args_for_make_fx(func, args, kwargs)
    with disable_proxy_modes_tracing():
        return make_fx(wrapped, decomposition_table, tracing_mode)(flat)
