"""The comparisons that gradcheck makes; imported on its first call."""

import warnings

import torch
from torch.autograd._batched_checks import check_batched_backward, check_batched_forward
from torch.autograd._gradient_outputs import GradcheckError, differentiable_outputs
from torch.autograd._jacobians import (
    CheckedFunction,
    Settings,
    analytical_jacobians,
    checked_vjp,
    forward_jacobians,
    numerical_jacobians,
    real_functions,
)

__all__ = ["Settings", "check"]


def _close(a, b, settings, scale=1.0):
    dtype = torch.promote_types(a.dtype, b.dtype)
    return torch.allclose(a.to(dtype), b.to(dtype), settings.rtol, settings.atol * scale)


def _mismatch(numerical, analytical, output, leaf, part, any_complex, mode=""):
    prefix = ""
    if any_complex:
        name = "real" if part == "real" else "imaginary"
        prefix = f"While considering the {name} part of complex outputs only, "
    return (
        f"{prefix}Jacobian {mode}mismatch for output {output} with respect to input {leaf},\n"
        f"numerical:{numerical}\nanalytical:{analytical}\n"
    )


def _imaginary_first(outputs):
    """Return the real functions of the outputs with their rows, imaginary parts first."""
    rows = list(enumerate(real_functions(outputs)))
    return sorted(rows, key=lambda row: row[1][1] == "real")


def _check_every_entry(function):
    """Compare whole Jacobians."""
    outputs = function.outputs
    numerical = [numerical_jacobians(function, leaf, outputs) for leaf in function.leaves]
    any_complex = any(output.is_complex() for output in outputs)
    for row, (out, part) in _imaginary_first(outputs):
        analytical = analytical_jacobians(function, outputs[out], part)
        for leaf, matrix in enumerate(analytical):
            expected = numerical[leaf][row]
            if not _close(matrix, expected, function.settings):
                raise GradcheckError(_mismatch(expected, matrix, out, leaf, part, any_complex))


def check_forward(function):
    """Compare Jacobians of forward mode with differences."""
    outputs = function.outputs
    any_complex = any(output.is_complex() for output in outputs)
    for leaf, tensor in enumerate(function.leaves):
        numerical = numerical_jacobians(function, tensor, outputs)
        analytical = forward_jacobians(function, leaf)
        for row, (out, part) in _imaginary_first(outputs):
            if not _close(analytical[row], numerical[row], function.settings):
                mode = "computed with forward mode "
                raise GradcheckError(
                    _mismatch(numerical[row], analytical[row], out, leaf, part, any_complex, mode)
                )


def _random_direction(like):
    """Draw a random vector of length one."""
    direction = torch.randn(like.shape, dtype=like.dtype, device=like.device)
    length = direction.abs().pow(2).sum().sqrt()
    return direction / length if like.numel() else direction


def _inner(a, b):
    """Return the inner product of a and b as real vectors (complex numbers as pairs)."""
    if a.is_complex() or b.is_complex():
        a, b = (each if each.is_complex() else each + 0j for each in (a, b))
        return (a.real * b.real).sum() + (a.imag * b.imag).sum()
    return (a * b).sum()


def _check_one_direction(function):
    """Compare v' J u for one random u and v: two calls per input and one backward pass."""
    settings = function.settings
    weights = [_random_direction(output.detach()) for output in function.outputs]
    directions = [_random_direction(leaf.detach()) for leaf in function.leaves]
    slopes = [
        [change / settings.eps for change in function.difference(leaf, direction * settings.eps)]
        for leaf, direction in zip(function.leaves, directions, strict=True)
    ]
    for out, (output, weight) in enumerate(zip(function.outputs, weights, strict=True)):
        grads = checked_vjp(function, output, weight)
        for index, (grad, direction) in enumerate(zip(grads, directions, strict=True)):
            numerical = _inner(slopes[index][out], weight)
            analytical = torch.zeros_like(numerical) if grad is None else _inner(grad, direction)
            # The tolerance of one entry of the Jacobian, summed over the entries involved.
            scale = max(1.0, float(direction.abs().sum() * weight.abs().sum()))
            if not _close(analytical, numerical, settings, scale):
                _check_every_entry(function)  # names the entry; the product cannot
                raise GradcheckError(_mismatch(numerical, analytical, out, index, "real", False))


def _check_scales_with_grad_output(function):
    """Check that zero output gradients give zero gradients with the leaves' dtypes and shapes."""
    zeros = [torch.zeros_like(output) for output in function.outputs]
    grads = torch.autograd.grad(
        function.outputs, function.leaves, zeros, retain_graph=True, allow_unused=True
    )
    for leaf, each in zip(function.leaves, grads, strict=True):
        if each is None:
            continue
        if not each.eq(0).all():
            raise GradcheckError("backward not multiplied by grad_output")
        if each.dtype != leaf.dtype:
            raise GradcheckError("grad is incorrect type")
        if each.device != leaf.device:
            raise GradcheckError("grad is incorrect device")
        if each.shape != leaf.shape:
            raise GradcheckError("grad is incorrect size")


def _undefined_gradient():
    from torch.autograd.function import Function

    class Undefined(Function):
        """An identity that passes no gradient back."""

        @staticmethod
        def forward(ctx, tensor):
            return tensor.view_as(tensor)

        @staticmethod
        def backward(ctx, grad_output):
            return None

    return Undefined.apply


def _check_undefined_gradients(function):
    """Check that backward accepts missing gradients: of all outputs, and of each one alone."""
    undefined = _undefined_gradient()
    outputs = differentiable_outputs(function.func(*function.inputs))
    count = len(outputs)
    choices = [set(range(count))] + ([{index} for index in range(count)] if count > 1 else [])
    for chosen in choices:
        marked = [undefined(out) if i in chosen else out for i, out in enumerate(outputs)]
        zeros = [torch.zeros_like(out) for out in outputs]
        try:
            grads = torch.autograd.grad(
                marked, function.leaves, zeros, retain_graph=True, allow_unused=True
            )
        except RuntimeError as error:
            warnings.warn(
                "Backwards compatibility: New undefined gradient support checking feature is "
                "enabled by default, but it may break existing callers of this function. If this "
                'is true for you, you can call this function with "check_undefined_grad=False" to '
                "disable the feature",
                stacklevel=5,
            )
            raise GradcheckError(
                "Expected backward function to handle undefined output grads. Please look at "
                '"Notes about undefined output gradients" in "tools/autograd/derivatives.yaml"'
            ) from error
        if any(each is not None and not each.eq(0).all() for each in grads):
            raise GradcheckError(
                "Expected all input grads to be undefined or zero when all output grads are "
                'undefined or zero. Please look at "Notes about undefined output gradients" in '
                '"tools/autograd/derivatives.yaml"'
            )


def _check_constant(function):
    """Check that a function without differentiable outputs ignores its inputs."""
    outputs = function.values()
    for leaf in function.leaves:
        for matrix in numerical_jacobians(function, leaf, outputs):
            if matrix.abs().gt(function.settings.atol).any():
                raise GradcheckError("Numerical gradient for function expected to be zero")


def check(func, inputs, settings, *, backward=True, forward=False):
    """Raise GradcheckError if a gradient of `func` is wrong."""
    function = CheckedFunction(func, inputs, settings)
    if not function.outputs:
        _check_constant(function)
        return
    if backward:
        (_check_one_direction if settings.fast_mode else _check_every_entry)(function)
    if forward:
        check_forward(function)
    if settings.check_batched_forward_grad:
        check_batched_forward(function)
    if not backward:
        return
    if settings.check_batched_grad:
        check_batched_backward(function)
    _check_scales_with_grad_output(function)
    if settings.check_undefined_grad:
        _check_undefined_gradients(function)
