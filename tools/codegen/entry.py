"""One entry of native_functions.yaml, checked and turned into a NativeFunction."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar

from tools.codegen.api import cpp
from tools.codegen.errors import Problem, SchemaError, suggest
from tools.codegen.keys import (
    COMPOSITE_IMPLICIT,
    DISPATCH_KEYS,
    STRUCTURED_KEYS,
    UFUNC_KEYS,
)
from tools.codegen.model import Kernel, Location, NativeFunction, Precompute, UfuncLoop
from tools.codegen.names import OperatorName
from tools.codegen.parse import parse_argument
from tools.codegen.schema import Argument, FunctionSchema, SchemaKind
from tools.codegen.tags import implied_tags
from tools.codegen.yaml_reader import Entry, Text, Value, unknown

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
_T = TypeVar("_T")
_KERNEL = re.compile(r"(?:(\w+(?:::\w+)*)::)?([A-Za-z_]\w*)", re.ASCII)
_UFUNC = re.compile(r"(\w+) \((\w+(?:, \w+)*)\)", re.ASCII)


@dataclass
class EntryReader:
    """Reads entries; whatever is wrong goes to `problems`, and the field counts as absent."""

    file: str
    tags: frozenset[str]
    problems: list[Problem]
    delegate_texts: dict[str, Text] = field(default_factory=dict)

    def blame(self, text: Text, message: str, offset: int = 0, length: int | None = None) -> None:
        length = max(1, len(text.text) if length is None else length)
        self.problems.append(Problem(self.file, text.line, text.column + offset, message, length))

    def read(self, entry: Entry) -> NativeFunction | None:
        """The operator that the entry declares, or None when its schema cannot be read."""
        for name, (key, _) in entry.fields.items():
            if name not in _FIELDS:
                self.problems.append(unknown("field", key, _FIELDS, self.file))
        func_text = self._text(entry, "func")
        if func_text is None:
            if "func" not in entry.fields:
                message = "an entry needs its schema: `- func: name(arguments) -> returns`"
                self.problems.append(Problem(self.file, entry.line, 1, message))
            return None
        namespace, separator, schema = func_text.text.partition("::")
        if not separator or "(" in namespace:
            namespace, schema, shift = "aten", func_text.text, 0
        else:
            shift = len(namespace) + 2
        func = self._located(func_text, shift, lambda: FunctionSchema.parse(schema))
        if func is None:
            return None
        return self._function(entry, namespace, func, func_text)

    def _function(
        self, entry: Entry, namespace: str, func: FunctionSchema, at: Text
    ) -> NativeFunction:
        structured = self._flag(entry, "structured", False)
        delegate = self._delegate(entry, func)
        if structured and func.kind is not SchemaKind.out:
            self.blame(at, "only an out= operator can be structured", 0, len(str(func.name)))
        if structured and delegate is not None:
            self.blame(at, "an operator is structured, or delegates to one that is; not both")
        ufunc = self._ufunc(entry)
        self._only_if_structured(entry, structured)
        return NativeFunction(
            namespace=namespace,
            func=func,
            location=Location(self.file, at.line),
            variants=self._variants(entry, func),
            dispatch=self._dispatch(entry, func, structured, delegate is not None, bool(ufunc)),
            structured=structured,
            structured_delegate=delegate,
            structured_inherits=self._word(entry, "structured_inherits"),
            precomputed=self._precomputed(entry, func),
            ufunc_inner_loop=ufunc,
            autogen=self._autogen(entry),
            python_module=self._word(entry, "python_module"),
            category_override=self._word(entry, "category_override"),
            device_guard=self._flag(entry, "device_guard", True),
            device_check=self._device_check(entry),
            manual_cpp_binding=self._flag(entry, "manual_cpp_binding", False),
            manual_kernel_registration=self._flag(entry, "manual_kernel_registration", False),
            use_const_ref_for_mutable_tensors=self._flag(
                entry, "use_const_ref_for_mutable_tensors", False
            ),
            cpp_no_default_args=self._no_defaults(entry, func),
            tags=self._tags(entry) | implied_tags(namespace, func),
            fingerprint=entry.fingerprint,
        )

    def _only_if_structured(self, entry: Entry, structured: bool) -> None:
        for name in ("structured_inherits", "precomputed", "ufunc_inner_loop"):
            if name in entry.fields and not structured:
                self.blame(entry.fields[name][0], f"{name} needs `structured: True`")

    def _located(self, at: Text, shift: int, parse: Callable[[], _T]) -> _T | None:
        """What `parse` gives; its error, if any, is placed in the file."""
        try:
            return parse()
        except SchemaError as error:
            self.blame(at, error.message, shift + error.offset, error.length)
            return None

    def _value(self, entry: Entry, name: str) -> Value | None:
        found = entry.fields.get(name)
        return None if found is None else found[1]

    def _text(self, entry: Entry, name: str) -> Text | None:
        value = self._value(entry, name)
        if value is None or isinstance(value, Text):
            return value
        self.blame(entry.fields[name][0], f'"{name}" takes one plain value')
        return None

    def _word(self, entry: Entry, name: str) -> str | None:
        text = self._text(entry, name)
        if text is None:
            return None
        if not _KERNEL.fullmatch(text.text):
            self.blame(text, f'"{text.text}" is not a name')
            return None
        return text.text

    def _texts(self, entry: Entry, name: str) -> list[Text]:
        """A list, or plain text with commas, as separate texts."""
        value = self._value(entry, name)
        if value is None:
            return []
        if isinstance(value, Text):
            return _pieces(value)
        items = [item for item in value if isinstance(item, Text)]
        if len(items) != len(value):
            self.blame(entry.fields[name][0], f'"{name}" takes a list')
        return items

    def _pairs(self, entry: Entry, name: str) -> list[tuple[Text, Text]]:
        value = self._value(entry, name)
        if value is None:
            return []
        pairs: list[tuple[Text, Text]] = []
        for item in [] if isinstance(value, Text) else value:
            if not isinstance(item, Text) and isinstance(item[1], Text):
                pairs.append((item[0], item[1]))
        if len(pairs) != len(value):
            self.blame(entry.fields[name][0], f'"{name}" takes lines of `key: value`')
        return pairs

    def _flag(self, entry: Entry, name: str, default: bool) -> bool:
        text = self._text(entry, name)
        if text is None:
            return default
        if text.text.lower() not in ("true", "false"):
            self.blame(text, f'"{name}" is True or False, not "{text.text}"')
            return default
        return text.text.lower() == "true"

    def _device_check(self, entry: Entry) -> bool:
        text = self._text(entry, "device_check")
        known = frozenset({"NoCheck", "ExactSame"})
        if text is not None and text.text not in known:
            self.problems.append(unknown("device_check", text, known, self.file))
        return text is None or text.text != "NoCheck"

    def _variants(self, entry: Entry, func: FunctionSchema) -> frozenset[str]:
        known = frozenset({"function", "method"})
        texts = self._texts(entry, "variants")
        for text in texts:
            if text.text not in known:
                self.problems.append(unknown("variant", text, known, self.file))
            elif text.text == "method" and func.arguments.self_arg is None:
                self.blame(text, "a method needs an argument named self")
        return frozenset(text.text for text in texts) or frozenset({"function"})

    def _tags(self, entry: Entry) -> frozenset[str]:
        texts = self._texts(entry, "tags")
        for text in texts:
            if text.text not in self.tags:
                self.problems.append(unknown("tag", text, self.tags, self.file))
        return frozenset(text.text for text in texts)

    def _delegate(self, entry: Entry, func: FunctionSchema) -> OperatorName | None:
        text = self._text(entry, "structured_delegate")
        if text is None:
            return None
        self.delegate_texts[str(func.name)] = text
        return self._operator(text)

    def _autogen(self, entry: Entry) -> tuple[OperatorName, ...]:
        names = [self._operator(text) for text in self._texts(entry, "autogen")]
        return tuple(name for name in names if name is not None)

    def _operator(self, text: Text) -> OperatorName | None:
        return self._located(text, 0, lambda: OperatorName.parse(text.text))

    def _no_defaults(self, entry: Entry, func: FunctionSchema) -> frozenset[str]:
        names = [argument.name for argument in func.arguments.all]
        texts = self._texts(entry, "cpp_no_default_args")
        for text in texts:
            if text.text not in names:
                self.blame(text, f'no argument "{text.text}"{suggest(text.text, names)}')
        return frozenset(text.text for text in texts)

    def _dispatch(
        self, entry: Entry, func: FunctionSchema, structured: bool, delegated: bool, ufunc: bool
    ) -> dict[str, Kernel]:
        kernels: dict[str, Kernel] = {}
        for keys, value in self._pairs(entry, "dispatch"):
            kernel = _KERNEL.fullmatch(value.text)
            if kernel is None:
                self.blame(value, f'"{value.text}" is not the name of a C++ function')
                continue
            for key in _pieces(keys):
                if key.text not in DISPATCH_KEYS:
                    self.problems.append(unknown("dispatch key", key, DISPATCH_KEYS, self.file))
                elif key.text in kernels:
                    self.blame(key, f'a second kernel for "{key.text}"')
                namespace = f"{kernel[1]}::native" if kernel[1] else "at::native"
                is_impl = structured and key.text in STRUCTURED_KEYS
                kernels[key.text] = Kernel(kernel[2], is_impl, namespace)
        if ufunc:
            for name in UFUNC_KEYS:
                kernels.setdefault(name, Kernel(f"ufunc_{func.name.name}_{name}", True))
        if "dispatch" not in entry.fields and not structured and not delegated:
            kernels[COMPOSITE_IMPLICIT] = Kernel(cpp.name(func), False)
        return kernels

    def _precomputed(self, entry: Entry, func: FunctionSchema) -> Precompute | None:
        texts = self._value(entry, "precomputed")
        if texts is None:
            return None
        names = [argument.name for argument in func.arguments.non_out]
        replace: dict[str, tuple[Argument, ...]] = {}
        add: tuple[Argument, ...] = ()
        for text in texts if isinstance(texts, list) else []:
            if not isinstance(text, Text):
                self.blame(entry.fields["precomputed"][0], "precomputed takes a list of lines")
                continue
            name, arrow, _ = text.text.partition(" -> ")
            if not arrow:
                add = self._arguments(text, 0)
            elif name not in names:
                self.blame(text, f'no argument "{name}"{suggest(name, names)}', 0, len(name))
            else:
                replace[name] = self._arguments(text, len(name) + len(arrow))
        return Precompute(replace, add)

    def _arguments(self, text: Text, start: int) -> tuple[Argument, ...]:
        parsed: list[Argument] = []
        for piece in _pieces(Text(text.text[start:], text.line, text.column + start)):
            argument = self._located(piece, 0, partial(parse_argument, piece.text))
            if argument is not None:
                parsed.append(argument)
        return tuple(parsed)

    def _ufunc(self, entry: Entry) -> tuple[UfuncLoop, ...]:
        loops: list[UfuncLoop] = []
        known = frozenset({"Generic", "ScalarOnly", "CUDAFunctor", "CUDAFunctorOnSelf"})
        known |= {"CUDAFunctorOnOther", "CPUScalar", "CPUVector"}
        for key, value in self._pairs(entry, "ufunc_inner_loop"):
            match = _UFUNC.fullmatch(value.text)
            if key.text not in known:
                self.problems.append(unknown("ufunc loop", key, known, self.file))
            elif match is None:
                self.blame(value, "a loop is written as: name (dtype, dtype)")
            else:
                loops.append(UfuncLoop(key.text, match[1], tuple(match[2].split(", "))))
        return tuple(loops)


def _pieces(text: Text) -> list[Text]:
    """The parts of a text that stand between commas."""
    pieces: list[Text] = []
    at = text.column
    for part in text.text.split(","):
        word = part.strip()
        if word or "," not in text.text:
            pieces.append(Text(word, text.line, at + len(part) - len(part.lstrip())))
        at += len(part) + 1
    return pieces
