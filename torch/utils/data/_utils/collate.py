"""Convert samples to batches: default_collate and default_convert."""

from __future__ import annotations

import copy
import re
import sys
from collections.abc import Callable, Mapping, MutableMapping, MutableSequence, Sequence
from typing import Any

import torch
from torch.utils.data._utils.worker_info import get_worker_info

Rule = Callable[..., Any]
Rules = dict[type | tuple[type, ...], Rule]

np_str_obj_array_pattern = re.compile(r"[SaUO]")
"""Matches the type strings of NumPy arrays that tensors cannot hold."""

default_collate_err_msg_format = (
    "default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found {}"
)


def _is_namedtuple(value: Any) -> bool:
    return isinstance(value, tuple) and hasattr(value, "_fields")


def _rebuild_mapping(like: Mapping[Any, Any], items: dict[Any, Any]) -> Any:
    """Build a mapping of the same type, with its other attributes; a dict if that fails."""
    try:
        if isinstance(like, MutableMapping):
            rebuilt = copy.copy(like)
            rebuilt.update(items)
            return rebuilt
        return type(like)(items)  # type: ignore[call-arg]
    except TypeError:  # the type cannot be built from its items
        return items


def _rebuild_sequence(like: Sequence[Any], items: list[Any]) -> Any:
    """Build a sequence of the same type; a list if that fails."""
    try:
        if isinstance(like, MutableSequence):
            rebuilt = copy.copy(like)
            for position, item in enumerate(items):
                rebuilt[position] = item
            return rebuilt
        return type(like)(items)  # type: ignore[call-arg]
    except TypeError:  # the type cannot be built from its items, such as range
        return items


def default_convert(data: Any) -> Any:
    """Convert NumPy arrays and scalars to tensors, also inside lists, tuples and mappings.

    Everything else is returned unchanged, except that tuples become lists.

    Args:
        data: A sample, of any type.

    Example:
        >>> import numpy
        >>> from torch.utils.data import default_convert
        >>> default_convert({"x": numpy.array([1, 2]), "name": "a"})
        {'x': tensor([1, 2]), 'name': 'a'}
    """
    if isinstance(data, torch.Tensor):
        return data
    kind = type(data)
    if kind.__module__ == "numpy" and kind.__name__ not in ("str_", "bytes_"):
        return data if getattr(data, "dtype", None) and _is_text(data) else torch.as_tensor(data)
    if isinstance(data, Mapping):
        return _rebuild_mapping(data, {key: default_convert(data[key]) for key in data})
    if _is_namedtuple(data):
        return kind(*(default_convert(item) for item in data))
    if isinstance(data, tuple):
        return [default_convert(item) for item in data]
    if isinstance(data, Sequence) and not isinstance(data, (str, bytes)):
        return _rebuild_sequence(data, [default_convert(item) for item in data])
    return data


def collate(batch: list[Any], *, collate_fn_map: Rules | None = None) -> Any:
    """Combine samples into a value of the same structure, with one rule for each type of leaf.

    Args:
        batch: The samples.
        collate_fn_map: Maps types to rules, functions `fn(samples, *, collate_fn_map)`. A rule
            for the exact type precedes rules for its bases.

    Raises:
        TypeError: If a leaf has a type without a rule.
        RuntimeError: If sequences at the same place have different lengths.
    """
    first = batch[0]
    rules = _with_numpy(collate_fn_map) if collate_fn_map is not None else {}
    rule = rules.get(type(first)) or next(
        (rule for types, rule in rules.items() if isinstance(first, types)), None
    )
    if rule is not None:
        return rule(batch, collate_fn_map=collate_fn_map)
    if isinstance(first, Mapping):
        items = {
            key: collate([sample[key] for sample in batch], collate_fn_map=collate_fn_map)
            for key in first
        }
        return _rebuild_mapping(first, items)
    if _is_namedtuple(first):
        columns = zip(*batch, strict=True)
        return type(first)(*(collate(c, collate_fn_map=collate_fn_map) for c in columns))
    if isinstance(first, Sequence):
        if any(len(sample) != len(first) for sample in batch):
            raise RuntimeError("each element in list of batch should be of equal size")
        items = [collate(c, collate_fn_map=collate_fn_map) for c in zip(*batch, strict=True)]
        return items if isinstance(first, tuple) else _rebuild_sequence(first, items)
    raise TypeError(default_collate_err_msg_format.format(type(first)))


def collate_tensor_fn(batch: list[torch.Tensor], *, collate_fn_map: Rules | None = None) -> Any:
    return torch.stack(batch, 0, out=_shared_batch(batch))


def _shared_batch(batch: list[torch.Tensor]) -> torch.Tensor | None:
    """Allocate shared memory for a batch in a worker, so that it is not copied again."""
    first = batch[0]
    if get_worker_info() is None or first.device.type != "cpu":
        return None
    if any(t.requires_grad or t.dtype != first.dtype or t.size() != first.size() for t in batch):
        return None
    storage = torch.UntypedStorage._new_shared(len(batch) * first.numel() * first.element_size())
    shape = (len(batch), *first.size())
    return first.new_empty(0).set_(storage, 0, shape, torch.empty(shape, device="meta").stride())


def collate_numpy_array_fn(batch: list[Any], *, collate_fn_map: Rules | None = None) -> Any:
    if _is_text(batch[0]):
        raise TypeError(default_collate_err_msg_format.format(batch[0].dtype))
    return collate([torch.as_tensor(array) for array in batch], collate_fn_map=collate_fn_map)


def collate_numpy_scalar_fn(batch: list[Any], *, collate_fn_map: Rules | None = None) -> Any:
    return torch.as_tensor(batch)


def collate_float_fn(batch: list[float], *, collate_fn_map: Rules | None = None) -> Any:
    return torch.tensor(batch, dtype=torch.float64)


def collate_int_fn(batch: list[int], *, collate_fn_map: Rules | None = None) -> Any:
    return torch.tensor(batch)


def collate_str_fn(batch: list[Any], *, collate_fn_map: Rules | None = None) -> Any:
    return batch


def _is_text(array: Any) -> bool:
    """Return whether an array holds strings or objects, which tensors cannot hold."""
    return array.dtype.kind in "SUO"


def _with_numpy(rules: Rules) -> Rules:
    """Add the rules for NumPy if it is loaded; otherwise no sample can come from it."""
    numpy = sys.modules.get("numpy")
    if numpy is None or rules is not default_collate_fn_map:
        return rules
    scalars = (numpy.bool_, numpy.number, numpy.object_)
    return {numpy.ndarray: collate_numpy_array_fn, scalars: collate_numpy_scalar_fn, **rules}


default_collate_fn_map: Rules = {
    torch.Tensor: collate_tensor_fn,
    float: collate_float_fn,
    int: collate_int_fn,
    str: collate_str_fn,
    bytes: collate_str_fn,
}


def default_collate(batch: list[Any]) -> Any:
    """Combine a list of samples into a batch, whose structure is that of the samples.

    Tensors and arrays are stacked along a new first dimension, numbers become tensors with one
    dimension, and strings stay as they are.

    Args:
        batch: Samples with the same structure: tensors, NumPy arrays, numbers, strings, and
            mappings or sequences of them.

    Raises:
        TypeError: If a sample contains a value of another type.
        RuntimeError: If shapes or lengths differ between the samples.

    Example:
        >>> from torch.utils.data import default_collate
        >>> default_collate([(torch.tensor([1, 2]), 0.5), (torch.tensor([3, 4]), 1.5)])
        [tensor([[1, 2],
                [3, 4]]), tensor([0.5000, 1.5000], dtype=torch.float64)]
    """
    return collate(batch, collate_fn_map=default_collate_fn_map)
