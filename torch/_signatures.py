"""Signatures of functions of torch that are written in Python, and the check of their arguments.

PyTorch binds these functions in C++ and refuses wrong arguments before it computes anything. `checked` gives
the functions here the same check, errors and `__torch_function__`, in C++ too.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from torch import _C
from torch._outputs import with_out

FACTORY_OPTIONS = (
    "ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=False, "
    "bool? requires_grad=False"
)
_QUANTIZED_OPTIONS = "object dtype=None, " + FACTORY_OPTIONS.partition(", ")[2]
_WINDOW = (
    f"int window_length, *, {FACTORY_OPTIONS}",
    f"int window_length, bool periodic, *, {FACTORY_OPTIONS}",
)
_AFTER_LAYOUT = (
    "Device? device=None, bool? pin_memory=False, bool? requires_grad=False, "
    "bool? check_invariants=None"
)
_SPARSE_OPTIONS = f"ScalarType? dtype=None, {_AFTER_LAYOUT}"
_COMPRESSED_OPTIONS = f"ScalarType? dtype=None, Layout? layout=None, {_AFTER_LAYOUT}"
_OBSERVED = (
    "Tensor input, Tensor observer_on, Tensor fake_quant_on, Tensor running_min, Tensor running_max, "
    "Tensor scale, Tensor zero_point, float averaging_const, int quant_min, int quant_max, "
    "int ch_axis, bool per_row_fake_quant=False, bool symmetric_quant=False"
)
_POOL = (
    "Tensor input, int[{0}] kernel_size, int[{0}] stride=[], int[{0}] padding=0, "
    "int[{0}] dilation=1, bool ceil_mode=False"
)
_ONE_TENSOR = (
    *("adjoint", "argwhere", "corrcoef", "det", "get_device", "int_repr", "is_inference"),
    *("isreal", "logdet", "matrix_exp", "q_per_channel_axis", "q_per_channel_scales"),
    *("q_per_channel_zero_points", "q_scale", "q_zero_point", "ravel", "trace"),
)
_ONE_TENSOR_AND_OUT = (
    *("ccol_indices_copy", "col_indices_copy", "crow_indices_copy", "indices_copy", "inverse"),
    *("isneginf", "isposinf", "msort", "row_indices_copy", "values_copy"),
)

# Begins the text of a signature that is accepted with a warning.
_DEPRECATED = "deprecated "


def _scaled_sum(left: str, right: str) -> tuple[str, ...]:
    """Return the signatures of beta * input + alpha * (left @ right), and those of Lua's order."""
    factors = f"Tensor {left}, Tensor {right}"
    orders = (
        f"Scalar beta, Tensor input, Scalar alpha, {factors}",
        f"Scalar beta, Tensor input, {factors}",
        f"Tensor input, Scalar beta, Scalar alpha, {factors}",
        f"Tensor input, Scalar beta, {factors}",
    )
    return (
        f"Tensor input, {factors}, *, Scalar beta=1, Scalar alpha=1, Tensor? out=None",
        *(f"{_DEPRECATED}{order}, *, Tensor? out=None" for order in orders),
    )


SIGNATURES: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(_ONE_TENSOR, ("Tensor input",)),
    **dict.fromkeys(_ONE_TENSOR_AND_OUT, ("Tensor input, *, Tensor? out=None",)),
    **dict.fromkeys(
        ("fmax", "fmin", "inner", "kron", "ldexp"),
        ("Tensor input, Tensor other, *, Tensor? out=None",),
    ),
    **dict.fromkeys(
        ("cholesky", "cholesky_inverse"), ("Tensor input, bool upper=False, *, Tensor? out=None",)
    ),
    **dict.fromkeys(("bartlett_window", "blackman_window", "hann_window"), _WINDOW),
    **dict.fromkeys(
        ("_fused_moving_avg_obs_fq_helper", "fused_moving_avg_obs_fake_quant"), (_OBSERVED,)
    ),
    "_sparse_sum": (
        "Tensor input, *, ScalarType? dtype=None",
        "Tensor input, int[1] dim, *, ScalarType? dtype=None",
    ),
    "_assert_async": ("Tensor input", "Tensor input, str assert_msg"),
    "_choose_qparams_per_tensor": ("Tensor input, bool reduce_range=False",),
    "_nested_view_from_buffer": (
        "Tensor input, Tensor nested_size, Tensor nested_strides, Tensor offsets",
    ),
    "_make_per_channel_quantized_tensor": (
        "Tensor input, Tensor scale, Tensor zero_point, int axis",
    ),
    "_make_per_tensor_quantized_tensor": ("Tensor input, float scale, int zero_point",),
    "addbmm": _scaled_sum("batch1", "batch2"),
    "addr": _scaled_sum("vec1", "vec2"),
    "aminmax": ("Tensor input, *, int? dim=None, bool keepdim=False, Tensor[]? out=None",),
    "cholesky_solve": ("Tensor input, Tensor input2, bool upper=False, *, Tensor? out=None",),
    "combinations": ("Tensor input, int r=2, bool with_replacement=False",),
    "cov": ("Tensor input, *, int correction=1, Tensor? fweights=None, Tensor? aweights=None",),
    "dequantize": ("Tensor input", "Tensor[] tensors"),
    "dist": ("Tensor input, Tensor other, Scalar p=2",),
    "empty_permuted": (f"int[] size, int[] physical_layout, *, {FACTORY_OPTIONS}",),
    "empty_quantized": (
        f"int[] size, Tensor qtensor, *, MemoryFormat? memory_format=None, {_QUANTIZED_OPTIONS}",
    ),
    "frobenius_norm": ("Tensor input, int[1] dim, bool keepdim=False, *, Tensor? out=None",),
    "from_file": (f"str filename, bool? shared=None, int? size=0, *, {FACTORY_OPTIONS}",),
    "ger": ("Tensor input, Tensor vec2, *, Tensor? out=None",),
    "gradient": (
        "Tensor input, *, Scalar? spacing=None, int? dim=None, int edge_order=1",
        "Tensor input, *, Scalar spacing, int[] dim, int edge_order=1",
        "Tensor input, *, int[] dim, int edge_order=1",
        "Tensor input, *, Scalar[] spacing, int? dim=None, int edge_order=1",
        "Tensor input, *, Scalar[] spacing, int[] dim, int edge_order=1",
        "Tensor input, *, Tensor[] spacing, int? dim=None, int edge_order=1",
        "Tensor input, *, Tensor[] spacing, int[] dim, int edge_order=1",
    ),
    "hamming_window": (
        *_WINDOW,
        f"int window_length, bool periodic, float alpha, *, {FACTORY_OPTIONS}",
        f"int window_length, bool periodic, float alpha, float beta, *, {FACTORY_OPTIONS}",
    ),
    "hash_tensor": (
        "Tensor input, int[1] dim=[], *, bool keepdim=False, int mode=0, Tensor? out=None",
    ),
    "heaviside": ("Tensor input, Tensor values, *, Tensor? out=None",),
    "histogram": (
        "Tensor input, Tensor bins, *, Tensor? weight=None, bool density=False, Tensor[]? out=None",
        "Tensor input, int bins=100, *, float[]? range=None, Tensor? weight=None, "
        "bool density=False, Tensor[]? out=None",
    ),
    "histogramdd": tuple(
        f"Tensor input, {bins}, float[]? range=None, Tensor? weight=None, bool density=False"
        for bins in ("int[] bins", "int bins", "Tensor[] bins")
    ),
    "hspmm": ("Tensor mat1, Tensor mat2, *, Tensor? out=None",),
    "index_fill": (
        "Tensor input, int dim, Tensor index, Tensor value",
        "Tensor input, int dim, Tensor index, Scalar value",
    ),
    "istft": (
        "Tensor input, int n_fft, int? hop_length=None, int? win_length=None, "
        "Tensor? window=None, bool center=True, bool normalized=False, bool? onesided=None, "
        "int? length=None, bool return_complex=False",
    ),
    "kaiser_window": (
        *_WINDOW,
        f"int window_length, bool periodic, float beta, *, {FACTORY_OPTIONS}",
    ),
    "ldexp_": ("Tensor input, Tensor other",),
    "lu_solve": ("Tensor input, Tensor LU_data, Tensor LU_pivots, *, Tensor? out=None",),
    "masked_scatter": ("Tensor input, Tensor mask, Tensor source",),
    "matrix_power": ("Tensor input, int n, *, Tensor? out=None",),
    "narrow_copy": ("Tensor input, int dim, SymInt start, SymInt length, *, Tensor? out=None",),
    "nonzero_static": ("Tensor input, *, SymInt size, int fill_value=-1, Tensor? out=None",),
    "normal": (
        "Tensor mean, Tensor std, *, Generator? generator=None, Tensor? out=None",
        "Tensor mean, float std=1, *, Generator? generator=None, Tensor? out=None",
        "float mean, Tensor std, *, Generator? generator=None, Tensor? out=None",
        "float mean, float std, int[] size, *, Generator? generator=None, Tensor? out=None, "
        f"{FACTORY_OPTIONS}",
    ),
    "nuclear_norm": (
        "Tensor input, int[2] dim, bool keepdim=False, *, Tensor? out=None",
        "Tensor input, bool keepdim=False, *, Tensor? out=None",
    ),
    "pinverse": ("Tensor input, float rcond=1e-15",),
    "put": ("Tensor input, Tensor index, Tensor source, bool accumulate=False",),
    "qr": ("Tensor input, bool some=True, *, Tensor[]? out=None",),
    "quantize_per_channel": (
        "Tensor input, Tensor scales, Tensor zero_points, int axis, object dtype",
    ),
    "quantize_per_tensor": (
        "Tensor input, Tensor scale, Tensor zero_point, object dtype",
        "Tensor input, float scale, int zero_point, object dtype",
        "Tensor[] tensors, Tensor scales, Tensor zero_points, object dtype",
    ),
    "quantize_per_tensor_dynamic": ("Tensor input, object dtype, bool reduce_range",),
    "quantized_batch_norm": (
        "Tensor input, Tensor? weight, Tensor? bias, Tensor mean, Tensor var, float eps, "
        "float output_scale, int output_zero_point",
    ),
    "quantized_max_pool1d": (_POOL.format(1),),
    "quantized_max_pool2d": (_POOL.format(2),),
    "range": (f"Scalar start, Scalar end, Scalar step=1, *, Tensor? out=None, {FACTORY_OPTIONS}",),
    "renorm": ("Tensor input, Scalar p, int dim, Scalar maxnorm, *, Tensor? out=None",),
    "segment_reduce": (
        "Tensor data, str reduce, *, Tensor? lengths=None, Tensor? indices=None, "
        "Tensor? offsets=None, int axis=0, bool unsafe=False, Scalar? initial=None",
    ),
    "slogdet": ("Tensor input, *, Tensor[]? out=None",),
    "smm": ("Tensor input, Tensor mat2",),
    "sparse_coo_tensor": (
        f"object indices, object values, *, {_SPARSE_OPTIONS}, bool? is_coalesced=None",
        f"object indices, object values, int[] size, *, {_SPARSE_OPTIONS}, bool? is_coalesced=None",
        f"int[] size, *, {_SPARSE_OPTIONS}",
    ),
    **{
        f"sparse_{layout}_tensor": (
            f"object {outer}_indices, object {inner}_indices, object values, int[] size, *, "
            + options,
            f"object {outer}_indices, object {inner}_indices, object values, *, {options}",
        )
        for layout, outer, inner, options in (
            ("bsc", "ccol", "row", _COMPRESSED_OPTIONS),
            ("bsr", "crow", "col", _COMPRESSED_OPTIONS),
            ("compressed", "compressed", "plain", _COMPRESSED_OPTIONS),
            ("csc", "ccol", "row", _COMPRESSED_OPTIONS),
            ("csr", "crow", "col", _COMPRESSED_OPTIONS),
        )
    },
    "sspaddmm": _scaled_sum("mat1", "mat2"),
    "svd": ("Tensor input, bool some=True, bool compute_uv=True, *, Tensor[]? out=None",),
    "swapaxes": ("Tensor input, int axis0, int axis1",),
    "take": ("Tensor input, Tensor index, *, Tensor? out=None",),
    "take_along_dim": ("Tensor input, Tensor indices, int? dim=None, *, Tensor? out=None",),
    "triangular_solve": (
        "Tensor input, Tensor A, bool upper=True, bool transpose=False, "
        "bool unitriangular=False, *, Tensor[]? out=None",
    ),
    "unsafe_chunk": ("Tensor input, int chunks, int dim=0",),
    "unsafe_split": ("Tensor input, SymInt split_size, int dim=0",),
    "unsafe_split_with_sizes": ("Tensor input, int[] split_sizes, int dim=0",),
    "vander": ("Tensor x, int? N=None, bool increasing=False",),
}

# The flags of a parameter, and the names of types in messages: those of C++.
_HAS_DEFAULT, _ALLOWS_NONE, _KEYWORD_ONLY = 1, 2, 4
_PRINTED = {
    "Device": "torch.device",
    "Generator": "torch.Generator",
    "Layout": "torch.layout",
    "MemoryFormat": "torch.memory_format",
    "Scalar": "Number",
    "ScalarType": "torch.dtype",
    "Scalar[]": "tuple of Scalars",
    "SymInt": "int",
    "Tensor[]": "tuple of Tensors",
    "float[]": "tuple of floats",
    "int[]": "tuple of ints",
}
_Parameter = tuple[str, str, int, int]


def _parameter(text: str, keyword: bool) -> tuple[_Parameter, str]:
    """Return the row of a parameter and its text in messages."""
    declaration, _, default = text.partition("=")
    declared, name = declaration.split(" ")
    type_ = declared.rstrip("?")
    flags = _HAS_DEFAULT if default else 0
    if declared.endswith("?") or default in ("None", "[]"):
        flags |= _ALLOWS_NONE
    if keyword:
        flags |= _KEYWORD_ONLY
    size = 0
    if type_[-2:-1].isdigit():
        size, type_ = int(type_[-2]), type_[:-2] + "]"
    printed = f"{_PRINTED.get(type_, type_)} {name}"
    if default:
        printed += f" = {'None' if default == '[]' else default}"
    return (name, type_, flags, size), printed


def _row(signature: str) -> tuple[str, int, bool, tuple[_Parameter, ...]]:
    """Return (text in messages, number of positional parameters, whether hidden, parameters)."""
    parameters, printed, positional = [], [], None
    for text in signature.removeprefix(_DEPRECATED).split(", "):
        if text == "*":
            positional = len(parameters)
            printed.append(text)
            continue
        parameter, shown = _parameter(text, positional is not None)
        parameters.append(parameter)
        printed.append(shown)
    count = len(parameters) if positional is None else positional
    hidden = signature.startswith(_DEPRECATED)
    return f"({', '.join(printed)})", count, hidden, tuple(parameters)


def parameters(name: str) -> list[tuple[str, str, bool, bool]]:
    """Return (name, type, has a default, is a keyword) of the parameters of the first signature."""
    rows = _row(SIGNATURES[name][0])[3]
    return [(n, t, bool(f & _HAS_DEFAULT), bool(f & _KEYWORD_ONLY)) for n, t, f, _ in rows]


def _takes_out(function: Callable[..., Any]) -> bool:
    code = getattr(function, "__code__", None)
    if code is None:  # an operator
        return True
    return "out" in code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]


def check_arguments(
    function: Callable[..., Any],
    name: str,
    signatures: tuple[str, ...],
    module: str,
) -> Callable[..., Any]:
    """Return a function that checks its arguments.

    Args:
        function: The function.
        name: Its name in messages.
        signatures: What it accepts.
        module: Where pickle looks for the name.
    """
    rows = tuple(map(_row, signatures))
    lacks_out = any(" out=" in text for text in signatures) and not _takes_out(function)
    parts = (function,)
    if lacks_out:
        parts = with_out(function, name), function
    wrapper = _C._CheckedFunction(parts[0], name, rows, *parts[1:])
    functools.update_wrapper(wrapper, function)
    wrapper.__module__ = module
    return wrapper


def checked(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    """Return a function that checks its arguments if the table has its name, or else the function."""
    if name not in SIGNATURES:
        return function
    return check_arguments(function, name, SIGNATURES[name], "torch")
