"""Functions of Python that stay within TorchScript, as the text that its archives have.

A file is read as text, so nothing of it is imported. Its functions may call each other, builtins that
TorchScript has, methods of lists and, where the reader knows them, operators. Constants of the file are
written where they are used.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tools.codegen.errors import InputError, Problem, suggest
from tools.codegen.model import Operators
from tools.codegen.source import read_text

_BUILTINS = {
    "float": "float",
    "len": "torch.len",
    "max": "ops.prim.max",
    "min": "ops.prim.min",
    "range": "range",
}
_LIST_METHODS = frozenset({"append", "extend", "insert", "pop", "reverse", "clear"})
_TENSOR_PROPERTIES = {"dtype": "ops.prim.dtype", "shape": "torch.size"}
_TYPES = {
    **{"int": "int", "float": "float", "bool": "bool", "str": "str"},
    **{"Tensor": "Tensor", "Number": "number"},
}
_GENERIC = {"list": "List", "tuple": "Tuple"}
_AS_WRITTEN = (
    *(ast.Constant, ast.Tuple, ast.List, ast.Subscript, ast.Slice, ast.Name, ast.arguments),
    *(ast.UnaryOp, ast.BinOp, ast.BoolOp, ast.Compare, ast.IfExp),
    *(ast.If, ast.For, ast.While, ast.Return, ast.Pass, ast.Break, ast.Continue),
    *(ast.operator, ast.unaryop, ast.boolop, ast.cmpop, ast.expr_context),
)


@dataclass(frozen=True)
class Program:
    """The functions of a file, in its order."""

    module: str
    """The qualified name of the file, such as __torch__.torch.jit._shape_programs."""
    functions: Mapping[str, tuple[str, ...]]
    """The names of their parameters, by the name of the function."""
    text: str


@dataclass(frozen=True)
class Callables:
    """The names of operators that programs may call: as functions of torch, and as methods of tensors."""

    functions: frozenset[str] = field(default=frozenset())
    methods: frozenset[str] = field(default=frozenset())

    @staticmethod
    def of(operators: Operators) -> Callables:
        """Return the names of a model. A method's tensor is the first argument of its operator."""
        functions, methods = set(), set()
        for function in operators.functions:
            name, arguments = str(function.func.name.name), function.func.arguments
            if "function" in function.variants:
                functions.add(name)
            if "method" in function.variants and not arguments.pre_self and arguments.self_arg:
                methods.add(name)
        return Callables(frozenset(functions), frozenset(methods))


def read_program(
    path: Path, module: str, file: str = "", operators: Callables | None = None
) -> Program:
    """Return the functions of a file as TorchScript.

    Args:
        path: The file.
        module: Its name in Python, such as torch.jit._shape_programs.
        file: The name that messages give to it; by default the path.
        operators: The operators that its functions may call; by default none.

    Raises:
        InputError: If a function has something that TorchScript lacks; the error lists all places.
    """
    problems: list[Problem] = []
    file = file or str(path)
    text = read_text(path, file, problems)
    try:
        statements = [n for n in ast.parse(text).body if not _is_preamble(n)]
    except SyntaxError as error:
        statements = []
        problems.append(Problem(file, error.lineno or 1, error.offset or 1, error.msg))
    constants = _constants(statements)
    definitions = [n for n in statements if not _is_constant(n)]
    named = {node.name: node for node in definitions if isinstance(node, ast.FunctionDef)}
    lowering = _Lowering(
        f"__torch__.{module}", [*named], constants, operators or Callables(), file, problems
    )
    parameters = {name: tuple(each.arg for each in node.args.args) for name, node in named.items()}
    lowered = [lowering.visit(definition) for definition in definitions]
    if problems:
        raise InputError(problems, {file: text})
    texts = [ast.unparse(ast.fix_missing_locations(each)) for each in lowered]
    return Program(lowering.module, parameters, "\n\n".join(texts) + "\n")


def _is_preamble(node: ast.stmt) -> bool:
    """Return whether a statement is a docstring, or imports torch or the names of types."""
    match node:
        case ast.Import(names=[ast.alias(name="torch", asname=None)]):
            return True
        case ast.ImportFrom(names=names, level=0):
            return all(each.name in _TYPES and each.asname is None for each in names)
    return _is_docstring(node)


def _is_constant(node: ast.stmt) -> bool:
    match node:
        case ast.Assign(targets=[ast.Name()], value=ast.Constant()):
            return True
    return False


def _constants(statements: list[ast.stmt]) -> dict[str, ast.expr]:
    """Return the values of the constants of a file."""
    return {
        target.id: statement.value
        for statement in statements
        if isinstance(statement, ast.Assign) and _is_constant(statement)
        for target in statement.targets
        if isinstance(target, ast.Name)
    }


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


class _Lowering(ast.NodeTransformer):
    """Replaces what is shorter in Python by what TorchScript's archives write."""

    def __init__(
        self,
        module: str,
        functions: list[str],
        constants: Mapping[str, ast.expr],
        operators: Callables,
        file: str,
        problems: list[Problem],
    ) -> None:
        self.module = module
        self._functions = functions
        self._constants = constants
        self._operators = operators
        self._file = file
        self._problems = problems

    def generic_visit(self, node: ast.AST) -> ast.AST:
        if not isinstance(node, _AS_WRITTEN):
            self._report(node, f"TorchScript has no {type(node).__name__} as it is used here")
            return node
        return super().generic_visit(node)

    def _report(self, node: ast.AST, message: str) -> None:
        line, column = getattr(node, "lineno", 1), getattr(node, "col_offset", 0) + 1
        self._problems.append(Problem(self._file, line, column, message))

    # ---- functions and their types
    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        arguments = node.args
        if arguments.vararg or arguments.kwarg or arguments.kwonlyargs or node.decorator_list:
            self._report(node, f"{node.name} has decorators or parameters that TorchScript lacks")
        for each in arguments.args:
            each.annotation = self._type(each, each.annotation)
        node.returns = self._type(node, node.returns)
        arguments.defaults = [self.visit(default) for default in arguments.defaults]
        node.body = [self.visit(each) for each in node.body if not _is_docstring(each)]
        return node

    def _type(self, owner: ast.AST, node: ast.expr | None) -> ast.expr:
        """Return an annotation as TorchScript writes it."""
        match node:
            case ast.Name(id=name) if name in _TYPES:
                return _name(_TYPES[name])
            case ast.Subscript(value=ast.Name(id=name), slice=item) if name in _GENERIC:
                items = item.elts if isinstance(item, ast.Tuple) else [item]
                types = [self._type(each, each) for each in items]
                inner = types[0] if len(types) == 1 else ast.Tuple(types, ast.Load())
                return ast.Subscript(_name(_GENERIC[name]), inner, ast.Load())
            case ast.BinOp(left=left, op=ast.BitOr(), right=ast.Constant(value=None)):
                return ast.Subscript(_name("Optional"), self._type(left, left), ast.Load())
            case None:
                self._report(owner, "every parameter and result needs a type")
            case _:
                self._report(node, f"TorchScript has no type {ast.unparse(node)}")
        return _name("int")

    # ---- statements
    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.stmt:
        kind = self._type(node, node.annotation)
        if node.value is None:
            self._report(node, "a variable with a type needs a value")
            return node
        value = _call("annotate", kind, self.visit(node.value))
        return ast.Assign([node.target], value)

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.stmt:
        if not isinstance(node.target, ast.Name):
            self._report(node, "only variables can be changed in place")
            return node
        value = ast.BinOp(_name(node.target.id), node.op, self.visit(node.value))
        return ast.Assign([node.target], value)

    def visit_Assign(self, node: ast.Assign) -> ast.stmt:
        value: ast.expr = self.visit(node.value)
        match node.targets:
            case [ast.Subscript(value=items, slice=index)] if not isinstance(index, ast.Slice):
                return ast.Expr(
                    _call("torch._set_item", self.visit(items), self.visit(index), value)
                )
            case [ast.Name()] | [ast.Tuple()]:
                return ast.Assign(node.targets, value)
        self._report(node, "TorchScript assigns to variables and elements of lists only")
        return node

    def visit_Expr(self, node: ast.Expr) -> ast.stmt:
        if not isinstance(node.value, ast.Call):
            self._report(node, "the statement has no effect")
        return ast.Expr(self.visit(node.value))

    def visit_Raise(self, node: ast.Raise) -> ast.stmt:
        match node.exc:
            case ast.Call(func=ast.Name(id=kind), args=[message], keywords=[]):
                text = ast.Constant(f"builtins.{kind}")
                return ast.Expr(_call("ops.prim.RaiseException", self.visit(message), text))
        self._report(node, "an exception is raised with one message")
        return node

    # ---- expressions
    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        operand = self.visit(node.operand)
        if isinstance(node.op, ast.Not):  # PyTorch reads `not index` as `not in`
            return _call("torch.__not__", operand)
        return ast.UnaryOp(node.op, operand)

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return copy.deepcopy(self._constants.get(node.id, node))

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        """Return the call that reads a property of a tensor."""
        if node.attr not in _TENSOR_PROPERTIES:
            hint = suggest(node.attr, _TENSOR_PROPERTIES)
            self._report(node, f"TorchScript has no {ast.unparse(node)} here{hint}")
            return node
        return _call(_TENSOR_PROPERTIES[node.attr], self.visit(node.value))

    def visit_Call(self, node: ast.Call) -> ast.expr:
        callee, owner = self._callee(node.func)
        arguments = [self.visit(argument) for argument in (*owner, *node.args)]
        keywords = [ast.keyword(each.arg, self.visit(each.value)) for each in node.keywords]
        builtin = callee.rpartition(".")[2] in (*_BUILTINS, *_LIST_METHODS)
        if any(each.arg is None for each in keywords):
            self._report(node, "keyword arguments have names")
        elif keywords and builtin:
            self._report(node, "arguments of builtins are passed by position")
        return ast.Call(_name(callee), arguments, keywords) if callee else node

    def _callee(self, function: ast.expr) -> tuple[str, list[ast.expr]]:
        """Return the full name of a function, or "", and the object whose method it is."""
        match function:
            case ast.Name(id=name) if name in self._functions:
                return f"{self.module}.{name}", []
            case ast.Name(id=name) if name in _BUILTINS:
                return _BUILTINS[name], []
            case ast.Name(id=name):
                hint = suggest(name, [*self._functions, *_BUILTINS])
                self._report(function, f"no function is called {name!r}{hint}")
            case ast.Attribute(value=ast.Name(id="torch"), attr=name):
                if name in self._operators.functions:
                    return f"torch.{name}", []
                hint = suggest(name, self._operators.functions)
                self._report(function, f"torch has no operator {name!r}{hint}")
            case ast.Attribute(value=owner, attr=method):
                if method in _LIST_METHODS or method in self._operators.methods:
                    return f"torch.{method}", [owner]
                hint = suggest(method, [*_LIST_METHODS, *self._operators.methods])
                self._report(function, f"TorchScript has no {ast.unparse(function)}{hint}")
            case _:
                self._report(function, f"TorchScript has no {ast.unparse(function)}")
        return "", []

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.expr:
        text, values = "", []
        for part in node.values:
            match part:
                case ast.Constant(value=str(words)):
                    text += words.replace("{", "{{").replace("}", "}}")
                case ast.FormattedValue(value=value, conversion=-1, format_spec=None):
                    text += "{}"
                    values.append(self.visit(value))
                case _:
                    self._report(part, "TorchScript formats values without options")
        return _call("torch.format", ast.Constant(text), *values)


def _name(name: str) -> ast.expr:
    """Return the expression of a name, which may have dots."""
    return ast.parse(name, mode="eval").body


def _call(function: str, *arguments: ast.expr) -> ast.Call:
    return ast.Call(_name(function), [*arguments], [])
