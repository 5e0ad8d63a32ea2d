"""Which operators are views, linear, element-wise and so on: the tables of the transforms' rules.

A row is the name of an operator, for all its overloads, or a name with an overload.
"""

from __future__ import annotations

from typing import Any

import torch


def operator_name(func: Any) -> str:
    """Return the name with its overload, without the namespace: 'add.Tensor'."""
    return str(func.name()).partition("::")[2]


def base_name(func: Any) -> str:
    """Return the name without overload and namespace: 'add'."""
    return operator_name(func).partition(".")[0]


def functional_of(func: Any) -> Any:
    """Return the overload that returns what an operator writes to its first argument, or None."""
    packet = getattr(torch.ops.aten, base_name(func).removesuffix("_"), None)
    if packet is None:
        return None
    wanted = _signature(func)
    for name in (func._overloadname, *packet.overloads()):
        candidate = getattr(packet, name, None)
        if candidate is not None and _signature(candidate) == wanted:
            return candidate
    return None


def _signature(func: Any) -> dict[str, str]:
    return {argument.name: str(argument.type) for argument in func._schema.arguments}


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


VIEWS = _names("""
    alias as_strided detach diagonal expand lift_fresh permute _reshape_alias select slice split
    split_with_sizes squeeze t transpose unbind unfold _unsafe_view unsqueeze view view_as_real
    view_as_complex _conj _neg_view real imag movedim
""")

LINEAR = _names("""
    clone _to_copy contiguous neg _conj_physical conj_physical flip roll repeat rot90 diag_embed
    pixel_shuffle pixel_unshuffle tril triu trace
    index.Tensor index_select gather masked_select embedding embedding_dense_backward take
    sum mean cumsum reflection_pad1d reflection_pad2d replication_pad1d
    replication_pad2d avg_pool1d avg_pool2d avg_pool3d _adaptive_avg_pool2d upsample_nearest1d
    _upsample_nearest_exact1d upsample_nearest2d _upsample_nearest_exact2d upsample_linear1d
    upsample_bilinear2d diagonal_backward select_backward slice_backward unfold_backward
    avg_pool2d_backward _adaptive_avg_pool2d_backward repeat_interleave
    _fft_r2c _fft_c2c _fft_c2r im2col col2im max_unpool2d max_unpool3d
    alias_copy as_strided_copy detach_copy diagonal_copy expand_copy lift_fresh_copy permute_copy
    _reshape_alias_copy select_copy slice_copy split_copy split_with_sizes_copy squeeze_copy t_copy
    transpose_copy unbind_copy unfold_copy unsqueeze_copy view_copy view_as_real_copy
    view_as_complex_copy _conj_copy _neg_view_copy
""")
"""Operators that are linear in their first argument, and depend on no other tangent."""

JOINTLY_LINEAR: dict[str, tuple[int, ...]] = {
    "cat": (0,),
    "stack": (0,),
    "lerp.Scalar": (0, 1),
    "index_add": (0, 3),
    "index_copy": (0, 3),
    "index_put": (0, 2),
    "scatter.src": (0, 3),
    "scatter_add": (0, 3),
    "slice_scatter": (0, 1),
    "select_scatter": (0, 1),
    "diagonal_scatter": (0, 1),
    "as_strided_scatter": (0, 1),
    "complex": (0, 1),
}
"""Operators that are linear in several arguments together."""

BILINEAR = _names("mm bmm mv dot vdot outer")
"""Operators that are linear in each of their two arguments."""

ZERO = _names("sign floor ceil trunc round bernoulli poisson")
"""Operators whose derivative is zero."""

CONSTANT = _names("""
    argmax argmin argsort all any isnan isinf isfinite isneginf
    isposinf logical_not logical_and logical_or logical_xor eq ne ge gt le lt count_nonzero nonzero
    multinomial bitwise_not bitwise_and bitwise_or bitwise_xor empty_like full_like ones_like
    zeros_like rand_like randn_like randint_like new_empty new_empty_strided new_full new_ones
    new_zeros signbit bucketize searchsorted floor_divide histc bincount is_same_size
    _local_scalar_dense equal is_nonzero
""")
"""Operators without a derivative."""

ELEMENT_WISE = _names("""
    abs acos acosh addcdiv addcmul angle asin asinh atan atan2 atanh
    celu clamp clamp_max clamp_min copysign cos cosh deg2rad digamma div elu erf erfc erfinv exp exp2
    expm1 fmod gelu gelu_backward hardshrink hardsigmoid hardsigmoid_backward hardswish
    hardtanh hypot igamma leaky_relu lerp lgamma log log10 log1p log2 logaddexp logaddexp2 logit
    maximum minimum mish nan_to_num pow rad2deg reciprocal relu remainder rsqrt sigmoid
    sigmoid_backward silu silu_backward sin sinc sinh softplus softshrink special_entr
    special_erfcx special_i0e special_i1 special_i1e special_log_ndtr special_ndtri sqrt tan tanh
    tanh_backward threshold threshold_backward xlogy special_xlog1py i0 polygamma igammac
""")
"""Differentiable operators each of whose results depends on the elements at its place only."""

POINT_WISE = ELEMENT_WISE | _names("""
    add sub mul rsub neg sign sgn floor ceil trunc round where masked_fill isnan isinf isfinite
    isneginf isposinf logical_not logical_and logical_or logical_xor eq ne ge gt le lt bitwise_not
    bitwise_and bitwise_or bitwise_xor signbit floor_divide square frac frexp positive heaviside
    _prelu_kernel _prelu_kernel_backward hardswish_backward hardtanh_backward leaky_relu_backward mish_backward
    softplus_backward softshrink_backward hardshrink_backward elu_backward log_sigmoid_backward
    conj_physical complex polar nextafter ldexp gcd lcm bitwise_left_shift bitwise_right_shift clip
    __lshift__ __rshift__ special_zeta special_i0 special_psi arctan2 float_power
    special_airy_ai special_bessel_j0 special_bessel_j1 special_bessel_y0 special_bessel_y1
    special_modified_bessel_i0 special_modified_bessel_i1 special_modified_bessel_k0
    special_modified_bessel_k1 special_scaled_modified_bessel_k0 special_scaled_modified_bessel_k1
    special_spherical_bessel_j0 special_chebyshev_polynomial_t special_chebyshev_polynomial_u
    special_chebyshev_polynomial_v special_chebyshev_polynomial_w special_hermite_polynomial_h
    special_hermite_polynomial_he special_laguerre_polynomial_l special_legendre_polynomial_p
    special_shifted_chebyshev_polynomial_t special_shifted_chebyshev_polynomial_u
    special_shifted_chebyshev_polynomial_v special_shifted_chebyshev_polynomial_w
""")
"""Operators each of whose results depends on the elements at its place only."""
