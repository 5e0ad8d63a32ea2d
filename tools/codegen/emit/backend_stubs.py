"""<Key>NativeFunctions.h, Register<Key>.cpp and RegisterAutograd<Key>.cpp of a back end's YAML file.

Of an operator's variants, one is written by hand. The others call it and copy its results.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tools.codegen.api import cpp, dispatcher
from tools.codegen.backends import Backend, variants
from tools.codegen.emit.common import Emitter
from tools.codegen.emit.operators import root_headers
from tools.codegen.emit.register import guarded_argument
from tools.codegen.model import NativeFunction
from tools.codegen.schema import SchemaKind

_HEADER = "DispatchKeyNativeFunctions.h"
_SOURCE = "RegisterBackend.cpp"


def backend_stubs(emitter: Emitter, backend: Backend) -> None:
    """Emit the declarations, and the registrations for each key that has kernels."""
    functions = (*backend.kernels, *backend.autograd)
    name = f"{backend.key}NativeFunctions.h"
    emitter.file(name, _HEADER, functions, lambda: _declarations(emitter, backend), repr(backend))
    for key, listed in (
        (backend.key, backend.kernels),
        (backend.autograd_key, backend.autograd),
    ):
        if listed or (backend.cpu_fallback and key == backend.key):
            values = _Registrations(emitter, backend, key, listed).values
            emitter.file(f"Register{key}.cpp", _SOURCE, listed, values, repr(backend))


def _declarations(emitter: Emitter, backend: Backend) -> Mapping[str, str]:
    lines = [
        f"static {dispatcher.signature(f).declaration(name=cpp.name(f.func))};"
        for f in (*backend.kernels, *backend.autograd)
    ]
    return {
        "namespace": backend.namespace,
        "class_name": backend.class_name,
        "declarations": "\n".join(lines),
    }


class _Registrations:
    """The wrappers of one key, and the rows that register them."""

    def __init__(
        self, emitter: Emitter, backend: Backend, key: str, listed: Sequence[NativeFunction]
    ) -> None:
        self._emitter = emitter
        self._backend = backend
        self._key = key
        self._listed = listed

    def values(self) -> Mapping[str, str]:
        derived = list(self._derived())
        functions = [*self._listed, *(function for function, _ in derived)]
        texts = [*map(self._own, self._listed), *(self._from(f, p) for f, p in derived)]
        row = self._emitter.templates.section(_SOURCE, "row")
        rows = [
            row.fill(struct=f.unambiguous, key=self._key, wrapper=_wrapper(f)) for f in functions
        ]
        table = self._emitter.templates.section(_SOURCE, "table")
        helpers = self._emitter.templates.section(_SOURCE, "helpers")
        falls_back = self._backend.cpu_fallback and self._key == self._backend.key
        fallback = self._emitter.templates.section(_SOURCE, "fallback").fill(key=self._key)
        return {
            "header": f"{self._backend.key}NativeFunctions.h",
            "includes": root_headers(functions, "_ops"),
            "namespace": self._backend.namespace,
            "helpers": helpers.fill() if derived else "",
            "wrappers": "".join(texts),
            "table": table.fill(rows="".join(rows)) if rows else "",
            "fallback": fallback if falls_back else "",
        }

    def _derived(self) -> Iterator[tuple[NativeFunction, NativeFunction]]:
        """Yield the variants without a kernel of their own, and the functional one that they call."""
        if self._backend.use_out_as_primary or self._key != self._backend.key:
            return
        known = set(self._listed)
        for primary in self._listed:
            if primary.func.kind is SchemaKind.functional and not primary.func.is_view:
                for function in variants(self._emitter.operators, primary).values():
                    if function not in known and _tensors_only(primary):
                        known.add(function)
                        yield function, primary

    def _own(self, function: NativeFunction) -> str:
        guarded = guarded_argument(function) if self._backend.device_guard else ""
        signature = dispatcher.signature(function)
        kernel = f"{self._backend.class_name}::{cpp.name(function.func)}"
        section = self._emitter.templates.section(_SOURCE, "guarded" if guarded else "native")
        values = {"guarded": guarded} if guarded else {}
        return section.fill(
            schema=f"{function.namespace}::{function.func}",
            declaration=_declaration(function),
            kernel=kernel,
            arguments=", ".join(signature.names()),
            **values,
        )

    def _from(self, function: NativeFunction, primary: NativeFunction) -> str:
        func = function.func
        given = {argument.name for argument in func.arguments.all}
        passed = [a.name if a.name in given else _unset(a.name, func.arguments.out[0].name)
                  for a in primary.func.arguments.all]  # fmt: skip
        single = len(primary.func.returns) == 1
        written = [argument.name for argument in func.arguments.mutable]
        values = ["result"] if single else [f"std::get<{i}>(result)" for i in range(len(written))]
        assign = "assign" if func.kind is SchemaKind.inplace else "assign_resized"
        returns = written[0] if single else f"std::forward_as_tuple({', '.join(written)})"
        return self._emitter.templates.section(_SOURCE, "derived").fill(
            schema=f"{function.namespace}::{func}",
            declaration=_declaration(function),
            primary=_wrapper(primary),
            arguments=", ".join(["{}", *passed]),
            assignments="\n".join(
                f"{assign}({name}, {value});" for name, value in zip(written, values, strict=True)
            ),
            returns=f"return {returns};" if func.returns else "",
        )


def _tensors_only(function: NativeFunction) -> bool:
    return all(str(result.type) == "Tensor" for result in function.func.returns)


def _unset(name: str, out: str) -> str:
    """Return the tensor option that an out= variant takes from its first result."""
    values = {
        "dtype": f"{out}.scalar_type()",
        "layout": f"{out}.layout()",
        "device": f"{out}.device()",
    }
    return values.get(name, "::std::nullopt")


def _wrapper(function: NativeFunction) -> str:
    return f"wrapper_{function.unambiguous}"


def _declaration(function: NativeFunction) -> str:
    signature = dispatcher.signature(function)
    parameters = ", ".join(filter(None, ["c10::DispatchKeySet", signature.parameters()]))
    return f"{signature.returns} {_wrapper(function)}({parameters})"
