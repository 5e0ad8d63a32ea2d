"""Operators of the namespace aten that are declared when they are first asked for, with kernels in Python."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import _C

_OPERATORS: dict[str, tuple[str, Callable[..., Any]]] = {
    "_pin_memory": (
        "(Tensor self, Device? device=None) -> Tensor",
        lambda self, device=None: self.pin_memory(),
    ),
    "_is_all_true": ("(Tensor self) -> Tensor", lambda self: self.all()),
    "_is_any_true": ("(Tensor self) -> Tensor", lambda self: self.any()),
    "angle": ("(Tensor self) -> Tensor", lambda self: torch.angle(self)),
}


def _sparse_mm_reduce(self: Any, other: Any, reduce: str) -> Any:
    raise NotImplementedError(
        "the indices of the products that amax and amin choose are not computed; "
        "torch.sparse.mm(self, other, reduce) computes the product"
    )


_OPERATORS |= {
    "_sparse_addmm": (
        "(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1) -> Tensor",
        lambda self, mat1, mat2, beta=1, alpha=1: beta * self + alpha * (mat1 @ mat2),
    ),
    "_sparse_mm_reduce_impl": (
        "(Tensor self, Tensor other, str reduce) -> (Tensor, Tensor)",
        _sparse_mm_reduce,
    ),
}


def _fused_attention(name: str) -> Callable[..., Any]:
    """Return a kernel whose module is imported when it is first called."""

    def call(*args: Any, **kwargs: Any) -> Any:
        from torch import _fused_attention as kernels

        return getattr(kernels, name)(*args, **kwargs)

    return call


_OPERATORS |= {
    "_native_multi_head_attention": (
        "(Tensor query, Tensor key, Tensor value, int embed_dim, int num_head, Tensor qkv_weight, "
        "Tensor qkv_bias, Tensor proj_weight, Tensor proj_bias, Tensor? mask=None, "
        "bool need_weights=True, bool average_attn_weights=True, int? mask_type=None) "
        "-> (Tensor, Tensor)",
        _fused_attention("native_multi_head_attention"),
    ),
    "_transformer_encoder_layer_fwd": (
        "(Tensor src, int embed_dim, int num_heads, Tensor qkv_weight, Tensor qkv_bias, "
        "Tensor proj_weight, Tensor proj_bias, bool use_gelu, bool norm_first, float eps, "
        "Tensor norm_weight_1, Tensor norm_bias_1, Tensor norm_weight_2, Tensor norm_bias_2, "
        "Tensor ffn_weight_1, Tensor ffn_bias_1, Tensor ffn_weight_2, Tensor ffn_bias_2, "
        "Tensor? mask=None, int? mask_type=None) -> Tensor",
        _fused_attention("transformer_encoder_layer"),
    ),
}
_libraries: list[Any] = []


def declare(name: str) -> bool:
    """Declare an operator of the table; return whether there is one of that name."""
    if name not in _OPERATORS:
        return False
    schema, kernel = _OPERATORS.pop(name)
    library = _C._DispatchLibrary("FRAGMENT", "aten", "")
    library.define(name + schema)
    library.impl(name, "CompositeImplicitAutograd", kernel)
    _libraries.append(library)
    return True
