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

_OPTIONS = (
    "ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=False, "
    "bool? requires_grad=False"
)
_QUANTIZED_OPTIONS = "object dtype=None, " + _OPTIONS.partition(", ")[2]
_WINDOW = (f"int window_length, *, {_OPTIONS}", f"int window_length, bool periodic, *, {_OPTIONS}")
_SPARSE_OPTIONS = (
    "ScalarType? dtype=None, Device? device=None, bool? pin_memory=False, "
    "bool? requires_grad=False, bool? check_invariants=None"
)
_COMPRESSED_OPTIONS = f"Layout? layout=None, {_SPARSE_OPTIONS}"
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
    "_assert_async": ("Tensor input", "Tensor input, str assert_msg"),
    "_choose_qparams_per_tensor": ("Tensor input, bool reduce_range=False",),
    "_nested_view_from_buffer": (
        "Tensor input, Tensor nested_size, Tensor nested_strides, Tensor offsets",
    ),
    "_make_per_channel_quantized_tensor": (
        "Tensor input, Tensor scale, Tensor zero_point, int axis",
    ),
    "_make_per_tensor_quantized_tensor": ("Tensor input, float scale, int zero_point",),
    "addbmm": (
        "Tensor input, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1, "
        "Tensor? out=None",
    ),
    "addr": (
        "Tensor input, Tensor vec1, Tensor vec2, *, Scalar beta=1, Scalar alpha=1, Tensor? out=None",
    ),
    "aminmax": ("Tensor input, *, int? dim=None, bool keepdim=False, Tensor[]? out=None",),
    "cholesky_solve": ("Tensor input, Tensor input2, bool upper=False, *, Tensor? out=None",),
    "combinations": ("Tensor input, int r=2, bool with_replacement=False",),
    "cov": ("Tensor input, *, int correction=1, Tensor? fweights=None, Tensor? aweights=None",),
    "dequantize": ("Tensor input", "Tensor[] tensors"),
    "dist": ("Tensor input, Tensor other, Scalar p=2",),
    "empty_permuted": (f"int[] size, int[] physical_layout, *, {_OPTIONS}",),
    "empty_quantized": (
        f"int[] size, Tensor qtensor, *, MemoryFormat? memory_format=None, {_QUANTIZED_OPTIONS}",
    ),
    "frobenius_norm": ("Tensor input, int[1] dim, bool keepdim=False, *, Tensor? out=None",),
    "from_file": (f"str filename, bool? shared=None, int? size=0, *, {_OPTIONS}",),
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
        f"int window_length, bool periodic, float alpha, *, {_OPTIONS}",
        f"int window_length, bool periodic, float alpha, float beta, *, {_OPTIONS}",
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
    "kaiser_window": (*_WINDOW, f"int window_length, bool periodic, float beta, *, {_OPTIONS}"),
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
        f"{_OPTIONS}",
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
    "range": (f"Scalar start, Scalar end, Scalar step=1, *, Tensor? out=None, {_OPTIONS}",),
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
    "sspaddmm": (
        "Tensor input, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1, Tensor? out=None",
    ),
    "svd": ("Tensor input, bool some=True, bool compute_uv=True, *, Tensor[]? out=None",),
    "swapaxes": ("Tensor input, int axis0, int axis1",),
    "take": ("Tensor input, Tensor index, *, Tensor? out=None",),
    "take_along_dim": ("Tensor input, Tensor indices, int? dim=None, *, Tensor? out=None",),
    "triangular_solve": (
        "Tensor input, Tensor A, bool upper=True, bool transpose=False, "
        "bool unitriangular=False, *, Tensor[]? out=None",
    ),
    "vander": ("Tensor x, int? N=None, bool increasing=False",),
}

_POINTS = "Tensor input, int? n=None, int dim=-1, str? norm=None, *, Tensor? out=None"
_SIZES_OF_TWO = (
    "Tensor input, int[1]? s=None, int[1] dim={-2,-1}, str? norm=None, *, Tensor? out=None"
)
_SIZES = "Tensor input, int[1]? s=None, int[1]? dim=None, str? norm=None, *, Tensor? out=None"
_TRANSFORMS = ("fft", "hfft", "ifft", "ihfft", "irfft", "rfft")
_NORM = ", int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None, Tensor? out=None"
_MATRIX_NORM = _NORM.replace("int[1]? dim=None", "int[] dim={-2,-1}")

# The functions of torch.fft and torch.linalg: those of torch._C._fft and torch._C._linalg in PyTorch.
PART_SIGNATURES: dict[str, dict[str, tuple[str, ...]]] = {
    "fft": {
        **dict.fromkeys(_TRANSFORMS, (_POINTS,)),
        **{f"{name}2": (_SIZES_OF_TWO,) for name in _TRANSFORMS},
        **{f"{name}n": (_SIZES,) for name in _TRANSFORMS},
        **dict.fromkeys(
            ("fftfreq", "rfftfreq"), (f"int n, float d=1.0, *, Tensor? out=None, {_OPTIONS}",)
        ),
        **dict.fromkeys(("fftshift", "ifftshift"), ("Tensor input, int[1]? dim=None",)),
    },
    "linalg": {
        "cond": (
            "Tensor input, Scalar? p=None, *, Tensor? out=None",
            "Tensor input, str p, *, Tensor? out=None",
        ),
        "diagonal": ("Tensor A, *, int offset=0, int dim1=-2, int dim2=-1",),
        "lstsq": ("Tensor input, Tensor b, float? rcond=None, *, str? driver=None",),
        "matmul": ("Tensor input, Tensor other, *, Tensor? out=None",),
        "matrix_exp": ("Tensor input",),
        "matrix_norm": (
            f"Tensor input, Scalar ord{_MATRIX_NORM}",
            f'Tensor input, str ord="fro"{_MATRIX_NORM}',
        ),
        "matrix_power": ("Tensor input, int n, *, Tensor? out=None",),
        "multi_dot": ("Tensor[] tensors, *, Tensor? out=None",),
        "norm": (f"Tensor input, Scalar? ord=None{_NORM}", f"Tensor input, str ord{_NORM}"),
        "tensorinv": ("Tensor input, int ind=2, *, Tensor? out=None",),
        "tensorsolve": ("Tensor input, Tensor other, int[]? dims=None, *, Tensor? out=None",),
        "vander": ("Tensor x, *, int? N=None",),
        "vecdot": ("Tensor x, Tensor y, *, int dim=-1, Tensor? out=None",),
        **{
            name: (
                *(
                    f"Tensor input, *, {type_}? atol=None, {type_}? rtol=None, "
                    "bool hermitian=False, Tensor? out=None"
                    for type_ in ("Tensor", "float")
                ),
                *(
                    f"Tensor input, {type_} {limit}, bool hermitian=False, *, Tensor? out=None"
                    for type_ in ("Tensor", "float")
                ),
            )
            for name, limit in (("matrix_rank", "tol"), ("pinv", "rcond"))
        },
    },
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
    """Return (text in messages, number of positional parameters, False, parameters)."""
    parameters, printed, positional = [], [], None
    for text in signature.split(", "):
        if text == "*":
            positional = len(parameters)
            printed.append(text)
            continue
        parameter, shown = _parameter(text, positional is not None)
        parameters.append(parameter)
        printed.append(shown)
    count = len(parameters) if positional is None else positional
    return f"({', '.join(printed)})", count, False, tuple(parameters)


def parameters(name: str) -> list[tuple[str, str, bool, bool]]:
    """Return (name, type, has a default, is a keyword) of the parameters of the first signature."""
    rows = _row(SIGNATURES[name][0])[3]
    return [(n, t, bool(f & _HAS_DEFAULT), bool(f & _KEYWORD_ONLY)) for n, t, f, _ in rows]


def _takes_out(function: Callable[..., Any]) -> bool:
    code = function.__code__
    return "out" in code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]


def _wrapped(
    function: Callable[..., Any], name: str, signatures: tuple[str, ...], module: str
) -> Callable[..., Any]:
    """Return a function that checks its arguments; pickle looks for the name in the module."""
    if any(" out=" in text for text in signatures) and not _takes_out(function):
        function = with_out(function, name)
    rows = tuple(map(_row, signatures))
    wrapper = functools.update_wrapper(_C._CheckedFunction(function, name, rows), function)
    wrapper.__module__ = module
    return wrapper


def checked(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    """Return a function that checks its arguments if the table has its name, or else the function."""
    if name not in SIGNATURES:
        return function
    return _wrapped(function, name, SIGNATURES[name], "torch")


def check_part(namespace: dict[str, Any], part: str) -> None:
    """Check the arguments of the functions of torch.fft or torch.linalg, as module torch._C._<part> has them."""
    home = getattr(_C, f"_{part}")
    for name, signatures in PART_SIGNATURES[part].items():
        wrapper = _wrapped(namespace[name], f"{part}_{name}", signatures, home.__name__)
        wrapper.__name__ = wrapper.__qualname__ = f"{part}_{name}"
        namespace[name] = wrapper
        setattr(home, f"{part}_{name}", wrapper)
