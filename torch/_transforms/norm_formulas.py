"""Forward derivatives of the normalisations.

All standardise: z = (x - mean) * rstd over some dimensions, with mean and 1 / standard deviation
taken from x. So the tangent of z is rstd * (x' - mean(x') - z * mean(z * x')), and that of rstd is
-rstd**2 * mean(z * x').
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

Tensor = torch.Tensor


def _standardized(
    x: Tensor, tangent: Any, mean: Any, rstd: Tensor, dims: list[int]
) -> tuple[Tensor, Any, Any, Any]:
    """Return z, and the tangents of z, mean and rstd; a mean of None is not subtracted."""
    if x.requires_grad:  # the operator's own mean and rstd have no graph
        eps = rstd.detach() ** -2
        centre = x if mean is None else x - x.mean(dims, True)
        mean = None if mean is None else x.mean(dims, True)
        variance = (centre * centre).mean(dims, True)
        rstd = torch.rsqrt(variance + (eps - variance.detach()))
    z = (x if mean is None else x - mean) * rstd
    if tangent is None:
        return z, None, None, None
    along = (z * tangent).mean(dims, True)
    moved = tangent - z * along
    mean_tangent = None
    if mean is not None:
        mean_tangent = tangent.mean(dims, True)
        moved = moved - mean_tangent
    return z, rstd * moved, mean_tangent, -(rstd * rstd * along)


def _affine(z: Tensor, zt: Any, weight: Any, wt: Any, bt: Any, dtype: torch.dtype) -> Any:
    """Return the tangent of z * weight + bias, which may be computed with more precision."""
    terms = [
        zt if zt is None or weight is None else zt * weight,
        None if wt is None else z * wt,
        bt,
    ]
    total = None
    for term in terms:
        if term is not None:
            total = term if total is None else total + term
    return None if total is None else total.expand(z.shape).to(dtype)


def _reshaped(value: Any, *shape: int) -> Any:
    return None if value is None else value.reshape(shape)


def layer_norm(func: Any, p: list[Any], t: list[Any], k: dict[str, Any]) -> tuple[Any, Any]:
    """native_layer_norm(input, normalized_shape, weight, bias, eps)."""
    out, mean, rstd = func(*p, **k)
    dims = list(range(-len(p[1]), 0))
    z, zt, mt, rt = _standardized(p[0], t[0], mean, rstd, dims)
    return (out, mean, rstd), [_affine(z, zt, p[2], t[2], t[3], out.dtype), mt, rt]


def rms_norm(func: Any, p: list[Any], t: list[Any], k: dict[str, Any]) -> tuple[Any, Any]:
    """_fused_rms_norm(input, normalized_shape, weight, eps)."""
    out, rstd = func(*p, **k)
    z, zt, _, rt = _standardized(p[0], t[0], None, rstd, list(range(-len(p[1]), 0)))
    return (out, rstd), [_affine(z, zt, p[2], t[2], None, out.dtype), rt]


def group_norm(func: Any, p: list[Any], t: list[Any], k: dict[str, Any]) -> tuple[Any, Any]:
    """native_group_norm(input, weight, bias, N, C, HxW, group, eps)."""
    out, mean, rstd = func(*p, **k)
    n, channels, places, groups = p[3:7]
    shape = (n, groups, channels // groups * places)
    z, zt, mt, rt = _standardized(
        p[0].reshape(shape), _reshaped(t[0], *shape), mean.unsqueeze(2), rstd.unsqueeze(2), [2]
    )
    shape = (n, channels, places)
    affine = [_reshaped(value, 1, channels, 1) for value in (p[1], t[1], t[2])]
    tangent = _affine(z.reshape(shape), _reshaped(zt, *shape), *affine, out.dtype)
    return (out, mean, rstd), [
        _reshaped(tangent, *p[0].shape),
        _reshaped(mt, n, groups),
        _reshaped(rt, n, groups),
    ]


def _batch_norm(places: tuple[int | None, int | None, int | None, int]) -> Callable[..., Any]:
    """Make the formula, given the positions of running_mean, running_var, training and eps."""
    mean_place, var_place, training_place, eps_place = places

    def formula(func: Any, p: list[Any], t: list[Any], k: dict[str, Any]) -> tuple[Any, Any]:
        statistics = [t[place] for place in (mean_place, var_place) if place is not None]
        if any(tangent is not None for tangent in statistics) and any(
            tangent is not None for tangent in t[:3]
        ):
            raise RuntimeError(
                "batch_norm is not differentiable wrt running_mean and running_var, they cannot "
                "have forward grad defined"
            )
        out, mean, rstd = func(*p, **k)
        x = p[0]
        dims = [0, *range(2, x.dim())]
        shape = (1, -1, *[1] * (x.dim() - 2))
        training = training_place is None or p[training_place]
        if mean_place is None or var_place is None:
            training = True
        affine = [_reshaped(value, *shape) for value in (p[1], t[1], t[2])]
        if training:
            z, zt, mt, rt = _standardized(x, t[0], mean.reshape(shape), rstd.reshape(shape), dims)
            tangents = [_reshaped(mt, -1), _reshaped(rt, -1)]
        else:
            assert mean_place is not None
            assert var_place is not None
            scale = torch.rsqrt(p[var_place] + p[eps_place]).reshape(shape)
            z = (x - p[mean_place].reshape(shape)) * scale
            zt, tangents = None if t[0] is None else t[0] * scale, [None, None]
        return (out, mean, rstd), [_affine(z, zt, *affine, out.dtype), *tangents]

    return formula


NORM_FORMULAS: dict[str, Callable[..., Any]] = {
    "native_layer_norm": layer_norm,
    "_fused_rms_norm": rms_norm,
    "native_group_norm": group_norm,
    "native_batch_norm": _batch_norm((3, 4, 5, 7)),
    "_native_batch_norm_legit": _batch_norm((3, 4, 5, 7)),
    "_native_batch_norm_legit.no_stats": _batch_norm((None, None, 3, 5)),
}
