"""The functions for the divergence of pairs of distributions, and the choice of the closest one."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import total_ordering
from typing import Any

import torch
from torch.distributions.distribution import Distribution

_KL_REGISTRY: dict[tuple[type, type], Callable[..., Any]] = {}
_KL_MEMOIZE: dict[tuple[type, type], Any] = {}


def register_kl(type_p: type, type_q: type) -> Callable[..., Any]:
    """Register a function for the divergence between two kinds of distributions.

    Args:
        type_p: The class of the first distribution.
        type_q: The class of the second one.

    Returns:
        A decorator.

    Raises:
        TypeError: If one is not a class.

    Example:
        >>> class Mine(torch.distributions.Normal):
        ...     pass
        >>> @torch.distributions.register_kl(Mine, Mine)
        ... def none(p, q):
        ...     return torch.zeros(())
        >>> torch.distributions.kl_divergence(Mine(0.0, 1.0), Mine(1.0, 1.0))
        tensor(0.)
    """
    for name, kind in (("type_p", type_p), ("type_q", type_q)):
        if not isinstance(kind, type):  # Pyro's own base class is not a Distribution
            raise TypeError(f"Expected {name} to be a Distribution subclass but got {kind}")

    def decorator(fun: Callable[..., Any]) -> Callable[..., Any]:
        _KL_REGISTRY[type_p, type_q] = fun
        _KL_MEMOIZE.clear()
        return fun

    return decorator


@total_ordering
class _Match:
    """A pair of classes; a pair of subclasses is smaller."""

    def __init__(self, *types: type):
        self.types = types

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Match) and self.types == other.types

    __hash__ = None  # type: ignore[assignment]

    def __le__(self, other: _Match) -> bool:
        for x, y in zip(self.types, other.types, strict=True):
            if not issubclass(x, y):
                return False
            if x is not y:
                break
        return True


def _dispatch_kl(type_p: type, type_q: type) -> Any:
    """Return the function for the closest pair of classes, or NotImplemented."""
    matches = [(p, q) for p, q in _KL_REGISTRY if issubclass(type_p, p) and issubclass(type_q, q)]
    if not matches:
        return NotImplemented
    left = min(_Match(*m) for m in matches).types
    right = min(_Match(*reversed(m)) for m in matches).types[::-1]
    found = _KL_REGISTRY[left]
    if found is not _KL_REGISTRY[right]:
        warnings.warn(
            f"Ambiguous kl_divergence({type_p.__name__}, {type_q.__name__}). Please "
            f"register_kl({left[0].__name__}, {right[1].__name__})",
            RuntimeWarning,
            stacklevel=3,
        )
    return found


def kl_divergence(p: Distribution, q: Distribution) -> torch.Tensor:
    """Compute the divergence KL(p || q).

    Args:
        p: The first distribution.
        q: The second distribution.

    Raises:
        NotImplementedError: If it is not known for the two classes.

    Example:
        >>> from torch.distributions import Normal, kl_divergence
        >>> kl_divergence(Normal(0.0, 1.0), Normal(1.0, 1.0))
        tensor(0.5000)
    """
    key = type(p), type(q)
    if key not in _KL_MEMOIZE:
        _KL_MEMOIZE[key] = _dispatch_kl(*key)
    function = _KL_MEMOIZE[key]
    if function is NotImplemented:
        raise NotImplementedError(
            f"No KL(p || q) is implemented for p type {p.__class__.__name__} and q type "
            f"{q.__class__.__name__}"
        )
    return function(p, q)
