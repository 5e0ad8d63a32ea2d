"""Operators of TorchScript on numbers, texts, lists and dicts, which are not operators of ATen.

Where both exist, such as for add, those of this table take calls without tensors among the operands.
"""

from __future__ import annotations

import cmath
import math
import operator
import warnings
from collections.abc import Callable
from typing import Any

import torch
from torch.jit._numbers import SCALAR_TYPES, number_of


# ---- arithmetic ----------------------------------------------------------------------------------
def _power(base: Any, exponent: Any) -> Any:
    """Return a power; of integers too it is a float."""
    if isinstance(base, complex) or isinstance(exponent, complex):
        return base**exponent
    return math.pow(base, exponent)


def _rounded(value: float, digits: int = 0) -> float:
    return float(round(value, digits))


def _of_real_or_complex(name: str) -> Callable[[Any], Any]:
    real, imaginary = getattr(math, name), getattr(cmath, name)
    return lambda value: imaginary(value) if isinstance(value, complex) else real(value)


ARITHMETIC: dict[str, Callable[..., Any]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": operator.truediv,
    "floordiv": operator.floordiv,
    "floor_divide": operator.floordiv,
    "remainder": operator.mod,
    "fmod": math.fmod,
    "pow": _power,
    "eq": operator.eq,
    "ne": operator.ne,
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
    "__and__": operator.and_,
    "__or__": operator.or_,
    "__xor__": operator.xor,
    "__lshift__": operator.lshift,
    "__rshift__": operator.rshift,
    "atan2": math.atan2,
    "gcd": math.gcd,
    "copysign": math.copysign,
    "log": lambda value, *base: (
        cmath.log(value, *base) if isinstance(value, complex) else math.log(value, *base)
    ),
}
"""Operators with two operands; with a tensor on either side they are operators of ATen."""

_UNARY: dict[str, Callable[..., Any]] = {
    "neg": operator.neg,
    "abs": abs,
    "ceil": math.ceil,
    "floor": math.floor,
    "round": _rounded,
    "angle": cmath.phase,
    "log1p": math.log1p,
    "log2": math.log2,
    "expm1": math.expm1,
    "erf": math.erf,
    "erfc": math.erfc,
    "gamma": math.gamma,
    "lgamma": math.lgamma,
    "factorial": math.factorial,
    "degrees": math.degrees,
    "radians": math.radians,
    "frexp": math.frexp,
    "modf": math.modf,
    "isnan": math.isnan,
    "isinf": math.isinf,
    "isfinite": math.isfinite,
    "mathremainder": math.remainder,
    "ldexp": math.ldexp,
    "fabs": math.fabs,
    **{
        name: _of_real_or_complex(name)
        for name in (
            *("sqrt", "exp", "log10", "sin", "cos", "tan", "asin", "acos", "atan"),
            *("sinh", "cosh", "tanh", "asinh", "acosh", "atanh"),
        )
    },
}


# ---- lists, dicts and texts ----------------------------------------------------------------------
def _sliced(values: Any, start: int | None = None, end: int | None = None, step: int = 1) -> Any:
    return values[slice(start, end, step)]


def _sorted_in_place(values: list[Any], reverse: bool = False) -> None:
    values.sort(reverse=reverse)


def _set_item(values: Any, key: Any, value: Any) -> Any:
    values[key] = value
    return values


def _delete(values: Any, key: Any) -> None:
    del values[key]


_CONTAINERS: dict[str, Callable[..., Any]] = {
    "__getitem__": operator.getitem,
    "__contains__": operator.contains,
    "_set_item": _set_item,
    "Delete": _delete,
    "__range_length": lambda low, high, step: len(range(low, high, step)),
    "__derive_index": lambda index, start, step: start + index * step,
    "append": list.append,
    "extend": lambda values, others: values.extend(others),
    "insert": list.insert,
    "pop": lambda values, *key: values.pop(*key),
    "remove": list.remove,
    "reverse": list.reverse,
    "clear": lambda values: values.clear(),
    "copy": lambda values: values.copy(),
    "list": list,
    "slice": _sliced,
    "sort": _sorted_in_place,
    "sorted": sorted,
    "index": lambda values, *item: values.index(*item),
    "count": lambda values, *item: values.count(*item),
    "keys": lambda table: [*table],
    "values": lambda table: [*table.values()],
    "items": lambda table: [*table.items()],
    "get": lambda table, *key: table.get(*key),
    "setdefault": lambda table, *item: table.setdefault(*item),
    "popitem": dict.popitem,
    "update": dict.update,
    "len": len,
    "hash": hash,
    "ord": ord,
    "chr": chr,
    "hex": hex,
    "oct": oct,
    "bin": bin,
    "any": any,
    "all": all,
    "sum": sum,
    "list_with_default": lambda values, defaults: values,
    **{
        name: getattr(str, name)
        for name in (
            *("capitalize", "casefold", "center", "endswith", "expandtabs", "find", "isalnum"),
            *("isalpha", "isdecimal", "isdigit", "isidentifier", "islower", "isnumeric"),
            *("isprintable", "isspace", "istitle", "isupper", "join", "ljust", "lower", "lstrip"),
            *("partition", "replace", "rfind", "rindex", "rjust", "rpartition", "rsplit"),
            *("rstrip", "split", "splitlines", "startswith", "strip", "swapcase", "title"),
            *("upper", "zfill"),
        )
    },
}
WITHOUT_TENSORS: dict[str, Callable[..., Any]] = {**_UNARY, **_CONTAINERS}
"""Operators of a first argument that is not a tensor."""


# ---- any values ----------------------------------------------------------------------------------
def _item(value: Any) -> Any:
    return value.item() if isinstance(value, torch.Tensor) else value


def _tensor(data: Any, *, dtype: int | None = None, device: Any = None, **options: Any) -> Any:
    wanted = None if dtype is None else SCALAR_TYPES[dtype]
    return torch.tensor(data, dtype=wanted, device=device, **options)


def _as_tensor(data: Any, *, dtype: int | None = None, device: Any = None) -> torch.Tensor:
    wanted = None if dtype is None else SCALAR_TYPES[dtype]
    return torch.as_tensor(data, dtype=wanted, device=device)


def _warn(message: str, stacklevel: int = 2) -> None:
    warnings.warn(message, stacklevel=stacklevel + 2)


def _unwrapped(value: Any) -> Any:
    if value is None:
        raise RuntimeError("Unwrapping null optional")
    return value


def _percent_format(text: str, *values: Any) -> str:
    return text % (values[0] if len(values) == 1 and isinstance(values[0], tuple) else values)


def _extremum(choose: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *values: choose(*values) if len(values) > 1 else choose(values[0])


def raise_exception(message: str, class_name: str | None = None) -> None:
    """Raise what a program raises: an error of torch.jit, with the name of the class in front."""
    kind = f"{class_name.rpartition('.')[2]}: " if class_name else ""
    raise torch.jit.Error(f"{kind}{message}")


ANY_VALUES: dict[str, Callable[..., Any]] = {
    "aten::len": len,
    "aten::size": lambda tensor, dim=None: list(tensor.size()) if dim is None else tensor.size(dim),
    "aten::stride": lambda tensor, dim=None: (
        list(tensor.stride()) if dim is None else tensor.stride(dim)
    ),
    "aten::dim": lambda tensor: tensor.dim(),
    "aten::numel": lambda tensor: tensor.numel(),
    "aten::get_device": lambda tensor: tensor.get_device(),
    "aten::element_size": lambda tensor: tensor.element_size(),
    "aten::item": _item,
    "aten::Int": int,
    "aten::Float": float,
    "aten::Bool": bool,
    "aten::Complex": complex,
    "aten::str": str,
    "aten::IntImplicit": _item,
    "aten::FloatImplicit": _item,
    "aten::ScalarImplicit": _item,
    "aten::__not__": operator.not_,
    "aten::__is__": operator.is_,
    "aten::__isnot__": operator.is_not,
    "aten::format": lambda text, *values: text.format(*values),
    "aten::percentFormat": _percent_format,
    "aten::append": list.append,
    "aten::_set_item": _set_item,
    "aten::insert": list.insert,
    "aten::list": list,
    "aten::dict": dict,
    "aten::device": torch.device,
    "aten::tensor": _tensor,
    "aten::as_tensor": _as_tensor,
    "aten::warn": _warn,
    "aten::wait": lambda future: future.wait(),
    "aten::_unwrap_optional": _unwrapped,
    "aten::is_scripting": lambda: True,
    "aten::has_torch_function": lambda *values: False,
    "aten::is_grad_enabled": torch.is_grad_enabled,
    "aten::set_grad_enabled": torch._C._set_grad_enabled,
    "aten::_get_tracing_state": lambda: False,
    "aten::is_autocast_enabled": lambda: torch.is_autocast_enabled("cuda"),
    "aten::is_autocast_cpu_enabled": lambda: torch.is_autocast_enabled("cpu"),
    "aten::requires_grad_": lambda tensor, requires_grad=True: tensor.requires_grad_(requires_grad),
    "aten::is_contiguous": lambda tensor: tensor.is_contiguous(),
    "aten::backward": lambda tensor, *options: tensor.backward(*options),
    "prim::NumToTensor": torch.tensor,
    "prim::dtype": lambda tensor: number_of(tensor.dtype),
    "prim::device": lambda tensor: tensor.device,
    "prim::layout": lambda tensor: number_of(tensor.layout),
    "prim::data": lambda tensor: tensor.data,
    "prim::grad": lambda tensor: tensor.grad,
    "prim::requires_grad": lambda tensor: tensor.requires_grad,
    "prim::shape": lambda tensor: list(tensor.shape),
    "prim::is_cuda": lambda tensor: tensor.is_cuda,
    "prim::is_cpu": lambda tensor: tensor.is_cpu,
    "prim::is_meta": lambda tensor: tensor.is_meta,
    "prim::is_sparse": lambda tensor: tensor.is_sparse,
    "prim::is_sparse_csr": lambda tensor: tensor.is_sparse_csr,
    "prim::is_quantized": lambda tensor: tensor.is_quantized,
    "prim::is_mkldnn": lambda tensor: False,
    "prim::is_mps": lambda tensor: False,
    "prim::is_xpu": lambda tensor: False,
    "prim::is_vulkan": lambda tensor: False,
    "prim::is_nested": lambda tensor: tensor.is_nested,
    "prim::itemsize": lambda tensor: tensor.itemsize,
    "prim::name": lambda tensor: tensor.name,
    "prim::index": lambda device: device.index,
    "prim::type": lambda device: device.type,
    "prim::min": _extremum(min),
    "prim::max": _extremum(max),
    "prim::abs": abs,
    "prim::Print": print,
    "prim::unchecked_unwrap_optional": lambda value: value,
    "prim::AutogradAllZero": lambda *values: all(not v.any() for v in values),
    "prim::RaiseException": raise_exception,
}
"""Operators that take tensors and other values alike, by full name."""
