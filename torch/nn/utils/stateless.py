"""Call a module with other parameters and buffers than its own."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterator
from typing import Any

from torch import Tensor
from torch.nn.modules.module import Module
from torch.nn.utils._named_member_accessor import NamedMemberAccessor

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
    """Call `torch.func.functional_call`, which replaces this function, and warn.

    Example:
        >>> from torch.nn.utils.stateless import functional_call
        >>> linear = nn.Linear(1, 1, bias=False)
        >>> functional_call(  # doctest: +SKIP
        ...     linear, {"weight": torch.ones(1, 1)}, torch.ones(1, 1)
        ... )
        tensor([[1.]])
    """
    warnings.warn(
        "`torch.nn.utils.stateless.functional_call` is deprecated as of PyTorch 2.0 and will be "
        "removed in a future version of PyTorch. Please use `torch.func.functional_call` instead "
        "which is a drop-in replacement.",
        FutureWarning,
        stacklevel=2,
    )
    return _functional_call(
        module, parameters_and_buffers, args, kwargs, tie_weights=tie_weights, strict=strict
    )


def _functional_call(
    module: Module,
    parameters_and_buffers: dict[str, Tensor],
    args: Any = None,
    kwargs: dict[str, Any] | None = None,
    *,
    tie_weights: bool = True,
    strict: bool = False,
) -> Any:
    arguments = () if args is None else args if isinstance(args, tuple) else (args,)
    with _reparametrize_module(module, parameters_and_buffers, tie_weights, strict):
        return module(*arguments, **(kwargs or {}))


@contextlib.contextmanager
def _reparametrize_module(
    module: Module,
    parameters_and_buffers: dict[str, Tensor],
    tie_weights: bool = False,
    strict: bool = False,
    stack_weights: bool = False,
) -> Iterator[None]:
    accessor = NamedMemberAccessor(module)
    replaced = parameters_and_buffers
    if tie_weights:
        replaced = _with_tied(accessor, replaced)
    if strict:
        _check_keys(accessor, replaced)
    before, _ = accessor.swap_tensors_dict(replaced, allow_missing=True)
    try:
        yield
    finally:
        after, _ = accessor.swap_tensors_dict(before, allow_missing=True)
        # The module may have assigned other tensors.
        parameters_and_buffers.update({name: after[name] for name in parameters_and_buffers})


def _check_keys(accessor: NamedMemberAccessor, given: dict[str, Tensor]) -> None:
    missing, unknown = accessor.check_keys(given)
    lines = [
        f"{what} key(s): {', '.join(map(repr, names))}."
        for what, names in (("Unexpected", unknown), ("Missing", missing))
        if names
    ]
    if lines:
        text = "\n\t".join(lines)
        kind = type(accessor.module).__name__
        raise RuntimeError(f"Error(s) in reparametrizing for {kind}:\n\t{text}")


def _with_tied(accessor: NamedMemberAccessor, replaced: dict[str, Tensor]) -> dict[str, Tensor]:
    """Add the other names of tensors that the module holds several times."""
    names_of: dict[Tensor, list[str]] = {}
    for name, tensor in accessor.named_tensors(remove_duplicate=False):
        names_of.setdefault(tensor, []).append(name)
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
