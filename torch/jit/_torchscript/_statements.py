"""Write the calls of a trace as statements of TorchScript."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import torch
from torch.fx.experimental.proxy_tensor import _KnownTensors
from torch.jit._graph._lowering import TraceFacts
from torch.jit._graph._types import TensorType
from torch.jit._numbers import number_of
from torch.jit._torchscript._operators import Overload
from torch.jit._upgraders import version_of


class TracedInt(int):
    """A size of a traced tensor: an integer that knows the expression it comes from.

    Its sums, products and so on are traced too; other conversions make a plain integer.
    """

    statements: Statements
    text: str

    @classmethod
    def of(cls, value: int, statements: Statements, text: str) -> TracedInt:
        """Return a number with its expression."""
        made = cls(value)
        made.statements, made.text = statements, text
        return made

    def _binary(self, name: str, value: Any, left: Any, right: Any) -> Any:
        if not isinstance(value, int) or isinstance(left, bool) or isinstance(right, bool):
            return value
        text = f"torch.{name}({_integer(left)}, {_integer(right)})"
        return self.statements.integer(value, text)

    def __add__(self, other: Any) -> Any:
        return self._binary("add", int.__add__(self, other), self, other)

    def __radd__(self, other: Any) -> Any:
        return self._binary("add", int.__radd__(self, other), other, self)

    def __sub__(self, other: Any) -> Any:
        return self._binary("sub", int.__sub__(self, other), self, other)

    def __rsub__(self, other: Any) -> Any:
        return self._binary("sub", int.__rsub__(self, other), other, self)

    def __mul__(self, other: Any) -> Any:
        return self._binary("mul", int.__mul__(self, other), self, other)

    def __rmul__(self, other: Any) -> Any:
        return self._binary("mul", int.__rmul__(self, other), other, self)

    def __floordiv__(self, other: Any) -> Any:
        return self._binary("floordiv", int.__floordiv__(self, other), self, other)

    def __rfloordiv__(self, other: Any) -> Any:
        return self._binary("floordiv", int.__rfloordiv__(self, other), other, self)

    def __mod__(self, other: Any) -> Any:
        return self._binary("remainder", int.__mod__(self, other), self, other)

    def __neg__(self) -> Any:
        return self.statements.integer(int.__neg__(self), f"torch.neg({self.text})")

    def __hash__(self) -> int:
        return int.__hash__(self)

    def __deepcopy__(self, memo: Any) -> int:
        return int(self.real)


def _integer(value: int) -> str:
    return value.text if isinstance(value, TracedInt) else str(int(value))


class Statements:
    """The statements of one method, and the expressions of the tensors they compute.

    Args:
        constants: The list that tensors of unknown origin are added to.
        attributes: The expression of each tensor of the module, by its id.
    """

    def __init__(self, constants: list[torch.Tensor], attributes: Mapping[int, str]) -> None:
        self.lines: list[str] = []
        self.facts = TraceFacts()
        self.version = 3
        self._scopes: list[str] = []
        self._constants = constants
        self._attributes = attributes
        self._known = _KnownTensors()
        self._count = 0

    def variable(self) -> str:
        """Return the name of a new variable."""
        self._count += 1
        return f"v{self._count}"

    def remember(self, tensor: torch.Tensor, text: str) -> None:
        """Make an expression known as the value of a tensor."""
        self._known.remember(tensor, text)  # type: ignore[arg-type]
        self.facts.types[text] = TensorType.create_from_tensor(tensor)

    def _write(self, line: str, schema: Any = None) -> None:
        self.lines.append(line)
        self.facts.schemas.append(schema)
        self.facts.scopes.append(self.current_scope())

    # ---- scopes, which hooks of modules enter and leave
    def push_scope(self, name: str) -> None:
        """Enter a scope: statements are in it until it is left."""
        self._scopes.append(name)

    def pop_scope(self) -> None:
        """Leave the innermost scope."""
        self._scopes.pop()

    def current_scope(self) -> str:
        """Return the names of the scopes, from the outermost on, with slashes between them."""
        return "/".join(self._scopes)

    # ---- results

    def integer(self, value: int, text: str) -> TracedInt:
        """Assign an integer to a variable, and return it as a number that knows it."""
        name = self.variable()
        self._write(f"{name} = {text}")
        return TracedInt.of(value, self, name)

    def assign_results(self, text: str, result: Any, schema: Any) -> None:
        """Assign the results of a call of an operator to variables."""
        name = self.variable()
        if isinstance(result, tuple) and all(isinstance(each, torch.Tensor) for each in result):
            names = [f"{name}_{number}" for number in range(len(result))]
            self._write(f"{', '.join(names)}, = {text}", schema)
            for each, part in zip(result, names, strict=True):
                self.remember(each, part)
            return
        self._write(f"{name} = {text}", schema)
        if isinstance(result, torch.Tensor):
            self.remember(result, name)
        elif isinstance(result, list):
            for number, each in enumerate(result):
                self.remember(each, f"{name}[{number}]")

    # ---- calls
    def call(self, overload: Overload, bound: Mapping[str, Any]) -> str:
        """Return the expression of a call of an operator, given its arguments by name."""
        schema = overload.schema
        self.version = max(self.version, version_of(_full_name(schema)))
        positional: list[str] = []
        named: list[str] = []
        for argument in schema.arguments:
            if argument.name not in bound:
                continue
            text = self.expression(bound[argument.name], str(argument.type))
            by_position = not argument.kwarg_only and len(positional) + len(named) == len(
                positional
            )
            if by_position and schema.arguments[len(positional)].name == argument.name:
                positional.append(text)
            else:
                named.append(f"{argument.name}={text}")
        namespace, _, name = schema.name.partition("::")
        function = f"torch.{name}" if namespace == "aten" else f"ops.{namespace}.{name}"
        return f"{function}({', '.join([*positional, *named])})"

    def expression(self, value: Any, kind: str) -> str:
        """Return the expression of an argument.

        Raises:
            RuntimeError: If TorchScript cannot write the value.
        """
        if isinstance(value, torch.Tensor):
            return self._tensor(value)
        if isinstance(value, (list, tuple)):
            return self._list(value, kind)
        if value is None or isinstance(value, bool):
            return str(value)
        if isinstance(value, TracedInt):
            return f"float({value.text})" if kind.rstrip("?") == "float" else value.text
        if isinstance(value, (int, float)):
            return _number(value, kind.rstrip("?"))
        if isinstance(value, complex):
            return f"complex({value.real!r}, {value.imag!r})"
        if isinstance(value, str):
            return json.dumps(value)
        if isinstance(value, torch.device):
            return f'torch.device("{value}")'
        number = number_of(value)
        if number is None:
            raise RuntimeError(
                f"torch.jit.trace cannot record an argument of {type(value).__name__}"
            )
        return str(number)

    def _list(self, values: Any, kind: str) -> str:
        element = kind.rstrip("?").rpartition("[")[0]
        items = ", ".join(self.expression(value, element) for value in values)
        if values and None not in values:
            return f"[{items}]"
        script = f"Optional[{element[:-1]}]" if element.endswith("?") else element
        return f"annotate(List[{script.replace('SymInt', 'int')}], [{items}])"

    def _tensor(self, tensor: torch.Tensor) -> str:
        found = self._attributes.get(id(tensor)) or self._known.find(tensor)
        if found is not None:
            return str(found)
        if tensor.requires_grad:
            raise RuntimeError(
                "Cannot insert a Tensor that requires grad as a constant. Consider making it a "
                "parameter or input, or detaching the gradient"
            )
        self._constants.append(tensor)
        text = f"CONSTANTS.c{len(self._constants) - 1}"
        self.remember(tensor, text)
        return text


def _full_name(schema: Any) -> str:
    return f"{schema.name}.{schema.overload_name}" if schema.overload_name else str(schema.name)


def _number(value: float, kind: str) -> str:
    value = float(value) if kind == "float" else value
    return f'float("{value}")' if value != value or value in (1e999, -1e999) else repr(value)
