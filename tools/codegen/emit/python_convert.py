"""The conversion of one argument from Python: its row in the parser's table and its local."""

from __future__ import annotations

from tools.codegen.api import cpp
from tools.codegen.api.python import PythonParameter
from tools.codegen.schema import Argument
from tools.codegen.types import BaseType, CustomClassType, ListType, OptionalType, Type

_UNBOUND = frozenset(
    (
        "Dimname",
        "DimVector",
        "QScheme",
        "Stream",
        "ConstQuantizerPtr",
        "DeviceIndex",
        "SymBool",
        "complex",
    )
)
_HAS_DEFAULT, _ALLOW_NONE, _KEYWORD_ONLY = 1, 2, 4

# By schema type: the parser's kind, the printed name, the accessor.
_BASE = {
    "Tensor": ("Tensor", "Tensor", "tensor"),
    "Scalar": ("Scalar", "Number", "scalar"),
    "int": ("Int", "int", "integer"),
    "SymInt": ("SymInt", "int", "integer"),
    "float": ("Double", "float", "real"),
    "bool": ("Bool", "bool", "boolean"),
    "str": ("String", "str", "string"),
    "ScalarType": ("ScalarType", "torch.dtype", "dtype"),
    "Layout": ("Layout", "torch.layout", "layout"),
    "Device": ("Device", "torch.device", "device"),
    "MemoryFormat": ("MemoryFormat", "torch.memory_format", "memory_format"),
    "Generator": ("Generator", "torch.Generator", "generator"),
    "Storage": ("Storage", "torch.StorageBase", "storage"),
}
_LISTS = {
    "Tensor": ("TensorList", "tuple of Tensors", "tensor_list"),
    "Tensor?": ("OptionalTensorList", "tuple of Tensors", "optional_tensor_list"),
    "int": ("IntList", "tuple of ints", "int_list"),
    "SymInt": ("IntList", "tuple of ints", "int_list"),
    "float": ("DoubleList", "tuple of floats", "double_list"),
    "bool": ("BoolList", "tuple of bools", "bool_array"),
    "Scalar": ("ScalarList", "tuple of Scalars", "scalar_list"),
}
_OPTIONAL_CPP = {
    "Scalar": "at::Scalar",
    "int": "int64_t",
    "SymInt": "int64_t",
    "float": "double",
    "bool": "bool",
    "str": "std::string_view",
}
# PyTorch's parser reads the default at::Reduction::Mean as the number 0, so from Python a loss
# without `reduction` is not reduced; torch.nn.functional always passes one.
_DEFAULTS = {
    "True": "true",
    "False": "false",
    "Mean": "at::Reduction::None",
    "long": "at::kLong",
    "contiguous_format": "c10::MemoryFormat::Contiguous",
}
_PRINTED_DEFAULTS = {
    "contiguous_format": "torch.contiguous_format",
    "long": "torch.int64",
    "Mean": "0",
    "[]": "None",
}


def is_bindable(type: Type) -> bool:
    """Return whether values of this type can be passed from Python."""
    base = type.base()
    return not isinstance(base, CustomClassType) and str(base) not in _UNBOUND


def _plain(type: Type) -> Type:
    return type.elem if isinstance(type, OptionalType) else type


def _facts(type: Type) -> tuple[str, str, str]:
    plain = _plain(type)
    if isinstance(plain, ListType):
        return _LISTS[str(plain.elem)]
    return _BASE[str(plain)]


def parameter_row(
    parameter: PythonParameter, *, strict_number: bool = False, required: bool = False
) -> str:
    """Return one row of the parser's parameter table; with `required`, ignore the default."""
    kind = _facts(parameter.type)[0]
    if strict_number and kind == "Scalar":
        kind = "Number"
    flags = 0
    if parameter.default is not None and not required:
        flags |= _HAS_DEFAULT
    if isinstance(parameter.type, OptionalType) or (parameter.default == "None" and not required):
        flags |= _ALLOW_NONE
    if parameter.keyword_only:
        flags |= _KEYWORD_ONLY
    plain = _plain(parameter.type)
    if kind == "IntList" and parameter.default == "[]" and not required:
        flags |= _ALLOW_NONE  # None means the empty list, as in PyTorch
    size = plain.size if isinstance(plain, ListType) else None
    name = _python_name(parameter)
    return f'{{"{name}", ParameterType::{kind}, {flags}, {size or 0}}}'


def _python_name(parameter: PythonParameter) -> str:
    renamed = parameter.name == "self" and str(parameter.type) == "Tensor"
    return "input" if renamed else parameter.name


def printed_signature(parameters: tuple[PythonParameter, ...], *, method: bool) -> str:
    """Return the signature that error messages show: `(Tensor input, *, Number alpha = 1)`."""
    shown = []
    star = False
    for parameter in parameters:
        if parameter.keyword_only and not star:
            shown.append("*")
            star = True
        text = f"{_facts(parameter.type)[1]} {_python_name(parameter)}"
        if parameter.default is not None:
            default = parameter.default
            text += f" = {_PRINTED_DEFAULTS.get(default, default)}"
        shown.append(text)
    return f"({', '.join(shown)})"


def _list_default(text: str, size: int | None) -> str:
    if text.startswith("["):
        return "{" + text[1:-1] + "}"
    return "{" + ", ".join([text] * (size or 1)) + "}"


def _default(argument: Argument, parameter: PythonParameter) -> str | None:
    """Return the C++ default of an omitted argument; None if the accessor handles its absence."""
    text = argument.default
    if text is None or text == "None":
        return None
    plain = _plain(argument.type)
    if isinstance(plain, ListType):
        return _list_default(text, plain.size)
    if str(plain) == "str":
        return cpp.default_expr(text, plain)
    return _DEFAULTS.get(text, text)


def conversion(
    argument: Argument, parameter: PythonParameter, index: int, *, numbers: bool
) -> list[str]:
    """Return the lines that define the local variable `<name>_` from slot `index`."""
    name, type = f"{argument.name}_", argument.type
    accessor = _facts(type)[2]
    if str(type) == "Tensor":
        if argument.is_write:
            return [f"at::Tensor& {name} = r.mutable_tensor({index});"]
        if numbers:
            return [
                f"at::Tensor {name}number;",
                f"const at::Tensor& {name} = r.tensor_or_number({index}, {name}number);",
            ]
        return [f"const at::Tensor& {name} = r.tensor({index});"]
    default = _default(argument, parameter)
    plain = _plain(type)
    if isinstance(plain, ListType) and str(plain.elem) == "bool":
        return [f"const auto {name} = r.bool_array<{plain.size or 0}>({index});"]
    if isinstance(plain, BaseType) and plain.name in ("ScalarType", "MemoryFormat") and default:
        return [f"const auto {name} = r.{accessor}({index}, {default});"]
    if isinstance(type, OptionalType):
        value = f"r.optional_{accessor}({index})"
        if default is not None and str(plain) in _OPTIONAL_CPP:
            held = _OPTIONAL_CPP[str(plain)]
            value = f"r.given({index}) ? {value} : std::optional<{held}>({default})"
        return [f"const auto {name} = {value};"]
    if accessor == "generator":
        return [f"const auto {name} = r.generator({index});"]
    given = f"{index}" if default is None else f"{index}, {default}"
    return [f"const auto {name} = r.{accessor}({given});"]


def argument_local(argument: Argument) -> str:
    """Return the expression that passes an argument's local variable to the operator."""
    if isinstance(argument.type, OptionalType) and argument.type.list_type() is not None:
        return f"optional_array({argument.name}_)"
    return f"{argument.name}_"
