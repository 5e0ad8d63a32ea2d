"""Jacobians by finite differences and by backward passes, for gradcheck.

An output counts as one real function, or as two if it is complex: its real and imaginary parts.
The gradient of a real function L of z = x + iy is dL/dx + i dL/dy, so the entries of a Jacobian
are complex if the input is.
"""

import warnings
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.autograd import forward_ad
from torch.autograd._gradient_outputs import GradcheckError, as_tuple, differentiable_outputs


@dataclass(frozen=True)
class Settings:
    """The arguments of gradcheck that its comparisons use."""

    eps: float
    atol: float
    rtol: float
    nondet_tol: float
    check_undefined_grad: bool
    check_grad_dtypes: bool
    check_batched_grad: bool
    check_batched_forward_grad: bool
    fast_mode: bool


def _is_differentiable(value):
    return isinstance(value, Tensor) and (value.is_floating_point() or value.is_complex())


def _checked_inputs(inputs):
    """Find the inputs that require gradients; reject those unfit for finite differences."""
    positions = []
    for index, value in enumerate(inputs):
        if not (isinstance(value, Tensor) and value.requires_grad):
            continue
        positions.append(index)
        if value.dtype not in (torch.float64, torch.complex128):
            warnings.warn(
                f"Input #{index} requires gradient and is not a double precision floating point "
                "or complex. This check will likely fail if all the inputs are not of double "
                "precision floating point or complex. ",
                stacklevel=4,
            )
        if any(
            stride == 0 and size > 1
            for stride, size in zip(value.stride(), value.size(), strict=True)
        ):
            raise RuntimeError(
                f"The {index}th input has a dimension with stride 0. gradcheck only supports "
                "inputs that are non-overlapping to be able to compute the numerical gradients "
                "correctly. You should call .contiguous on the input before passing it to "
                "gradcheck."
            )
        value.retain_grad()
    if not positions:
        raise ValueError(
            "gradcheck expects at least one input tensor to require gradient, but none of them "
            "have requires_grad=True."
        )
    return positions


class CheckedFunction:
    """The function under test, with inputs that can be perturbed."""

    def __init__(self, func, inputs, settings):
        self.func = func
        self.inputs = inputs
        self.settings = settings
        self.positions = _checked_inputs(inputs)
        self.leaves = tuple(inputs[i] for i in self.positions)
        self.result = func(*inputs)
        self.outputs = differentiable_outputs(self.result)

    def values(self):
        """Evaluate the differentiable outputs, or all floating ones if none is differentiable."""
        result = as_tuple(self.func(*self.inputs))
        if not self.outputs:
            return [out.detach().clone() for out in result if _is_differentiable(out)]
        kept = [
            now
            for now, before in zip(result, as_tuple(self.result), strict=True)
            if isinstance(before, Tensor) and before.requires_grad
        ]
        return [out.detach().clone() for out in kept]

    def difference(self, leaf, step):
        """Compute (f(leaf + step) - f(leaf - step)) / 2, stepping in the leaf's own memory."""
        data = leaf.data  # detach() shares the version counter, so saved tensors would raise
        before = data.clone()
        data.add_(step)
        high = self.values()
        data.copy_(before)
        data.sub_(step)
        low = self.values()
        data.copy_(before)
        for index, (a, b) in enumerate(zip(high, low, strict=True)):
            self._check_same(a, b, index)
        return [(a - b) / 2 for a, b in zip(high, low, strict=True)]

    def _check_same(self, a, b, index):
        where = f"index {index} " if len(self.outputs) > 1 else ""
        for what, one, other in (("shape", a.shape, b.shape), ("dtype", a.dtype, b.dtype)):
            if one != other:
                raise AssertionError(
                    f"Expected `func` to return outputs with the same {what} when inputs are "
                    f"perturbed {where}by {self.settings.eps}, but got: {what}s {one} and {other}."
                )

    def vjp(self, output, weight):
        """Return the gradients of one output; None for inputs that it does not depend on."""
        return torch.autograd.grad(
            output, self.leaves, weight, retain_graph=True, allow_unused=True
        )


def real_functions(outputs):
    """Yield each output's index with "real", and again with "imag" if it is complex."""
    for index, output in enumerate(outputs):
        yield index, "real"
        if output.is_complex():
            yield index, "imag"


def _part(tensor, part):
    """Return the real or imaginary part as a vector."""
    flat = tensor.reshape(-1)
    return getattr(flat, part) if flat.is_complex() else flat


def numerical_jacobians(function, leaf, outputs):
    """Compute, by central differences, a (leaf.numel, output.numel) matrix per real function."""
    eps = function.settings.eps
    columns = [[] for _ in real_functions(outputs)]
    step = torch.zeros_like(leaf.detach())
    flat = step.reshape(-1) if step.is_contiguous() else None
    if flat is None:
        step = torch.zeros(leaf.shape, dtype=leaf.dtype, device=leaf.device)
        flat = step.view(-1)
    for index in range(leaf.numel()):
        flat[index] = eps
        along = function.difference(leaf, step)
        across = None
        if leaf.is_complex():
            flat[index] = eps * 1j
            across = function.difference(leaf, step)
        flat[index] = 0
        for column, (out, part) in zip(columns, real_functions(outputs), strict=True):
            slope = _part(along[out], part) / eps
            if across is not None:
                slope = slope + _part(across[out], part) / eps * 1j
            column.append(slope)
    return [
        torch.stack(column) if column else _no_rows(leaf, outputs[out])
        for column, (out, _) in zip(columns, real_functions(outputs), strict=True)
    ]


def _no_rows(leaf, output):
    return torch.zeros((0, output.numel()), dtype=leaf.dtype)


def analytical_jacobians(function, output, part):
    """Compute the same matrices from backward passes, one for each leaf."""
    columns = [[] for _ in function.leaves]
    weight = torch.zeros(output.shape, dtype=output.dtype, device=output.device)
    flat = weight.view(-1)
    for index in range(output.numel()):
        flat[index] = 1 if part == "real" else 1j
        for column, leaf, grad in zip(
            columns, function.leaves, checked_vjp(function, output, weight), strict=True
        ):
            # A gradient with a stride of zero may be a view of `weight`, which changes.
            column.append((torch.zeros_like(leaf) if grad is None else grad.clone()).reshape(-1))
        flat[index] = 0
    return [
        torch.stack(column, 1) if column else torch.zeros((leaf.numel(), 0), dtype=leaf.dtype)
        for column, leaf in zip(columns, function.leaves, strict=True)
    ]


def forward_jacobians(function, index):
    """Compute the same matrices for one leaf in forward mode."""
    leaf, inputs = function.leaves[index], list(function.inputs)
    step = torch.zeros(leaf.shape, dtype=leaf.dtype, device=leaf.device)
    columns = [[] for _ in real_functions(function.outputs)]

    def slopes(position, value):
        step.view(-1)[position] = value
        place = function.positions[index]
        with forward_ad.dual_level():
            inputs[place] = forward_ad.make_dual(leaf.detach(), step.clone())
            result = as_tuple(function.func(*inputs))
            kept = [
                forward_ad.unpack_dual(now)
                for now, before in zip(result, as_tuple(function.result), strict=True)
                if isinstance(before, Tensor) and before.requires_grad
            ]
        inputs[place] = leaf
        step.view(-1)[position] = 0
        found = [
            torch.zeros_like(each.primal) if each.tangent is None else each.tangent for each in kept
        ]
        return [_part(found[out].detach(), part) for out, part in real_functions(function.outputs)]

    for position in range(leaf.numel()):
        along = slopes(position, 1)
        across = slopes(position, 1j) if leaf.is_complex() else None
        for row, column in enumerate(columns):
            column.append(along[row] if across is None else along[row] + across[row] * 1j)
    return [
        torch.stack(column) if column else _no_rows(leaf, function.outputs[out])
        for column, (out, _) in zip(columns, real_functions(function.outputs), strict=True)
    ]


def checked_vjp(function, output, weight):
    """Return the gradients, checking their shapes and that a second pass reproduces them."""
    settings = function.settings
    grads = function.vjp(output, weight)
    again = function.vjp(output, weight)
    for leaf, grad, other in zip(function.leaves, grads, again, strict=True):
        if grad is None:
            continue
        if settings.check_grad_dtypes and grad.dtype != leaf.dtype:
            raise GradcheckError("Gradient has dtype mismatch")
        if grad.shape != leaf.shape:
            raise GradcheckError("Analytical gradient has incorrect size")
        if (other - grad).abs().gt(settings.nondet_tol).any():
            raise GradcheckError(
                "Backward is not reentrant, i.e., running backward with same input and "
                "grad_output multiple times gives different values, although analytical gradient "
                f"matches numerical gradient.The tolerance for nondeterminism was "
                f"{settings.nondet_tol}."
            )
    return grads
