"""Batching rules of views, and of reductions and other operators along dimensions."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import _C
from torch._composites import wrapped_axis
from torch._transforms import batch_products
from torch._transforms.batch_calls import point_wise, require_batched_self
from torch._transforms.batched import BatchedTensor, Rule, VmapLevel
from torch._transforms.levels import map_tensors

Tensor = torch.Tensor


def _dim(dim: int, rank: int) -> int:
    """Return the dimension of the batched tensor, given that of an element."""
    return wrapped_axis(dim, rank) + 1


def _shifted(dims: Any, rank: int) -> Any:
    return [_dim(d, rank) for d in dims] if isinstance(dims, (list, tuple)) else _dim(dims, rank)


def _arguments(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments by name, with defaults."""
    found = {}
    for i, argument in enumerate(func._schema.arguments):
        if i < len(args):
            found[argument.name] = args[i]
        elif argument.name in kwargs:
            found[argument.name] = kwargs[argument.name]
        else:
            found[argument.name] = argument.default_value
    return found


# ---- one tensor and dimensions ------------------------------------------------------------------


def along(*names: str, new: int = 0) -> Rule:
    """Make the rule of an operator of one tensor whose arguments `names` are dimensions.

    `new` is the number of dimensions that the operator may count beyond those of its input.
    """

    def rule(level: VmapLevel, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        given = _arguments(func, args, kwargs)
        first = func._schema.arguments[0].name
        value = level.unwrapped(given.pop(first))
        rank = args[0].dim()
        scalar = rank == 0 and not new
        if scalar:
            value = value.unsqueeze(1)
        for name in names:
            given[name] = _shifted(given[name], rank + new)
        result = func(value, **level.unwrapped(given))
        if scalar:
            result = map_tensors(lambda t: t.squeeze(1) if t.dim() > 1 else t, result)
        return level.wrap(result)

    return rule


def reduction(level: VmapLevel, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Reduce along dimensions, or all dimensions of an element."""
    given = _arguments(func, args, kwargs)
    value = level.unwrapped(given.pop("self"))
    rank = args[0].dim()
    if rank == 0:
        value = value.unsqueeze(1)
    dim = given.get("dim")
    if dim is not None and dim != []:
        given["dim"] = _shifted(dim, rank)
    elif _takes_list(func):
        given["dim"] = list(range(1, max(rank, 1) + 1))
    else:
        given["dim"] = 1
        result = func(value.reshape(level.size, -1), **given)
        shape = [1] * rank if given.get("keepdim") else []
        return level.wrap(result.reshape(level.size, *shape))
    result = func(value, **given)
    if rank == 0:
        result = map_tensors(lambda t: t.reshape(level.size), result)
    return level.wrap(result)


def _takes_list(func: Any) -> bool:
    return any(a.name == "dim" and "[" in str(a.type) for a in func._schema.arguments)


def whole(name: str, *, first: bool = False) -> Rule:
    """Make the rule of a reduction of all elements, given the overload along a dimension."""

    def rule(level: VmapLevel, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        packet, _, overload = name.partition(".")
        along_dim = getattr(getattr(torch.ops.aten, packet), overload or "default")
        value = level.unwrapped(args[0]).reshape(level.size, -1)
        dim = [1] if _takes_list(along_dim) else 1
        result = along_dim(value, *args[1:], dim, **kwargs)
        return level.wrap(result[0] if first else result)

    return rule


def _roll(level: VmapLevel, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    value = level.unwrapped(args[0])
    if len(args) > 2 and args[2]:
        return level.wrap(func(value, args[1], _shifted(list(args[2]), args[0].dim())))
    return level.wrap(func(value.reshape(level.size, -1), args[1], [1]).reshape(value.shape))


def backward_along(
    level: VmapLevel, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """Call the backward of an operator along a dimension: (grad, tensor, dim, ...)."""
    first, second = level.batched(args[0]), level.batched(args[1])
    if args[1].dim() == 0:
        first, second = first.unsqueeze(1), second.unsqueeze(1)
    result = func(first, second, _dim(args[2], args[1].dim()), *args[3:], **kwargs)
    return level.wrap(result.squeeze(1) if args[1].dim() == 0 else result)


def unary(level: VmapLevel, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call the operator, which treats leading dimensions all alike."""
    result = func(*level.unwrapped(args), **level.unwrapped(kwargs))
    return args[0] if func._schema.is_mutable else level.wrap(result)


_CHANNELS_LAST = {torch.channels_last: 4, torch.channels_last_3d: 5}


def in_format(level: VmapLevel, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call an operator of one tensor whose memory format is that of an element.

    The tensor with the mapped dimension has one dimension more than the formats are for: its
    channels are moved to the end instead. PyTorch refuses these formats.
    """
    form = kwargs.get("memory_format")
    rank = _CHANNELS_LAST.get(form)
    if rank is None:
        return unary(level, func, args, kwargs)
    if args[0].dim() != rank:
        name = str(form).removeprefix("torch.")
        raise RuntimeError(f"required rank {rank} tensor to use {name} format")
    others = {**kwargs, "memory_format": torch.contiguous_format}
    value = level.unwrapped(args[0]).movedim(2, -1)
    return level.wrap(func(value, *args[1:], **others).movedim(-1, 2))


def leading(level: VmapLevel, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call an operator that takes batches, on tensors that all have the mapped dimension."""
    both = map_tensors(level.batched, (args, kwargs))
    return level.wrap(func(*both[0], **both[1]))


def broadcast(level: VmapLevel, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call an operator of matrices whose batches broadcast."""
    rank = max(a.dim() for a in args if isinstance(a, Tensor))

    def wide(t: Tensor) -> Tensor:
        return level.batched(t).reshape(level.size, *[1] * (rank - t.dim()), *t.shape)

    both = map_tensors(wide, (args, kwargs))
    return level.wrap(func(*both[0], **both[1]))


def _cross(level: VmapLevel, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call an operator of two tensors of the same rank along a dimension."""
    both = map_tensors(level.batched, args)
    return level.wrap(func(*both, dim=_dim(kwargs.get("dim", -1), args[0].dim())))


# ---- views and shapes ---------------------------------------------------------------------------


def _sizes(level: VmapLevel, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """view, reshape, new_zeros and the like: sizes of all elements together."""
    size = [level.size, *args[1]]
    return level.wrap(func(level.unwrapped(args[0]), size, *args[2:], **kwargs))


def _view(level: VmapLevel, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    value, size = level.unwrapped(args[0]), list(args[1])
    if -1 in size:
        known = 1
        for each in size:
            known *= 1 if each == -1 else each
        size[size.index(-1)] = args[0].numel() // max(known, 1)
    full = [level.size, *size]
    try:
        return level.wrap(func(value, full, *args[2:], **kwargs))
    except RuntimeError:
        # The element is contiguous but the batch is not.
        return level.wrap(value.reshape(full))


def _reshape_alias(
    level: VmapLevel, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    return level.wrap(level.unwrapped(args[0]).reshape([level.size, *args[1]]))


def _expand(level: VmapLevel, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    value, size = level.unwrapped(args[0]), list(args[1])
    missing = len(size) - args[0].dim()
    value = value.reshape(level.size, *[1] * missing, *args[0].shape) if missing else value
    return level.wrap(func(value, [level.size, *size], **kwargs))


def _repeat(level: VmapLevel, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    value, repeats = level.unwrapped(args[0]), list(args[1])
    missing = len(repeats) - args[0].dim()
    value = value.reshape(level.size, *[1] * missing, *args[0].shape) if missing else value
    return level.wrap(func(value, [1, *repeats]))


def _permute(level: VmapLevel, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    dims = [_dim(d, args[0].dim()) for d in args[1]]
    return level.wrap(func(level.unwrapped(args[0]), [0, *dims]))


def _t(level: VmapLevel, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    value = level.unwrapped(args[0])
    if value.dim() > 3:
        raise RuntimeError(
            f"t() expects a tensor with <= 2 dimensions, but self is {value.dim() - 1}D"
        )
    return level.wrap(
        value.transpose(1, 2) if value.dim() == 3 else torch.ops.aten.alias.default(value)
    )


def _transpose(level: VmapLevel, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    value, rank = level.unwrapped(args[0]), args[0].dim()
    dims = [_dim(d, rank) for d in args[1:3]]  # of no dimensions, 0 and -1 are allowed
    if rank == 0:
        return level.wrap(torch.ops.aten.alias(value))
    return level.wrap(func(value, *dims))


def _squeeze(level: VmapLevel, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    dims = [i + 1 for i, size in enumerate(args[0].shape) if size == 1]
    value = level.unwrapped(args[0])
    return level.wrap(value.squeeze(dims) if dims else torch.ops.aten.alias(value))


def _as_strided(level: VmapLevel, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    value, size, stride = level.unwrapped(args[0]), args[1], args[2]
    offset = args[3] if len(args) > 3 else kwargs.get("storage_offset")
    if len(size) != len(stride):
        raise RuntimeError(
            "Tensor.as_strided(size, stride, ...): size and stride must have the same length! Got "
            f"size {list(size)} and stride {list(stride)}"
        )
    _check_reach(value, size, stride, value.storage_offset() if offset is None else offset)
    strides = [value.stride(0), *stride]
    return level.wrap(func(value, [level.size, *size], strides, offset))


def _extent(sizes: Any, strides: Any) -> int:
    """Return the number of places in memory from the first element to the last."""
    if 0 in sizes:
        return 0
    return 1 + sum((size - 1) * step for size, step in zip(sizes, strides, strict=True))


def _check_reach(value: Tensor, size: Any, stride: Any, offset: int) -> None:
    """Raise an error if a view of an element would have places of other elements."""
    reach, start = _extent(size, stride), value.storage_offset()
    end = start + _extent(value.shape[1:], value.stride()[1:])
    if reach and not start <= offset <= offset + reach <= end:
        raise RuntimeError(
            f"result = tensor.as_strided({list(size)}, {list(stride)}, {offset}) can access memory "
            f"outside of `tensor`. `result` can access some memory in range [{offset}, "
            f"{offset + reach}], but `tensor` can only access some memory in range [{start}, {end}]. "
            "This is not supported inside of vmap, please try to rewrite the `as_strided` call as a "
            "sequence of PyTorch view operations"
        )


def _new_empty_strided(
    level: VmapLevel, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    sizes, strides = args[1:3]
    extent = _extent(sizes, strides)
    value = level.unwrapped(args[0])
    return level.wrap(func(value, [level.size, *sizes], [extent, *strides], *args[3:], **kwargs))


def _slice_backward(dim_at: int) -> Rule:
    """Make the rule of the backward of a view, which takes the input's sizes and a dimension."""

    def rule(level: VmapLevel, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        rank = len(args[1])
        rest = list(args[2:])
        for i in range(dim_at):
            place = -1 - i if func.name() == "aten::diagonal_backward" else i
            rest[place] = _dim(rest[place], rank)
        return level.wrap(func(level.unwrapped(args[0]), [level.size, *args[1]], *rest))

    return rule


def _joined(level: VmapLevel, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Cat and stack."""
    given = _arguments(func, args, kwargs)
    tensors = given["tensors"]
    rank = max(t.dim() for t in tensors) + (func.name() == "aten::stack")
    kept = tensors
    if func.name() == "aten::cat":  # empty vectors are skipped
        kept = [t for t in tensors if t.dim() == rank or t.numel()]
    return level.wrap(func([level.batched(t) for t in kept], _dim(given["dim"], rank)))


def _resize(level: VmapLevel, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Keep the first elements of each tensor; those that are added are not initialized."""
    require_batched_self(level, func, args)
    flat = level.unwrapped(args[0]).reshape(level.size, -1)
    count = math.prod(args[1])
    if count > flat.size(1):
        flat = torch.cat([flat, flat.new_empty(level.size, count - flat.size(1))], 1)
    args[0]._value = flat[:, :count].reshape(level.size, *args[1])
    _C._set_geometry_of(args[0], BatchedTensor.make(level, args[0]._value))
    return args[0]


def _columns(level: VmapLevel, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """im2col of (N, C, H, W) or (C, H, W): the mapped dimension joins the batch."""
    value = level.unwrapped(args[0])
    result = func(value.flatten(0, -4), *args[1:], **kwargs)
    return level.wrap(result.reshape(*value.shape[:-3], *result.shape[1:]))


# ---- copies of views, and copies with a view replaced --------------------------------------------


def _view_copy(level: VmapLevel, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Copy what the view's rule returns."""
    root, _, overload = func.name()[6:].partition(".")
    root = root.replace("_copy", "", 1)
    view = getattr(getattr(torch.ops.aten, root), overload or "default")
    rule = RULES.get(f"{root}.{overload}", RULES.get(root))
    result = rule(level, view, args, kwargs)  # type: ignore[misc]
    return map_tensors(lambda t: t.clone(memory_format=torch.contiguous_format), result)


def _scatter(*names: str) -> Rule:
    """Make the rule of an operator that replaces a view, whose arguments `names` are dimensions."""

    def rule(level: VmapLevel, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        given = _arguments(func, args, kwargs)
        value, part = level.batched(given.pop("self")), level.batched(given.pop("src"))
        for name in names:
            given[name] = _dim(given[name], args[0].dim())
        return level.wrap(func(value, part, **given))

    return rule


def _as_strided_scatter(
    level: VmapLevel, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    given = _arguments(func, args, kwargs)
    result = level.wrap(level.batched(given["self"]).clone())
    place = result.as_strided(given["size"], given["stride"], given["storage_offset"])
    place.copy_(given["src"])
    return result


# ---- values and choices -------------------------------------------------------------------------


def _copy(level: VmapLevel, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if not level.owns(args[1]) and func.name() == "aten::fill_":
        level.unwrapped(args[0]).fill_(args[1])
        return args[0]
    return point_wise(level, torch.ops.aten.copy_.default, args[:2], {})


def _choice(level: VmapLevel, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    each = map_tensors(lambda t: t._value[0] if level.owns(t) else t, (args, kwargs))
    return func(*each[0], **each[1])


_DYNAMIC = "vmap: We do not support batching operators that can output dynamic shape. "
_ISSUE = (
    "Please file an issue at https://github.com/pytorch/pytorch/issues if you need this feature."
)


def _number(level: VmapLevel, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    raise RuntimeError(
        "vmap: It looks like you're calling .item() on a Tensor. We don't support vmap over calling "
        ".item() on a Tensor, please try to rewrite what you're doing with other operations. If "
        "error is occurring somewhere inside PyTorch internals, please file a bug report."
    )


def _compared(level: VmapLevel, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    raise RuntimeError(
        f"Batching rule not implemented for {func.name()}. We could not generate a fallback."
    )


def _selected(level: VmapLevel, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    raise RuntimeError(
        "vmap: Attempted to vmap over `mask` in torch.masked_select(self, mask) We cannot support "
        f"this because for each batch this would return a differently shaped Tensor. {_ISSUE}"
    )


def _dynamic(level: VmapLevel, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    raise RuntimeError(f"{_DYNAMIC}Attempted to vmap over {func.name()}. {_ISSUE}")


def _each(rule: Rule, names: str) -> dict[str, Rule]:
    return dict.fromkeys(names.split(), rule)


RULES: dict[str, Rule] = {
    **_each(
        unary,
        """alias detach lift_fresh view.dtype view_as_real view_as_complex _conj _neg_view
        _conj_physical resolve_conj resolve_neg zero_ fill_.Scalar fill.Scalar tril triu
        pixel_shuffle pixel_unshuffle is_same_size real imag constant_pad_nd""",
    ),
    **_each(in_format, "clone contiguous _to_copy empty_like zeros_like ones_like full_like"),
    "_cdist_backward": leading,
    "linalg_cross": _cross,
    **_each(
        reduction,
        """sum sum.dim_IntList mean mean.dim amax amin prod.dim_int nansum argmax argmin logsumexp
        var.correction std.correction var_mean.correction std_mean.correction all.dim all.dims
        any.dim any.dims max.dim min.dim median.dim nanmedian.dim kthvalue mode count_nonzero
        linalg_vector_norm norm.ScalarOpt_dim norm.ScalarOpt_dim_dtype""",
    ),
    "sum": whole("sum.dim_IntList"),
    "mean": whole("mean.dim"),
    "prod": whole("prod.dim_int"),
    "max": whole("amax"),
    "min": whole("amin"),
    "all": whole("all.dim"),
    "any": whole("any.dim"),
    "median": whole("median.dim", first=True),
    "nanmedian": whole("nanmedian.dim", first=True),
    **_each(
        along("dim"),
        """select.int slice.Tensor squeeze.dim squeeze.dims unbind.int split.Tensor
        split_with_sizes cumsum cumprod logcumsumexp sort sort.stable topk _softmax
        _log_softmax glu cummax cummin""",
    ),
    **_each(along("dim", new=1), "unsqueeze"),
    **_each(along("dims"), "flip rot90"),
    **_each(along("dim"), "_fft_r2c _fft_c2c _fft_c2r"),
    "roll": _roll,
    "norm.Scalar": whole("norm.ScalarOpt_dim"),
    "norm.ScalarOpt_dtype": whole("norm.ScalarOpt_dim_dtype"),
    **_each(backward_along, "_softmax_backward_data _log_softmax_backward_data glu_backward"),
    **_each(along("dim1", "dim2"), "diagonal"),
    **_each(along("dimension"), "unfold"),
    "diag_embed": along("dim1", "dim2", new=1),
    **_each(_view, "view _unsafe_view view_copy"),
    "_reshape_alias": _reshape_alias,
    **_each(_sizes, "new_zeros new_ones new_empty new_full"),
    "expand": _expand,
    "repeat": _repeat,
    "permute": _permute,
    "t": _t,
    "transpose.int": _transpose,
    "squeeze": _squeeze,
    "as_strided": _as_strided,
    **_each(
        _view_copy,
        """alias_copy as_strided_copy detach_copy diagonal_copy expand_copy lift_fresh_copy
        permute_copy select_copy slice_copy split_copy split_with_sizes_copy squeeze_copy t_copy
        transpose_copy unbind_copy unfold_copy unsqueeze_copy view_copy.dtype view_as_real_copy
        view_as_complex_copy _conj_copy _neg_view_copy""",
    ),
    **_each(_scatter("dim"), "slice_scatter select_scatter"),
    "diagonal_scatter": _scatter("dim1", "dim2"),
    "as_strided_scatter": _as_strided_scatter,
    "new_empty_strided": _new_empty_strided,
    "unfold_backward": _slice_backward(1),
    "select_backward": _slice_backward(1),
    "slice_backward": _slice_backward(1),
    "diagonal_backward": _slice_backward(2),
    **_each(_joined, "cat stack"),
    "resize_": _resize,
    "im2col": _columns,
    **batch_products.RULES,
    **_each(_copy, "copy_ fill_.Tensor"),
    **_each(_number, "_local_scalar_dense"),
    **_each(_compared, "equal"),
    "_fused_sdp_choice": _choice,
    "masked_select": _selected,
    **_each(_dynamic, "nonzero _unique _unique2 unique_dim unique_consecutive"),
}
"""Rules by operator; a name without overload stands for all overloads that have no own row."""
