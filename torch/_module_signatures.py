"""Signatures of the functions of torch.fft, torch.linalg and torch.special that are written in Python.

PyTorch binds them in C++ under the names of their operators, such as `torch._C._fft.fft_fft`; those are the
names that `__torch_function__` and pickles see. `bind` gives them these names and the check of their arguments.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch import _C
from torch._signatures import FACTORY_OPTIONS, check_arguments

_OUT = "*, Tensor? out=None"
_POINTS = "str? norm=None, *, Tensor? out=None"
_TWO_TENSORS = "Tensor input, Tensor other"
_NORM = "bool keepdim=False, *, ScalarType? dtype=None, Tensor? out=None"
_LIMITS = "bool hermitian=False, *, Tensor? out=None"
_LIMIT_PAIRS = tuple(
    f"Tensor input, *, {type_}? atol=None, {type_}? rtol=None, bool hermitian=False, Tensor? out=None"
    for type_ in ("Tensor", "float")
)
_PAIRS = tuple(
    f"{first}, {second}, {_OUT}"
    for first, second in (
        ("Tensor input", "Tensor other"),
        ("Scalar self", "Tensor other"),
        ("Tensor input", "Scalar other"),
    )
)
_SEVERAL = "Tensor[]? out=None"
# Functions of torch.linalg whose operators have no out= forms.
_COPIED = {
    "cross": (f"{_TWO_TENSORS}, *, int dim=-1, Tensor? out=None",),
    "det": (f"Tensor A, {_OUT}",),
    "eigh": (f'Tensor input, str UPLO="L", *, {_SEVERAL}',),
    "eigvalsh": (f'Tensor input, str UPLO="L", {_OUT}',),
    "inv": (f"Tensor A, {_OUT}",),
    "inv_ex": (f"Tensor A, *, bool check_errors=False, {_SEVERAL}",),
    "lu": (f"Tensor A, *, bool pivot=True, {_SEVERAL}",),
    "lu_factor": (f"Tensor A, *, bool pivot=True, {_SEVERAL}",),
    "lu_factor_ex": (f"Tensor A, *, bool pivot=True, bool check_errors=False, {_SEVERAL}",),
    "lu_solve": (
        "Tensor LU, Tensor pivots, Tensor B, *, bool left=True, bool adjoint=False, "
        "Tensor? out=None",
    ),
    "qr": (f'Tensor A, str mode="reduced", *, {_SEVERAL}',),
    "slogdet": (f"Tensor A, *, {_SEVERAL}",),
    "solve": ("Tensor A, Tensor B, *, bool left=True, Tensor? out=None",),
    "solve_ex": (f"Tensor A, Tensor B, *, bool left=True, bool check_errors=False, {_SEVERAL}",),
    "solve_triangular": (
        "Tensor input, Tensor B, *, bool upper, bool left=True, bool unitriangular=False, "
        "Tensor? out=None",
    ),
    "svd": (f"Tensor A, bool full_matrices=True, *, str? driver=None, {_SEVERAL}",),
    "svdvals": ("Tensor A, *, str? driver=None, Tensor? out=None",),
}


def _transforms(one: str, two: str, many: str) -> dict[str, tuple[str, ...]]:
    return {
        **dict.fromkeys(one.split(), (f"Tensor input, int? n=None, int dim=-1, {_POINTS}",)),
        **dict.fromkeys(
            two.split(), (f"Tensor input, int[1]? s=None, int[1] dim=[-2,-1], {_POINTS}",)
        ),
        **dict.fromkeys(
            many.split(), (f"Tensor input, int[1]? s=None, int[1]? dim=None, {_POINTS}",)
        ),
    }


SIGNATURES: dict[str, dict[str, tuple[str, ...]]] = {
    "fft": {
        **_transforms(
            "fft ifft rfft irfft hfft ihfft",
            "fft2 ifft2 rfft2 irfft2 hfft2 ihfft2",
            "fftn ifftn rfftn irfftn hfftn ihfftn",
        ),
        **dict.fromkeys(
            ("fftfreq", "rfftfreq"),
            (f"int n, float d=1.0, *, Tensor? out=None, {FACTORY_OPTIONS}",),
        ),
        **dict.fromkeys(("fftshift", "ifftshift"), ("Tensor input, int[1]? dim=None",)),
    },
    "linalg": {
        **_COPIED,
        "cond": (f"Tensor input, Scalar? p=None, {_OUT}", f"Tensor input, str p, {_OUT}"),
        "diagonal": ("Tensor A, *, int offset=0, int dim1=-2, int dim2=-1",),
        "lstsq": (
            "Tensor input, Tensor b, float? rcond=None, *, str? driver=None, Tensor[]? out=None",
        ),
        "matmul": (f"{_TWO_TENSORS}, {_OUT}",),
        "matrix_exp": ("Tensor input",),
        "matrix_norm": (
            f"Tensor input, Scalar ord, int[] dim=[-2,-1], {_NORM}",
            f"Tensor input, str ord='fro', int[] dim=[-2,-1], {_NORM}",
        ),
        "matrix_power": (f"Tensor input, int n, {_OUT}",),
        "matrix_rank": (
            *_LIMIT_PAIRS,
            f"Tensor input, float tol, {_LIMITS}",
            f"Tensor input, Tensor tol, {_LIMITS}",
        ),
        "norm": (
            f"Tensor input, Scalar? ord=None, int[1]? dim=None, {_NORM}",
            f"Tensor input, str ord, int[1]? dim=None, {_NORM}",
        ),
        "pinv": (
            *_LIMIT_PAIRS,
            f"Tensor input, float rcond, {_LIMITS}",
            f"Tensor input, Tensor rcond, {_LIMITS}",
        ),
        "tensorinv": (f"Tensor input, int ind=2, {_OUT}",),
        "tensorsolve": (f"{_TWO_TENSORS}, int[]? dims=None, {_OUT}",),
        "vander": ("Tensor x, *, SymInt? N=None",),
        "vecdot": ("Tensor x, Tensor y, *, int dim=-1, Tensor? out=None",),
    },
    "special": {
        **dict.fromkeys(
            [
                "digamma",
                "erf",
                "erfc",
                "erfinv",
                "exp2",
                "expit",
                "expm1",
                "gammaln",
                "i0",
                "log1p",
                "psi",
                "sinc",
            ],
            (f"Tensor input, {_OUT}",),
        ),
        **dict.fromkeys(("gammainc", "gammaincc"), (f"{_TWO_TENSORS}, {_OUT}",)),
        "log_softmax": ("Tensor input, int dim, *, ScalarType? dtype=None",),
        "logit": (f"Tensor input, float? eps=None, {_OUT}",),
        "logsumexp": (f"Tensor input, int[1] dim, bool keepdim=False, {_OUT}",),
        "multigammaln": (f"Tensor input, int p, {_OUT}",),
        "polygamma": (f"int n, Tensor input, {_OUT}",),
        "round": ("Tensor input, *, int decimals=0, Tensor? out=None",),
        "softmax": ("Tensor input, int dim, ScalarType? dtype=None",),
        "xlogy": _PAIRS,
    },
}


def bind(module: str, functions: dict[str, Callable[..., Any]]) -> dict[str, Callable[..., Any]]:
    """Return functions of a module that check their arguments, under the names of their operators."""
    home = f"torch._C._{module}"
    bound = {}
    for name, signatures in SIGNATURES[module].items():
        operator = f"{module}_{name}"
        copies = module == "linalg" and name in _COPIED
        function = check_arguments(functions[name], operator, signatures, home, copies=copies)
        function.__name__ = function.__qualname__ = operator
        setattr(getattr(_C, f"_{module}"), operator, function)
        bound[name] = function
    return bound
