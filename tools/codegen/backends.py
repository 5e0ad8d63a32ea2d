"""A back end's YAML file: the operators that it has kernels for, read and checked.

backend: PrivateUse1
cpp_namespace: granite
supported: [abs, add.Tensor]
autograd: [max_pool2d]
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from tools.codegen.api import cpp
from tools.codegen.errors import InputError, Problem, suggest
from tools.codegen.fields import FieldReader
from tools.codegen.keys import ALIAS_KEYS, DISPATCH_KEYS
from tools.codegen.model import NativeFunction, Operators
from tools.codegen.schema import SchemaKind
from tools.codegen.source import read_text
from tools.codegen.yaml_reader import read_mapping
from tools.codegen.yaml_values import Entry, Text, unknown

_FIELDS = frozenset(
    [
        "backend",
        "class_name",
        "cpp_namespace",
        "supported",
        "autograd",
        "use_out_as_primary",
        "device_guard",
        "cpu_fallback",
    ]
)
_UNSUPPORTED = {
    "symint": "kernels take sizes as int64_t here",
    "non_native": "nodes that are not operators are written by hand in C++",
}
_LAZY_FIELDS = ("full_codegen", "ir_gen")
_LAZY_ONLY = "only gen_lazy_tensor generates nodes"
_NAMESPACE = re.compile(r"[A-Za-z_]\w*(?:::[A-Za-z_]\w*)*", re.ASCII)
_VARIANTS = (SchemaKind.functional, SchemaKind.inplace, SchemaKind.out)


@dataclass(frozen=True)
class Backend:
    """The kernels of a back end, all of them static functions of one class."""

    key: str
    namespace: str
    class_name: str
    supported: tuple[NativeFunction, ...]
    """The operators that have a kernel of the back end's own key."""
    autograd: tuple[NativeFunction, ...]
    """The operators that have a kernel of its autograd key."""
    use_out_as_primary: bool = False
    """Whether out= kernels are written by hand, instead of calling the functional ones."""
    device_guard: bool = False
    """Whether the wrappers make the device of their arguments current."""
    cpu_fallback: bool = False
    """Whether operators without a kernel run on the CPU."""
    full_codegen: tuple[NativeFunction, ...] = ()
    """The operators of a lazy back end whose kernels, which record nodes, are generated."""
    ir_gen: tuple[NativeFunction, ...] = ()
    """The operators with a generated node that kernels written by hand record."""

    @property
    def autograd_key(self) -> str:
        return f"Autograd{self.key}"

    @property
    def kernels(self) -> tuple[NativeFunction, ...]:
        """The operators with a kernel of the back end's own key, generated or written by hand."""
        return (*self.full_codegen, *self.supported)


def read_backend(
    path: Path, operators: Operators, implementation: Path | None = None, *, lazy: bool = False
) -> Backend:
    """Return what a file declares.

    Args:
        path: The YAML file.
        operators: All operators.
        implementation: The C++ file that must define the kernels, if given.
        lazy: Whether the file may list operators to generate nodes for.

    Raises:
        InputError: If there are mistakes; the error lists all of them.
    """
    name = str(path)
    problems: list[Problem] = []
    text = read_text(path, name, problems)
    entry = Entry(1) if problems else read_mapping(text, name, problems)
    backend = None if problems else _Reader(name, problems, operators, lazy).read(entry)
    if backend is not None and implementation is not None:
        source = read_text(implementation, str(implementation), problems)
        problems += _missing_kernels(name, entry, backend, implementation, source)
    if problems or backend is None:
        raise InputError(problems, {name: text})
    return backend


def variants(operators: Operators, function: NativeFunction) -> Mapping[SchemaKind, NativeFunction]:
    """Return the functional, in-place and out= variants of one operator, by kind."""
    shared = function.func.signature().text
    return {
        other.func.kind: other
        for other in reversed(operators.by_root[function.root_name])
        if other.func.kind in _VARIANTS and other.func.signature().text == shared
    }


@dataclass
class _Reader(FieldReader):
    operators: Operators
    lazy: bool

    def read(self, entry: Entry) -> Backend | None:
        self._check_fields(entry)
        key_name = self._key(entry)
        namespace = self._identifier(entry, "cpp_namespace", None)
        class_name = self._identifier(entry, "class_name", f"{key_name}NativeFunctions")
        supported = self._functions(entry, "supported")
        autograd = self._functions(entry, "autograd")
        nodes = {name: self._functions(entry, name) for name in _LAZY_FIELDS}
        self._check_once(supported, nodes["full_codegen"])
        self._check_groups([*supported, *nodes["full_codegen"]], autograd)
        if key_name in DISPATCH_KEYS and autograd and f"Autograd{key_name}" not in DISPATCH_KEYS:
            self.report(entry.fields["autograd"][0], f"{key_name} has no autograd key of its own")
        flags = {
            name: self.flag(entry, name, False)
            for name in ("use_out_as_primary", "device_guard", "cpu_fallback")
        }
        if self.problems or key_name is None or namespace is None or class_name is None:
            return None
        return Backend(
            key_name,
            namespace,
            class_name,
            tuple(function for _, function in supported),
            tuple(function for _, function in autograd),
            full_codegen=tuple(function for _, function in nodes["full_codegen"]),
            ir_gen=tuple(function for _, function in nodes["ir_gen"]),
            **flags,
        )

    def _check_fields(self, entry: Entry) -> None:
        for name, (key, _) in entry.fields.items():
            if name in _UNSUPPORTED:
                self.report(key, f'"{name}" is not supported: {_UNSUPPORTED[name]}')
            elif name in _LAZY_FIELDS:
                if not self.lazy:
                    self.report(key, f'"{name}" is not supported: {_LAZY_ONLY}')
            elif name not in _FIELDS:
                self.problems.append(unknown("field", key, _FIELDS, self.file))

    def _check_once(
        self,
        supported: list[tuple[Text, NativeFunction]],
        generated: list[tuple[Text, NativeFunction]],
    ) -> None:
        """Report operators whose kernel is both generated and written by hand."""
        by_hand = {function.full_name for _, function in supported}
        for text, function in generated:
            if function.full_name in by_hand:
                self.report(text, f'"{text.text}" is listed under "supported" too')

    def _key(self, entry: Entry) -> str | None:
        key = self.text(entry, "backend")
        if key is None:
            self.missing(entry, "backend", "a dispatch key such as PrivateUse1")
            return None
        known = DISPATCH_KEYS - {*ALIAS_KEYS, "Undefined"}
        if key.text not in known:
            self.problems.append(unknown("dispatch key", key, known, self.file))
        return key.text

    def _identifier(self, entry: Entry, name: str, default: str | None) -> str | None:
        text = self.text(entry, name)
        if text is None:
            if default is None:
                self.missing(entry, name, "the namespace of the class of kernels")
            return default
        if not _NAMESPACE.fullmatch(text.text):
            self.report(text, f'"{name}" must be a name in C++, not "{text.text}"')
        return text.text

    def missing(self, entry: Entry, name: str, what: str) -> None:
        if name not in entry.fields:
            self.problems.append(Problem(self.file, 1, 1, f'"{name}" is missing: {what}'))

    def _functions(self, entry: Entry, name: str) -> list[tuple[Text, NativeFunction]]:
        found: dict[str, tuple[Text, NativeFunction]] = {}
        for text in self.texts(entry, name):
            if not text.text:
                continue  # `supported:` without items
            function = self.operators.by_name.get(text.text)
            if function is None:
                near = suggest(text.text, self.operators.by_name)
                overloads = [n for n in self.operators.by_name if n.startswith(f"{text.text}.")]
                listed = f"; its overloads are {', '.join(overloads)}" if overloads else near
                self.report(text, f'no operator is called "{text.text}"{listed}')
            elif text.text in found:
                self.report(text, f'"{text.text}" is listed twice')
            else:
                found[text.text] = (text, function)
        return list(found.values())

    def _check_groups(
        self,
        supported: list[tuple[Text, NativeFunction]],
        autograd: list[tuple[Text, NativeFunction]],
    ) -> None:
        """All variants of an operator must be kernels of the same key."""
        keys = {
            variant.full_name: text.text
            for text, function in supported
            for variant in (function, *variants(self.operators, function).values())
        }
        for text, function in autograd:
            if function.full_name in keys:
                other = keys[function.full_name]
                message = f'"{text.text}" belongs to "{other}", which is listed under "supported"'
                self.report(text, f"{message}: all variants of an operator need the same key")


def _missing_kernels(
    file: str, entry: Entry, backend: Backend, implementation: Path, source: str
) -> Iterator[Problem]:
    """Compare how often the C++ file defines each name with how many kernels have it."""
    wanted: dict[str, list[str]] = {}
    for function in (*backend.supported, *backend.autograd):
        wanted.setdefault(cpp.name(function.func), []).append(function.full_name)
    places = {
        text.text: text for field in ("supported", "autograd") for text in _listed(entry, field)
    }
    for name, operators in wanted.items():
        pattern = rf"\b{re.escape(backend.class_name)}::{name}\s*\("
        defined = len(re.findall(pattern, source))
        if defined < len(operators):
            what = f"{backend.class_name}::{name}"
            message = f"{implementation} defines {what} {defined} times, not {len(operators)}"
            yield from (places[each].problem(file, message) for each in operators)


def _listed(entry: Entry, field: str) -> list[Text]:
    value = entry.fields.get(field, (None, []))[1]
    return [item for item in value if isinstance(item, Text)] if isinstance(value, list) else []
