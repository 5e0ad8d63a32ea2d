"""external_functions_codegen.h and .cpp: ATen's operators as functions over raw memory, for tensor expressions.

An operator has one if its out= variant takes tensors and scalars, and writes one tensor.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from tools.codegen.emit.common import Emitter
from tools.codegen.emit.operators import root_headers
from tools.codegen.emit.shards import shard_count, sharded
from tools.codegen.errors import InputError, Problem
from tools.codegen.model import NativeFunction, Operators
from tools.codegen.types import TENSOR, Type

DIRECTORY = "torch/csrc/jit/tensorexpr"
FAMILY = "external_functions_codegen"
_HEADER = f"{FAMILY}.h"
_SOURCE = f"{FAMILY}.cpp"
_DECLARATION = "TORCH_API std::remove_pointer_t<NNCExternalFunction>"


@dataclass(frozen=True)
class _Parameter:
    """How a function takes an argument that is no tensor."""

    kind: str
    """The enumerator of ExternalArgument."""
    words: int
    value: str
    """The argument in C++; `{}` is the number of its first word."""


_INT = _Parameter("Int", 1, "extra_args[{}]")
_PARAMETERS = {
    "int": _INT,
    "SymInt": _INT,
    "bool": _Parameter("Bool", 1, "extra_args[{}] != 0"),
    "float": _Parameter("Float", 1, "float_argument(extra_args + {})"),
    "Scalar": _Parameter("Scalar", 2, "scalar_argument(extra_args + {})"),
}


def external_functions(emitter: Emitter) -> None:
    """Emit the functions of the operators that are built, and their registrations.

    Raises:
        InputError: If two operators give the same name to their functions.
    """
    names = function_names(emitter.operators)
    built = emitter.built(names)
    facts = [names[function] for function in built]
    declarations = "\n".join(f"{_DECLARATION} {name};" for name in facts)
    emitter.file(_HEADER, _HEADER, built, lambda: {"declarations": declarations}, *facts)
    count = shard_count(len(names), emitter.limits.get(FAMILY))
    for file, members in sharded(emitter, FAMILY, built, lambda f: f.root_name, count):
        if members:
            chosen = {function: names[function] for function in members}
            values = partial(_definitions, emitter, chosen)
            emitter.file(f"{file}.cpp", _SOURCE, members, values, *chosen.values())


def function_names(operators: Operators) -> Mapping[NativeFunction, str]:
    """Return the name of the external function of each out= variant that fits.

    Of the overloads of an operator that fit, the one called `out`, or else the only one without
    scalars, or else the only one has the plain name nnc_aten_OPERATOR. The names of the others end
    in their overloads.

    Raises:
        InputError: If two of them have the same name.
    """
    names: dict[NativeFunction, str] = {}
    owners: dict[str, NativeFunction] = {}
    problems: list[Problem] = []
    for root, functions in operators.by_root.items():
        fitting = [function for function in functions if _fits(function)]
        plain = _plain_overload(fitting)
        for function in fitting:
            overload = function.func.name.overload.removesuffix("_out")
            names[function] = f"nnc_aten_{root}" + ("" if function is plain else f"_{overload}")
            other = owners.setdefault(names[function], function)
            if other is not function:
                message = (
                    f"the external functions of {function.full_name} and {other.full_name} "
                    f"are both called {names[function]}"
                )
                place = function.location
                problems.append(Problem(place.file, place.line, 1, message))
    if problems:
        raise InputError(problems, {})
    return names


def _fits(function: NativeFunction) -> bool:
    arguments = function.func.arguments
    return (
        function.func.is_out
        and len(arguments.out) == len(function.func.returns) == 1
        and all(_taken(argument.type) for argument in (*arguments.non_out, *arguments.out))
    )


def _taken(type: Type) -> bool:
    return type == TENSOR or str(type) in _PARAMETERS


def _plain_overload(functions: Sequence[NativeFunction]) -> NativeFunction | None:
    named = [f for f in functions if f.func.name.overload == "out"]
    of_tensors = [f for f in functions if all(a.type == TENSOR for a in f.func.arguments.non_out)]
    candidates = named or of_tensors or functions
    return candidates[0] if len(candidates) == 1 else None


def _definitions(emitter: Emitter, names: Mapping[NativeFunction, str]) -> Mapping[str, str]:
    section = emitter.templates.section(_SOURCE, "function")
    return {
        "includes": root_headers(names, "_ops"),
        "definitions": "".join(
            section.fill(**_definition(function, name)) for function, name in names.items()
        ),
    }


def _definition(function: NativeFunction, name: str) -> Mapping[str, str]:
    tensors = words = 0
    arguments: list[str] = []
    kinds: list[str] = []
    for argument in function.func.arguments.non_out:
        if argument.type == TENSOR:
            tensors += 1
            arguments.append(f"tensors[{tensors}]")
        else:
            parameter = _PARAMETERS[str(argument.type)]
            arguments.append(parameter.value.format(words))
            words += parameter.words
            kinds.append(f"ExternalArgument::{parameter.kind}")
    return {
        "schema": f"{function.namespace}::{function.func}",
        "name": name,
        "operator": function.unambiguous,
        "arguments": ", ".join((*arguments, "tensors[0]")),
        "inputs": str(tensors),
        "buffers": str(tensors + 1),
        "words": str(words),
        "kinds": ", ".join(kinds),
    }
