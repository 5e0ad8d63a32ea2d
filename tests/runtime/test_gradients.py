"""Gradients through the sample table: against difference quotients, and against real PyTorch.

Every floating argument of every sample requires grad. The cases that PyTorch does not differentiate,
or only once, are listed below; all others must pass.
"""

from __future__ import annotations

import os
import pickle
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import torch
from samples import TABLE, Operator, gradient
from samples.outcome import Raised

PEER = os.environ.get("TORCH_PEER")
DTYPES = ("float64", "complex128")
# Fused steps run without gradients, as PyTorch's optimizers call them.
OPTIMIZERS = {
    "_fused_adagrad",
    "_fused_adam",
    "_fused_adamw",
    "_fused_sgd",
    "_amp_foreach_non_finite_check_and_unscale",
    "_amp_update_scale",
}
RANDOM = {"native_dropout"}
DIFFERENTIABLE = [
    operator
    for operator in TABLE
    if not operator.random
    and operator.name not in OPTIMIZERS | RANDOM
    and any(dtype in operator.dtypes for dtype in DTYPES)
]

# Operators whose gradient is not the limit of a difference quotient.
NO_QUOTIENT = {
    "_ctc_loss": "the gradient is that of log probabilities that come from log_softmax",
    "batch_norm": "a call changes the running statistics",
    "_batch_norm_with_update": "a call changes the running statistics",
    "native_batch_norm": "a call changes the running statistics",
    "_batch_norm_impl_index": "a call changes the running statistics",
    "_native_batch_norm_legit": "a call changes the running statistics",
    "copy": "the samples convert to dtypes without room for a small step",
    "embedding": "the row of the padding gets no gradient, although the result depends on it",
    "mode": "a small step changes which element is the most frequent",
    **dict.fromkeys(
        (
            "fake_quantize_per_channel_affine",
            "fake_quantize_per_channel_affine_cachemask",
            "fake_quantize_per_tensor_affine",
            "fake_quantize_per_tensor_affine_cachemask",
            "_fake_quantize_per_tensor_affine_cachemask_tensor_qparams",
        ),
        "the gradient passes straight through the steps",
    ),
    "_unsafe_index_put": "the result is not determined if several values have the same index",
    "index_put": "the result is not determined if several values have the same index",
    "resize": "PyTorch refuses tensors that require grad",
    "type_as": "the samples convert to dtypes without room for a small step",
}
# Operators that PyTorch differentiates only once.
ONCE = {
    "_cdist_backward",
    "_cdist_forward",
    "cdist",
    "ctc_loss",
    "_embedding_bag",
    "embedding_bag",
    "pdist",
    "_scaled_dot_product_flash_attention_for_cpu",
    "scaled_dot_product_attention",
}
# Limit of the input size for difference quotients, whose cost is quadratic.
LARGEST = 40


def named(operator: Operator) -> str:
    return operator.title


def is_smooth(
    function: Callable[..., tuple[torch.Tensor, ...]], leaves: list[torch.Tensor]
) -> bool:
    """Return whether difference quotients apply: a small, differentiable call in double precision."""
    if not all(leaf.numel() > 0 for leaf in leaves) or sum(x.numel() for x in leaves) > LARGEST:
        return False
    try:
        results = function(*leaves)
        for result in results:
            torch.autograd.grad(result, leaves, torch.ones_like(result), allow_unused=True)
    except (RuntimeError, ValueError, NotImplementedError):
        return False
    wide = all(result.dtype in (torch.float64, torch.complex128) for result in results)
    return len(results) > 0 and wide


def smooth_samples(operator: Operator) -> list[tuple[Callable[..., Any], list[torch.Tensor]]]:
    """Return the functions and inputs of up to three samples."""
    chosen = []
    for sample in operator.make("float64"):
        if gradient.is_finite(sample):
            function, leaves = gradient.as_function(operator, sample)
            if leaves and is_smooth(function, leaves):
                chosen.append((function, leaves))
    return chosen[:3]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("operator", DIFFERENTIABLE, ids=named)
def test_first_derivative_is_the_limit_of_quotients(operator: Operator) -> None:
    if "float64" not in operator.dtypes or operator.name in NO_QUOTIENT:
        pytest.skip(NO_QUOTIENT.get(operator.name, "not defined for real numbers"))
    for function, leaves in smooth_samples(operator):
        assert torch.autograd.gradcheck(function, leaves, fast_mode=True)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("operator", DIFFERENTIABLE, ids=named)
def test_second_derivative_is_the_limit_of_quotients(operator: Operator) -> None:
    if "float64" not in operator.dtypes or operator.name in ONCE or operator.name in NO_QUOTIENT:
        pytest.skip(NO_QUOTIENT.get(operator.name, "PyTorch differentiates it only once"))
    for function, leaves in smooth_samples(operator):
        assert torch.autograd.gradgradcheck(function, leaves, fast_mode=True)


# ---- against PyTorch -------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def theirs(
    once: Callable[..., Path],
) -> dict[tuple[str, str], list[gradient.Gradients | Raised]]:
    """PyTorch's gradients for the whole table."""
    return pickle.loads(once("gradients.pickle", record).read_bytes())


def record(file: Path) -> None:
    assert PEER
    script = Path(__file__).parent / "samples" / "record_gradients.py"
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    subprocess.run([PEER, str(script), str(file)], check=True, env=environment, cwd=file.parent)


# Operators that PyTorch composes of others on CPU, so that every result has a gradient.
WITHOUT_PEER = {"_fused_rms_norm", "_fused_rms_norm_backward", "nextafter"}
# Composite operators that are composed differently here, so their nodes differ.
COMPOSED = {
    "_cholesky_inverse_helper",
    "_cholesky_solve_helper",
    "_safe_softmax",
    "_unsafe_index",
    "_unsafe_index_put",
    "_unsafe_masked_index",
    "_unsafe_masked_index_put_accumulate",
    "_linalg_eigh",
    "_linalg_lstsq_by_qr_for_cpu",
    "_linalg_slogdet",
    "_linalg_solve_ex",
    "_linalg_svd",
    "channel_shuffle",
    "complex",
    "conv_tbc",
    "deg2rad",
    "linalg_cholesky_ex",
    "linalg_lu",
    "linalg_multi_dot",
    "linalg_qr",
    "nanmean",
    "nansum",
    "polar",
    "rad2deg",
    "_convolution_double_backward",
    "_pad_circular",
    "adaptive_avg_pool2d",
    "adaptive_avg_pool3d",
    "affine_grid_generator",
    "atleast_2d",
    "atleast_3d",
    "cdist",
    "cosine_embedding_loss",
    "cross_entropy_loss",
    "cumulative_trapezoid",
    "diag",
    "diff",
    "einsum",
    "gru",
    "index_put.setitem",
    "linear",
    "lstm",
    "masked_select_backward",
    "matmul",
    "meshgrid",
    "mvlgamma",
    "multi_margin_loss",
    "multilabel_margin_loss",
    "nanquantile",
    "pad",
    "_pad_enum",
    "pdist",
    "quantile",
    "rms_norm",
    "rnn_relu",
    "rnn_tanh",
    "special_ndtr",
    "special_xlog1py",
    "special_zeta",
    "rrelu",
    "trapezoid",
    "trapz",
}
# Operators whose nodes save other values: for a second derivative from differentiable operators, or
# because a number as operand is not converted to a tensor.
SAVING_OTHERS = {
    "_linalg_det",
    "_linalg_eigh",
    "_linalg_slogdet",
    "_linalg_solve_ex",
    "_linalg_svd",
    "copysign",
    "linalg_cholesky_ex",
    "linalg_householder_product",
    "linalg_lu_factor_ex",
    "linalg_lu_solve",
    "linalg_qr",
    "linalg_solve_triangular",
    "lu_unpack",
    "ormqr",
    "add",
    "div",
    "mul",
    "sub",
    "batch_norm",
    "group_norm",
    "instance_norm",
    "layer_norm",
    "native_dropout",
    "native_dropout_backward",
    "native_group_norm",
    "native_layer_norm",
}


def same_nodes(ours: list[Any], theirs: list[Any], operator: Operator) -> bool:
    if operator.name in COMPOSED or operator.title in COMPOSED:
        return True
    if operator.name in SAVING_OTHERS:
        return [each and each[0] for each in ours] == [each and each[0] for each in theirs]
    return ours == theirs


def differences(
    ours: gradient.Gradients | Raised, theirs: gradient.Gradients | Raised, operator: Operator
) -> str | None:
    """Return the visible differences. Gradients that PyTorch lacks are not differences."""
    if isinstance(theirs, Raised):
        gaps = (
            "is not implemented",
            "ZeroTensor",
            "cannot reshape tensor of 0 elements",
            "does not support automatic differentiation",
            "index_fill_(): Expected dtype int64 for index.",  # in the formula of index_reduce
        )
        allowed = any(gap in theirs.message for gap in gaps)
        same = isinstance(ours, Raised) and ours.type == theirs.type
        return None if allowed or same else f"PyTorch raises {theirs}, we {ours}"
    if isinstance(ours, Raised):
        return f"we raise {ours}"
    if not same_nodes(ours.nodes, theirs.nodes, operator):
        return f"nodes {ours.nodes}, PyTorch's {theirs.nodes}"
    for mine, other in zip(ours.values, theirs.values, strict=True):
        if (mine is None and other is not None and other.size) or (other is None and np.any(mine)):
            return f"gradient {mine}, PyTorch's {other}"
        if mine is not None and other is not None:
            if (mine.dtype, mine.shape) != (other.dtype, other.shape):
                return f"{mine.dtype}{mine.shape}, PyTorch's {other.dtype}{other.shape}"
            if not np.allclose(mine, other, rtol=1e-6, atol=1e-7, equal_nan=True):
                return f"gradient {mine}, PyTorch's {other}"
    return None


@pytest.mark.peer
@pytest.mark.skipif(not PEER, reason="set TORCH_PEER to a Python that has torch==2.13.0")
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("operator", DIFFERENTIABLE, ids=named)
def test_agrees_with_pytorch(operator: Operator, dtype: str, theirs) -> None:
    if dtype not in operator.dtypes or operator.name in WITHOUT_PEER:
        pytest.skip(f"PyTorch has no such operator for {dtype} on CPU")
    failures = []
    samples = operator.make(dtype)
    for number, (each, other) in enumerate(
        zip(samples, theirs[operator.title, dtype], strict=True)
    ):
        if gradient.is_finite(each):
            found = differences(gradient.run(operator, each), other, operator)
            if found:
                failures.append(f"sample {number}: {found}")
    assert not failures, f"{len(failures)} of {len(samples)} differ; the first:\n{failures[0]}"
