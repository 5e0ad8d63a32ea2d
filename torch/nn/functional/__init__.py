"""Neural network operations as functions."""

# ruff: noqa: E402 (what type checkers see of a name is its first import, which exports it)

from __future__ import annotations

TYPE_CHECKING = False  # these names are made below, or at their first use
if TYPE_CHECKING:
    from torch._C._late_nn_functional import *  # noqa: F403

import torch
from torch._C import _nn
from torch.nn.functional._activation import (
    _threshold,
    celu,
    elu,
    glu,
    hardsigmoid,
    hardswish,
    hardtanh,
    leaky_relu,
    mish,
    relu,
    relu6,
    selu,
    sigmoid,
    silu,
    softsign,
    tanh,
    tanhshrink,
    threshold,
)
from torch.nn.functional._attention import multi_head_attention_forward
from torch.nn.functional._dropout import (
    alpha_dropout,
    dropout,
    dropout1d,
    dropout2d,
    dropout3d,
    feature_alpha_dropout,
)
from torch.nn.functional._embedding import embedding
from torch.nn.functional._likelihood_loss import (
    binary_cross_entropy,
    binary_cross_entropy_with_logits,
    cross_entropy,
    gaussian_nll_loss,
    kl_div,
    nll_loss,
    poisson_nll_loss,
)
from torch.nn.functional._margin_loss import (
    cosine_embedding_loss,
    hinge_embedding_loss,
    margin_ranking_loss,
    pairwise_distance,
    soft_margin_loss,
    triplet_margin_loss,
)
from torch.nn.functional._normalization import (
    batch_norm,
    group_norm,
    instance_norm,
    layer_norm,
    local_response_norm,
    normalize,
    rms_norm,
)
from torch.nn.functional._pooling import (
    adaptive_avg_pool2d,
    adaptive_max_pool2d,
    adaptive_max_pool2d_with_indices,
    lp_pool1d,
    lp_pool2d,
    max_pool1d,
    max_pool1d_with_indices,
    max_pool2d,
    max_pool2d_with_indices,
)
from torch.nn.functional._regression_loss import huber_loss, l1_loss, mse_loss, smooth_l1_loss
from torch.nn.functional._resize import interpolate, pad, upsample
from torch.nn.functional._softmax import gumbel_softmax, log_softmax, softmax, softmin

# Operators exposed under their own names.
_OPERATORS = {
    torch: (
        "adaptive_avg_pool1d",
        "avg_pool1d",
        "bilinear",
        "celu_",
        "channel_shuffle",
        "conv1d",
        "conv2d",
        "conv3d",
        "conv_tbc",
        "conv_transpose1d",
        "conv_transpose2d",
        "conv_transpose3d",
        "cosine_similarity",
        "hardshrink",
        "native_channel_shuffle",
        "pdist",
        "pixel_shuffle",
        "pixel_unshuffle",
        "prelu",
        "relu_",
        "rrelu_",
        "selu_",
        "threshold_",
    ),
    _nn: (
        "avg_pool2d",
        "avg_pool3d",
        "elu_",
        "gelu",
        "hardtanh_",
        "leaky_relu_",
        "linear",
        "one_hot",
        "scaled_dot_product_attention",
        "softplus",
        "softshrink",
    ),
}
globals().update(
    {name: getattr(module, name) for module, names in _OPERATORS.items() for name in names}
)
logsigmoid = _nn.log_sigmoid

# Functions that are imported at their first use.
_LAZY = {
    "torch.nn.functional._attention": (
        "_canonical_mask",
        "_check_key_padding_mask",
        "_in_projection",
        "_in_projection_packed",
        "_matching_masks",
        "_mha_shape_check",
        "_none_or_dtype",
    ),
    "torch.nn.functional._grouped": ("grouped_mm",),
    "torch.nn.functional._linear_cross_entropy": ("linear_cross_entropy",),
    "torch.nn.functional._pooling3d": (
        "adaptive_avg_pool3d",
        "adaptive_max_pool1d",
        "adaptive_max_pool1d_with_indices",
        "adaptive_max_pool3d",
        "adaptive_max_pool3d_with_indices",
        "fractional_max_pool2d",
        "fractional_max_pool2d_with_indices",
        "fractional_max_pool3d",
        "fractional_max_pool3d_with_indices",
        "lp_pool3d",
        "max_pool3d",
        "max_pool3d_with_indices",
    ),
    "torch.nn.functional._rare": (
        "embedding_bag",
        "rrelu",
        "upsample_bilinear",
        "upsample_nearest",
    ),
    "torch.nn.functional._rare_loss": (
        "ctc_loss",
        "multi_margin_loss",
        "multilabel_margin_loss",
        "multilabel_soft_margin_loss",
        "triplet_margin_with_distance_loss",
    ),
    "torch.nn.functional._scaled": ("ScalingType", "SwizzleType", "scaled_grouped_mm", "scaled_mm"),
    "torch.nn.functional._sampling": ("affine_grid", "fold", "grid_sample", "unfold"),
    "torch.nn.functional._unpooling": ("max_unpool1d", "max_unpool2d", "max_unpool3d"),
}
_LAZY_HOMES = {name: module for module, names in _LAZY.items() for name in names}
# Modules, and names of other modules, that programs also find here.
_ELSEWHERE = {
    "_Reduction": "torch.nn._reduction",
    "_verify_batch_size": "torch.nn.functional._normalization:_verify_batch_size",
    "boolean_dispatch": "torch._jit_internal:boolean_dispatch",
    "grad": "torch.nn.grad",
    "handle_torch_function": "torch.overrides:handle_torch_function",
    "has_torch_function": "torch.overrides:has_torch_function",
    "has_torch_function_unary": "torch.overrides:has_torch_function_unary",
    "has_torch_function_variadic": "torch.overrides:has_torch_function_variadic",
}


def _publish(function):
    if str(getattr(function, "__module__", "")).startswith("torch.nn.functional."):
        function.__module__ = "torch.nn.functional"  # where users know it
    return function


for _function in list(globals().values()):
    _publish(_function)
del _function


def __getattr__(name):
    if name in _LAZY_HOMES:
        from importlib import import_module

        function = _publish(getattr(import_module(_LAZY_HOMES[name]), name))
        return globals().setdefault(name, function)
    if name in _ELSEWHERE:
        from pkgutil import resolve_name

        return resolve_name(_ELSEWHERE[name])
    raise AttributeError(f"module 'torch.nn.functional' has no attribute '{name}'")


def __dir__():
    return sorted({*globals(), *_LAZY_HOMES})
