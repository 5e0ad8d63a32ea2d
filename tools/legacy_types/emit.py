"""TypeExtendedInterface.h, TypeDefault.{h,cpp}, <Backend>TypeDefault and <Backend><ScalarType>Type, and their registration."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from tools.codegen.api.signature import join
from tools.codegen.emit.common import Emitter, includes, type_headers
from tools.codegen.emit.declarations import record
from tools.codegen.emit.operators import root_headers
from tools.codegen.emit.shards import shard_count, sharded
from tools.codegen.model import NativeFunction
from tools.legacy_types.model import TypeBackend, TypeLists, TypeMethod, read_method

_DEFAULT = "TypeDefault"
_INTERFACE = "TypeExtendedInterface"
_METHODS = "TypeMethods.cpp"


class Methods(dict[NativeFunction, TypeMethod]):
    """Operators as methods, each translated when the first text needs it."""

    def __missing__(self, function: NativeFunction) -> TypeMethod:
        method = self[function] = read_method(record(function))
        return method


@dataclass(frozen=True)
class TypeEmitter:
    """The operators as methods, and where their classes go."""

    emitter: Emitter
    lists: TypeLists
    functions: Sequence[NativeFunction]
    methods: Methods

    @staticmethod
    def of(emitter: Emitter, lists: TypeLists, methods: Methods) -> TypeEmitter:
        functions = emitter.built(emitter.operators.functions)
        return TypeEmitter(emitter, lists, tuple(functions), methods)

    def common_types(self) -> None:
        """Write the interface, its default, and the types of the CPU and of extensions."""
        self._interface()
        self._default()
        self._backends((*self.lists.cpu, *self.lists.extensions), "CPU")
        self._extension_registration()

    def cuda_types(self) -> None:
        """Write the types of CUDA."""
        self._backends(self.lists.cuda, "CUDA")

    def _interface(self) -> None:
        def values() -> Mapping[str, str]:
            lines = [f"virtual {self.methods[f].declaration()} = 0;" for f in self.functions]
            return {"includes": type_headers(self.functions), "methods": "\n".join(lines)}

        self.emitter.file(f"{_INTERFACE}.h", f"{_INTERFACE}.h", self.functions, values)

    def _default(self) -> None:
        self.emitter.file(
            f"{_DEFAULT}.h",
            f"{_DEFAULT}.h",
            self.functions,
            lambda: {"methods": self._overrides(self.functions)},
        )
        self._definitions(_DEFAULT, self.functions, "call", lambda method: method.arguments)

    def _backends(self, backends: Sequence[TypeBackend], group: str) -> None:
        for backend in backends:
            self._backend(backend)
        registered = [
            backend.type_name(scalar_type)
            for backend in backends
            for scalar_type in self.lists.scalar_types
        ]
        function = {"function": f"register_{group.lower()}_types"}
        name = f"Register{group}"
        self._plain(f"{name}.h", "RegisterTypes.h", function)
        section = self.emitter.templates.section("RegisterTypes.cpp", "type")
        self._plain(
            f"{name}.cpp",
            "RegisterTypes.cpp",
            {
                **function,
                "header": name,
                "includes": includes(f"ATen/{type}.h" for type in registered),
                "types": "".join(section.fill(**{"class": type}) for type in registered),
            },
        )

    def _backend(self, backend: TypeBackend) -> None:
        """Write the class of a back end, with its kernels, and the classes of its element types."""
        kernel = self.emitter.operators.kernel
        own = [f for f in self.functions if backend.extension or kernel(f, backend.key) is not None]

        def values() -> Mapping[str, str]:
            names = sorted({self.methods[f].name for f in own})
            return {
                "class": backend.base,
                "key": backend.key,
                "inherited": "\n".join(f"using {_DEFAULT}::{name};" for name in names),
                "methods": self._overrides(own),
            }

        self.emitter.file(f"{backend.base}.h", "BackendType.h", own, values, repr(backend))
        keys = f"c10::DispatchKeySet(c10::DispatchKey::{backend.key})"
        self._definitions(backend.base, own, "kernel", lambda method: (keys, *method.arguments))
        for scalar_type in self.lists.scalar_types:
            name = backend.type_name(scalar_type)
            facts = {
                "class": name,
                "base": backend.base,
                "backend": backend.name,
                "scalar_type": scalar_type,
            }
            self._plain(f"{name}.h", "ScalarTypeType.h", facts)

    def _definitions(
        self,
        owner: str,
        functions: Iterable[NativeFunction],
        section: str,
        arguments: Callable[[TypeMethod], Iterable[str]],
    ) -> None:
        """Write the definitions of a class's methods, in as many files as the limit asks for."""
        functions = list(functions)
        count = shard_count(len(functions), self.emitter.limits.get("TypeMethods"))
        for name, members in sharded(self.emitter, owner, functions, lambda f: f.root_name, count):
            if members:
                values = partial(self._definition_values, owner, members, section, arguments)
                self.emitter.file(f"{name}.cpp", _METHODS, members, values, owner, section)

    def _definition_values(
        self,
        owner: str,
        functions: Sequence[NativeFunction],
        section: str,
        arguments: Callable[[TypeMethod], Iterable[str]],
    ) -> Mapping[str, str]:
        template = self.emitter.templates.section(_METHODS, section)
        methods = [self.methods[function] for function in functions]
        return {
            "class": owner,
            "includes": "\n".join(
                filter(None, [root_headers(functions, "_ops"), type_headers(functions)])
            ),
            "methods": "".join(
                template.fill(
                    schema=method.schema,
                    declaration=method.declaration(owner),
                    complete=(
                        "const at::TensorOptions completed = complete(options);"
                        if method.creates
                        else ""
                    ),
                    operator=method.operator,
                    arguments=join(arguments(method)),
                )
                for method in methods
            ),
        }

    def _overrides(self, functions: Iterable[NativeFunction]) -> str:
        return "\n".join(f"{self.methods[f].declaration()} override;" for f in functions)

    def _extension_registration(self) -> None:
        name = "ExtensionBackendRegistration.h"
        section = self.emitter.templates.section(name, "case")
        cases = [section.fill(backend=b.name, key=b.key) for b in self.lists.extensions]
        self._plain(name, name, {"cases": "".join(cases)})

    def _plain(self, path: str, template: str, values: Mapping[str, str]) -> None:
        """Write a file that depends on no operator."""
        self.emitter.file(path, template, (), lambda: values, repr(values))
