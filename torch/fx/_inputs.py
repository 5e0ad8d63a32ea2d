"""The inputs of a trace: placeholders for parameters, and checks of those with fixed values."""

from __future__ import annotations

import inspect
import warnings
from types import FunctionType
from typing import Any

import torch
from torch.fx._wrapping import PH, PHBase
from torch.fx.node import has_side_effect


@has_side_effect
def _assert_is_none(value: Any, msg: str) -> None:
    """Raise AssertionError unless an input is the None for which a function was traced."""
    if value is not None:
        raise AssertionError(msg)


_assert_is_none.__module__ = "torch.fx._symbolic_trace"  # where generated code looks for it


class Inputs:
    """Creates the placeholders of a function's parameters."""

    def __init__(self, tracer: Any, concrete_args: Any):
        self.tracer = tracer
        self.concrete = concrete_args
        self.flat_inputs: list[Any] = []

    def create(self, root_fn: Any, is_module: bool) -> tuple[Any, list[Any]]:
        """Return the function to call and its arguments."""
        function = inspect.unwrap(root_fn)
        code = function.__code__
        signature = inspect.signature(function)
        names = list(signature.parameters)
        args: list[Any] = []
        if is_module:
            kinds = [parameter.kind for parameter in signature.parameters.values()]
            if not names or kinds[0] is inspect.Parameter.VAR_POSITIONAL:
                raise RuntimeError("``self`` argument cannot be part of *args expansion!")
            args.append(self.tracer.root)
            names = names[1:]
        if isinstance(self.concrete, tuple):
            if len(names) != len(self.concrete):
                raise RuntimeError(
                    f"Tracing expected {len(names)} arguments but got {len(self.concrete)} "
                    "concrete arguments"
                )
            self.concrete = dict(zip(names, self.concrete, strict=True))
        star = bool(code.co_flags & (inspect.CO_VARARGS | inspect.CO_VARKEYWORDS))
        starred = []
        for name in names:
            parameter = signature.parameters[name]
            if parameter.kind is parameter.VAR_POSITIONAL:
                starred.append(("*" + name, parameter))
            elif parameter.kind is parameter.VAR_KEYWORD:
                starred.append(("**" + name, parameter))
            else:
                args.append(self.proxy_for(name, parameter))
        args += [self.proxy_for(name, parameter) for name, parameter in starred]
        if star or any(p.kind is p.KEYWORD_ONLY for p in signature.parameters.values()):
            root_fn = _patch_function(function, len(args))
        return self.of_leaves(root_fn, args[: int(is_module)], args[int(is_module) :], names)

    def of_leaves(
        self, function: Any, before: list[Any], args: list[Any], names: list[str]
    ) -> tuple[Any, list[Any]]:
        """Flatten the arguments and the result if some values that are fixed are containers."""
        from torch.fx._pytree_codegen import _PyTreeCodeGen, _PyTreeInfo
        from torch.utils import _pytree as pytree

        leaves, in_spec = pytree.tree_flatten(args)
        if all(child.is_leaf() for child in in_spec.children()):
            return function, before + args

        def flattened(*leaves: Any) -> list[Any]:
            result = function(*before, *pytree.tree_unflatten(list(leaves), in_spec))
            flat, out_spec = pytree.tree_flatten(result)
            self.tracer.graph.set_codegen(_PyTreeCodeGen(_PyTreeInfo(names, in_spec, out_spec)))
            return list(flat)

        return flattened, leaves

    def proxy_for(self, name: str, parameter: inspect.Parameter) -> Any:
        """Create the placeholder of one parameter."""
        plain = name.lstrip("*")
        if plain in self.concrete and self.concrete[plain] is not PH:
            return self.concrete_value(plain, self.concrete[plain], parameter)
        default = ()
        if not name.startswith("*") and parameter.default is not parameter.empty:
            default = (parameter.default,)
        kind = parameter.annotation
        if kind is parameter.empty or isinstance(kind, str):  # its names may be unknown elsewhere
            kind = None
        return self.tracer.create_proxy("placeholder", name, default, {}, type_expr=kind)

    def concrete_value(self, name: str, value: Any, parameter: inspect.Parameter) -> Any:
        """Keep an input for a value that is fixed, and check it in the graph."""
        from torch.utils import _pytree as pytree

        count = 0

        def replace(leaf: Any) -> Any:
            nonlocal count
            count += 1
            if isinstance(leaf, PHBase):
                made = self.tracer.create_proxy("placeholder", f"{name}_{count}", (), {})
                for attribute, kept in vars(leaf).items():  # a subclass adds some
                    if not hasattr(made.node, attribute):
                        setattr(made.node, attribute, kept)
                made.node.meta["tensor_meta"] = None
                return made
            default = () if parameter.default is parameter.empty else (parameter.default,)
            out = self.tracer.create_proxy("placeholder", f"{name}_{count}", default, {})
            message = f"{name} has been specialized to have value {leaf} but got another value"
            if leaf is None:
                self.tracer.create_proxy("call_function", _assert_is_none, (out, message), {})
            elif isinstance(leaf, (bool, int, float, str)):
                torch._assert(out == leaf, message)
            else:
                warnings.warn(
                    f"Was not able to add assertion to guarantee correct input {name} to specialized "
                    "function. It is up to the user to make sure that your inputs match the inputs "
                    "you specialized the function with.",
                    stacklevel=2,
                )
            return leaf

        return pytree.tree_map(replace, value)


def _patch_function(fn: Any, nargs: int) -> Any:
    """Return the function with *args, **kwargs and keyword-only parameters as positional ones."""
    code = fn.__code__
    flags = code.co_flags & ~(inspect.CO_VARARGS | inspect.CO_VARKEYWORDS)
    new = code.replace(co_argcount=nargs, co_posonlyargcount=0, co_kwonlyargcount=0, co_flags=flags)
    return FunctionType(new, fn.__globals__, fn.__name__, fn.__defaults__, fn.__closure__)
