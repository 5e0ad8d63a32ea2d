"""Tracer: record a module by running it with proxies."""

from __future__ import annotations

import collections
import copy
import inspect
import math
from collections.abc import Callable
from types import FunctionType, ModuleType
from typing import Any

import torch
from torch.fx import _wrapping
from torch.fx._inputs import Inputs
from torch.fx._wrapping import (
    ProxyableClassMeta,
    _autowrap_check,
    _patch_wrapped_functions,
    _Patcher,
)
from torch.fx.graph import Graph
from torch.fx.node import Argument
from torch.fx.proxy import ParameterProxy, TracerBase

_orig_module_getattr = torch.nn.Module.__getattr__
_orig_module_call = torch.nn.Module.__call__


class Tracer(TracerBase):
    """Records the program of a module; subclasses decide what is a leaf and what becomes a node.

    Args:
        autowrap_modules: Modules whose functions become nodes when an argument is a proxy.
        autowrap_functions: Further such functions.
        param_shapes_constant: Whether the shapes of parameters are constants of the program.

    Example:
        >>> import torch.fx
        >>> class Whole(torch.fx.Tracer):
        ...     def is_leaf_module(self, m, module_qualified_name):
        ...         return False
        >>> graph = Whole().trace(torch.nn.Sequential(torch.nn.ReLU()))
        >>> [node.op for node in graph.nodes]
        ['placeholder', 'call_function', 'output']
    """

    __module__ = "torch.fx._symbolic_trace"  # what pickled modules refer to

    def __init__(
        self,
        autowrap_modules: tuple[ModuleType, ...] = (math,),
        autowrap_functions: tuple[Callable[..., Any], ...] = (),
        param_shapes_constant: bool = False,
    ) -> None:
        super().__init__()
        self._autowrap_function_ids = {
            id(value)
            for module in autowrap_modules
            for name, value in module.__dict__.items()
            if not name.startswith("_") and callable(value)
        } | {id(function) for function in autowrap_functions}
        self._autowrap_search = list(autowrap_modules)
        self.param_shapes_constant = param_shapes_constant
        self.submodule_paths: dict[torch.nn.Module, str] | None = None
        self.tensor_attrs: dict[torch.Tensor, str] = {}
        self.root_module_name = ""
        self.scope: Any = None
        self.module_stack = collections.OrderedDict()
        self.node_name_to_scope: dict[str, Any] = {}

    # ---- what a subclass may change
    def is_leaf_module(self, m: torch.nn.Module, module_qualified_name: str) -> bool:
        """Return whether calls of a module are nodes; others are traced into."""
        return m.__module__.startswith(("torch.nn", "torch.ao.nn")) and not isinstance(
            m, torch.nn.Sequential
        )

    def path_of_module(self, mod: torch.nn.Module) -> str:
        """Return the qualified name of a submodule of the root.

        Raises:
            NameError: If it is not one.
        """
        if self.submodule_paths:
            path = self.submodule_paths.get(mod)
            if path is None:
                raise NameError("module is not installed as a submodule")
            return path
        for name, module in self.root.named_modules():
            if module is mod:
                return name
        raise NameError("module is not installed as a submodule")

    def call_module(self, m, forward, args, kwargs):
        """Record a call of a module, or call `forward` to trace into it."""
        path = self.path_of_module(m)
        self.module_stack[path] = (path, type(m))
        try:
            if self.is_leaf_module(m, path):
                return self.create_proxy("call_module", path, args, kwargs)
            return forward(*args, **kwargs)
        finally:
            self.module_stack.pop(path, None)

    def getattr(self, attr: str, attr_val: Any, parameter_proxy_cache: dict[str, Any]) -> Any:
        """Return what the traced program gets for an attribute of a module."""
        if isinstance(attr_val, torch.nn.Parameter):
            found = self._attribute_proxy(
                attr_val, self.root.named_parameters(), parameter_proxy_cache
            )
        elif self.proxy_buffer_attributes and isinstance(attr_val, torch.Tensor):
            found = self._attribute_proxy(
                attr_val, self.root.named_buffers(), parameter_proxy_cache
            )
        else:
            return attr_val
        return attr_val if found is None else found

    def _attribute_proxy(self, value: Any, named: Any, cache: dict[str, Any]) -> Any:
        for name, known in named:
            if known is not value:
                continue
            if name not in cache:
                factory = None
                if self.param_shapes_constant:

                    def factory(node, name=name):
                        return ParameterProxy(self, node, name, value)

                cache[name] = self.create_proxy("get_attr", name, (), {}, proxy_factory_fn=factory)
            return cache[name]
        return None

    _module_getattr = getattr

    def create_arg(self, a: Any) -> Argument:
        """Convert a value of the traced program to an argument of a node."""
        if isinstance(a, torch.nn.Parameter):
            for name, known in self.root.named_parameters():
                if known is a:
                    return self.create_node("get_attr", name, (), {})
            raise NameError("parameter is not a member of this module")
        if isinstance(a, torch.Tensor):
            for name, known in self.root.named_buffers():
                if known is a:
                    return self.create_node("get_attr", name, (), {})
        elif isinstance(a, torch.nn.Module):
            for name, known in self.root.named_modules():
                if known is a:
                    return self.create_node("get_attr", name, (), {})
        if isinstance(a, tuple) and hasattr(a, "_fields"):
            items = tuple(self.create_arg(item) for item in a)
            return self.create_node("call_function", a.__class__, items, {})
        if isinstance(a, torch.Tensor) or a.__class__ in _proxyable_classes:
            return self.create_node("get_attr", self._constant_name(a), (), {})
        if isinstance(type(a), ProxyableClassMeta):  # made from values that are constant
            return self.create_node("get_attr", self._constant_name(a), (), {})
        if type(a) in _torch_bind_classes:
            return self.create_node("get_attr", self._constant_name(a), (), {})
        return super().create_arg(a)

    def _constant_name(self, value: Any) -> str:
        """Return the name of an attribute of the root with this value, which is set if missing."""
        is_tensor = isinstance(value, torch.Tensor)
        if is_tensor:
            known = self.tensor_attrs.get(value)
        else:
            known = next((name for name, kept in vars(self.root).items() if kept is value), None)
        if known is not None:
            return known
        name = self.get_fresh_qualname("_tensor_constant" if is_tensor else "_constant")
        setattr(self.root, name, value)
        if is_tensor:
            self.tensor_attrs[value] = name
        return name

    def get_fresh_qualname(self, prefix: str) -> str:
        """Return a name that no attribute of the root has: the prefix and the first free number."""
        number = 0
        while hasattr(self.root, f"{prefix}{number}"):
            number += 1
        return f"{prefix}{number}"

    def create_args_for_root(self, root_fn, is_module, concrete_args=None):
        """Create the inputs from the signature of the traced function."""
        return Inputs(self, concrete_args or {}).create(root_fn, is_module)

    def __deepcopy__(self, memo: dict[int, Any]) -> Tracer:
        copied = Tracer.__new__(type(self))
        for name, value in vars(self).items():
            shared = name == "_autowrap_search"  # modules
            setattr(copied, name, copy.copy(value) if shared else copy.deepcopy(value, memo))
        return copied

    # ---- tracing
    def trace(self, root: torch.nn.Module | Callable[..., Any], concrete_args=None) -> Graph:
        """Run a module or a function with proxies.

        Args:
            root: The module or function.
            concrete_args: Values for inputs that are not to become proxies.

        Returns:
            The graph.
        """
        before, _wrapping._is_fx_tracing_flag = _wrapping._is_fx_tracing_flag, True
        try:
            return self._trace(root, concrete_args)
        finally:
            _wrapping._is_fx_tracing_flag = before

    def _trace(self, root: Any, concrete_args: dict[str, Any] | None) -> Graph:
        fn = self._find_function(root)
        self.graph = Graph(tracer_cls=getattr(self, "__class__", None))
        self.graph._tracer_extras = None
        self.tensor_attrs = _tensor_attributes(self.root)
        fn_globals = fn.__globals__
        fn, args = self.create_args_for_root(fn, isinstance(root, torch.nn.Module), concrete_args)
        with _Patcher() as patcher:
            self._patch_modules(patcher)
            _patch_wrapped_functions(patcher)
            _autowrap_check(patcher, fn_globals, self._autowrap_function_ids)
            for module in self._autowrap_search:
                _autowrap_check(patcher, module.__dict__, self._autowrap_function_ids)
            kind = fn.__annotations__.get("return", None)
            self.create_node(
                "output",
                "output",
                (self.create_arg(fn(*args)),),
                {},
                type_expr=None if isinstance(kind, str) else kind,
            )
        self.submodule_paths = None
        return self.graph

    def _find_function(self, root: Any) -> Any:
        if isinstance(root, torch.nn.Module):
            self.root = root
            if not hasattr(type(root), self.traced_func_name):
                raise AssertionError(
                    f"traced_func_name={self.traced_func_name} doesn't exist in "
                    f"{type(root).__name__}"
                )
            self.root_module_name = root._get_name()
            self.submodule_paths = {mod: name for name, mod in root.named_modules()}
            return getattr(type(root), self.traced_func_name)
        self.root = torch.nn.Module()
        if not isinstance(root, FunctionType):
            bound = root
            root = lambda *args, **kwargs: bound(*args, **kwargs)  # noqa: E731
            root.__signature__ = inspect.signature(bound)
        return root

    def _patch_modules(self, patcher: _Patcher) -> None:
        cache: dict[str, Any] = {}

        def module_getattr(mod: Any, attr: str) -> Any:
            return self.getattr(attr, _orig_module_getattr(mod, attr), cache)

        def module_call(mod: Any, *args: Any, **kwargs: Any) -> Any:
            def forward(*args: Any, **kwargs: Any) -> Any:
                return _orig_module_call(mod, *args, **kwargs)

            found = getattr(getattr(mod, "forward", mod), "__globals__", {})
            _autowrap_check(patcher, found, self._autowrap_function_ids)
            return self.call_module(mod, forward, args, kwargs)

        patcher.patch_method(torch.nn.Module, "__getattr__", module_getattr, deduplicate=False)
        patcher.patch_method(torch.nn.Module, "__call__", module_call, deduplicate=False)


_proxyable_classes: set[type] = set()
_torch_bind_classes: set[type] = set()


def _tensor_attributes(root: torch.nn.Module) -> dict[torch.Tensor, str]:
    """Return the names of tensors that are plain attributes of modules."""
    return {
        value: f"{prefix}.{name}" if prefix else name
        for prefix, module in root.named_modules()
        for name, value in vars(module).items()
        if isinstance(value, torch.Tensor)
    }
