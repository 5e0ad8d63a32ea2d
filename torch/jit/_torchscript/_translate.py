"""Turn functions of TorchScript, which are a subset of Python, into functions of Python.

Files may come from anywhere, so only the syntax that TorchScript writes is accepted, functions see no
builtins, and attributes can only be read where a class of the archive declares them.
"""

from __future__ import annotations

import ast
import builtins
import operator
from collections.abc import Callable
from typing import Any, Protocol

import torch
from torch.jit._torchscript._objects import new_object, read_attribute, write_attribute
from torch.jit._torchscript._types import type_of_node

_ROOTS = frozenset(("torch", "ops", "CONSTANTS", "__torch__"))
_CONSTANTS = {
    "inf": float("inf"),
    "nan": float("nan"),
    "infj": complex(0, float("inf")),
    "nanj": complex(0, float("nan")),
}
_AS_WRITTEN = (
    *(ast.Constant, ast.Tuple, ast.List, ast.Dict, ast.Subscript, ast.Slice),
    *(ast.UnaryOp, ast.BinOp, ast.BoolOp, ast.Compare, ast.IfExp),
    *(ast.If, ast.While, ast.Return, ast.Expr, ast.Pass, ast.Break, ast.Continue),
    *(ast.With, ast.withitem, ast.For, ast.keyword, ast.arguments),
    *(ast.operator, ast.unaryop, ast.boolop, ast.cmpop, ast.expr_context),
)


class Resolver(Protocol):
    """Finds what a dotted name of a program stands for."""

    def resolve(self, path: str) -> Any:
        """Return the operator, constant, function or class of a name such as `torch.add`."""


def translate(definition: ast.FunctionDef, resolver: Resolver, file: str) -> Callable[..., Any]:
    """Return a function that runs a definition.

    Args:
        definition: A function or a method of the program; it is changed.
        resolver: Finds the names that are not local variables.
        file: The name of the file, for tracebacks.

    Raises:
        RuntimeError: If the definition has syntax that TorchScript does not write.
        NotImplementedError: If it calls an operator that this build lacks.
    """
    translator = _Translator(resolver, file)
    tree = ast.Module([translator.visit(definition)], [])
    ast.fix_missing_locations(tree)
    namespace = translator.namespace
    exec(compile(tree, file, "exec"), namespace)
    function: Callable[..., Any] = namespace[definition.name]
    return function


def _scalar(value: Any) -> Any:
    """Convert a tensor with one element to the number that an annotation asks for."""
    return value.item() if isinstance(value, torch.Tensor) else value


def _list_of(value: Any) -> Any:
    return value.tolist()


def _unwrapped(value: Any) -> Any:
    if value is None:
        raise RuntimeError("Unwrapping null optional")
    return value


_HELPERS: dict[str, Any] = {
    "read attribute": read_attribute,
    "write attribute": write_attribute,
    "new object": new_object,
    "number of": _scalar,
    "list of": _list_of,
    "is of type": lambda value, types: any(each.accepts(value) for each in types),
}
_FUNCTIONS: dict[str, Any] = {
    **{
        name: getattr(builtins, name)
        for name in (
            *("int", "float", "bool", "complex", "str", "range", "print", "dict", "list"),
            *("abs", "all", "any", "bin", "chr", "divmod", "hash", "hex", "len", "max", "min"),
            *("oct", "ord", "pow", "round", "sorted", "sum"),
        )
    },
    "unwrap_optional": _unwrapped,
    "fork": torch.jit.fork,
    "wait": torch.jit.wait,
    "awaitable": torch.jit.fork,
    "awaitable_wait": torch.jit.wait,
    "rangelist": lambda length: [*range(length)],
    "op_index": operator.index,
}


class _Translator(ast.NodeTransformer):
    """Checks each node, and replaces names and attributes by what they stand for."""

    def __init__(self, resolver: Resolver, file: str) -> None:
        self._resolver = resolver
        self._file = file
        self.namespace: dict[str, Any] = {"__builtins__": {}, **_HELPERS}

    def generic_visit(self, node: ast.AST) -> ast.AST:
        if not isinstance(node, _AS_WRITTEN):
            raise self._refusal(node)
        return super().generic_visit(node)

    def _refusal(self, node: ast.AST) -> RuntimeError:
        line = getattr(node, "lineno", "?")
        return RuntimeError(
            f"{self._file}:{line}: TorchScript has no {type(node).__name__} as it is used here"
        )

    # ---- names
    def _global(self, key: str, value: Any) -> ast.Name:
        """Return a name for a value, which no variable of the program can have."""
        self.namespace[key] = value
        return ast.Name(key, ast.Load())

    def _helper(self, name: str, *arguments: ast.expr) -> ast.Call:
        return ast.Call(ast.Name(name, ast.Load()), [*arguments], [])

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id.startswith("__"):
            raise self._refusal(node)
        if node.id in _CONSTANTS and isinstance(node.ctx, ast.Load):
            return self._global(f"constant {node.id}", _CONSTANTS[node.id])
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        path = _dotted(node)
        if path is not None:
            return self._global(path, self._resolver.resolve(path))
        if not isinstance(node.ctx, ast.Load):
            raise self._refusal(node)
        return self._helper("read attribute", self.visit(node.value), ast.Constant(node.attr))

    # ---- calls
    def visit_Call(self, node: ast.Call) -> ast.expr:
        if any(keyword.arg is None for keyword in node.keywords):
            raise self._refusal(node)
        special = self._special_call(node)
        if special is not None:
            return special
        arguments = [self.visit(argument) for argument in node.args]
        keywords = [self.visit(keyword) for keyword in node.keywords]
        return ast.Call(self._callee(node.func), arguments, keywords)

    def _callee(self, function: ast.expr) -> ast.expr:
        if isinstance(function, ast.Name) and function.id in _FUNCTIONS:
            return self._global(f"function {function.id}", _FUNCTIONS[function.id])
        return self.visit(function)

    def _special_call(self, node: ast.Call) -> ast.expr | None:
        """Return what replaces a call that is not one at run time, or that takes a type."""
        match node:
            case ast.Call(func=ast.Name(id="annotate"), args=[kind, value]):
                number = type_of_node(kind).is_number
                return self._helper("number of", self.visit(value)) if number else self.visit(value)
            case ast.Call(func=ast.Name(id="unchecked_cast"), args=[_, value]):
                return self.visit(value)
            case ast.Call(func=ast.Name(id="uninitialized")):
                return ast.Constant(None)
            case ast.Call(func=ast.Name(id="isinstance"), args=[value, kind]):
                return self._isinstance(value, kind)
            case ast.Call(func=ast.Name(id="getattr"), args=[owner, ast.Constant(value=str(name))]):
                return self._helper("read attribute", self.visit(owner), ast.Constant(name))
            case ast.Call(func=ast.Attribute(attr="__new__", value=owner), args=[_]):
                return self._helper("new object", self.visit(owner))
            case ast.Call(func=ast.Attribute(attr="tolist", value=value), args=[]):
                return self._helper("list of", self.visit(value))
        return None

    def _isinstance(self, value: ast.expr, kind: ast.expr) -> ast.expr:
        nodes = kind.elts if isinstance(kind, (ast.List, ast.Tuple)) else [kind]
        types = [type_of_node(each) for each in nodes]
        name = self._global(f"types {', '.join(map(str, types))}", types)
        return self._helper("is of type", self.visit(value), name)

    # ---- statements
    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        if node.decorator_list:
            raise self._refusal(node)
        node.returns = None
        for each in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs):
            each.annotation = None
            if each.arg.startswith("__"):
                raise self._refusal(node)
        node.args.defaults = [self.visit(default) for default in node.args.defaults]
        node.body = [self.visit(statement) for statement in node.body]
        return node

    def visit_Assign(self, node: ast.Assign) -> ast.stmt:
        match node.targets:
            case [ast.Attribute(value=owner, attr=name)] if _dotted(node.targets[0]) is None:
                return self._attribute_write(self.visit(owner), name, node.value)
        node.targets = [self._target(target) for target in node.targets]
        node.value = self.visit(node.value)
        return node

    def _target(self, target: ast.expr) -> ast.expr:
        if isinstance(target, ast.Tuple):
            target.elts = [self._target(each) for each in target.elts]
            return target
        if not isinstance(target, (ast.Name, ast.Subscript)):
            raise self._refusal(target)
        visited: ast.expr = self.visit(target)
        return visited

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.stmt:
        if node.value is None:
            return ast.Pass()
        return ast.Assign([self._target(node.target)], self.visit(node.value))

    def visit_Expr(self, node: ast.Expr) -> ast.stmt:
        match node.value:
            case ast.Call(
                func=ast.Name(id="setattr"), args=[owner, ast.Constant(value=str(name)), value]
            ):
                return self._attribute_write(self.visit(owner), name, value)
        node.value = self.visit(node.value)
        return node

    def _attribute_write(self, owner: ast.expr, name: str, value: ast.expr) -> ast.stmt:
        call = self._helper("write attribute", owner, ast.Constant(name), self.visit(value))
        return ast.Expr(call)


def _dotted(node: ast.expr) -> str | None:
    """Return the text of a chain of names that begins with one of the roots, or None."""
    names: list[str] = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name) or node.id not in _ROOTS:
        return None
    return ".".join([node.id, *reversed(names)])
