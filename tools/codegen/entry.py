"""Checks one entry of native_functions.yaml and converts it to a NativeFunction."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, field
from functools import partial

from tools.codegen import rules
from tools.codegen.api import cpp
from tools.codegen.errors import Problem, suggest
from tools.codegen.fields import FieldReader, pieces
from tools.codegen.keys import (
    COMPOSITE_EXPLICIT,
    COMPOSITE_IMPLICIT,
    COMPOSITE_NON_FUNCTIONAL,
    DISPATCH_KEYS,
    STRUCTURED_KEYS,
    UFUNC_KEYS,
)
from tools.codegen.model import Kernel, Location, NativeFunction, Precompute, UfuncLoop
from tools.codegen.names import PYTHON_MODULES, OperatorName, root_name
from tools.codegen.parse import parse_argument, parse_schema
from tools.codegen.schema import Argument, FunctionSchema, SchemaKind
from tools.codegen.tags import implied_tags
from tools.codegen.yaml_values import Entry, Text, unknown

_FIELDS = frozenset(
    [
        "func",
        "variants",
        "dispatch",
        "structured",
        "structured_delegate",
        "structured_inherits",
        "precomputed",
        "ufunc_inner_loop",
        "autogen",
        "python_module",
        "category_override",
        "device_guard",
        "device_check",
        "manual_cpp_binding",
        "manual_kernel_registration",
        "use_const_ref_for_mutable_tensors",
        "cpp_no_default_args",
        "tags",
    ]
)
_BASES = frozenset({"TensorIteratorBase"})
_COMPOSITE_KEYS = (COMPOSITE_IMPLICIT, COMPOSITE_EXPLICIT, COMPOSITE_NON_FUNCTIONAL)
_DTYPES = frozenset(
    {"AllAndComplex", "All", "Integral", "Floating", "Complex", "FloatingAndComplex"}
    | {"Bool", "Half", "BFloat16", "ComplexHalf"}
)
_CATEGORIES = frozenset({"factory", "dummy"})
_KERNEL = re.compile(r"(?:(\w+(?:::\w+)*)::)?([A-Za-z_]\w*)", re.ASCII)
_UFUNC = re.compile(r"(\w+) \((\w+(?:, \w+)*)\)", re.ASCII)


@dataclass
class EntryReader(FieldReader):
    """Reads the entries of one file."""

    tags: frozenset[str] | None
    """The known tags; None if the file that declares them has mistakes."""
    known: dict[str, NativeFunction] = field(default_factory=dict)
    """Operators that an earlier run read without a mistake, by fingerprint.

    Each is used once.
    """
    broken_roots: set[str] = field(default_factory=set)
    """Root names of operators with a mistake in their schema."""
    places: dict[tuple[int, str], Text] = field(default_factory=dict)
    """Positions of operator names and of values that others refer to, by the line of the schema."""
    _unread: dict[int, Entry] = field(default_factory=dict)
    """Entries, by the same line, that `known` supplied and whose positions are not known yet."""

    def report_field(self, function: NativeFunction, message: str, name: str = "func") -> None:
        """Report a problem with the operator's name, or with the value of another field."""
        line = function.location.line
        if line in self._unread:
            self._read(self._unread.pop(line))
        self.report(self.places[line, name], message)

    def read(self, entry: Entry) -> NativeFunction | None:
        """Return the operator that the entry declares, or None if its schema cannot be read."""
        known = self.known.pop(entry.fingerprint, None)
        if known is None:
            return self._read(entry)
        func_text = entry.fields["func"][1]
        assert isinstance(func_text, Text)  # checked when the entry was first read
        line = func_text.line
        self._unread[line] = entry
        # Only its line may have changed, and nothing else refers to this object yet.
        object.__setattr__(known, "location", Location(self.file, line))
        return known

    def _read(self, entry: Entry) -> NativeFunction | None:
        unknown_keys = [key for name, (key, _) in entry.fields.items() if name not in _FIELDS]
        self.problems.extend(unknown("field", key, _FIELDS, self.file) for key in unknown_keys)
        func_text = self.text(entry, "func")
        if func_text is None:
            if "func" not in entry.fields and not unknown_keys:
                message = "an entry needs a schema: `- func: name(arguments) -> returns`"
                self.problems.append(Problem(self.file, entry.line, 1, message))
            return None
        namespace, separator, schema = func_text.text.partition("::")
        if not separator or "(" in namespace:
            namespace, schema, shift = "aten", func_text.text, 0
        else:
            shift = len(namespace) + 2
        func = self.located(func_text, shift, lambda: parse_schema(schema))
        if func is None:
            self.broken_roots.add(root_name(schema))
            return None
        name_at = Text(str(func.name), func_text.line, func_text.column + shift)
        self.places[func_text.line, "func"] = name_at
        for mistake in rules.mistakes(func):
            self.report(func_text, mistake.message, shift + mistake.offset, mistake.length)
            self.broken_roots.add(func.name.name.base)
        return self._function(entry, namespace, func, name_at)

    def _function(
        self, entry: Entry, namespace: str, func: FunctionSchema, at: Text
    ) -> NativeFunction:
        structured = self.flag(entry, "structured", False)
        delegate = self._delegate(entry, at)
        if structured and func.kind is not SchemaKind.out:
            self.report(at, "only an out= operator can be structured")
        elif structured and delegate is not None:
            self.report(
                at, "an operator cannot both be structured and delegate to a structured one"
            )
            delegate = None
        ufunc = self._ufunc(entry)
        self._only_if_structured(entry, structured)
        dispatch = self._dispatch(entry, func, structured, delegate is not None, bool(ufunc))
        must_have_own = structured and func.is_out
        self._check_kernels(entry, at, dispatch, must_have_own, delegate is not None)
        return NativeFunction(
            namespace=namespace,
            func=func,
            location=Location(self.file, at.line),
            variants=self._variants(entry, func),
            dispatch=dispatch,
            structured=structured,
            structured_delegate=delegate,
            structured_inherits=self.word(entry, "structured_inherits", _BASES),
            precomputed=self._precomputed(entry, func),
            ufunc_inner_loop=ufunc,
            autogen=self._autogen(entry, at),
            python_module=self.word(entry, "python_module", frozenset(PYTHON_MODULES)),
            category_override=self.word(entry, "category_override", _CATEGORIES),
            device_guard=self.flag(entry, "device_guard", True),
            device_check=self._device_check(entry),
            manual_cpp_binding=self.flag(entry, "manual_cpp_binding", False),
            manual_kernel_registration=self.flag(entry, "manual_kernel_registration", False),
            use_const_ref_for_mutable_tensors=self.flag(
                entry, "use_const_ref_for_mutable_tensors", False
            ),
            cpp_no_default_args=self._no_defaults(entry, func),
            tags=self._tags(entry) | implied_tags(namespace, func),
            fingerprint=entry.fingerprint,
        )

    def _only_if_structured(self, entry: Entry, structured: bool) -> None:
        for name in ("structured_inherits", "precomputed", "ufunc_inner_loop"):
            if name in entry.fields and not structured:
                self.report(entry.fields[name][0], f'"{name}" needs `structured: True`')

    def _device_check(self, entry: Entry) -> bool:
        text = self.text(entry, "device_check")
        known = frozenset({"NoCheck", "ExactSame"})
        if text is not None and text.text not in known:
            self.problems.append(unknown("device_check", text, known, self.file))
        return text is None or text.text != "NoCheck"

    def _variants(self, entry: Entry, func: FunctionSchema) -> frozenset[str]:
        known = frozenset({"function", "method"})
        texts = self.texts(entry, "variants")
        for text in texts:
            if text.text not in known:
                self.problems.append(unknown("variant", text, known, self.file))
            elif text.text == "method" and func.arguments.self_arg is None:
                self.report(text, "a method needs an argument named self")
            elif text.text == "method" and func.is_out:
                self.report(text, "an out= operator cannot be a method")
        return frozenset(text.text for text in texts) or frozenset({"function"})

    def _tags(self, entry: Entry) -> frozenset[str]:
        texts = self.texts(entry, "tags")
        for text in texts:
            if self.tags is not None and text.text not in self.tags:
                self.problems.append(unknown("tag", text, self.tags, self.file))
        return frozenset(text.text for text in texts)

    def _delegate(self, entry: Entry, at: Text) -> OperatorName | None:
        text = self.text(entry, "structured_delegate")
        if text is None:
            return None
        self.places[at.line, "structured_delegate"] = text
        return self._operator(text)

    def _autogen(self, entry: Entry, at: Text) -> tuple[OperatorName, ...]:
        texts = self.texts(entry, "autogen")
        self.places.update({(at.line, f"autogen {text.text}"): text for text in texts})
        names = [self._operator(text) for text in texts]
        return tuple(name for name in names if name is not None)

    def _operator(self, text: Text) -> OperatorName | None:
        return self.located(text, 0, lambda: OperatorName.parse(text.text))

    def _no_defaults(self, entry: Entry, func: FunctionSchema) -> frozenset[str]:
        arguments = {argument.name: argument for argument in func.arguments.all}
        texts = self.texts(entry, "cpp_no_default_args")
        for text in texts:
            if text.text not in arguments:
                self.report(text, f'no argument "{text.text}"{suggest(text.text, arguments)}')
            elif arguments[text.text].default is None:
                self.report(text, f'"{text.text}" has no default value')
        return frozenset(text.text for text in texts)

    def _dispatch(
        self, entry: Entry, func: FunctionSchema, structured: bool, delegated: bool, ufunc: bool
    ) -> dict[str, Kernel]:
        kernels: dict[str, Kernel] = {}
        for keys, value in self.pairs(entry, "dispatch"):
            kernel = _KERNEL.fullmatch(value.text)
            if kernel is None:
                self.report(value, f'"{value.text}" is not the name of a C++ function')
                continue
            for key in pieces(keys):
                if key.text not in DISPATCH_KEYS:
                    self.problems.append(unknown("dispatch key", key, DISPATCH_KEYS, self.file))
                elif key.text in kernels:
                    self.report(key, f'duplicate kernel for "{key.text}"')
                namespace = f"{kernel[1]}::native" if kernel[1] else "at::native"
                is_impl = structured and key.text in STRUCTURED_KEYS
                kernels[key.text] = Kernel(kernel[2], is_impl, namespace)
        if ufunc:
            for name in UFUNC_KEYS:
                kernels.setdefault(name, Kernel(f"ufunc_{func.name.name}_{name}", True))
        if "dispatch" not in entry.fields and not structured and not delegated:
            kernels[COMPOSITE_IMPLICIT] = Kernel(cpp.name(func), False)
        return kernels

    def _check_kernels(
        self,
        entry: Entry,
        at: Text,
        kernels: Collection[str],
        structured: bool,
        delegated: bool,
    ) -> None:
        field_at = entry.fields["dispatch"][0] if "dispatch" in entry.fields else at
        composite = [key for key in kernels if key in _COMPOSITE_KEYS]
        if len(composite) > 1:
            message = (
                f"{composite[0]} and {composite[1]} both serve every backend; keep one of them"
            )
            self.report(field_at, message)
        own = [key for key in kernels if key in STRUCTURED_KEYS]
        if delegated and own:
            message = f"the operator it delegates to already provides the kernel for {own[0]}"
            self.report(field_at, message)
        if structured and not own:
            self.report(
                field_at, "a structured operator needs a kernel, for CPU or another backend"
            )

    def _precomputed(self, entry: Entry, func: FunctionSchema) -> Precompute | None:
        texts = self.value(entry, "precomputed")
        if texts is None:
            return None
        names = [argument.name for argument in func.arguments.non_out]
        replace: dict[str, tuple[Argument, ...]] = {}
        add: tuple[Argument, ...] = ()
        for text in texts if isinstance(texts, list) else [None]:
            if not isinstance(text, Text):
                self.report(entry.fields["precomputed"][0], "precomputed takes a list")
                continue
            name, arrow, _ = text.text.partition(" -> ")
            if not arrow:
                add = self._arguments(text, 0)
            elif name not in names:
                self.report(text, f'no argument "{name}"{suggest(name, names)}', 0, len(name))
            else:
                replace[name] = self._arguments(text, len(name) + len(arrow))
        kept = [name for name in names if name not in replace]
        made = Precompute(replace, add)
        for argument in made.elements:
            if argument.name in kept:
                message = f'precomputed adds a second argument "{argument.name}"'
                self.report(entry.fields["precomputed"][0], message)
            kept.append(argument.name)
        return made

    def _arguments(self, text: Text, start: int) -> tuple[Argument, ...]:
        parsed: list[Argument] = []
        for piece in pieces(Text(text.text[start:], text.line, text.column + start)):
            argument = self.located(piece, 0, partial(parse_argument, piece.text))
            if argument is not None:
                parsed.append(argument)
        return tuple(parsed)

    def _ufunc(self, entry: Entry) -> tuple[UfuncLoop, ...]:
        loops: list[UfuncLoop] = []
        known = frozenset({"Generic", "ScalarOnly", "CUDAFunctor", "CUDAFunctorOnSelf"})
        known |= {"CUDAFunctorOnOther", "CPUScalar", "CPUVector"}
        for key, value in self.pairs(entry, "ufunc_inner_loop"):
            match = _UFUNC.fullmatch(value.text)
            if key.text not in known:
                self.problems.append(unknown("ufunc loop", key, known, self.file))
            elif match is None:
                self.report(value, "expected a loop: name (dtype, dtype)")
            else:
                dtypes = tuple(match[2].split(", "))
                for dtype in dtypes:
                    if dtype not in _DTYPES:
                        message = f'unknown dtypes "{dtype}"{suggest(dtype, _DTYPES)}'
                        self.report(value, message, value.text.index(dtype), len(dtype))
                loops.append(UfuncLoop(key.text, match[1], dtypes))
        return tuple(loops)
