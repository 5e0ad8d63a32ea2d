"""The public C++ API, which users call as `at::`. The dispatcher and kernels use the same types.

SymInt is written as c10::SymInt only if `symint` is set; generated headers lower it to int64_t.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache

from tools.codegen.api.signature import Binding, Signature
from tools.codegen.model import NativeFunction
from tools.codegen.schema import Argument, FunctionSchema, Return
from tools.codegen.types import BaseType, CustomClassType, ListType, OptionalType, Type

_VALUES = {
    "Tensor": "at::Tensor",
    "Scalar": "at::Scalar",
    "bool": "bool",
    "int": "int64_t",
    "float": "double",
    "complex": "c10::complex<double>",
    "str": "c10::string_view",
    "SymBool": "c10::SymBool",
    "ScalarType": "at::ScalarType",
    "Layout": "at::Layout",
    "Device": "at::Device",
    "DeviceIndex": "at::DeviceIndex",
    "MemoryFormat": "at::MemoryFormat",
    "QScheme": "at::QScheme",
    "Dimname": "at::Dimname",
    "DimVector": "at::DimVector",
    "Generator": "at::Generator",
    "Storage": "at::Storage",
    "Stream": "at::Stream",
    "ConstQuantizerPtr": "at::ConstQuantizerPtr",
}
_LISTS = {
    "Tensor": "at::TensorList",
    "int": "at::IntArrayRef",
    "Dimname": "at::DimnameList",
}
_DEFAULTS = {
    "False": "false",
    "True": "true",
    "None": "::std::nullopt",
    "Mean": "at::Reduction::Mean",
    "[]": "{}",
    "contiguous_format": "c10::MemoryFormat::Contiguous",
    "long": "at::kLong",
}
OPTIONS = "at::TensorOptions"
CACHED = 1 << 14
"""How many signatures to cache: several families ask for those of all operators in a large file."""
_OPTIONAL = "::std::optional<{}>"


def name(func: FunctionSchema, *, faithful_out: bool = False) -> str:
    """Return the name of the C++ function.

    An out= overload is `add_out`, or `add_outf` if out comes last.
    """
    base = str(func.name.name)
    if not func.is_out:
        return base
    return base + ("_outf" if faithful_out else "_out")


def value_type(type: Type, *, symint: bool = False) -> str | None:
    """Return the type that holds a plain value, or None for tensors and lists."""
    if isinstance(type, CustomClassType):
        return f"c10::intrusive_ptr<{type.class_name.rpartition('.')[2]}>"
    if isinstance(type, BaseType):
        if type.name == "SymInt":
            return "c10::SymInt" if symint else "int64_t"
        return None if type.name in ("Tensor", "Scalar") else _VALUES[type.name]
    if isinstance(type, OptionalType):
        elem = value_type(type.elem, symint=symint)
        return None if elem is None else _OPTIONAL.format(elem)
    return None


@cache
def argument_type(
    type: Type, *, mutable: bool = False, symint: bool = False, list_ref: bool = False
) -> str:
    """Return the parameter type.

    Structured operators take ITensorListRef: set `list_ref` for them.
    """
    value = value_type(type, symint=symint)
    if value is not None:
        return value
    if isinstance(type, BaseType):
        return f"{'' if mutable else 'const '}{_VALUES[type.name]} &"
    if isinstance(type, OptionalType):
        return _optional_type(type.elem, mutable, symint)
    assert isinstance(type, ListType)
    if str(type.elem) == "bool" and type.size is not None:
        return f"::std::array<bool,{type.size}>"
    if str(type.elem) == "Tensor" and list_ref:
        return "const at::ITensorListRef &"
    if str(type.elem) == "SymInt":
        return "c10::SymIntArrayRef" if symint else "at::IntArrayRef"
    if str(type.elem) == "Tensor?":
        return "const c10::List<::std::optional<at::Tensor>> &"
    known = _LISTS.get(str(type.elem))
    return known or f"at::ArrayRef<{element_type(type.elem, symint)}>"


def element_type(type: Type, symint: bool) -> str:
    """Return the element type of a C++ list."""
    value = value_type(type, symint=symint)
    return value if value is not None else _VALUES[str(type.base())]


def _optional_type(elem: Type, mutable: bool, symint: bool) -> str:
    if isinstance(elem, BaseType):
        if elem.name == "Tensor" and mutable:
            return "at::Tensor &"
        return f"const {_OPTIONAL.format(_VALUES[elem.name])} &"
    if isinstance(elem, ListType) and str(elem.elem) == "int":
        return "at::OptionalIntArrayRef"
    if isinstance(elem, ListType) and str(elem.elem) == "SymInt":
        return "at::OptionalSymIntArrayRef" if symint else "at::OptionalIntArrayRef"
    return _OPTIONAL.format(argument_type(elem, mutable=mutable, symint=symint))


@cache
def return_type(type: Type, *, mutable: bool, symint: bool = False) -> str:
    """Return the C++ type of one result."""
    value = value_type(type, symint=symint)
    if value is not None:
        return "::std::string" if value == "c10::string_view" else value
    if isinstance(type, BaseType):
        if type.name == "Tensor":
            return "at::Tensor &" if mutable else "at::Tensor"
        return _VALUES[type.name]
    if isinstance(type, ListType):
        return f"::std::vector<{return_type(type.elem, mutable=False, symint=symint)}>"
    assert isinstance(type, OptionalType)
    return _OPTIONAL.format(return_type(type.elem, mutable=mutable, symint=symint))


def returns_type(
    returns: tuple[Return, ...], *, symint: bool = False, const_ref: bool = False
) -> str:
    """Return void, one type or a tuple.

    Set `const_ref` if the results are const references to inputs.
    """
    types = [return_type(result.type, mutable=result.is_write, symint=symint) for result in returns]
    if const_ref:
        types = ["const at::Tensor &" if type == "at::Tensor &" else type for type in types]
    if not types:
        return "void"
    return types[0] if len(types) == 1 else f"::std::tuple<{','.join(types)}>"


@cache
def default_expr(default: str, type: Type, *, symint: bool = False) -> str:
    """Translate a schema's default value to C++."""
    if default == "None" and str(type) == "Tensor?":
        return "{}"
    if isinstance(type, BaseType) and type.name == "str":
        if default.startswith("'") and default.endswith("'"):
            return '"' + default[1:-1].replace("\\'", "'").replace('"', '\\"') + '"'
        return default
    if isinstance(type, OptionalType):
        return "::std::nullopt" if default == "None" else default_expr(default, type.elem)
    if isinstance(type, ListType):
        if default.startswith("[") and default.endswith("]"):
            return "{" + default[1:-1] + "}"
        if symint and default.isdigit() and str(type.elem) == "SymInt":
            return f"c10::SymInt({default})"
    return _DEFAULTS.get(default, default)


def binding(
    argument: Argument,
    function: NativeFunction,
    *,
    symint: bool = False,
    defaults: bool = True,
) -> Binding:
    """Translate one argument to a C++ parameter."""
    mutable = argument.is_write and not function.use_const_ref_for_mutable_tensors
    cpp_type = argument_type(
        argument.type,
        mutable=mutable,
        symint=symint,
        list_ref=function.in_structured_group,
    )
    default = None
    if defaults and argument.default is not None:
        default = default_expr(argument.default, argument.type, symint=symint)
    return Binding(argument.name, cpp_type, default, argument)


def _options_binding(function: NativeFunction) -> Binding:
    options = function.func.arguments.options
    assert options is not None
    default = None
    if all(argument.default == "None" for argument in options.all()):
        default = "{}"
    elif options.dtype.default == "long":
        default = "at::kLong"
    return Binding("options", OPTIONS, default)


@lru_cache(maxsize=CACHED)
def signature(
    function: NativeFunction, *, faithful: bool = False, method: bool = False, symint: bool = False
) -> Signature:
    """Return the operator's C++ signature.

    The convenient form has `out` first, TensorOptions and defaults; the faithful form has none of
    them.
    """
    arguments = function.func.arguments
    bindings: list[Binding] = []
    if not faithful:
        bindings.extend(binding(a, function, symint=symint) for a in arguments.out)
    options = () if arguments.options is None else arguments.options.all()
    for argument in arguments.non_out:
        if method and argument is arguments.self_arg:
            continue
        if argument in options and not faithful:
            if argument.name == "dtype":
                bindings.append(_options_binding(function))
            continue
        use_default = not faithful and argument.name not in function.cpp_no_default_args
        bindings.append(binding(argument, function, symint=symint, defaults=use_default))
    if faithful:
        bindings.extend(binding(a, function, symint=symint) for a in arguments.out)
    return Signature(
        name(function.func, faithful_out=faithful),
        _returns(function, symint),
        tuple(bindings),
    )


def has_faithful(function: NativeFunction) -> bool:
    """Return whether the faithful form differs from the convenient one."""
    return function.func.arguments.options is not None or function.func.is_out


@lru_cache(maxsize=CACHED)
def signatures(function: NativeFunction, *, method: bool = False) -> Sequence[Signature]:
    """Return every public overload of the operator as a function, or as a method."""
    convenient = signature(function, method=method)
    if not has_faithful(function):
        return (convenient,)
    return (convenient, signature(function, faithful=True, method=method))


def _returns(function: NativeFunction, symint: bool) -> str:
    return returns_type(
        function.func.returns,
        symint=symint,
        const_ref=function.use_const_ref_for_mutable_tensors,
    )


def dispatcher_expressions(function: NativeFunction, bindings: Signature) -> list[str]:
    """Express the dispatcher's arguments in the parameters of a public signature."""
    given = {binding.name for binding in bindings.bindings}
    expressions: list[str] = []
    for argument in function.func.arguments.all:
        if argument.name in given:
            expressions.append(argument.name)
        elif argument is function.func.arguments.self_arg:
            expressions.append("*this")
        else:
            expressions.append(_OPTION_PARTS[argument.name])
    return expressions


_OPTION_PARTS = {
    "dtype": "c10::optTypeMetaToScalarType(options.dtype_opt())",
    "layout": "options.layout_opt()",
    "device": "options.device_opt()",
    "pin_memory": "options.pinned_memory_opt()",
}
