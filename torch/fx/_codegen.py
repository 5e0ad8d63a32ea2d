"""Python code that computes a graph."""

from __future__ import annotations

import builtins
import enum
import typing
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch
from torch.fx._naming import CUSTOM_BUILTINS, Namespace
from torch.fx.node import Node, _get_qualified_name, _type_repr, map_arg

_CustomBuiltin = tuple

MAGIC = {
    **{name: f"{{}} {sign} {{}}" for name, sign in {
        "eq": "==", "ne": "!=", "lt": "<", "gt": ">", "le": "<=", "ge": ">=",
        "pos": "+", "neg": "-", "invert": "~", "add": "+", "sub": "-", "mul": "*",
        "floordiv": "//", "truediv": "/", "mod": "%", "pow": "**", "lshift": "<<",
        "rshift": ">>", "and_": "&", "or_": "|", "xor": "^", "matmul": "@",
    }.items()},
    "pos": "+{}",
    "neg": "-{}",
    "invert": "~{}",
    "getitem": "{}[{}]",
}  # fmt: skip
REFLECTABLE = {
    "add": "+", "sub": "-", "mul": "*", "floordiv": "//", "truediv": "/", "mod": "%",
    "pow": "**", "lshift": "<<", "rshift": ">>", "and_": "&", "or_": "|", "xor": "^",
    "matmul": "@",
}  # fmt: skip
INPLACE = {
    "iadd": "+=", "iand": "&=", "ifloordiv": "//=", "ilshift": "<<=", "imod": "%=",
    "imul": "*=", "imatmul": "@=", "ior": "|=", "ipow": "**=", "irshift": ">>=",
    "isub": "-=", "itruediv": "/=", "ixor": "^=", "setitem": "[{}]=",
}  # fmt: skip


@dataclass
class PythonCode:
    """Generated code, and the objects that its global names stand for."""

    src: str
    globals: dict[str, Any]
    _lineno_map: dict[int, int | None] | None = field(default=None)


def _is_from_torch(obj: Any) -> bool:
    module = getattr(obj, "__module__", None)
    if module is not None:
        return module.partition(".")[0] == "torch" and module != "torch._ops.custom"
    name = getattr(obj, "__name__", None)
    return name is not None and any(
        getattr(guess, name, None) is obj for guess in (torch, torch.nn.functional)
    )


def _is_identifier(name: Any) -> bool:
    return isinstance(name, str) and name.isidentifier()


def _format_target(base: str, target: str) -> str:
    """Write access to a nested attribute; names such as "0" need getattr."""
    result = base
    for element in target.split("."):
        if element.isidentifier():
            result = f"{result}.{element}"
        else:
            result = f'getattr({result}, "{element}")'
    return result


class _Writer:
    """The state of writing the code of one graph."""

    def __init__(self, root_module: str, namespace: Namespace, codegen: CodeGen):
        self.root_module = root_module
        self.codegen = codegen
        self.namespace = namespace
        self.globals: dict[str, Any] = {}
        self.free_vars: list[str] = []
        self.body: list[str] = []
        self.wrapped: dict[str, None] = {}  # functions that a further trace must not enter
        self.returned = ""
        namespace.create_name("torch", torch)

    def add_global(self, hint: str, obj: Any) -> str:
        """Return the expression for a global object, which is recorded if it needs an import."""
        if _is_from_torch(obj) and obj is not torch.device:
            return _get_qualified_name(obj)
        for name, known in self.globals.items():
            if known is obj:
                return name
        if hint in CUSTOM_BUILTINS and CUSTOM_BUILTINS[hint][1] is obj:
            self.globals[hint] = obj
            return hint
        is_builtin = builtins.__dict__.get(hint) is obj  # which may keep its name
        hint = hint.replace(".", "_")
        name = self.namespace.create_name(hint, obj if is_builtin else None)
        self.globals[name] = obj
        return name

    def type_repr(self, found: Any) -> str:
        """Return the expression for an annotation."""
        if found == () or isinstance(found, str):
            return "()" if found == () else found
        if isinstance(found, list):  # the arguments of a Callable
            return f"[{','.join(self.type_repr(item) for item in found)}]"
        if found is type(None):
            return self.add_global("NoneType", found)
        if hasattr(found, "_expression"):  # a type of torch.fx.tensor_type
            return str(found._expression())
        origin = typing.get_origin(found)
        text = _type_repr(found)
        if origin is not None:
            of_value = repr if origin is typing.Literal else self.type_repr
            args = [of_value(arg) for arg in typing.get_args(found)]
            name = text.partition("[")[0] if text.startswith("typing.") else _type_repr(origin)
            if name in ("types.UnionType", "typing.Optional"):
                name = "typing.Union"
            base = name
            if origin.__module__ != "builtins" or name.startswith("typing."):
                base = self.add_global(name, getattr(typing, name.partition(".")[2], origin))
            return f"{base}[{','.join(args) or '()'}]"
        if isinstance(found, type) and found.__module__ == "builtins":
            return text
        if found is ... or not hasattr(found, "__module__"):
            return text
        return self.add_global(text, found)

    def value(self, arg: Any) -> str:
        """Return the expression for an argument."""
        if isinstance(arg, Node):
            return repr(arg)
        if isinstance(arg, tuple):
            if hasattr(arg, "_fields"):
                name = self.add_global(_type_repr(type(arg)), type(arg))
                return f"{name}({', '.join(map(self.value, arg))})"
            items = ", ".join(map(self.value, arg))
            return f"({items},)" if len(arg) == 1 else f"({items})"
        if isinstance(arg, list):
            return f"[{', '.join(map(self.value, arg))}]"
        if isinstance(arg, dict):
            return f"{{{', '.join(f'{k!r}: {self.value(v)}' for k, v in arg.items())}}}"
        if isinstance(arg, slice):
            return f"slice({self.value(arg.start)}, {self.value(arg.stop)}, {self.value(arg.step)})"
        if isinstance(arg, enum.Enum):
            return f"{self.add_global(_type_repr(type(arg)), type(arg))}.{arg.name}"
        if isinstance(arg, torch.device):
            self.add_global("device", torch.device)
            return repr(arg)
        if isinstance(arg, float) and (arg != arg or arg in (float("inf"), -float("inf"))):
            name = "nan" if arg != arg else "inf"
            self.add_global(name, CUSTOM_BUILTINS[name][1])
            return f"-{name}" if arg < 0 else name
        if isinstance(arg, torch._ops.OpOverload):
            return f"torch.ops.{arg}"
        if isinstance(arg, type) or (callable(arg) and hasattr(arg, "__name__")):
            if arg is type(None):
                return self.add_global("NoneType", arg)
            return self.add_global(_get_qualified_name(arg), arg)
        return repr(arg)

    def arguments(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
        """Return the expression for the arguments of a call."""
        items = [self.value(arg) for arg in args]
        items += [f"{name} = {self.value(value)}" for name, value in kwargs.items()]
        return ", ".join(items)

    def emit(self, node: Node) -> None:
        """Write the statement for a node."""
        kind = "" if node.type is None else f" : {self.type_repr(node.type)}"
        assign = f"{node!r}{kind} = "
        if node.op == "placeholder":
            self.emit_placeholder(node, kind)
        elif node.op == "call_method":
            method = _format_target(self.value(node.args[0]), node.target)
            self.body.append(f"{assign}{method}({self.arguments(node.args[1:], node.kwargs)})")
        elif node.op == "call_function":
            self.emit_call(node, assign)
        elif node.op == "call_module":
            module = _format_target(self.root_module, node.target)
            self.body.append(f"{assign}{module}({self.arguments(node.args, node.kwargs)})")
        elif node.op == "get_attr":
            self.body.append(f"{assign}{_format_target(self.root_module, node.target)}")
        elif node.op == "output":
            if node.type is not None:
                self.returned = f" -> {self.type_repr(node.type)}"
            self.body.append(self.codegen.generate_output(_Expression(self.value(node.args[0]))))
        else:
            raise NotImplementedError(f"node: {node.op} {node.target}")

    def emit_placeholder(self, node: Node, kind: str) -> None:
        default = f" = {self.value(node.args[0])}" if node.args else ""
        self.free_vars.append(f"{node.target}{kind}{default}")
        raw = node.target.replace("*", "")
        if raw != repr(node):
            self.body.append(f"{node!r} = {raw}\n")

    def emit_call(self, node: Node, assign: str) -> None:
        target = node.target
        name = target.__name__
        if target.__module__ == "_operator" and not node.kwargs:
            operands = [self.value(arg) for arg in node.args]
            if name in MAGIC:
                self.body.append(assign + MAGIC[name].format(*operands))
                return
            if name in INPLACE:
                sign = (
                    INPLACE[name].format(operands[1]) if name == "setitem" else f" {INPLACE[name]}"
                )
                self.body.append(f"{operands[0]}{sign} {operands[-1]};  {assign}{operands[0]}")
                return
        if target is getattr and len(node.args) == 2 and _is_identifier(node.args[1]):
            found = _format_target(self.value(node.args[0]), node.args[1])
            self.body.append(f"{assign}{found}")
            return
        name = self.add_global(_get_qualified_name(target), target)
        if node.meta.get("is_wrapped", False):
            self.wrapped.setdefault(name)
        self.body.append(f"{assign}{name}({self.arguments(node.args, node.kwargs)})")


class _Expression(str):
    """The source of an expression, which f-strings insert unchanged with or without `!r`."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


class CodeGen:
    """Writes the Python code of a graph; subclasses change the function's signature and result."""

    def __init__(self) -> None:
        self._body_transformer: Callable[[list[str]], list[str]] | None = None

    def gen_fn_def(self, free_vars: list[str], maybe_return_annotation: str) -> str:
        """Return the line that begins the function."""
        first = [] if free_vars and free_vars[0] == "self" else ["self"]
        return f"def forward({', '.join(first + free_vars)}){maybe_return_annotation}:"

    def generate_output(self, output_args: Any) -> str:
        """Return the statement that returns the result."""
        return f"return {output_args!r}"

    def process_inputs(self, *args: Any) -> Any:
        """Convert the arguments of the function to those of the graph."""
        return args

    def process_outputs(self, outputs: Any) -> Any:
        """Convert what the graph returns to what the function returns."""
        return outputs

    def additional_globals(self) -> list[tuple[str, Any]]:
        """Return further globals that the code uses."""
        return []

    def _gen_python_code(
        self, nodes: Any, root_module: str, namespace: Namespace, *, verbose: bool = False
    ) -> PythonCode:
        writer = _Writer(root_module, namespace, self)
        for name, obj in self.additional_globals():
            writer.globals[name] = obj
        last_uses = _last_uses(nodes)
        lines: list[str] = []
        for node in nodes:
            if verbose and node.stack_trace:
                lines.append(f"# {node.stack_trace.strip().splitlines()[-1]}\n")
            writer.emit(node)
            lines += writer.body
            writer.body.clear()
            lines.append(_release(node, last_uses.get(node, [])))
        if not any(line.strip() for line in lines):
            lines.append("pass\n")
        if self._body_transformer:
            lines = self._body_transformer(lines)
        code = "".join(lines).lstrip("\n")
        body = "\n".join("    " + line for line in code.split("\n"))
        definition = self.gen_fn_def(_ordered(writer.free_vars), writer.returned)
        wraps = "\n".join(f'torch.fx._symbolic_trace.wrap("{name}")' for name in writer.wrapped)
        return PythonCode(f"\n{wraps}\n\n{definition}\n{body}", writer.globals)


def _ordered(free_vars: list[str]) -> list[str]:
    """Put parameters before *args and **kwargs."""
    return sorted(free_vars, key=lambda name: (name.startswith("*"), name.startswith("**")))


def _last_uses(nodes: Any) -> dict[Node, list[Node]]:
    """Return, for each node, the nodes whose values nothing needs after it."""
    known: set[Node] = set()
    found: dict[Node, list[Node]] = {}
    for node in reversed(nodes):

        def register(used: Node, user: Node = node) -> Node:
            if used not in known:
                known.add(used)
                found.setdefault(user, []).append(used)
            return used

        map_arg(node.args, register)
        map_arg(node.kwargs, register)
    return found


def _release(node: Node, unused: list[Node]) -> str:
    """Write the end of a node's line, which drops values that nothing needs any more."""
    if node.op == "placeholder":
        return ""
    if node.op == "output":
        return "\n"
    names = [repr(each) for each in unused]
    if not node.users:
        names.append(repr(node))
    return f";  {' = '.join([*names, 'None'])}\n" if names else "\n"
