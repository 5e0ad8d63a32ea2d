"""The transforms of torch.func that use forward-mode differentiation."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch
from torch._transforms import levels
from torch._transforms.checks import (
    chosen_places,
    require_output_tensors,
    require_real,
    with_auxiliary,
)
from torch._transforms.dual import unpacked, without_level
from torch.utils import _pytree as pytree

Tensor = torch.Tensor
_JVP = "jvp(f, primals, tangents)"


def jvp(
    func: Callable[..., Any],
    primals: tuple[Any, ...],
    tangents: tuple[Any, ...],
    *,
    strict: bool = False,
    has_aux: bool = False,
) -> Any:
    """Return the value of a function, and the product of its Jacobian and a vector.

    Args:
        func: The function.
        primals: Its arguments.
        tangents: The vector, with the structure and shapes of the arguments.
        strict: Whether to raise an error if a result does not depend on the arguments.
        has_aux: Whether the function returns a pair, of which the second value is passed on.

    Raises:
        RuntimeError: If the tangents do not fit the arguments.

    Example:
        >>> x, v = torch.tensor([1.0, 2.0]), torch.tensor([1.0, 0.0])
        >>> torch.func.jvp(lambda x: x**3, (x,), (v,))
        (tensor([1., 8.]), tensor([3., 0.]))
    """
    for name, given in (("primals", primals), ("tangents", tangents)):
        if not isinstance(given, tuple):
            raise RuntimeError(
                f"jvp(f, primals, tangents): Expected {name} to be a tuple. "
                "E.g. it should be valid to call f(*primals)."
            )
    values, spec = pytree.tree_flatten(primals)
    vectors, vector_spec = pytree.tree_flatten(tangents)
    if spec != vector_spec:
        raise RuntimeError(
            "jvp(f, primals, tangents): Expected primals and tangents to have the same python "
            f"structure. For example, if primals is a tuple of 3 tensors, tangents also must be. "
            f"Got primals with structure {spec} and tangents with structure {vector_spec}"
        )
    _require_tensors(values, "primals")
    _require_tensors(vectors, "tangents")
    from torch._transforms.forward import RunningDual
    from torch.autograd.forward_ad import paired

    level = RunningDual()
    with levels.running(level):
        duals = [paired(level, p, t) for p, t in zip(values, vectors, strict=True)]
        result = func(*pytree.tree_unflatten(duals, spec))
        output, aux = with_auxiliary(result, has_aux, _JVP)
        outputs, out_spec = pytree.tree_flatten(output)
        require_output_tensors(outputs, _JVP)
        pairs = [unpacked(each, level) for each in outputs]
        if strict and any(tangent is None for _, tangent in pairs):
            raise RuntimeError(
                "jvp(f, primals, tangents, strict=True): The output of f is independent of the "
                "inputs. This is not allowed with strict=True."
            )
        aux = pytree.tree_map(lambda x: without_level(x, level), aux)
    found = pytree.tree_unflatten([p for p, _ in pairs], out_spec)
    product = pytree.tree_unflatten(
        [torch.zeros_like(p) if t is None else t for p, t in pairs], out_spec
    )
    return (found, product, aux) if has_aux else (found, product)


def _require_tensors(values: list[Any], what: str) -> None:
    if not values:
        raise RuntimeError(f"{_JVP}: Expected {what} to contain at least one Tensor.")
    for value in values:
        if not isinstance(value, Tensor):
            raise RuntimeError(
                f"{_JVP}: Expected {what} to only contain Tensors, got {type(value)}"
            )
        if what == "primals" and not (value.is_floating_point() or value.is_complex()):
            raise ValueError(
                f"Expected primal to be floating point or complex, but got: {value.dtype}"
            )


def linearize(func: Callable[..., Any], *primals: Any) -> tuple[Any, Callable[..., Any]]:
    """Return the value of a function, and the function that multiplies vectors by its Jacobian.

    The Jacobian is that at `primals`. Each product evaluates the function once more.

    Args:
        func: The function.
        *primals: Its arguments.

    Example:
        >>> output, product = torch.func.linearize(torch.sin, torch.zeros(2))
        >>> product(torch.ones(2))
        tensor([1., 1.])
    """
    output = func(*primals)
    values, spec = pytree.tree_flatten(primals)

    def jvp_fn(*tangents: Any) -> Any:
        vectors, vector_spec = pytree.tree_flatten(tangents)
        if vector_spec != spec:
            raise RuntimeError(
                f"Expected the tangents {vector_spec} to have the same argspec as the primals {spec}"
            )
        for i, (value, vector) in enumerate(zip(values, vectors, strict=True)):
            for name in ("shape", "dtype"):
                found, wanted = getattr(vector, name), getattr(value, name)
                if found != wanted:
                    raise RuntimeError(
                        f"tangent:{i} with {name} {found} in flattened pytree doesn't match the "
                        f"{name} {wanted} of the corresponding primal."
                    )
        return jvp(func, primals, tangents)[1]

    return output, jvp_fn


def jacfwd(
    func: Callable[..., Any],
    argnums: int | tuple[int, ...] = 0,
    has_aux: bool = False,
    *,
    randomness: str = "error",
) -> Callable[..., Any]:
    """Return a function that computes the Jacobian in forward mode, all columns at once.

    Args:
        func: The function.
        argnums: The positions of the arguments to differentiate by.
        has_aux: Whether the function returns a pair, of which the second value is passed on.
        randomness: What random operators do, as for `vmap`.

    Example:
        >>> torch.func.jacfwd(lambda x: x**2)(torch.tensor([1.0, 2.0]))
        tensor([[2., 0.],
                [0., 4.]])
    """

    @functools.wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        single = isinstance(argnums, int)
        places = chosen_places(argnums, len(args))
        leaves, spec = pytree.tree_flatten(tuple(args[i] for i in places))
        _require_tensors(leaves, "primals")
        require_real(leaves, "jacfwd", "inputs")

        def called(*chosen: Any) -> Any:
            new = list(args)
            for i, value in zip(places, pytree.tree_unflatten(list(chosen), spec), strict=True):
                new[i] = value
            return func(*new, **kwargs)

        def column(*tangents: Tensor) -> Any:
            outcome = jvp(called, tuple(leaves), tangents, has_aux=has_aux)
            require_real(pytree.tree_leaves(outcome[0]), "jacfwd", "outputs")
            return (outcome[1], outcome[2]) if has_aux else outcome[1]

        from torch._vmap import vmap

        dims = (0, None) if has_aux else 0
        mapped = vmap(column, out_dims=dims, randomness=randomness)(*_basis(leaves))
        columns, aux = mapped if has_aux else (mapped, None)
        flat, out_spec = pytree.tree_flatten(columns)
        rows = [_split(each, leaves) for each in flat]
        blocks = [pytree.tree_unflatten(row, spec) for row in rows]
        jacobian = pytree.tree_unflatten([b[0] if single else b for b in blocks], out_spec)
        return (jacobian, aux) if has_aux else jacobian

    return wrapper


def _basis(leaves: list[Tensor]) -> list[Tensor]:
    """Return, for each tensor, its part of the unit vectors of all tensors together."""
    total = sum(x.numel() for x in leaves)
    found, start = [], 0
    for x in leaves:
        part = torch.zeros(total, x.numel(), dtype=x.dtype, device=x.device)
        part.diagonal(-start).fill_(1)
        found.append(part.view(total, *x.shape))
        start += x.numel()
    return found


def _split(columns: Tensor, leaves: list[Tensor]) -> list[Tensor]:
    """Turn the columns of all inputs into one block for each input."""
    parts = columns.movedim(0, -1).split([x.numel() for x in leaves], -1)
    return [
        part.reshape((*columns.shape[1:], *x.shape)) for part, x in zip(parts, leaves, strict=True)
    ]
