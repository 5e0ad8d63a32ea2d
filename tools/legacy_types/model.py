"""The methods of the Type families, from the records of Declarations.yaml, and the classes that have them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tools.codegen.keys import declared
from tools.codegen.lazy import lazy

HEADER = "aten/src/ATen/legacy/Backend.h"
_OPTION_TYPES = {
    "dtype": ("ScalarType", "c10::optTypeMetaToScalarType({}.dtype_opt())"),
    "layout": ("Layout", "{}.layout_opt()"),
    "device": ("Device", "{}.device_opt()"),
    "pin_memory": ("bool", "{}.pinned_memory_opt()"),
}
"""The arguments that one TensorOptions replaces: their types, and how the dispatcher gets them."""

Record = Mapping[str, Any]


@dataclass(frozen=True)
class TypeMethod:
    """An operator as a method of a Type."""

    schema: str
    name: str
    operator: str
    """The operator's struct in at::_ops."""
    returns: str
    parameters: tuple[tuple[str, str], ...]
    """Types and names; outputs come first, as in at::add_out."""
    arguments: tuple[str, ...]
    """The dispatcher's arguments in terms of the parameters."""
    creates: bool
    """Whether it creates a tensor of the type, instead of working on its arguments."""

    @lazy
    def signature(self) -> str:
        return ", ".join(f"{type} {name}" for type, name in self.parameters)

    def declaration(self, owner: str = "") -> str:
        """Return the declaration without a semicolon, or with `owner` the head of the definition."""
        scope = f"{owner}::" if owner else ""
        return f"{self.returns} {scope}{self.name}({self.signature}) const"


def read_method(record: Record) -> TypeMethod:
    """Translate one record of Declarations.yaml."""
    arguments: Sequence[Record] = record["arguments"]
    outputs = [a for a in arguments if _is_output(record, a)]
    inputs = [a for a in arguments if not _is_output(record, a)]
    options = _options(inputs)
    creates = bool(record["is_factory_method"])
    given = "completed" if creates else "options"
    parameters = [(a["type"], a["name"]) for a in outputs]
    for argument in inputs:
        if argument["name"] not in options:
            parameters.append((argument["type"], argument["name"]))
        elif argument["name"] == "dtype":
            parameters.append(("const at::TensorOptions &", "options"))
    overload = record["overload_name"]
    return TypeMethod(
        schema=record["schema_string"],
        name=record["name"],
        operator=record["operator_name"] + (f"_{overload}" if overload else ""),
        returns=_returns(record),
        parameters=tuple(parameters),
        arguments=tuple(
            _OPTION_TYPES[a["name"]][1].format(given) if a["name"] in options else a["name"]
            for a in arguments
        ),
        creates=creates,
    )


def _is_output(record: Record, argument: Record) -> bool:
    written = "!" in (argument["annotation"] or "")
    return written and argument.get("kwarg_only", False) and record["name"].endswith("_out")


def _options(arguments: Sequence[Record]) -> frozenset[str]:
    """Return the names of the arguments that are parts of a TensorOptions, if all four are there."""
    found = [
        a["name"]
        for a in arguments
        if a.get("kwarg_only")
        and a["is_nullable"]
        and _OPTION_TYPES.get(a["name"], ("",))[0] == a["dynamic_type"]
    ]
    return frozenset(found) if len(found) == len(_OPTION_TYPES) else frozenset()


def _returns(record: Record) -> str:
    types = [result["type"] for result in record["returns"]]
    written = [a["type"] for a in record["arguments"] if "!" in (a["annotation"] or "")]
    if "at::Tensor &" in types and "const at::Tensor &" in written:
        types = ["const at::Tensor &" if type == "at::Tensor &" else type for type in types]
    if len(types) == 1:
        return str(types[0])
    return f"::std::tuple<{','.join(types)}>" if types else "void"


@dataclass(frozen=True)
class TypeBackend:
    """A back end of types, as ATen/legacy/Backend.h lists it."""

    name: str
    key: str
    """The dispatch key of its kernels."""
    extension: bool = False
    """Whether all its kernels are an extension's."""

    @property
    def base(self) -> str:
        """The class of what its types share."""
        return f"{self.name}Type" if self.extension else f"{self.name}TypeDefault"

    def type_name(self, scalar_type: str) -> str:
        return f"{self.name}{scalar_type}Type"


@dataclass(frozen=True)
class TypeLists:
    """The back ends and element types that have classes."""

    cpu: tuple[TypeBackend, ...]
    cuda: tuple[TypeBackend, ...]
    extensions: tuple[TypeBackend, ...]
    scalar_types: tuple[str, ...]


def read_lists(root: Path) -> TypeLists:
    """Read the lists of ATen/legacy/Backend.h.

    Raises:
        BuildError: If a list is missing.
    """
    text = (root / HEADER).read_text(encoding="utf-8")

    def backends(which: str) -> Iterable[TypeBackend]:
        for name, key, *_ in declared(text, f"AT_FORALL_{which}_TYPE_BACKENDS"):
            yield TypeBackend(name, key, which == "EXTENSION")

    return TypeLists(
        tuple(backends("CPU")),
        tuple(backends("CUDA")),
        tuple(backends("EXTENSION")),
        tuple(row[0] for row in declared(text, "AT_FORALL_TYPE_SCALAR_TYPES")),
    )
