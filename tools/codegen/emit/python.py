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
    TEMPLATE,
    is_bound,
    left_out_binding,
    make_binding,
    return_type_key,
    return_type_variable,
)
from tools.codegen.emit.shards import sharded
from tools.codegen.model import NativeFunction
from tools.codegen.names import PYTHON_MODULES
from tools.codegen.templates import Templates

# Operators bound by hand in torch/csrc/autograd, and operators that Python does not expose.
_SKIPPED = re.compile(
    r"contiguous|size|stride|sym_.*|numel|dim|item|to|_to_copy|copy|nonzero|nonzero_numpy"
    r"|_local_scalar_dense|numpy_T|mT|mH|T|H|matrix_H|index|.*_backward.*|.*_forward|_unsafe_view"
    r"|__.*__|lift|lift_fresh|_reshape_alias|data|set_data|is_leaf|output_nr|_version|requires_grad_"
    r"|retain_grad|retains_grad|_fw_primal|.*_jvp|tensor|from_file|lift_fresh_copy|normal_functional"
    r"|alias|slice|_batch_norm_with_update|fake_quantize_per_.*_cachemask|unique_dim_consecutive"
)
_SKIPPED_METHODS = re.compile(r"detach|detach_|is_nonzero|_index_put_impl_")


_TABLES = "python_method_tables.cpp"


@dataclass(frozen=True)
class Family:
    """The bindings that share a table of methods."""

    name: str
    file: str
    method: bool
    flags: str


def _module_family(name: str) -> Family:
    flags = "kNnModule" if name == "nn" else "kPlain"
    return Family(name, f"python_{name}_functions", False, flags)


_FAMILIES: Mapping[str | None, Family] = {
    None: Family("torch", "python_torch_functions", False, "kPlain"),
    "method": Family("variable", "python_variable_methods", True, "kMethod"),
    **{name: _module_family(name) for name in PYTHON_MODULES},
}


def bound_functions(functions: Iterable[NativeFunction]) -> list[NativeFunction]:
    """Return the operators that get a generated binding."""
    return [
        f
        for f in functions
        if f.namespace == "aten"
        and (not f.is_generated or "view_copy" in f.tags)
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
    lists = _tables(emitter.templates, tables)
    emitter.file(_TABLES, _TABLES, (), lambda: lists, *lists.values())
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
        left_out = frozenset(name for name, group in shard.items() if not emitter.built(group))
        named = {return_type_key(f): types.get(return_type_key(f), "") for f in functions}
        values = partial(_shard, emitter, family, shard, types, tables[-1], left_out)
        path = f"{family.file}{suffix}.cpp"
        emitter.file(path, TEMPLATE, functions, values, *named.values(), *sorted(left_out))
    return tables


def _shard(
    emitter: PythonEmitter,
    family: Family,
    groups: Mapping[str, list[NativeFunction]],
    types: Mapping[tuple[str, ...], str],
    table: str,
    left_out: frozenset[str],
) -> Mapping[str, str]:
    bindings = [
        make_binding(
            emitter.templates,
            name,
            group,
            method=family.method,
            flags=family.flags,
            return_types=types,
            deprecated=emitter.deprecated,
            docs=emitter.docs,
        )
        for name, group in groups.items()
        if name not in left_out
    ]
    bindings += [left_out_binding(emitter.templates, n, method=family.method) for n in left_out]
    bindings.sort(key=lambda binding: binding.name)
    declaration = emitter.templates.section(TEMPLATE, "left_out_declaration").fill()
    roots = {f.unambiguous: f.root_name for group in groups.values() for f in group}
    headers = sorted({roots[operator] for b in bindings for operator in b.operators})
    keys = {return_type_key(f) for group in groups.values() for f in group}
    named = [types[key] for key in sorted(keys) if key in types]
    return {
        "includes": includes(f"ATen/ops/{header}_ops.h" for header in headers),
        "return_types": "\n".join(f"extern ReturnType {return_type_variable(n)};" for n in named),
        "left_out": declaration if left_out else "",
        "functions": "\n".join(binding.text for binding in bindings),
        "table": table,
        "rows": "".join(binding.row for binding in bindings),
    }


def _tables(templates: Templates, tables: Mapping[str, list[str]]) -> Mapping[str, str]:
    declaration = templates.section(_TABLES, "declaration")
    family_list = templates.section(_TABLES, "list")
    module = templates.section(_TABLES, "module")
    return {
        "declarations": "".join(
            declaration.fill(table=table) for names in tables.values() for table in names
        ),
        "lists": "".join(
            family_list.fill(family=family, tables=", ".join([*names, "nullptr"]))
            for family, names in tables.items()
        ),
        "modules": "".join(module.fill(name=name) for name in PYTHON_MODULES),
    }


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
