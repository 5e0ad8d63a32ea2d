"""Register<Key>_*.cpp: a wrapper around every kernel of a dispatch key, and a table of wrappers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial

from tools.codegen.api import cpp, dispatcher
from tools.codegen.emit.common import Emitter, includes, type_headers
from tools.codegen.emit.headers import aggregate
from tools.codegen.emit.operators import root_headers
from tools.codegen.emit.shards import shard_count, sharded
from tools.codegen.emit.structured import Wrapper, structured_wrapper
from tools.codegen.keys import (
    COMPOSITE_EXPLICIT,
    COMPOSITE_NON_FUNCTIONAL,
    DIRECT_KEYS,
    GUARDED_KEYS,
)
from tools.codegen.model import Kernel, NativeFunction, Operators, is_functional

_FILE = "RegisterDispatchKey.cpp"


@dataclass(frozen=True)
class Registration:
    """One row: an operator and the kernel of a key; None if only meta runs."""

    function: NativeFunction
    key: str
    kernel: Kernel | None

    @property
    def wrapper(self) -> str:
        return f"wrapper_{self.key}_{self.function.unambiguous}"


@lru_cache(maxsize=2)
def registrations(operators: Operators) -> Mapping[str, Sequence[Registration]]:
    """Return the rows of each dispatch key that has any, in the order of the file.

    BackendSelect occurs only if an entry names it: a factory's keys are computed from its device
    argument (`key_set_arguments`), so a generated kernel would have nothing to select.
    """
    rows: dict[str, list[Registration]] = {}
    for function in operators.functions:
        if function.manual_kernel_registration:
            continue
        for key, kernel in _kernels(operators, function).items():
            rows.setdefault(key, []).append(Registration(function, key, kernel))
    return rows


def _kernels(operators: Operators, function: NativeFunction) -> Mapping[str, Kernel | None]:
    """Return the kernel of every key; the keys that run only `meta` have None."""
    kernels: dict[str, Kernel | None] = dict(function.dispatch)
    group = operators.group_of.get(function.full_name)
    if group is None:
        return kernels
    for key, kernel in group.out.dispatch.items():
        if kernel.structured:
            kernels.setdefault(key, kernel)
    kernels.setdefault("Meta", None)
    composite = function.composite_explicit or function.composite_implicit
    if function is not group.out and not composite:
        kernels.setdefault(COMPOSITE_NON_FUNCTIONAL, None)
    return kernels


def built_rows(emitter: Emitter) -> Mapping[str, Sequence[Registration]]:
    """Return the rows of operators that are built."""
    selection, rows = emitter.selection, registrations(emitter.operators)
    if selection is None:
        return rows
    return {key: [row for row in each if selection.has(row.function)] for key, each in rows.items()}


def register(emitter: Emitter) -> None:
    """Emit the shards of every key."""
    for key, rows in built_rows(emitter).items():
        limit = emitter.limits.get(f"Register{key}", emitter.limits.get("Register"))
        count = shard_count(len(rows), limit)
        shards = sharded(emitter, f"Register{key}", rows, lambda row: row.function.root_name, count)
        for name, members in shards:
            if members:
                functions = [row.function for row in members]
                values = partial(_shard, emitter, key, members)
                emitter.file(f"{name}.cpp", _FILE, functions, values)


def _shard(emitter: Emitter, key: str, rows: list[Registration]) -> Mapping[str, str]:
    texts = [_wrapper_text(emitter, row) for row in rows]
    entries = [
        f"{{&at::_ops::{row.function.unambiguous}::entry, c10::DispatchKey::{key}, "
        f"reinterpret_cast<c10::KernelPtr>(&{row.wrapper})}},"
        for row in rows
    ]
    return {
        "includes": _includes(key, rows, "".join(texts)),
        "wrappers": "".join(texts),
        "rows": "\n".join(entries),
        "namespace_functions": _direct_functions(emitter, key, rows) if key in DIRECT_KEYS else "",
    }


def _includes(key: str, rows: list[Registration], text: str) -> str:
    functions = [row.function for row in rows]
    lines = [root_headers(functions, "_ops")]
    if key in DIRECT_KEYS:
        lines.append(root_headers(functions, f"_{key.lower()}_dispatch"))
    if any(row.kernel is not None for row in rows):
        native = [row.function for row in rows if row.kernel is not None]
        lines.append(root_headers(native, "_native"))
    structured = [row.function for row in rows if row.function.in_structured_group]
    if structured and "at::structured::" in text:
        lines.append(root_headers(structured, "_meta"))
        lines.append(includes(["ATen/StructuredWrappers.h"]))
    if "AutoDispatchBelow" in text:
        lines.append(includes(["ATen/core/LegacyTypeDispatch.h"]))
    if key in GUARDED_KEYS:
        lines.append(includes(["ATen/DeviceCheck.h", "ATen/DeviceGuard.h"]))
    return "\n".join(lines)


def _wrapper_text(emitter: Emitter, row: Registration) -> str:
    function, kernel = row.function, row.kernel
    signature = dispatcher.signature(function)
    parameters = ", ".join(filter(None, ["c10::DispatchKeySet", signature.parameters()]))
    declaration = f"{signature.returns} {row.wrapper}({parameters})"
    schema = f"{function.namespace}::{function.func}"
    check = _device_check(emitter, row)
    if kernel is None or kernel.structured:
        group = emitter.operators.group_of[function.full_name]
        wrapper = Wrapper(schema, declaration, row.key, function, group, kernel, check)
        return structured_wrapper(emitter.templates, wrapper)
    return emitter.templates.section(_FILE, "native").fill(
        schema=schema,
        declaration=declaration,
        check=check,
        guard=_device_guard(emitter, row),
        uncounted=_uncounted(emitter, row),
        kernel=f"{kernel.namespace}::{kernel.name}",
        arguments=", ".join(signature.names()),
    )


def _device_check(emitter: Emitter, row: Registration) -> str:
    """Return the statement that refuses tensors of several devices, or an empty string.

    Keyword-only arguments may be on another device, such as the learning rate of an optimizer's step.
    """
    function = row.function
    if row.key not in GUARDED_KEYS or not function.device_check:
        return ""
    arguments = function.func.arguments
    tensors = [a for a in (*arguments.out, *arguments.positional) if a.type.is_tensor_like()]
    if len(tensors) < 2 and not any(tensor.type.list_type() for tensor in tensors):
        return ""
    calls = "".join(f'("{tensor.name}", {tensor.name})' for tensor in tensors)
    section = emitter.templates.section(_FILE, "check")
    return section.fill(method=row.wrapper, tensors=calls)


def _device_guard(emitter: Emitter, row: Registration) -> str:
    """Return the statement that sets the current device, or an empty string."""
    guarded = guarded_argument(row.function) if row.key in GUARDED_KEYS else ""
    section = emitter.templates.section(_FILE, "guard")
    return section.fill(guarded=guarded) if guarded else ""


def _uncounted(emitter: Emitter, row: Registration) -> str:
    """Return the statement that keeps a kernel's writes to its results out of their versions.

    Recorded calls run below the key that counts changes; this is for calls that are not recorded.
    """
    function, returns = row.function, row.function.func.returns
    makes_tensors = any(each.type.is_tensor_like() for each in returns) and not any(
        each.annotation for each in returns
    )
    if row.key != COMPOSITE_EXPLICIT or not makes_tensors or not is_functional(function):
        return ""
    return emitter.templates.section(_FILE, "uncounted").fill()


def guarded_argument(function: NativeFunction) -> str:
    """Return the expression whose device the call runs on, or an empty string."""
    if not function.device_guard:
        return ""
    arguments = function.func.arguments
    if arguments.options is not None:
        return "device"
    first = [arguments.self_arg] if arguments.self_arg is not None else []
    for argument in (*first, *arguments.out, *arguments.all):
        if argument.type.is_tensor_like():
            return f"at::device_of({argument.name})"
    return ""


def _direct_functions(emitter: Emitter, key: str, rows: Iterable[Registration]) -> str:
    """Return at::cpu::f and the like: kernels of a known backend, without the dispatcher."""
    direct = emitter.templates.section(_FILE, "direct")
    texts: list[str] = []
    for row in rows:
        for signature in cpp.signatures(row.function):
            expressions = cpp.dispatcher_expressions(row.function, signature)
            texts.append(
                direct.fill(
                    declaration=signature.declaration(),
                    wrapper=row.wrapper,
                    arguments=", ".join(["{}", *expressions]),
                )
            )
    namespace = emitter.templates.section(_FILE, "namespace")
    return "\n" + namespace.fill(namespace=key.lower(), functions="".join(texts))


def key_headers(emitter: Emitter) -> None:
    """Emit ops/<root>_<key>_dispatch.h and <Key>Functions.h."""
    for key, rows in built_rows(emitter).items():
        if key not in DIRECT_KEYS:
            continue
        by_root: dict[str, list[NativeFunction]] = {}
        for row in rows:
            by_root.setdefault(row.function.root_name, []).append(row.function)
        headers: list[str] = []
        for root, functions in sorted(by_root.items()):
            headers.append(f"{root}_{key.lower()}_dispatch.h")
            values = partial(_key_header, key, functions)
            emitter.file(f"ops/{headers[-1]}", "DispatchKeyFunction.h", functions, values)
        inner = f"{key}Functions_inl.h"
        aggregate(emitter, inner, headers)
        outer = includes(["ATen/core/Tensor.h", f"ATen/{inner}"])
        values = partial(dict, includes=outer)
        emitter.file(f"{key}Functions.h", "Aggregate.h", (), values, outer)


def _key_header(key: str, functions: Iterable[NativeFunction]) -> Mapping[str, str]:
    lines = [
        f"TORCH_API {signature.declaration(defaults=True)};"
        for function in functions
        for signature in cpp.signatures(function)
    ]
    return {
        "includes": type_headers(functions),
        "namespace": key.lower(),
        "declarations": "\n".join(lines),
    }
