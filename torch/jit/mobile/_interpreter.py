"""Runs the methods of a mobile archive: a stack, registers, and instructions.

An instruction is an operation with two numbers, `n` and `x`. Registers are numbered from 1.
"""

from __future__ import annotations

import enum
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from torch.jit.mobile._operators import Operator, Stack, pop, resolve
from torch.jit.mobile._values import MobileObject, Values, damaged

Instruction = tuple[int, int, int]


class Op(enum.IntEnum):
    """The operations that programs of archives use, by PyTorch's numbers."""

    OP = 0
    OPN = 1
    LOAD = 2
    MOVE = 3
    STOREN = 4
    STORE = 5
    DROP = 6
    DROPR = 7
    LOADC = 8
    JF = 9
    JMP = 10
    LOOP = 11
    RET = 12
    GET_ATTR = 21
    SET_ATTR = 22
    LIST_UNPACK = 23
    TUPLE_CONSTRUCT = 24
    NAMED_TUPLE_CONSTRUCT = 25
    LIST_CONSTRUCT = 26
    DICT_CONSTRUCT = 27
    TUPLE_SLICE = 30
    TUPLE_INDEX = 31
    RAISE_EXCEPTION = 32
    DICT_INDEX = 33
    UNCHECKED_CAST = 34
    IS = 35
    UN_INITIALIZED = 36
    ISNOT = 37
    FORMAT = 38
    DEVICE = 39
    DTYPE = 40
    DIM = 41
    NOT = 42
    NUM_TO_TENSOR = 44
    WARN = 47


@dataclass(frozen=True)
class Parameter:
    """A parameter of a method; `default` is the number of a value, 0 for None or no default."""

    name: str
    type: str
    default: int


@dataclass(frozen=True)
class Method:
    """A method of a module, checked: every number in its instructions refers to something."""

    name: str
    code: tuple[Instruction, ...]
    operators: tuple[Operator, ...]
    operator_names: tuple[str, ...]
    constants: tuple[Any, ...]
    registers: int
    parameters: tuple[Parameter, ...]
    values: Values

    @staticmethod
    def of(parts: Sequence[Any], values: Values, version: int) -> Method:
        """Return a function of an archive.

        Raises:
            RuntimeError: If the function is damaged.
            NotImplementedError: If it needs an operator or an instruction that this build lacks.
        """
        name, code, rows, constants, types, registers, schema, _ = parts
        declared = [] if schema is None else schema[0]
        method = Method(
            name.rpartition(".")[2],
            tuple(code),
            tuple(resolve(*_counted(row, code, i), version) for i, row in enumerate(rows)),
            tuple(f"{base}.{overload}" if overload else base for base, overload, _ in rows),
            tuple(values[number] for number in constants),
            registers,
            tuple(Parameter(*argument) for argument in declared),
            values,
        )
        method._check(len(types))
        return method

    def _check(self, types: int) -> None:
        """Check the numbers of all instructions."""
        if not self.code or not 0 <= self.registers < 1 << 20:
            raise damaged(f"the method {self.name} has no instructions, or too many registers")
        limits = {
            Op.OP: len(self.operators),
            Op.OPN: len(self.operators),
            Op.LOADC: len(self.constants),
            Op.LIST_CONSTRUCT: types,
            Op.DICT_CONSTRUCT: types,
        }
        for at, (number, n, x) in enumerate(self.code):
            if number not in _OPERATIONS and number != Op.RET:
                raise NotImplementedError(
                    f"the method {self.name} has the instruction {number}, which is not supported"
                )
            last = x + n - 1 if number == Op.STOREN else x
            wrong = (
                (number in _JUMPS and not 0 <= at + x < len(self.code))
                or (number in _OF_REGISTERS and not 1 <= x <= last <= self.registers)
                or (number in limits and not 0 <= x < limits[Op(number)])
                or (number not in _JUMPS and x < 0)
            )
            if wrong:
                raise damaged(f"instruction {at} of the method {self.name} refers to nothing")
        if self.code[-1][0] not in (Op.RET, Op.JMP):
            raise damaged(f"the method {self.name} does not return")

    def run(self, module: MobileObject, arguments: Sequence[Any]) -> Any:
        """Run the method.

        Raises:
            TypeError: If there are too many or too few arguments.
        """
        given = [module, *arguments]
        if len(given) > len(self.parameters):
            raise TypeError(
                f"{self.name}() takes {len(self.parameters) - 1} arguments ({len(arguments)} given)"
            )
        for parameter in self.parameters[len(given) :]:
            if parameter.default == 0 and not parameter.type.startswith(("Optional", "NoneType")):
                raise TypeError(f"{self.name}() is missing the argument {parameter.name!r}")
            given.append(self.values[parameter.default])
        return _Frame(self, given).run()


def _counted(row: tuple[str, str, int], code: Sequence[Instruction], index: int) -> Any:
    """Return an operator's name, overload and number of arguments.

    OPN has the number of arguments in the instruction, for operators that take any number.
    """
    name, overload, count = row
    given = next((n for op, n, x in code if op == Op.OPN and x == index), count)
    return name, overload, given


class _Frame:
    """A call that runs."""

    def __init__(self, method: Method, arguments: Stack) -> None:
        self.method = method
        self.stack = arguments
        self.registers: list[Any] = [None] * (method.registers + 1)
        self.at = 0

    def run(self) -> Any:
        """Run until the method returns."""
        code = self.method.code
        while True:
            number, n, x = code[self.at]
            if number == Op.RET:
                return self.pop() if self.stack else None
            self.at += 1
            _OPERATIONS[number](self, n, x)

    def pop(self) -> Any:
        return pop(self.stack, 1)[0]

    def operator(self, n: int, x: int) -> None:
        self.method.operators[x](self.stack)

    def load(self, n: int, x: int) -> None:
        self.stack.append(self.registers[x])

    def move(self, n: int, x: int) -> None:
        self.stack.append(self.registers[x])
        self.registers[x] = None

    def store(self, n: int, x: int) -> None:
        self.registers[x] = self.pop()

    def store_several(self, n: int, x: int) -> None:
        self.registers[x : x + n] = pop(self.stack, n)

    def clear(self, n: int, x: int) -> None:
        self.registers[x] = None

    def drop(self, n: int, x: int) -> None:
        self.pop()

    def load_constant(self, n: int, x: int) -> None:
        self.stack.append(self.method.constants[x])

    def jump(self, n: int, x: int) -> None:
        self.at += x - 1

    def jump_if_false(self, n: int, x: int) -> None:
        if not self.pop():
            self.jump(n, x)

    def loop(self, n: int, x: int) -> None:
        """Begin an iteration, or leave the loop.

        The stack ends with the iteration, the number of iterations, the condition, and the n - 2
        values that the iterations hand on.
        """
        iteration, last, condition, *carried = pop(self.stack, n + 1)
        if iteration < last and condition:
            self.stack += [iteration + 1, last, iteration, *carried]
        else:
            self.stack += carried
            self.jump(n, x)

    def get_attribute(self, n: int, x: int) -> None:
        owner = self.pop()
        if not isinstance(owner, MobileObject) or x >= len(owner._values):
            raise damaged(f"the method {self.method.name} reads an attribute that does not exist")
        self.stack.append(owner._values[x])

    def set_attribute(self, n: int, x: int) -> None:
        owner, value = pop(self.stack, 2)
        if not isinstance(owner, MobileObject) or x >= len(owner._values):
            raise damaged(f"the method {self.method.name} sets an attribute that does not exist")
        owner._values[x] = value

    def unpack_list(self, n: int, x: int) -> None:
        values = self.pop()
        if len(values) != x:
            raise RuntimeError(f"Expected a list of {x} values, but it has {len(values)}")
        self.stack.extend(values)

    def make_tuple(self, n: int, x: int) -> None:
        self.stack.append(tuple(pop(self.stack, x)))

    def make_named_tuple(self, n: int, x: int) -> None:
        self.stack.append(tuple(pop(self.stack, n)))

    def make_list(self, n: int, x: int) -> None:
        self.stack.append(pop(self.stack, n))

    def make_dict(self, n: int, x: int) -> None:
        values = pop(self.stack, n)
        self.stack.append(dict(zip(values[::2], values[1::2], strict=True)))

    def slice_tuple(self, n: int, x: int) -> None:
        self.stack.append(self.pop()[x : x + n])

    def index(self, n: int, x: int) -> None:
        values, key = pop(self.stack, 2)
        self.stack.append(values[key])

    def raise_exception(self, n: int, x: int) -> None:
        values = pop(self.stack, min(len(self.stack), 2))
        raise RuntimeError(str(values[0]) if values else f"raised by {self.method.name}")

    def format(self, n: int, x: int) -> None:
        text, *values = pop(self.stack, x)
        self.stack.append(text.format(*values))

    def warn(self, n: int, x: int) -> None:
        warnings.warn(str(pop(self.stack, 2)[0]), stacklevel=3)

    def apply(self, name: str, count: int = 1) -> None:
        resolve(name, "", count, 0)(self.stack)


def _named(name: str, count: int = 1) -> Callable[[_Frame, int, int], None]:
    return lambda frame, n, x: frame.apply(name, count)


_JUMPS = frozenset({Op.JF, Op.JMP, Op.LOOP})
_OF_REGISTERS = frozenset({Op.LOAD, Op.MOVE, Op.STORE, Op.STOREN, Op.DROPR})
_OPERATIONS: dict[int, Callable[[_Frame, int, int], None]] = {
    Op.OP: _Frame.operator,
    Op.OPN: _Frame.operator,
    Op.LOAD: _Frame.load,
    Op.MOVE: _Frame.move,
    Op.STOREN: _Frame.store_several,
    Op.STORE: _Frame.store,
    Op.DROP: _Frame.drop,
    Op.DROPR: _Frame.clear,
    Op.LOADC: _Frame.load_constant,
    Op.JF: _Frame.jump_if_false,
    Op.JMP: _Frame.jump,
    Op.LOOP: _Frame.loop,
    Op.GET_ATTR: _Frame.get_attribute,
    Op.SET_ATTR: _Frame.set_attribute,
    Op.LIST_UNPACK: _Frame.unpack_list,
    Op.TUPLE_CONSTRUCT: _Frame.make_tuple,
    Op.NAMED_TUPLE_CONSTRUCT: _Frame.make_named_tuple,
    Op.LIST_CONSTRUCT: _Frame.make_list,
    Op.DICT_CONSTRUCT: _Frame.make_dict,
    Op.TUPLE_SLICE: _Frame.slice_tuple,
    Op.TUPLE_INDEX: _Frame.index,
    Op.DICT_INDEX: _Frame.index,
    Op.RAISE_EXCEPTION: _Frame.raise_exception,
    Op.UNCHECKED_CAST: lambda frame, n, x: None,
    Op.IS: _named("aten::__is__", 2),
    Op.UN_INITIALIZED: lambda frame, n, x: frame.stack.append(None),
    Op.ISNOT: _named("aten::__isnot__", 2),
    Op.FORMAT: _Frame.format,
    Op.DEVICE: _named("prim::device"),
    Op.DTYPE: _named("prim::dtype"),
    Op.DIM: _named("aten::dim"),
    Op.NOT: _named("aten::__not__"),
    Op.NUM_TO_TENSOR: lambda frame, n, x: resolve("prim::NumToTensor", "Scalar", 1, 0)(frame.stack),
    Op.WARN: _Frame.warn,
}
