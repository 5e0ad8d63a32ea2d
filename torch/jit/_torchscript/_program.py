"""The program of an archive: the source files of TorchScript, and the classes and functions in them."""

from __future__ import annotations

import ast
import copy
import enum
from collections import namedtuple
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from torch.jit._torchscript._objects import new_object
from torch.jit._torchscript._operators import find_operator
from torch.jit._torchscript._translate import translate
from torch.jit._torchscript._types import ScriptType, type_of_node

if TYPE_CHECKING:
    from torch.jit._graph._ir import Graph
    from torch.jit._graph._lowering import TraceFacts


class Program:
    """The source files of an archive, which are parsed and translated when they are first needed.

    Args:
        sources: The text of each file by its path, such as `__torch__/torch/nn/modules/linear.py`.
        constants: The tensors and other values that the files call CONSTANTS.c0 and so on.
        version: The operator version that the files were written for.
        facts: What a trace knows of the methods it recorded, by their qualified names.
    """

    def __init__(
        self,
        sources: Mapping[str, str],
        constants: Sequence[Any],
        version: int,
        facts: Mapping[str, TraceFacts] | None = None,
    ) -> None:
        self.sources = dict(sources)
        self.constants = tuple(constants)
        self.version = version
        self.facts = dict(facts or {})
        self._definitions: dict[str, dict[str, ast.stmt]] = {}
        self._resolved: dict[str, Any] = {}

    def __deepcopy__(self, memo: Any) -> Program:
        return self

    def script_class(self, name: str) -> ScriptClass:
        """Return a class by its qualified name.

        Raises:
            RuntimeError: If the archive does not define it.
        """
        found = self.resolve(name)
        if not isinstance(found, ScriptClass):
            raise RuntimeError(f"the archive uses the class {name}, which it does not define")
        return found

    def resolve(self, path: str) -> Any:
        """Return the operator, constant, function or class that a dotted name stands for."""
        if path not in self._resolved:
            self._resolved[path] = self._resolve(path)
        return self._resolved[path]

    def _resolve(self, path: str) -> Any:
        root, _, rest = path.partition(".")
        if root == "torch":
            return find_operator(f"aten::{rest}", self.version)
        if root == "ops":
            return find_operator(rest.replace(".", "::", 1), self.version)
        if root == "CONSTANTS":
            return self._constant(rest)
        definition = self._definition(path)
        if isinstance(definition, ast.ClassDef):
            return _class_of(self, path, definition)
        if isinstance(definition, ast.FunctionDef):
            return self.function(definition, path)
        return self._member_of_enumeration(path)

    def _member_of_enumeration(self, path: str) -> Any:
        """Return a member such as `__torch__.Color.RED`, or its name or value."""
        name, _, member = path.rpartition(".")
        owner = self.resolve(name) if "." in name else None
        if isinstance(owner, enum.EnumMeta) and member in owner.__members__:
            return owner[member]
        if isinstance(owner, enum.Enum) and member in ("name", "value"):
            return getattr(owner, member)
        raise RuntimeError(f"the archive uses {path}, which it does not define")

    def _constant(self, name: str) -> Any:
        index = int(name[1:]) if name[:1] == "c" and name[1:].isdigit() else -1
        if not 0 <= index < len(self.constants):
            raise RuntimeError(f"the archive has no constant {name}")
        return self.constants[index]

    def function(self, definition: ast.FunctionDef, name: str) -> Callable[..., Any]:
        """Return a function that is translated at its first call, when others it calls exist."""
        translated: list[Callable[..., Any]] = []

        def call(*args: Any, **kwargs: Any) -> Any:
            if not translated:
                file = f"code/{self._path(name)}"
                translated.append(translate(copy.deepcopy(definition), self, file))
            return translated[0](*args, **kwargs)

        call.__name__ = definition.name
        return call

    def _path(self, name: str) -> str:
        return name.rpartition(".")[0].replace(".", "/") + ".py"

    def _definition(self, name: str) -> ast.stmt | None:
        path = self._path(name)
        if path not in self._definitions:
            self._definitions[path] = self._parse(path)
        return self._definitions[path].get(name.rpartition(".")[2])

    def _parse(self, path: str) -> dict[str, ast.stmt]:
        try:
            body = ast.parse(self.sources.get(path, "")).body
        except (SyntaxError, ValueError, RecursionError) as error:
            raise RuntimeError(f"the archive has a damaged program: {path}: {error}") from None
        return {
            each.name: each for each in body if isinstance(each, (ast.ClassDef, ast.FunctionDef))
        }

    def text_of(self, name: str, definition: ast.stmt) -> str:
        """Return the source text of a definition in the file of a qualified name."""
        lines = self.sources[self._path(name)].splitlines()[
            definition.lineno - 1 : definition.end_lineno
        ]
        indent = len(lines[0]) - len(lines[0].lstrip())
        return "\n".join(line[indent:] for line in lines) + "\n"


class ScriptClass:
    """A class of a program: what its objects declare, and its methods."""

    def __init__(self, program: Program, name: str, definition: ast.ClassDef) -> None:
        self.program = program
        self.name = name
        self.is_module = _base(definition) == "Module"
        self.types: dict[str, ScriptType] = {}
        self.constants: dict[str, Any] = {}
        self.listed: dict[str, list[str]] = {}
        self.definitions: dict[str, ast.FunctionDef] = {}
        self._functions: dict[str, Callable[..., Any]] = {}
        for statement in definition.body:
            self._declare(statement)

    def __deepcopy__(self, memo: Any) -> ScriptClass:
        return self

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Make an object."""
        made = new_object(self)
        self.method("__init__")(made, *args, **kwargs)
        return made

    @property
    def original_name(self) -> str:
        """The name that the class had in Python."""
        return self.name.rpartition(".")[2]

    def method(self, name: str) -> Callable[..., Any]:
        """Return a method as a function whose first argument is the object.

        Raises:
            AttributeError: If there is none.
        """
        if name not in self._functions:
            if name not in self.definitions:
                raise AttributeError(f"'{self.original_name}' object has no attribute '{name}'")
            self._functions[name] = self.program.function(self.definitions[name], self.name)
        return self._functions[name]

    def forward(self, module: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Run `forward` of a module, with the hooks that the program has for it."""
        for hook in self.listed.get("__forward_pre_hooks__", ()):
            changed = self.method(hook)(module, args)
            if changed is not None:
                args = changed if isinstance(changed, tuple) else (changed,)
        result = self.method("forward")(module, *args, **kwargs)
        for hook in self.listed.get("__forward_hooks__", ()):
            changed = self.method(hook)(module, args, result)
            result = result if changed is None else changed
        return result

    def code(self, method: str) -> str:
        """Return the source text of a method."""
        return self.program.text_of(self.name, self.definitions[method])

    def graph(self, method: str) -> Graph:
        """Return the graph of a method.

        Raises:
            NotImplementedError: If the method has branches, loops or calls of other methods.
        """
        from torch.jit._graph._lowering import TraceFacts, method_graph

        facts = self.program.facts.get(f"{self.name}.{method}", TraceFacts())
        return method_graph(self.name, self.definitions[method], facts, self.program.constants)

    def _declare(self, statement: ast.stmt) -> None:
        """Take in one statement of the body of the class."""
        match statement:
            case ast.FunctionDef(name=name):
                self.definitions[name] = statement
            case ast.AnnAssign(target=ast.Name(id=name), annotation=kind, value=value):
                self._declare_attribute(name, kind, value)
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.List(elts=items)):
                self.listed[name] = [ast.literal_eval(item) for item in items]
            case ast.Assign(
                targets=[ast.Subscript(slice=ast.Constant(value=str(name)))], value=kind
            ):
                self._declare_attribute(name, kind, None)

    def _declare_attribute(self, name: str, kind: ast.expr, value: ast.expr | None) -> None:
        self.types[name] = type_of_node(kind)
        if value is not None:
            self.constants[name] = _literal(value)


def _literal(node: ast.expr) -> Any:
    """Return the value of a constant of a class; annotate(T, value) is the value."""
    match node:
        case ast.Call(func=ast.Name(id="annotate"), args=[_, value]):
            return _literal(value)
        case ast.Name(id=("inf" | "nan") as name):
            return float(name)
        case ast.UnaryOp(op=ast.USub(), operand=ast.Name(id="inf")):
            return float("-inf")
        case ast.Call(func=ast.Name(id="float"), args=[ast.Constant(value=str(text))]):
            return float(text)
    try:
        return ast.literal_eval(node)
    except ValueError:
        raise RuntimeError(
            f"the archive has a constant that is no literal: {ast.unparse(node)}"
        ) from None


def _base(definition: ast.ClassDef) -> str:
    match definition.bases:
        case [ast.Name(id=name)]:
            return name
    return ""


def _class_of(program: Program, name: str, definition: ast.ClassDef) -> Any:
    """Return what a class of a program is in Python: a named tuple, an enumeration, or our own."""
    base = _base(definition)
    if base == "NamedTuple":
        return _named_tuple(name, definition)
    if base == "Enum":
        members = {
            target.id: _literal(statement.value)
            for statement in definition.body
            if isinstance(statement, ast.Assign)
            for target in statement.targets
            if isinstance(target, ast.Name)
        }
        made = enum.Enum(definition.name, members)  # type: ignore[misc]
        made._script_name = name  # type: ignore[attr-defined]
        return made
    return ScriptClass(program, name, definition)


def _named_tuple(name: str, definition: ast.ClassDef) -> type:
    fields = [s for s in definition.body if isinstance(s, ast.AnnAssign)]
    names = [s.target.id for s in fields if isinstance(s.target, ast.Name)]
    defaults = [_literal(s.value) for s in fields if s.value is not None]
    made = namedtuple(definition.name, names, defaults=defaults)  # type: ignore[misc]
    made._script_name = name  # type: ignore[attr-defined]
    return made
