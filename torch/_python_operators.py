"""Operators that are declared when they are first asked for, with kernels in Python."""

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
    "is_pinned": (
        "(Tensor self, Device? device=None) -> bool",
        lambda self, device=None: self.is_pinned(),
    ),
    "_grouped_mm": (
        "(Tensor self, Tensor mat2, Tensor? offs=None, Tensor? bias=None, ScalarType? out_dtype=None) "
        "-> Tensor",
        lambda self, mat2, offs=None, bias=None, out_dtype=None: torch._grouped_mm(
            self, mat2, offs=offs, bias=bias, out_dtype=out_dtype
        ),
    ),
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
    """Return a kernel whose module is imported when it is first called.

    Where it returns None, the operator returns an empty tensor.
    """

    def call(*args: Any, **kwargs: Any) -> Any:
        from torch import _fused_attention as kernels

        result = getattr(kernels, name)(*args, **kwargs)
        if isinstance(result, tuple):
            return tuple(torch.empty(0) if each is None else each for each in result)
        return result

    return call


_OPERATORS |= {
    "_native_multi_head_attention": (
        "(Tensor query, Tensor key, Tensor value, int embed_dim, int num_head, Tensor qkv_weight, "
        "Tensor qkv_bias, Tensor proj_weight, Tensor proj_bias, Tensor? mask=None, "
        "bool need_weights=True, bool average_attn_weights=True, int? mask_type=None) "
        "-> (Tensor, Tensor)",
        _fused_attention("_native_multi_head_attention"),
    ),
    "_transformer_encoder_layer_fwd": (
        "(Tensor src, int embed_dim, int num_heads, Tensor qkv_weight, Tensor qkv_bias, "
        "Tensor proj_weight, Tensor proj_bias, bool use_gelu, bool norm_first, float eps, "
        "Tensor norm_weight_1, Tensor norm_bias_1, Tensor norm_weight_2, Tensor norm_bias_2, "
        "Tensor ffn_weight_1, Tensor ffn_bias_1, Tensor ffn_weight_2, Tensor ffn_bias_2, "
        "Tensor? mask=None, int? mask_type=None) -> Tensor",
        _fused_attention("_transformer_encoder_layer_fwd"),
    ),
}


def _collective(*args: Any, **kwargs: Any) -> Any:
    raise RuntimeError(
        "collectives need a build with USE_DISTRIBUTED, which does not exist yet; "
        "torch.distributed.is_available() is False"
    )


# Collectives that libraries register rules for. Every one raises an error, but the wait for a result.
_COLLECTIVES: dict[str, tuple[str, Callable[..., Any]]] = {
    name: (schema, _collective)
    for name, schema in {
        "_wrap_tensor_autograd": "(Tensor input) -> Tensor",
        "all_gather_into_tensor": "(Tensor input, int group_size, str group_name) -> Tensor",
        "all_gather_into_tensor_coalesced": "(Tensor[] inputs, int group_size, str group_name) -> Tensor[]",
        "all_reduce": "(Tensor input, str reduce_op, str group_name) -> Tensor",
        "all_reduce_coalesced": "(Tensor[] inputs, str reduce_op, str group_name) -> Tensor[]",
        "all_to_all_single": (
            "(Tensor input, SymInt[] output_split_sizes, SymInt[] input_split_sizes, str group_name)"
            " -> Tensor"
        ),
        "broadcast": "(Tensor input, int src, str group_name) -> Tensor",
        "reduce_scatter_tensor": (
            "(Tensor input, str reduce_op, int group_size, str group_name) -> Tensor"
        ),
        "reduce_scatter_tensor_coalesced": (
            "(Tensor[] inputs, str reduce_op, int group_size, str group_name) -> Tensor[]"
        ),
    }.items()
}
_COLLECTIVES["wait_tensor"] = ("(Tensor tensor) -> Tensor", lambda tensor: tensor)
_ON_LISTS = dict.fromkeys(
    ("allgather_", "allreduce_", "broadcast_", "reduce_", "reduce_scatter_", "scatter_"),
    (
        "(Tensor[] tensors, Any inputs, Any process_group, Any options=None, bool async_op=True, "
        "int timeout=-1) -> Tensor[]",
        _collective,
    ),
)
_TABLES = {
    "aten": _OPERATORS,
    "_c10d_functional": _COLLECTIVES,
    "c10d": _ON_LISTS,
    "c10d_functional": dict(_COLLECTIVES),
}

_libraries: list[Any] = []


def declare(namespace: str, name: str) -> bool:
    """Declare an operator of the tables; return whether there is one of that name."""
    table = _TABLES.get(namespace, {})
    if name not in table:
        return False
    schema, kernel = table.pop(name)
    library = _C._DispatchLibrary("FRAGMENT", namespace, "")
    library.define(name + schema)
    library.impl(name, "CompositeImplicitAutograd", kernel)
    _libraries.append(library)
    return True
