"""Python bindings of torch.*, Tensor methods, torch._C._nn and the like, and their named tuples."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial

from tools.codegen.deprecated import DeprecatedSignature
from tools.codegen.docs import OperatorDocs
from tools.codegen.emit.common import Emitter, includes
from tools.codegen.emit.python_binding import (
    NO_DOCS,
    is_bound,
    make_binding,
    return_type_key,
    return_type_variable,
)
from tools.codegen.emit.shards import sharded
from tools.codegen.model import NativeFunction

# Operators bound by hand in torch/csrc/autograd, and operators that Python does not expose.
_SKIPPED = re.compile(
    r"contiguous|size|stride|sym_.*|numel|dim|item|to|_to_copy|copy|nonzero|nonzero_numpy"
    r"|_local_scalar_dense|numpy_T|mT|mH|T|H|matrix_H|index|.*_backward.*|.*_forward|_unsafe_view"
    r"|__.*__|lift|lift_fresh|_reshape_alias|data|set_data|is_leaf|output_nr|_version|requires_grad_"
    r"|retain_grad|retains_grad|_fw_primal|.*_jvp|tensor|from_file"
)
_SKIPPED_METHODS = re.compile(r"detach|detach_|is_nonzero|_index_put_impl_")


@dataclass(frozen=True)
class Family:
    """The bindings that share a table of methods."""

    name: str
    file: str
    method: bool
    flags: str


_FAMILIES = {
    None: Family("torch", "python_torch_functions", False, "kPlain"),
    "method": Family("variable", "python_variable_methods", True, "kMethod"),
    "nn": Family("nn", "python_nn_functions", False, "kNnModule"),
    "linalg": Family("linalg", "python_linalg_functions", False, "kPlain"),
    "fft": Family("fft", "python_fft_functions", False, "kPlain"),
    "special": Family("special", "python_special_functions", False, "kPlain"),
    "sparse": Family("sparse", "python_sparse_functions", False, "kPlain"),
    "nested": Family("nested", "python_nested_functions", False, "kPlain"),
}


def bound_functions(functions: Iterable[NativeFunction]) -> list[NativeFunction]:
    """Return the operators that get a generated binding."""
    return [
        f
        for f in functions
        if f.namespace == "aten"
        and not f.is_generated
        and not _SKIPPED.fullmatch(str(f.func.name.name))
    ]


def members(family: str | None, functions: Iterable[NativeFunction]) -> list[NativeFunction]:
    """Return the operators of one family."""
    if family == "method":
        return [
            f
            for f in functions
            if "method" in f.variants and not _SKIPPED_METHODS.fullmatch(str(f.func.name.name))
        ]
    return [f for f in functions if "function" in f.variants and f.python_module == family]


def by_name(functions: Iterable[NativeFunction]) -> dict[str, list[NativeFunction]]:
    """Group overloads by their Python name, sorted."""
    groups: dict[str, list[NativeFunction]] = defaultdict(list)
    for f in functions:
        groups[str(f.func.name.name)].append(f)
    return dict(sorted(groups.items()))


def return_types(functions: Iterable[NativeFunction]) -> dict[tuple[str, ...], str]:
    """Return the name of every named tuple, by operator and field names."""
    taken: dict[tuple[str, ...], str] = {}
    used: set[str] = set()
    for key in sorted({return_type_key(f) for f in functions} - {()}):
        name = key[0]
        while name in used:
            name += "_"
        used.add(name)
        taken[key] = name
    return taken


@dataclass(frozen=True)
class PythonEmitter(Emitter):
    """An emitter for bindings, which have docstrings and may call deprecated signatures."""

    deprecated: tuple[DeprecatedSignature, ...] = ()
    docs: OperatorDocs = NO_DOCS


def python_bindings(emitter: PythonEmitter) -> None:
    """Emit every file of the family."""
    bound = bound_functions(emitter.operators.functions)
    types = return_types(bound)
    tables = {
        family.name: _emit_shards(emitter, family, by_name(members(key, bound)), types)
        for key, family in _FAMILIES.items()
    }
    lists = _tables(tables)
    name = "python_method_tables.cpp"
    emitter.file(name, name, (), lambda: lists, *lists.values())
    _emit_return_types(emitter, types)


def _emit_shards(
    emitter: PythonEmitter,
    family: Family,
    groups: Mapping[str, list[NativeFunction]],
    types: Mapping[tuple[str, ...], str],
) -> list[str]:
    bound = {name: group for name, group in groups.items() if is_bound(group)}
    tables = []
    for numbered, names in sharded(emitter, family.file, bound, str):
        if not names:
            continue
        shard = {name: bound[name] for name in names}
        suffix = numbered.removeprefix(family.file) if family.file in emitter.limits else ""
        tables.append(f"{family.name}_functions{suffix}")
        functions = [f for group in shard.values() for f in group]
        named = {return_type_key(f): types.get(return_type_key(f), "") for f in functions}
        values = partial(_shard, emitter, family, shard, types, tables[-1])
        path = f"{family.file}{suffix}.cpp"
        emitter.file(path, "python_shard.cpp", functions, values, *named.values())
    return tables


def _shard(
    emitter: PythonEmitter,
    family: Family,
    groups: Mapping[str, list[NativeFunction]],
    types: Mapping[tuple[str, ...], str],
    table: str,
) -> Mapping[str, str]:
    bindings = [
        make_binding(
            name,
            group,
            method=family.method,
            flags=family.flags,
            return_types=types,
            deprecated=emitter.deprecated,
            docs=emitter.docs,
        )
        for name, group in groups.items()
    ]
    roots = {f.unambiguous: f.root_name for group in groups.values() for f in group}
    headers = sorted({roots[operator] for b in bindings for operator in b.operators})
    keys = {return_type_key(f) for group in groups.values() for f in group}
    named = [types[key] for key in sorted(keys) if key in types]
    return {
        "includes": includes(f"ATen/ops/{header}_ops.h" for header in headers),
        "return_types": "\n".join(f"extern ReturnType {return_type_variable(n)};" for n in named),
        "functions": "\n".join(binding.text for binding in bindings),
        "table": table,
        "rows": "\n".join(binding.row for binding in bindings),
    }


def _tables(tables: Mapping[str, list[str]]) -> Mapping[str, str]:
    declarations = [f"extern PyMethodDef {t}[];" for names in tables.values() for t in names]
    lists = []
    for family, names in tables.items():
        entries = ", ".join([*names, "nullptr"])
        lists.append(f"PyMethodDef* const {family}_method_tables[] = {{{entries}}};")
    return {"declarations": "\n".join(declarations), "lists": "\n".join(lists)}


def _emit_return_types(emitter: Emitter, types: Mapping[tuple[str, ...], str]) -> None:
    source = "python_return_types.cpp"
    section = emitter.templates.section(source, "type")
    texts, pointers = [], []
    for (_, *fields), name in types.items():
        variable = return_type_variable(name)
        entries = ", ".join(f'{{"{field}", nullptr}}' for field in fields)
        count = str(len(fields))
        texts.append(section.fill(variable=variable, name=name, entries=entries, count=count))
        pointers.append(f"&{variable},")
    values = {"types": "".join(texts), "pointers": "\n".join(pointers)}
    emitter.file(source, source, (), lambda: values, *values.values())
