"""What the checks of gradients share: their error, and the outputs that have gradients."""

from torch import Tensor

__all__ = ["GradcheckError", "as_tuple", "differentiable_outputs"]


class GradcheckError(RuntimeError):
    """A gradient is wrong."""


def as_tuple(values):
    if isinstance(values, tuple):
        return values
    if isinstance(values, list):
        return tuple(values)
    return (values,)


def differentiable_outputs(outputs):
    return tuple(out for out in as_tuple(outputs) if isinstance(out, Tensor) and out.requires_grad)
