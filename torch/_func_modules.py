"""torch.func's helpers for modules and tensors: batch norms without statistics, unwrapping, rearranging."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Sequence

import torch
from torch import Tensor, nn

__all__ = ["debug_unwrap", "rearrange", "replace_all_batch_norm_modules_"]


def replace_all_batch_norm_modules_(root: nn.Module) -> nn.Module:
    """Let all batch norms of a module use the statistics of the batch only; return the module.

    Args:
        root: The module, which is changed.

    Example:
        >>> norm = torch.func.replace_all_batch_norm_modules_(nn.BatchNorm1d(2))
        >>> norm.running_mean is None, norm.track_running_stats
        (True, False)
    """
    for module in root.modules():
        if isinstance(module, nn.modules.batchnorm._BatchNorm):
            module.running_mean = module.running_var = module.num_batches_tracked = None
            module.track_running_stats = False
    return root


def debug_unwrap(tensor: Tensor, *, recurse: bool = True) -> Tensor:
    """Return the tensor inside of those that torch.func's transforms wrap it in.

    Only for debuggers: what is computed with it is invisible to the transforms.

    Args:
        tensor: A tensor.
        recurse: Whether to unwrap all levels, or only the innermost transform's.

    Example:
        >>> def total(x):
        ...     print(torch.func.debug_unwrap(x).shape)
        ...     return x.sum()
        >>> result = torch.vmap(total)(torch.ones(2, 3))
        torch.Size([2, 3])
    """
    from torch._transforms.levels import LevelTensor

    while isinstance(tensor, LevelTensor):
        tensor = tensor._inner()
        if not recurse:
            break
    return tensor


def rearrange(tensor: Tensor | Sequence[Tensor], pattern: str, **axes_lengths: int) -> Tensor:
    """Reorder, split and join dimensions by a pattern, as `einops.rearrange` does.

    Args:
        tensor: A tensor, or several of one shape, which are stacked in a new first dimension.
        pattern: The names of the dimensions before and after "->". Names in parentheses are parts
            of one dimension, "..." stands for any dimensions, and 1 for one of size 1.
        **axes_lengths: The sizes of parts that cannot be computed.

    Raises:
        ValueError: If the pattern is not valid, or does not fit the shape.

    Example:
        >>> images = torch.zeros(2, 6, 4, 3)
        >>> torch.func.rearrange(images, "b (h1 h) w c -> b h1 h (w c)", h1=2).shape
        torch.Size([2, 2, 3, 12])
    """
    if not isinstance(tensor, Tensor):
        tensor = torch.stack(tuple(tensor))
    if pattern.count("->") != 1:
        raise ValueError(f"Expected one '->' in the pattern, got {pattern!r}")
    before, after = (_groups(side) for side in pattern.split("->"))
    before, after = _without_ellipsis(before, after, tensor.ndim, pattern)
    sizes = _sizes(before, tensor.shape, axes_lengths, pattern)
    names = [name for group in before for name in group]
    wanted = [name for group in after for name in group]
    if sorted(names) != sorted(wanted) or len(set(names)) != len(names):
        different = sorted(set(names) ^ set(wanted)) or names
        raise ValueError(f"Identifiers only on one side of {pattern!r} (or twice): {different}")
    parts = tensor.reshape([sizes[name] for name in names])
    ordered = parts.permute([names.index(name) for name in wanted])
    return ordered.reshape([math.prod(sizes[name] for name in group) for group in after])


_TOKEN = re.compile(r"\s*(\.\.\.|[A-Za-z_]\w*|1(?!\d)|[()])")


def _groups(text: str) -> list[list[str]]:
    """Return the names of each dimension of one side of a pattern; 1 has no name."""
    groups: list[list[str]] = []
    inside, position, text = False, 0, text.strip()
    while position < len(text):
        found = _TOKEN.match(text, position)
        if found is None:
            raise ValueError(f"Unexpected character in the pattern: {text[position:].strip()!r}")
        token, position = found[1], found.end()
        if token in "()" and len(token) == 1:
            if inside == (token == "("):
                raise ValueError(f"Unbalanced or nested parentheses in the pattern: {text!r}")
            inside = token == "("
            if inside:
                groups.append([])
        elif token == "1":
            if not inside:
                groups.append([])
        elif inside:
            groups[-1].append(token)
        else:
            groups.append([token])
    if inside:
        raise ValueError(f"Unbalanced parentheses in the pattern: {text!r}")
    return groups


def _without_ellipsis(
    before: list[list[str]], after: list[list[str]], ndim: int, pattern: str
) -> tuple[list[list[str]], list[list[str]]]:
    """Replace "..." by new names, one for each remaining dimension of the tensor."""
    count = ndim - (len(before) - (["..."] in before))
    if ["..."] not in before:
        if any("..." in group for group in (*before, *after)):
            raise ValueError(
                f"An ellipsis is only on the right, or in parentheses on the left: {pattern!r}"
            )
        if count:
            raise ValueError(
                f"The pattern {pattern!r} has {len(before)} dimensions, the tensor {ndim}"
            )
        return before, after
    if count < 0:
        raise ValueError(f"The pattern {pattern!r} has more dimensions than the tensor, {ndim}")
    own = [f"...{i}" for i in range(count)]
    index = before.index(["..."])
    first = [*before[:index], *([name] for name in own), *before[index + 1 :]]
    second: list[list[str]] = []
    for group in after:
        if group == ["..."]:
            second += [[name] for name in own]
        else:
            second.append(list(itertools.chain(*(own if n == "..." else [n] for n in group))))
    return first, second


def _sizes(
    groups: list[list[str]], shape: torch.Size, given: dict[str, int], pattern: str
) -> dict[str, int]:
    """Return the size of each name."""
    sizes: dict[str, int] = {}
    for group, size in zip(groups, shape, strict=True):
        unknown = [name for name in group if name not in given]
        known = math.prod(given[name] for name in group if name in given)
        if len(unknown) > 1:
            raise ValueError(f"Could not infer the sizes of {unknown} in {pattern!r}")
        if size % known if unknown else size != known:
            raise ValueError(f"A dimension of size {size} cannot be {group} with {given}")
        for name in group:
            sizes[name] = given[name] if name in given else size // known
    unused = sorted(set(given) - set(sizes))
    if unused:
        raise ValueError(f"{unused} are not in the pattern {pattern!r}")
    return sizes
