"""A tracer that records the assertions and annotations of a program, too."""

from __future__ import annotations

import ast
import copy
import functools
import inspect
from collections.abc import Callable
from types import FunctionType
from typing import Any

import torch
from torch.fx._tracer import Tracer
from torch.fx.graph import Graph

__all__ = ["AST_Rewriter", "RewritingTracer"]


class AST_Rewriter(ast.NodeTransformer):
    """Turns `assert` statements and annotations in a function into calls, which can be traced.

    Example:
        >>> from torch.fx.experimental.rewriter import AST_Rewriter
        >>> isinstance(AST_Rewriter(), ast.NodeTransformer)  # doctest: +SKIP
        True
    """

    def rewrite(self, fn: FunctionType) -> FunctionType:
        """Return the rewritten function; it shares globals, defaults and closure with the old one."""
        source = inspect.getsource(fn)
        indented = source[:1].isspace()  # a method, which may have texts that are not indented
        tree = ast.parse(f"if True:\n{source}" if indented else source)
        ast.increment_lineno(tree, fn.__code__.co_firstlineno - 1 - int(indented))
        definition = tree.body[0].body[0] if indented else tree.body[0]  # type: ignore[attr-defined]
        if not isinstance(definition, ast.FunctionDef):
            return fn
        definition.decorator_list = []
        self._globals = fn.__globals__
        # A function around it declares the names of the closure, so that they stay free variables.
        outer = ast.parse("def outer():\n    pass").body[0]
        free = [ast.parse(f"{name} = None").body[0] for name in fn.__code__.co_freevars]
        outer.body = [*free, self.visit(definition)]  # type: ignore[attr-defined]
        tree.body = [outer]
        code = compile(ast.fix_missing_locations(tree), fn.__code__.co_filename, "exec")
        made = _code_of(code, "outer", fn.__name__)
        if made is None or set(made.co_freevars) != set(fn.__code__.co_freevars):
            return fn
        cells = dict(zip(fn.__code__.co_freevars, fn.__closure__ or (), strict=True))
        closure = tuple(cells[name] for name in made.co_freevars)
        result = FunctionType(made, fn.__globals__, fn.__name__, fn.__defaults__, closure)
        result.__kwdefaults__ = fn.__kwdefaults__
        return functools.wraps(fn)(result)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        """Make the annotation of an assigned name the type of the value's node."""
        source = ast.Expression(node.annotation)
        try:
            eval(compile(ast.fix_missing_locations(source), "<annotation>", "eval"), self._globals)
        except Exception:  # a name that only type checkers know
            return node
        if node.value is None or not isinstance(node.target, ast.Name):
            return node
        text = "__import__('torch.fx.annotate', fromlist=['annotate']).annotate(None, None)"
        call = ast.parse(text, mode="eval").body
        call.args = [node.value, node.annotation]  # type: ignore[attr-defined]
        return ast.copy_location(ast.Assign([node.target], call), node)

    def visit_Assert(self, node: ast.Assert) -> ast.AST:
        """Replace an assertion."""
        call = ast.parse("__import__('torch')._assert(None, '')", mode="eval").body
        call.args = [node.test, node.msg or ast.Constant("")]  # type: ignore[attr-defined]
        return ast.copy_location(ast.Expr(call), node)


def _code_of(code: Any, *names: str) -> Any:
    """Return the code of a function in that of a module, or None."""
    for name in names:
        code = next((c for c in code.co_consts if getattr(c, "co_name", None) == name), None)
        if code is None:
            return None
    return code


class RewritingTracer(Tracer):
    """A tracer that records the assertions and annotations in the `forward` of the traced modules.

    Example:
        >>> from torch.fx.experimental.rewriter import RewritingTracer
        >>> len(RewritingTracer().trace(nn.ReLU()).nodes)
        3
    """

    def trace(
        self,
        root: torch.nn.Module | Callable[..., Any],
        concrete_args: dict[str, Any] | None = None,
    ) -> Graph:
        """Record a module or a function as a graph."""
        return super().trace(_rewritten(root), concrete_args)


def _rewritten(root: Any) -> Any:
    if not isinstance(root, torch.nn.Module):
        return AST_Rewriter().rewrite(root) if isinstance(root, FunctionType) else root
    module = copy.copy(root)
    module._modules = {n: m if m is None else _rewritten(m) for n, m in root._modules.items()}
    cls = type(root)
    if not cls.__module__.startswith("torch.") and isinstance(cls.forward, FunctionType):
        forward = AST_Rewriter().rewrite(cls.forward)
        names = {"forward": forward, "__module__": cls.__module__, "__qualname__": cls.__qualname__}
        module.__class__ = type(cls.__name__, (cls,), names)
    return module
