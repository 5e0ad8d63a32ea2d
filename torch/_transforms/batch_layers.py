"""Batching rules of layers and losses: convolutions, pooling, normalisations, attention."""

from __future__ import annotations

from typing import Any

import torch
from torch._transforms.batch_calls import aligned, by_decomposition, loop, point_wise
from torch._transforms.batched import BatchedTensor, Rule, VmapLevel
from torch._transforms.levels import map_tensors

Tensor = torch.Tensor
aten = torch.ops.aten


# ---- layers over images: the mapped dimension joins the batch -----------------------------------


def images(dims: int) -> Rule:
    """Make the rule of an operator on (N, C, ...) or (C, ...) with `dims` further dimensions."""

    def rule(level: VmapLevel, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        has_batch = args[0].dim() == dims + 2
        count = args[0].shape[0] if has_batch else 0

        def flat(t: Tensor) -> Tensor:
            value = level.batched(t)
            return value.flatten(0, 1) if has_batch else value

        result = func(*map_tensors(flat, args), **kwargs)
        return level.wrap(
            map_tensors(lambda t: t.reshape(level.size, count, *t.shape[1:]), result)
            if has_batch
            else result
        )

    return rule


def resized(level: VmapLevel, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call the backward of upsampling, which takes the input's sizes."""
    grad = level.unwrapped(args[0])
    n = args[0].shape[0]
    sizes = [level.size * n, *args[2][1:]]
    result = func(grad.flatten(0, 1), args[1], sizes, *args[3:], **kwargs)
    return level.wrap(result.reshape(level.size, n, *result.shape[1:]))


def _groups_of(level: VmapLevel, t: Tensor, dim: int) -> Tensor:
    """Join the mapped dimension with dimension `dim` of an element."""
    return level.batched(t).movedim(0, dim).flatten(dim, dim + 1)


def _split_groups(level: VmapLevel, t: Tensor, dim: int) -> Tensor:
    return t.unflatten(dim, (level.size, t.shape[dim] // level.size)).movedim(dim, 0)


def convolution(level: VmapLevel, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Convolve: batched weights become groups, else the mapped dimension joins the batch."""
    x, weight, bias = args[:3]
    if not level.owns(weight) and not level.owns(bias):
        value = level.unwrapped(x)
        result = func(value.flatten(0, 1), weight, bias, *args[3:])
        return level.wrap(result.reshape(level.size, x.shape[0], *result.shape[1:]))
    groups = level.size * args[8]
    result = func(
        _groups_of(level, x, 1),
        _groups_of(level, weight, 0),
        None if bias is None else _groups_of(level, bias, 0),
        *args[3:8],
        groups,
    )
    return level.wrap(_split_groups(level, result, 1))


def convolution_backward(
    level: VmapLevel, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """Compute the gradients of a convolution, those of the weight with groups."""
    grad, x, weight, bias_sizes = args[:4]
    settings, groups, mask = args[4:9], args[9], args[10]
    if not level.owns(weight) and not mask[1] and not mask[2]:
        flat = [level.batched(t).flatten(0, 1) for t in (grad, x)]
        found = func(*flat, weight, bias_sizes, *settings, groups, mask)[0]
        return (level.wrap(found.reshape(level.size, x.shape[0], *found.shape[1:])), None, None)
    sizes = None if bias_sizes is None else [level.size * bias_sizes[0]]
    joined = [_groups_of(level, t, d) for t, d in ((grad, 1), (x, 1), (weight, 0))]
    found = func(*joined, sizes, *settings, level.size * groups, mask)
    return tuple(
        None if not wanted else level.wrap(_split_groups(level, t, d))
        for t, d, wanted in zip(found, (1, 0, 0), mask, strict=True)
    )


# ---- normalisation ------------------------------------------------------------------------------


def _wide(value: Any, rank: int) -> Any:
    """Reshape values of channels to broadcast with (N, C, ...)."""
    return None if value is None else value.reshape(1, -1, *[1] * (rank - 2))


def _scaled(z: Tensor, weight: Any, bias: Any) -> Tensor:
    if weight is not None:
        z = z * weight
    return z if bias is None else z + bias


def _standardized(x: Tensor, dims: list[int], eps: float) -> tuple[Tensor, Tensor, Tensor]:
    mean = x.mean(dims, True)
    centred = x - mean
    rstd = torch.rsqrt((centred * centred).mean(dims, True) + eps)
    return centred * rstd, mean, rstd


def _standardized_backward(grad: Tensor, z: Tensor, rstd: Tensor, dims: list[int]) -> Tensor:
    return rstd * (grad - grad.mean(dims, True) - z * (grad * z).mean(dims, True))


def _summed(t: Tensor, dims: list[int]) -> Tensor:
    return t.sum(dims) if dims else t


def _layer_norm(x: Any, shape: Any, weight: Any, bias: Any, eps: float) -> Any:
    z, mean, rstd = _standardized(x, list(range(-len(shape), 0)), eps)
    return _scaled(z, weight, bias), mean, rstd


def _layer_norm_backward(
    grad: Any, x: Any, shape: Any, mean: Any, rstd: Any, weight: Any, bias: Any, mask: Any
) -> Any:
    dims = list(range(-len(shape), 0))
    outer = list(range(x.dim() - len(shape)))
    z = (x - mean) * rstd
    g = grad if weight is None else grad * weight
    return (
        _standardized_backward(g, z, rstd, dims) if mask[0] else None,
        _summed(grad * z, outer) if mask[1] else None,
        _summed(grad, outer) if mask[2] else None,
    )


def _rms_norm(x: Any, shape: Any, weight: Any, eps: Any) -> Any:
    dims = list(range(-len(shape), 0))
    eps = torch.finfo(x.dtype).eps if eps is None else eps
    rstd = torch.rsqrt((x * x).mean(dims, True) + eps)
    return _scaled(x * rstd, weight, None), rstd


def _rms_norm_backward(grad: Any, x: Any, shape: Any, rstd: Any, weight: Any, mask: Any) -> Any:
    dims = list(range(-len(shape), 0))
    outer = list(range(x.dim() - len(shape)))
    z = x * rstd
    g = grad if weight is None else grad * weight
    return (
        rstd * (g - z * (g * z).mean(dims, True)) if mask[0] else None,
        _summed(grad * z, outer) if mask[1] else None,
    )


def _group_norm(
    x: Any, weight: Any, bias: Any, n: int, c: int, hw: int, group: int, eps: float
) -> Any:
    z, mean, rstd = _standardized(x.reshape(n, group, c // group * hw), [2], eps)
    out = _scaled(z.reshape(x.shape), _wide(weight, x.dim()), _wide(bias, x.dim()))
    return out, mean.reshape(n, group), rstd.reshape(n, group)


def _group_norm_backward(
    grad: Any, x: Any, mean: Any, rstd: Any, weight: Any, n: int, c: int, hw: int, group: int,
    mask: Any,
) -> Any:  # fmt: skip
    shape = (n, group, c // group * hw)
    rstd = rstd.reshape(n, group, 1)
    z = (x.reshape(shape) - mean.reshape(n, group, 1)) * rstd
    g = grad if weight is None else grad * _wide(weight, x.dim())
    by_channel, z_channel = grad.reshape(n, c, hw), z.reshape(n, c, hw)
    of_input = _standardized_backward(g.reshape(shape), z, rstd, [2]).reshape(x.shape)
    return (
        of_input if mask[0] else None,
        (by_channel * z_channel).sum([0, 2]) if mask[1] else None,
        by_channel.sum([0, 2]) if mask[2] else None,
    )


def _batch_norm(
    x: Any, weight: Any, bias: Any, running_mean: Any, running_var: Any, training: bool,
    momentum: float, eps: float,
) -> Any:  # fmt: skip
    dims = [0, *range(2, x.dim())]
    if training:
        z, mean, rstd = _standardized(x, dims, eps)
        mean, rstd = mean.reshape(-1), rstd.reshape(-1)
        if running_mean is not None:
            _update(running_mean, mean, momentum)
            count = x.numel() // x.size(1)
            variance = (rstd.pow(-2) - eps) * (count / max(count - 1, 1))
            _update(running_var, variance, momentum)
    else:
        rstd = torch.rsqrt(running_var + eps)
        z = (x - _wide(running_mean, x.dim())) * _wide(rstd, x.dim())
        mean, rstd = x.new_zeros(0), x.new_zeros(0)
    return _scaled(z, _wide(weight, x.dim()), _wide(bias, x.dim())), mean, rstd


def _update(running: Any, value: Any, momentum: float) -> None:
    if isinstance(value, BatchedTensor) and not isinstance(running, BatchedTensor):
        raise RuntimeError(
            "Batch norm got a batched tensor as input while the running_mean or running_var, which "
            "will be updated in place, were not batched.\nIf you are using a module and do not "
            "need eval mode, please set `track_running_stats` to be False.If you are using a "
            "prebuilt module and do not need eval mode, please see the functorch website for "
            "resources on how to patch your module to work with vmap"
        )
    with torch.no_grad():
        running.mul_(1 - momentum).add_(value.detach(), alpha=momentum)


def _batch_norm_backward(
    grad: Any, x: Any, weight: Any, running_mean: Any, running_var: Any, mean: Any, rstd: Any,
    training: bool, eps: float, mask: Any,
) -> Any:  # fmt: skip
    dims = [0, *range(2, x.dim())]
    if not training:
        mean, rstd = running_mean, torch.rsqrt(running_var + eps)
    rstd = _wide(rstd, x.dim())
    z = (x - _wide(mean, x.dim())) * rstd
    g = grad if weight is None else grad * _wide(weight, x.dim())
    of_input = _standardized_backward(g, z, rstd, dims) if training else g * rstd
    return (
        of_input if mask[0] else None,
        (grad * z).sum(dims) if mask[1] else None,
        grad.sum(dims) if mask[2] else None,
    )


# ---- losses -------------------------------------------------------------------------------------


def _reduced(level: VmapLevel, values: Tensor, reduction: int) -> Tensor:
    if reduction == 0:
        return values
    flat = values.reshape(level.size, -1)
    return flat.mean(1) if reduction == 1 else flat.sum(1)


def loss(place: int) -> Rule:
    """Make the rule of an element-wise loss whose argument `place` is the reduction."""

    def rule(level: VmapLevel, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        given = list(args)
        reduction = kwargs.pop("reduction", given[place] if len(given) > place else 1)
        given = given[:place] + [None] * (place - len(given)) + [0] + given[place + 1 :]
        values = func(*aligned(level, given), **kwargs)
        return level.wrap(_reduced(level, values, reduction))

    return rule


def loss_backward(place: int) -> Rule:
    """Make the rule of the backward of an element-wise loss."""

    def rule(level: VmapLevel, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        given = list(args)
        reduction = given[place] if len(given) > place else kwargs.pop("reduction", 1)
        given = given[:place] + [None] * (place - len(given)) + [0, *given[place + 1 :]]
        if reduction == 1:
            given[0] = given[0] / given[1].numel()
        shape = torch.broadcast_shapes(*(t.shape for t in given[1:] if isinstance(t, Tensor)))
        given[0] = given[0].expand(shape)
        given[1:] = level.fresh(given[1:])
        return level.wrap(func(*aligned(level, given), **kwargs))

    return rule


def _weights_at(weight: Any, places: Any) -> Any:
    return weight.index_select(0, places.reshape(-1)).reshape(places.shape)


def _nll(x: Any, target: Any, weight: Any, reduction: int, ignore_index: int) -> Any:
    dim = 1 if x.dim() > 1 else 0
    known = target != ignore_index
    places = torch.where(known, target, torch.zeros_like(target)).unsqueeze(dim)
    scale = known.to(x.dtype)
    if weight is not None:
        scale = scale * _weights_at(weight, places.squeeze(dim))
    values = -x.gather(dim, places).squeeze(dim) * scale
    total = scale.sum()
    if reduction == 0:
        return values, x.new_zeros(())
    return values.sum() / total if reduction == 1 else values.sum(), total


def _nll_backward(
    grad: Any, x: Any, target: Any, weight: Any, reduction: int, ignore_index: int, total: Any
) -> Any:
    dim = 1 if x.dim() > 1 else 0
    known = target != ignore_index
    places = torch.where(known, target, torch.zeros_like(target)).unsqueeze(dim)
    scale = known.to(x.dtype)
    if weight is not None:
        scale = scale * _weights_at(weight, places.squeeze(dim))
    if reduction == 1:
        grad = grad / total
    values = -(grad * scale).unsqueeze(dim)
    return torch.zeros_like(x).scatter(dim, places, values)


# ---- attention and embeddings -------------------------------------------------------------------


def attention(level: VmapLevel, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Join the mapped dimension with the batch; tensors are (N, heads, ...)."""
    count = max(t.shape[0] for t in args[:3])

    def flat(t: Tensor) -> Tensor:
        if t.dim() < 3:  # a mask of (L, S)
            t = t.reshape(*[1] * (4 - t.dim()), *t.shape) if level.owns(t) else t
            return t if not level.owns(t) else flat(t)
        value = level.batched(t)
        value = value.expand(level.size, count, *value.shape[2:])
        return value.flatten(0, 1)

    both = map_tensors(flat, (args, kwargs))
    result = func(*both[0], **both[1])
    return level.wrap(map_tensors(lambda t: t.reshape(level.size, count, *t.shape[1:]), result))


def embedding(level: VmapLevel, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Look rows up; the tables of all elements become one, with shifted indices."""
    weight, indices = args[:2]
    if not level.owns(weight):
        return level.wrap(func(weight, level.unwrapped(indices), *args[2:], **kwargs))
    table = level.unwrapped(weight)
    rows = level.batched(indices) + _offsets(level, indices, weight.shape[0])
    return level.wrap(torch.ops.aten.embedding(table.flatten(0, 1), rows))


def _offsets(level: VmapLevel, like: Tensor, step: int) -> Tensor:
    counts = torch.arange(level.size, device=like.device) * step
    return counts.reshape(level.size, *[1] * like.dim())


def embedding_backward(
    level: VmapLevel, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """Add gradients up in one table with the rows of all elements."""
    grad, indices, count, padding, scale = args
    if scale:
        return loop(level, func, args, kwargs)
    values = level.batched(grad)
    if padding >= 0:
        skipped = (level.batched(indices) == padding).unsqueeze(-1)
        values = values.masked_fill(skipped, 0)
    rows = level.batched(indices) + _offsets(level, indices, count)
    found = func(values, rows, level.size * count, -1, False)
    return level.wrap(found.reshape(level.size, count, *found.shape[1:]))


def _each(rule: Rule, names: str) -> dict[str, Rule]:
    return dict.fromkeys(names.split(), rule)


def _least_squares(
    level: VmapLevel, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """Solve all at once; whether the ranks are full is one answer for all."""
    solution, residuals, full = func(*(level.batched(t) for t in args[:2]), args[2])
    return level.wrap(solution), level.wrap(residuals), full


RULES: dict[str, Rule] = {
    **_each(images(1), """avg_pool1d reflection_pad1d reflection_pad1d_backward replication_pad1d
        replication_pad1d_backward upsample_nearest1d _upsample_nearest_exact1d
        upsample_linear1d"""),
    **_each(images(2), """max_pool2d_with_indices max_pool2d_with_indices_backward avg_pool2d
        avg_pool2d_backward _adaptive_avg_pool2d _adaptive_avg_pool2d_backward adaptive_max_pool2d
        adaptive_max_pool2d_backward reflection_pad2d reflection_pad2d_backward replication_pad2d
        replication_pad2d_backward upsample_nearest2d _upsample_nearest_exact2d
        upsample_bilinear2d upsample_bicubic2d _upsample_bilinear2d_aa
        _upsample_bicubic2d_aa grid_sampler_2d"""),
    **_each(images(3), """max_pool3d_with_indices avg_pool3d _adaptive_avg_pool3d adaptive_max_pool3d
        reflection_pad3d replication_pad3d grid_sampler_3d
        upsample_nearest3d upsample_trilinear3d"""),
    **_each(resized, """upsample_nearest1d_backward _upsample_nearest_exact1d_backward
        upsample_linear1d_backward upsample_nearest2d_backward _upsample_nearest_exact2d_backward
        upsample_bilinear2d_backward"""),
    "_linalg_lstsq_by_qr_for_cpu": _least_squares,
    "convolution": convolution,
    "convolution_backward": convolution_backward,
    "native_layer_norm": by_decomposition(_layer_norm),
    "native_layer_norm_backward": by_decomposition(_layer_norm_backward),
    "_fused_rms_norm": by_decomposition(_rms_norm),
    "_fused_rms_norm_backward": by_decomposition(_rms_norm_backward),
    "native_group_norm": by_decomposition(_group_norm),
    "native_group_norm_backward": by_decomposition(_group_norm_backward),
    "_native_batch_norm_legit.no_stats": by_decomposition(
        lambda x, w, b, training, momentum, eps: _batch_norm(
            x, w, b, None, None, training, momentum, eps
        )
    ),
    **_each(by_decomposition(_batch_norm), "native_batch_norm _native_batch_norm_legit"),
    "_native_batch_norm_legit_no_training": by_decomposition(
        lambda x, w, b, mean, var, momentum, eps: _batch_norm(
            x, w, b, mean, var, False, momentum, eps
        )
    ),
    "native_batch_norm_backward": by_decomposition(_batch_norm_backward),
    **_each(loss(2), "mse_loss smooth_l1_loss huber_loss soft_margin_loss"),
    "binary_cross_entropy": loss(3),
    "binary_cross_entropy_with_logits": loss(4),
    **_each(loss_backward(3), """mse_loss_backward smooth_l1_loss_backward huber_loss_backward
        soft_margin_loss_backward"""),
    "binary_cross_entropy_backward": loss_backward(4),
    **_each(by_decomposition(_nll), "nll_loss_forward nll_loss2d_forward"),
    **_each(by_decomposition(_nll_backward), "nll_loss_backward nll_loss2d_backward"),
    **_each(attention, """_scaled_dot_product_flash_attention_for_cpu
        _scaled_dot_product_flash_attention_for_cpu_backward"""),
    "embedding": embedding,
    "embedding_dense_backward": embedding_backward,
    **_each(point_wise, "log_sigmoid_forward native_dropout_backward"),
}  # fmt: skip
"""Rules by operator; a name without overload stands for all overloads that have no own row."""
