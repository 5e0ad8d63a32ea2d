"""The transforms of torch.func, that use reverse-mode differentiation."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch
from torch._transforms.checks import (
    chosen_places,
    require_output_tensors,
    require_real,
    with_auxiliary,
)
from torch._transforms.dual import DualTensor
from torch._transforms.levels import lifted, without_graph
from torch.utils import _pytree as pytree

Tensor = torch.Tensor
_VJP = "vjp(f, *primals)"


def _tracked(value: Any) -> Any:
    """Return a tensor that starts a level: an alias if an outer level tracks it, else a leaf."""
    if not isinstance(value, Tensor):
        return value
    if not (value.is_floating_point() or value.is_complex()):
        raise RuntimeError("only Tensors of floating point dtype can require gradients")
    value = lifted(value)
    if value.requires_grad:
        return value.view_as(value)
    return _untracked(value).requires_grad_()


def _untracked(value: Tensor) -> Tensor:
    """Return a tensor without this level's graph; what a mapped tensor wraps keeps that of outer levels."""
    copy = getattr(value, "_shallow_copy", None)
    return without_graph(value) if copy is None else copy()


def _outer_leaves(results: list[Tensor], own: set[int]) -> bool:
    """Return whether results depend on leaves that this level did not create."""
    pending = [r.grad_fn for r in results if r.grad_fn is not None]
    seen = set()
    while pending:
        node = pending.pop()
        if node in seen:
            continue
        seen.add(node)
        variable = getattr(node, "variable", None)
        if variable is not None and id(variable) not in own:
            return True
        pending += [following for following, _ in node.next_functions if following is not None]
    return False


def _closed(result: Tensor, own: set[int]) -> Tensor:
    """Return a tensor without this level's graph, which for a mapped one may be in what it wraps."""
    wrapped = getattr(result, "_value", None)
    if wrapped is not None and wrapped.requires_grad and not _outer_leaves([wrapped], own):
        return type(result).make(result._level, _closed(wrapped, own))  # type: ignore[attr-defined]
    return _untracked(result)


def _constant(result: Tensor) -> Tensor:
    """Return a tensor that no graph tracks; what forward mode outside needs of it stays."""
    return _untracked(result) if isinstance(result, DualTensor) else without_graph(result)


def _close(results: list[Any], started: list[Tensor]) -> list[Any]:
    """End a level: results that only its own leaves need are detached.

    Without gradients outside, nothing is tracked there either.
    """
    if not torch.is_grad_enabled():
        return [_constant(r) if isinstance(r, Tensor) else r for r in results]
    tensors = [r for r in results if isinstance(r, Tensor)]
    own = {id(t) for t in started if t.is_leaf}
    if _outer_leaves(tensors, own):
        return results
    return [_closed(r, own) if isinstance(r, Tensor) else r for r in results]


def _gradients(outputs: list[Tensor], inputs: list[Tensor], vectors: Any = None) -> list[Tensor]:
    pairs = [
        (o, None if vectors is None else v)
        for o, v in zip(outputs, vectors or [None] * len(outputs), strict=True)
        if o.requires_grad
    ]
    if not pairs:
        return [torch.zeros_like(x) for x in inputs]
    found = torch.autograd.grad(
        [o for o, _ in pairs],
        inputs,
        None if vectors is None else [v for _, v in pairs],
        create_graph=True,
        allow_unused=True,
    )
    return [torch.zeros_like(x) if g is None else g for g, x in zip(found, inputs, strict=True)]


def _start(args: tuple[Any, ...], argnums: Any) -> tuple[list[Any], list[Tensor], Any]:
    """Track the chosen arguments; return all arguments, the tracked tensors and their structure."""
    return _start_at(args, chosen_places(argnums, len(args)), isinstance(argnums, int))


def _start_at(
    args: tuple[Any, ...], places: tuple[int, ...], single: bool
) -> tuple[list[Any], list[Tensor], Any]:
    new = list(args)
    for i in places:
        new[i] = pytree.tree_map(_tracked, args[i])
    leaves, spec = pytree.tree_flatten(new[places[0]] if single else tuple(new[i] for i in places))
    for leaf in leaves:
        if not isinstance(leaf, Tensor):
            raise ValueError(f"Thing passed to transform API must be Tensor, got {type(leaf)}")
    return new, leaves, spec


def _differentiable_outputs(output: Any) -> tuple[list[Tensor], Any]:
    """Return the tensors of a function's output, and its structure."""
    outputs, spec = pytree.tree_flatten(output)
    require_output_tensors(outputs, _VJP)
    for each in outputs:
        if not (each.is_floating_point() or each.is_complex()):
            raise RuntimeError(
                "vjp(f, ...): All outputs of f must be floating-point or complex Tensors, got "
                f"Tensor with dtype {each.dtype}"
            )
    return outputs, spec


def _check_scalar(output: Any) -> None:
    """Check that a function to differentiate returned a tensor without dimensions."""
    lead = "grad_and_value(f)(*args): Expected f(*args) to return a"
    if not isinstance(output, Tensor):
        raise RuntimeError(f"{lead} Tensor, got {type(output)}")
    if output.dim() != 0:
        raise RuntimeError(
            f"{lead} scalar Tensor, got tensor with {output.dim()} dims. Maybe you wanted to use the "
            "vjp or jacrev APIs instead?"
        )


def grad_and_value(
    func: Callable[..., Any], argnums: int | tuple[int, ...] = 0, has_aux: bool = False
) -> Callable[..., Any]:
    """Return a function that computes the gradient of a scalar function, and its value.

    Args:
        func: The function.
        argnums: The positions of the arguments to differentiate by.
        has_aux: Whether the function returns a pair, of which the second value is passed on.

    Raises:
        RuntimeError: If the function does not return a tensor without dimensions.

    Example:
        >>> torch.func.grad_and_value(lambda x: x**2)(torch.tensor(3.0))
        (tensor(6.), tensor(9.))
    """

    @functools.wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        with torch.enable_grad():
            new, leaves, spec = _start(args, argnums)
            result = func(*new, **kwargs)
            output, aux = with_auxiliary(result, has_aux, "grad_and_value(f)(*args)")
            _check_scalar(output)
            gradients = _gradients([output], leaves)
        flat, structure = pytree.tree_flatten((gradients, output, aux))
        gradients, output, aux = pytree.tree_unflatten(_close(flat, leaves), structure)
        gradient = pytree.tree_unflatten(gradients, spec)
        return (gradient, (output, aux)) if has_aux else (gradient, output)

    return wrapper


def grad(
    func: Callable[..., Any], argnums: int | tuple[int, ...] = 0, has_aux: bool = False
) -> Callable[..., Any]:
    """Return a function that computes the gradient of a scalar function.

    Args:
        func: The function.
        argnums: The positions of the arguments to differentiate by.
        has_aux: Whether the function returns a pair, of which the second value is passed on.

    Example:
        >>> torch.func.grad(torch.func.grad(lambda x: x**3))(torch.tensor(2.0))
        tensor(12.)
    """

    @functools.wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        found, value = grad_and_value(func, argnums, has_aux)(*args, **kwargs)
        return (found, value[1]) if has_aux else found

    return wrapper


def vjp(func: Callable[..., Any], *primals: Any, has_aux: bool = False) -> Any:
    """Return the value of a function, and a function for products of vectors and its Jacobian.

    Args:
        func: The function.
        *primals: Its arguments.
        has_aux: Whether the function returns a pair, of which the second value is passed on.

    Example:
        >>> output, product = torch.func.vjp(lambda x: x**2, torch.tensor([1.0, 2.0]))
        >>> product(torch.ones(2))
        (tensor([2., 4.]),)
    """
    with torch.enable_grad():
        new, leaves, spec = _start_at(primals, tuple(range(len(primals))), single=False)
        result = func(*new)
    output, aux = with_auxiliary(result, has_aux, _VJP)
    outputs, out_spec = _differentiable_outputs(output)

    def vjp_fn(cotangents: Any, retain_graph: bool = True, create_graph: bool | None = None) -> Any:
        vectors, given = pytree.tree_flatten(cotangents)
        if given != out_spec:
            raise RuntimeError(
                "Expected pytree structure of cotangents to be the same as pytree structure of "
                f"outputs to the function. cotangents: {pytree.treespec_pprint(given)}, primal "
                f"output: {pytree.treespec_pprint(out_spec)}"
            )
        with torch.enable_grad():
            found = _gradients(outputs, leaves, vectors)
        return pytree.tree_unflatten(_close(found, leaves), spec)

    flat, structure = pytree.tree_flatten((output, aux))
    value, aux = pytree.tree_unflatten(_close(flat, leaves), structure)
    return (value, vjp_fn, aux) if has_aux else (value, vjp_fn)


def jacrev(
    func: Callable[..., Any],
    argnums: int | tuple[int, ...] = 0,
    *,
    has_aux: bool = False,
    chunk_size: int | None = None,
    _preallocate_and_copy: bool = False,
) -> Callable[..., Any]:
    """Return a function that computes the Jacobian in reverse mode, all rows at once.

    Args:
        func: The function.
        argnums: The positions of the arguments to differentiate by.
        has_aux: Whether the function returns a pair, of which the second value is passed on.
        chunk_size: The number of rows to compute at a time; all by default.

    Example:
        >>> torch.func.jacrev(lambda x: x**2)(torch.tensor([1.0, 2.0]))
        tensor([[2., 0.],
                [0., 4.]])
    """
    if not (chunk_size is None or chunk_size > 0):
        raise ValueError("jacrev: `chunk_size` should be greater than 0.")

    @functools.wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        with torch.enable_grad():
            new, leaves, spec = _start(args, argnums)
            output, aux = with_auxiliary(func(*new, **kwargs), has_aux, _VJP)
            outputs, out_spec = _differentiable_outputs(output)
            require_real(leaves, "jacrev", "inputs")
            require_real(outputs, "jacrev", "outputs")
            blocks = [_jacobian(each, leaves, chunk_size) for each in outputs]
        flat, structure = pytree.tree_flatten((blocks, aux))
        blocks, aux = pytree.tree_unflatten(_close(flat, leaves), structure)
        jacobian = pytree.tree_unflatten(
            [pytree.tree_unflatten(block, spec) for block in blocks], out_spec
        )
        return (jacobian, aux) if has_aux else jacobian

    return wrapper


def _jacobian(output: Tensor, inputs: list[Tensor], chunk_size: int | None) -> list[Tensor]:
    count = output.numel()
    if not count or not output.requires_grad:
        return [x.new_zeros((*output.shape, *x.shape)) for x in inputs]
    if count == 1:
        rows = _gradients([output], inputs, [torch.ones_like(output)])
        return [g.reshape((*output.shape, *x.shape)) for g, x in zip(rows, inputs, strict=True)]
    basis = torch.eye(count, dtype=output.dtype, device=output.device)
    basis = basis.reshape(count, *output.shape)

    def row(vector: Tensor) -> tuple[Tensor, ...]:
        return tuple(_gradients([output], inputs, [vector]))

    from torch._vmap import vmap

    if chunk_size == 1:  # backward passes that cannot be mapped work too
        found = tuple(map(torch.stack, zip(*map(row, basis), strict=True)))
    else:
        found = vmap(row, chunk_size=chunk_size)(basis)
    return [g.reshape((*output.shape, *x.shape)) for g, x in zip(found, inputs, strict=True)]


def hessian(func: Callable[..., Any], argnums: int | tuple[int, ...] = 0) -> Callable[..., Any]:
    """Return a function that computes the Hessian, in forward mode over reverse mode.

    Args:
        func: The function.
        argnums: The positions of the arguments to differentiate by.

    Example:
        >>> torch.func.hessian(lambda x: (x**3).sum())(torch.tensor([1.0, 2.0]))
        tensor([[ 6.,  0.],
                [ 0., 12.]])
    """
    from torch._forward_transforms import jacfwd

    return jacfwd(jacrev(func, argnums), argnums)
