"""aten_op.h, aten_op_*.cpp, aten_op_skipped.txt: the operators of ATen as one operator of Caffe2.

A Caffe2 operator of type ATen names an operator of ATen in its argument `operator`. Its inputs are the
tensors of the schema in order, and its arguments the other parameters by name. `bind` decides how a
schema is expressed that way, or why it cannot be.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial

from tools.caffe2.bind import Binding, Skipped, bind
from tools.codegen.api import cpp
from tools.codegen.emit.common import Emitter, type_headers
from tools.codegen.emit.operators import root_headers
from tools.codegen.emit.shards import shard_count, sharded
from tools.codegen.model import NativeFunction

DIRECTORY = "caffe2/contrib/aten"
SKIPPED = "aten_op_skipped.txt"
_FAMILY = "aten_op"


@dataclass(frozen=True)
class Implementation:
    """One row of ATenOp's table."""

    key: str
    """`add-2`: the operator, the arguments that must be given, and how many inputs it has."""
    function: NativeFunction
    binding: Binding
    arity: str
    """The number of inputs, or `*` if a list takes as many as there are."""


def aten_op(emitter: Emitter) -> None:
    """Emit ATenOp, its implementations, and the report of the operators without one."""
    functions = emitter.operators.functions
    bound = [f for f in functions if isinstance(_bound(f), Binding)]
    rows = implementations(bound)
    count = shard_count(len(bound), emitter.limits.get(_FAMILY))
    shards = sharded(emitter, _FAMILY, bound, lambda f: f.root_name, count)
    names = [name for name, _ in shards]
    emitter.file(
        f"{_FAMILY}.h", f"{_FAMILY}_template.h", (), partial(_header, names), "\n".join(names)
    )
    for name, members in shards:
        own = set(members)
        table = [row for row in rows if row.function in own]
        emitter.file(
            f"{name}.cpp",
            f"{_FAMILY}_template.cpp",
            members,
            partial(_shard, emitter, name, members, table),
            "\n".join(row.key for row in table),
        )
    report = "".join(f"{line}\n" for line in skip_report(functions))
    path = f"{emitter.directory}/{SKIPPED}" if emitter.directory else SKIPPED
    emitter.output.add(path, report, lambda: report)


def skip_report(functions: Sequence[NativeFunction]) -> Iterator[str]:
    """Yield a line for each operator that cannot be expressed, with the reason."""
    for function in functions:
        result = _bound(function)
        if isinstance(result, Skipped):
            yield f"Skipping {function.full_name} Because of {result.reason}"


def implementations(functions: Sequence[NativeFunction]) -> list[Implementation]:
    """Return the rows of the table, in the order in which an ambiguous call prefers them.

    If overloads would have the same key, the second and later ones have their name in it; one
    without a name is the first.
    """
    taken: set[str] = set()
    rows: list[Implementation] = []
    for function in sorted(functions, key=lambda f: bool(f.func.name.overload)):
        binding = _bound(function)
        assert isinstance(binding, Binding)
        for arity in binding.arities:
            name = str(function.func.name.name)
            key = "-".join((name, *sorted(binding.required), arity))
            if key in taken:
                key = "-".join((function.full_name, *sorted(binding.required), arity))
            assert key not in taken, f"two implementations of {key}"
            taken.add(key)
            rows.append(Implementation(key, function, binding, arity))
    return rows


_bound = lru_cache(maxsize=cpp.CACHED)(bind)


def _header(names: Sequence[str]) -> Mapping[str, str]:
    return {
        "declarations": "\n".join(f"ImplementationTable {name}();" for name in names),
        "calls": "\n".join(f"{name}()," for name in names),
    }


def _shard(
    emitter: Emitter,
    name: str,
    members: Sequence[NativeFunction],
    rows: Sequence[Implementation],
) -> Mapping[str, str]:
    template = f"{_FAMILY}_template.cpp"
    function, row = (emitter.templates.section(template, part) for part in ("function", "row"))
    headers = [root_headers(members, "_ops"), type_headers(members)]
    return {
        "includes": "\n".join(filter(None, headers)),
        "functions": "".join(function.fill(**_definition(member)) for member in members),
        "rows": "".join(row.fill(**_row(each)) for each in rows),
        "table": name,
    }


def _definition(function: NativeFunction) -> Mapping[str, str]:
    binding = _bound(function)
    assert isinstance(binding, Binding)
    return {
        "schema": f"{function.namespace}::{function.func}",
        "name": function.unambiguous,
        "arguments": ",\n".join(binding.expressions),
    }


def _row(row: Implementation) -> Mapping[str, str]:
    operator = row.function.func.name
    return {
        "key": row.key,
        "operator": str(operator.name),
        "overload": operator.overload,
        "required": " ".join(row.binding.required),
        "optional": " ".join(row.binding.optional),
        "arity": "-1" if row.arity == "*" else row.arity,
        "function": row.function.unambiguous,
    }
