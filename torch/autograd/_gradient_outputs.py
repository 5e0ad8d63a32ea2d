"""Helpers of the gradient checks: their exception, and the choice of differentiable outputs."""

from torch import Tensor

__all__ = ["GradcheckError", "as_tuple", "differentiable_outputs"]


class GradcheckError(RuntimeError):
    """Raised by gradcheck and gradgradcheck for a wrong gradient."""


def as_tuple(values):
    """Wrap a single value in a tuple; convert a list to one."""
    if isinstance(values, tuple):
        return values
    if isinstance(values, list):
        return tuple(values)
    return (values,)


def differentiable_outputs(outputs):
    """Return the tensors among the outputs that require gradients."""
    return tuple(out for out in as_tuple(outputs) if isinstance(out, Tensor) and out.requires_grad)
