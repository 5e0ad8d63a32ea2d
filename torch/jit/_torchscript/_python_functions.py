"""Operators of ATen that this build has as functions or methods of Python, and not in its dispatcher.

Only names of operators are looked up here, so a program cannot reach other functions of torch.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch._deferred_names import HOMES
from torch.jit.mobile._operators import _converted

Function = Callable[..., Any]

_NAMESPACES = ("fft", "linalg", "special")
_HOMES = frozenset(
    [
        "_arithmetic",
        "_composites",
        "_covariance",
        "_factories",
        "_hashes",
        "_histograms",
        "_linear_algebra",
        "_rearrangements",
        "_segments",
        "_windows",
        "linalg._matrix_exp",
        "sparse",
        "sparse._constructors",
        "sparse._copies",
        "sparse._coordinate_products",
        "sparse._products",
    ]
)
"""The modules of torch whose functions are operators in PyTorch."""
_ALIASES = frozenset(
    [
        "absolute",
        "arccos",
        "arccosh",
        "arcsin",
        "arcsinh",
        "arctan",
        "arctan2",
        "arctanh",
        "concat",
        "concatenate",
        "divide",
        "fix",
        "greater",
        "greater_equal",
        "less",
        "less_equal",
        "moveaxis",
        "multiply",
        "negative",
        "not_equal",
        "subtract",
        "swapdims",
        "true_divide",
        "unsafe_chunk",
        "unsafe_split",
        "unsafe_split_with_sizes",
    ]
)
_METHODS = frozenset(
    [
        "absolute_",
        "addbmm_",
        "addr_",
        "arccos_",
        "arccosh_",
        "arcsin_",
        "arcsinh_",
        "arctan2_",
        "arctan_",
        "arctanh_",
        "ccol_indices",
        "chalf",
        "coalesce",
        "col_indices",
        "crow_indices",
        "deg2rad_",
        "dense_dim",
        "divide_",
        "fix_",
        "float_power_",
        "gcd_",
        "greater_",
        "greater_equal_",
        "heaviside_",
        "index_fill_",
        "indices",
        "is_coalesced",
        "is_set_to",
        "lcm_",
        "less_",
        "less_equal_",
        "masked_scatter_",
        "multiply_",
        "negative_",
        "nextafter_",
        "not_equal_",
        "put_",
        "rad2deg_",
        "renorm_",
        "resize_as_",
        "row_indices",
        "sparse_dim",
        "sparse_mask",
        "storage_offset",
        "subtract_",
        "sum_to_size",
        "swapaxes_",
        "swapdims_",
        "to_dense",
        "to_sparse",
        "to_sparse_bsc",
        "to_sparse_bsr",
        "to_sparse_csc",
        "to_sparse_csr",
        "true_divide_",
        "values",
    ]
)
_ENUMERATED = {"dtype": "ScalarType", "layout": "Layout", "memory_format": "MemoryFormat"}


def find_function(name: str) -> Function | None:
    """Return the function that stands for an operator of ATen, or None."""
    if name == "stft":
        return _stft
    prefix, _, rest = name.partition("_")
    if prefix in _NAMESPACES:
        module = getattr(torch, prefix)
        listed = rest in module.__all__ and not isinstance(getattr(module, rest), type)
        return _with_objects(getattr(module, rest)) if listed else None
    if name in _ALIASES or HOMES.get(name) in _HOMES:
        return _with_objects(getattr(torch, name))
    return _method(name) if name in _METHODS else None


def _method(name: str) -> Function:
    return lambda tensor, *args, **kwargs: getattr(tensor, name)(*args, **kwargs)


def _with_objects(function: Function) -> Function:
    """Return a function that takes the numbers of dtypes, layouts and memory formats by name."""

    def call(*args: Any, **kwargs: Any) -> Any:
        converted = {
            name: _converted(value, _ENUMERATED[name]) if name in _ENUMERATED else value
            for name, value in kwargs.items()
        }
        return function(*args, **converted)

    return call


def _stft(
    tensor: torch.Tensor,
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: torch.Tensor | None = None,
    *options: Any,
    **named: Any,
) -> torch.Tensor:
    """Call torch.stft as one of the two operators: with `center` and `pad_mode`, or without."""
    names = ("normalized", "onesided", "return_complex", "align_to_window")
    if len(options) > 1 and isinstance(options[1], str):
        names = ("center", "pad_mode", *names)
    given = {**dict(zip(names, options, strict=False)), **named}
    given.setdefault("center", False)
    if given.get("align_to_window") is None:
        given.pop("align_to_window", None)
    return torch.stft(tensor, n_fft, hop_length, win_length, window, **given)
