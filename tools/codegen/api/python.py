"""Schemas as Python signatures: what the argument parser of a binding accepts.

The only C++ here is the names that PyTorch's parser signatures use for types and defaults.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tools.codegen.types import BaseType, ListType, OptionalType, Type

if TYPE_CHECKING:
    from tools.codegen.model import NativeFunction
    from tools.codegen.schema import Argument, FunctionSchema

_PARSER_NAMES = {"int": "int64_t", "float": "double", "str": "c10::string_view"}
_LIST_NAMES = {
    "int": "IntArrayRef",
    "SymInt": "SymIntArrayRef",
    "Tensor": "TensorList",
    "Scalar": "ScalarList",
    "Dimname": "DimnameList",
    "Tensor?": "c10::List<::std::optional<Tensor>>",
}
_DEFAULTS = {
    "None": "None",
    "Mean": "at::Reduction::Mean",
    "contiguous_format": "c10::MemoryFormat::Contiguous",
    "long": "at::kLong",
    "[]": "None",
}
_OPTION_DEFAULTS = {"dtype": "None", "layout": "None", "device": "None", "pin_memory": "False"}

BOOL = BaseType("bool")


@dataclass(frozen=True)
class PythonParameter:
    """One parameter of a binding, and the schema's `argument` that it sets, if any."""

    name: str
    type: Type
    default: str | None
    keyword_only: bool
    argument: Argument | None = None


@dataclass(frozen=True)
class PythonSignature:
    """The parameters in the parser's order: positional, keyword-only, out, tensor options."""

    name: str
    positional: tuple[PythonParameter, ...]
    keywords: tuple[PythonParameter, ...]
    outs: tuple[Argument, ...]
    options: tuple[PythonParameter, ...]

    @property
    def out(self) -> PythonParameter | None:
        """`out=`: one tensor under its schema name, or a tuple of all out tensors."""
        if not self.outs:
            return None
        tensor = BaseType("Tensor")
        if len(self.outs) == 1:
            return PythonParameter(self.outs[0].name, self.outs[0].type, "None", True)
        return PythonParameter("out", ListType(tensor, len(self.outs)), "None", True)

    def parameters(self, *, with_out: bool = True) -> tuple[PythonParameter, ...]:
        out = self.out
        middle = (out,) if out is not None and with_out else ()
        return (*self.positional, *self.keywords, *middle, *self.options)

    def text(self, *, method: bool = False, with_out: bool = True) -> str:
        """Return the signature as PyTorch's parser would read it."""
        shown = [_parameter_text(p, method) for p in self.parameters(with_out=with_out)]
        if len(shown) > len(self.positional):
            shown.insert(len(self.positional), "*")
        return f"{self.name}({', '.join(shown)})"


def parser_type(type: Type) -> str:
    """Return a type as parser signatures spell it."""
    if isinstance(type, OptionalType):
        return f"{parser_type(type.elem)}?"
    if isinstance(type, ListType):
        elem = str(type.elem)
        if elem == "bool" and type.size is not None:
            return f"::std::array<bool,{type.size}>"
        if elem == "Tensor?":
            return _LIST_NAMES[elem]
        if elem in _LIST_NAMES:
            return _LIST_NAMES[elem] + ("" if type.size is None else f"[{type.size}]")
        return f"ArrayRef<{parser_type(type.elem)}>"
    return _PARSER_NAMES.get(str(type), str(type))


def _default_text(text: str, type: Type) -> str:
    if text.startswith("'"):
        return '"' + text[1:-1].replace("\\'", "'").replace('"', '\\"') + '"'
    if text.startswith("[") and text != "[]":
        return "{" + text[1:-1] + "}"
    return _DEFAULTS.get(text, text)


def _parameter_text(parameter: PythonParameter, method: bool) -> str:
    type = parser_type(parameter.type)
    name = parameter.name
    if name == "self" and type in ("Tensor", "Number") and not method:
        name = "input"
    if parameter.default is None:
        return f"{type} {name}"
    return f"{type} {name}={_default_text(parameter.default, parameter.type)}"


def _parameter(argument: Argument, keyword_only: bool) -> PythonParameter:
    return PythonParameter(argument.name, argument.type, argument.default, keyword_only, argument)


def _takes_tensors(schema: FunctionSchema) -> bool:
    return any(argument.type.is_tensor_like() for argument in schema.arguments.non_out)


def has_tensor_options(f: NativeFunction) -> bool:
    """Return whether the binding takes dtype, layout, device, pin_memory and requires_grad."""
    schema = f.func
    base = schema.name.name.base
    category = f.category_override
    if category == "dummy":
        return False
    returns_tensor = any(result.type.is_tensor_like() for result in schema.returns)
    factory = category == "factory" or (returns_tensor and not _takes_tensors(schema))
    like = base.startswith("new_") or (base.endswith("_like") and not schema.is_out)
    return factory or like or category in ("new", "like")


def _options(f: NativeFunction) -> tuple[PythonParameter, ...]:
    if not has_tensor_options(f):
        return ()
    types = {"dtype": "ScalarType", "layout": "Layout", "device": "Device", "pin_memory": "bool"}
    options = f.func.arguments.options
    arguments = {} if options is None else {a.name: a for a in options.all()}
    made = [
        PythonParameter(
            name, OptionalType(BaseType(type)), _OPTION_DEFAULTS[name], True, arguments.get(name)
        )
        for name, type in types.items()
    ]
    grad = PythonParameter("requires_grad", OptionalType(BOOL), "False", True)
    return (*made, grad)


def signature(f: NativeFunction, *, method: bool = False) -> PythonSignature:
    """Return the Python signature of one overload; a method's has no self."""
    return schema_signature(f.func, method=method, options=_options(f))


def schema_signature(
    schema: FunctionSchema, *, method: bool = False, options: tuple[PythonParameter, ...] = ()
) -> PythonSignature:
    """Return the Python signature of a schema with the given tensor options."""
    arguments = schema.arguments
    positional = tuple(
        _parameter(argument, False)
        for argument in arguments.positional
        if not (method and argument is arguments.self_arg)
    )
    keywords = tuple(
        _parameter(argument, True) for argument in (*arguments.pre_options, *arguments.post_options)
    )
    outs = () if method else arguments.out
    return PythonSignature(str(schema.name.name), positional, keywords, outs, options)


def signature_text(f: NativeFunction, *, method: bool = False) -> str:
    """Return the parser's signature without out=, as in `add(Tensor input, Tensor other)`."""
    return signature(f, method=method).text(method=method, with_out=False)


def out_signature_text(f: NativeFunction) -> str | None:
    """Return the parser's signature with out=, or None for operators without out arguments."""
    return signature(f).text() if f.func.is_out else None
