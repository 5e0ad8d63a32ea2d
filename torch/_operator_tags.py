"""torch.Tag, and the tags of operators."""

from __future__ import annotations

import enum
from functools import cache
from typing import Any


class Tag(enum.Enum):
    """What an operator promises or needs; `torch.ops.aten.add.Tensor.tags` lists those of one.

    Example:
        >>> torch.Tag.pointwise in torch.ops.aten.add.Tensor.tags
        True
        >>> torch.ops.aten.nonzero.default.tags
        [<Tag.core: 0>, <Tag.dynamic_output_shape: 3>, <Tag.pt2_compliant_tag: 17>]
    """

    core = 0
    cudagraph_unsafe = 1
    data_dependent_output = 2
    dynamic_output_shape = 3
    flexible_layout = 4
    generated = 5
    inplace = 6
    inplace_view = 7
    maybe_aliasing_or_mutating = 8
    needs_contiguous_strides = 9
    needs_exact_strides = 10
    needs_fixed_stride_order = 11
    nondeterministic_bitwise = 12
    nondeterministic_seeded = 13
    out = 14
    out_variant = 15
    pointwise = 16
    pt2_compliant_tag = 17
    reduction = 18
    view_copy = 19


_of_libraries: dict[str, tuple[Tag, ...]] = {}


def declare(name: str, tags: Any) -> None:
    """Set the tags of an operator that a library of Python defines.

    Args:
        name: The full name, such as "mylib::f.Tensor".
        tags: A tag, or a sequence of tags.
    """
    _of_libraries[name] = (tags,) if isinstance(tags, Tag) else tuple(tags)
    tags_of.cache_clear()


@cache
def tags_of(name: str) -> tuple[Tag, ...]:
    """Return the tags of an operator by its full name, sorted by their numbers."""
    namespace, _, operator = name.partition("::")
    if name in _of_libraries or namespace != "aten":
        return tuple(sorted(_of_libraries.get(name, ()), key=lambda tag: tag.value))
    from torch.jit.generated.operator_tags import TAGS

    names = ("pt2_compliant_tag", *TAGS.get(operator, "").split())
    return tuple(sorted((Tag[each] for each in names), key=lambda tag: tag.value))
