"""Call a module with other parameters and buffers than its own."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from torch import Tensor
from torch.nn.modules.module import Module

__all__ = ["functional_call"]


def functional_call(
    module: Module,
    parameters_and_buffers: dict[str, Tensor],
    args: Any = None,
    kwargs: dict[str, Any] | None = None,
    *,
    tie_weights: bool = True,
    strict: bool = False,
) -> Any:
    """Call a module with some parameters and buffers replaced; see `torch.func.functional_call`.

    Example:
        >>> from torch.nn.utils.stateless import functional_call
        >>> linear = nn.Linear(1, 1, bias=False)
        >>> functional_call(linear, {"weight": torch.ones(1, 1)}, torch.ones(1, 1))
        tensor([[1.]])
    """
    arguments = () if args is None else args if isinstance(args, tuple) else (args,)
    with _reparametrize_module(module, parameters_and_buffers, tie_weights, strict):
        return module(*arguments, **(kwargs or {}))


def _owners(module: Module) -> dict[str, tuple[dict[str, Any], str]]:
    """Map each name to the dictionary of its module that holds the tensor, and its key there."""
    found = {}
    for prefix, part in module.named_modules(remove_duplicate=False):
        for holder in (part._parameters, part._buffers):
            for key in holder:
                found[f"{prefix}.{key}" if prefix else key] = (holder, key)
    return found


@contextlib.contextmanager
def _reparametrize_module(
    module: Module,
    parameters_and_buffers: dict[str, Tensor],
    tie_weights: bool = False,
    strict: bool = False,
    stack_weights: bool = False,
) -> Iterator[None]:
    owners = _owners(module)
    unknown = [name for name in parameters_and_buffers if name not in owners]
    if strict:
        _check_keys(module, owners, parameters_and_buffers, unknown)
    replaced = {name: t for name, t in parameters_and_buffers.items() if name in owners}
    if tie_weights:
        replaced = _with_tied(owners, replaced)
    before = {name: owners[name][0][owners[name][1]] for name in replaced}
    try:
        for name, tensor in replaced.items():
            holder, key = owners[name]
            holder[key] = tensor
        yield
    finally:
        for name, tensor in before.items():
            holder, key = owners[name]
            if name in parameters_and_buffers and holder[key] is not replaced[name]:
                parameters_and_buffers[name] = holder[key]  # the module assigned it
            holder[key] = tensor


def _check_keys(module: Module, owners: Any, given: dict[str, Tensor], unknown: list[str]) -> None:
    missing = [
        name
        for name in owners
        if name not in given and owners[name][0][owners[name][1]] is not None
    ]
    lines = [
        f"{what} key(s): {', '.join(repr(name) for name in sorted(names))}."
        for what, names in (("Unexpected", unknown), ("Missing", missing))
        if names
    ]
    if lines:
        text = "\n\t".join(lines)
        raise RuntimeError(f"Error(s) in reparametrizing for {type(module).__name__}:\n\t{text}")


def _with_tied(owners: Any, replaced: dict[str, Tensor]) -> dict[str, Tensor]:
    """Add the other names of tensors that the module holds several times."""
    names_of: dict[int, list[str]] = {}
    for name, (holder, key) in owners.items():
        if holder[key] is not None:
            names_of.setdefault(id(holder[key]), []).append(name)
    result = dict(replaced)
    for names in names_of.values():
        given = [name for name in names if name in replaced]
        if len({id(replaced[name]) for name in given}) > 1:
            raise ValueError(
                f"functional_call got multiple values for keys {sorted(given)}, which are tied. "
                "Consider using tie_weights=False"
            )
        if given:
            result.update(dict.fromkeys(names, replaced[given[0]]))
    return result
