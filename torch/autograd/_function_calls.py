"""How torch.autograd.functional calls functions: checked arguments, and the gradients of outputs."""

import torch
from torch import Tensor


def as_tuple(values, what, caller):
    """Convert a tensor or a tuple of tensors to a tuple; also return whether it was one."""
    is_tuple = isinstance(values, tuple)
    tensors = values if is_tuple else (values,)
    for index, value in enumerate(tensors):
        if isinstance(value, Tensor):
            continue
        if is_tuple:
            raise TypeError(
                f"The {what} given to {caller} must be either a Tensor or a tuple of Tensors but "
                f"the value at index {index} has type {type(value)}."
            )
        raise TypeError(
            f"The {what} given to {caller} must be either a Tensor or a tuple of Tensors but the "
            f"given {what} has type {type(value)}."
        )
    return is_tuple, tensors


def differentiable_inputs(inputs, caller, create_graph):
    """Return inputs that require gradients and are not the caller's own leaves."""
    is_tuple, tensors = as_tuple(inputs, "inputs", caller)
    # A view keeps the caller's graph connected without being the caller's leaf.
    return is_tuple, tuple(
        each.view_as(each)
        if create_graph and each.requires_grad
        else each.detach().requires_grad_()
        for each in tensors
    )


def call(func, inputs, caller):
    """Call the function; return whether it returned a tuple, and its outputs as one."""
    return as_tuple(func(*inputs), "outputs of the user-provided function", caller)


def call_scalar(func, inputs, caller, strict):
    """Call a function of one output with one element; return the output in a tuple."""
    is_tuple, outputs = call(func, inputs, caller)
    require_grads(outputs, strict)
    if is_tuple or not isinstance(outputs[0], Tensor):
        raise RuntimeError(f"The function given to {caller} should return a single Tensor")
    if outputs[0].nelement() != 1:
        raise RuntimeError(
            f"The Tensor returned by the function given to {caller} should contain a single element"
        )
    return outputs


def require_grads(outputs, strict):
    """Raise an error in strict mode if an output does not require gradients."""
    for index, output in enumerate(outputs):
        if strict and not output.requires_grad:
            raise RuntimeError(
                f"Output {index} of the user-provided function does not require gradients. The "
                "outputs must be computed in a differentiable manner from the input when running "
                "in strict mode."
            )


def checked_vector(v, like, like_is_tuple, caller, when):
    """Check the vector of a product; without one, use 1 for a single element."""
    if v is None:
        if len(like) != 1 or like[0].nelement() != 1:
            raise RuntimeError(f"The vector v can only be None if {when}.")
        return tuple(torch.ones_like(each) for each in like)
    _, tensors = as_tuple(v, "v", caller)
    if len(tensors) != len(like):
        if like_is_tuple:
            raise RuntimeError(
                f"v is a tuple of invalid length: should be {len(like)} but got {len(tensors)}."
            )
        raise RuntimeError("The given v should contain a single Tensor.")
    for index, (each, other) in enumerate(zip(tensors, like, strict=True)):
        if each.shape != other.shape:
            where = f"Entry {index} in " if like_is_tuple else ""
            raise RuntimeError(
                f"{where}v has invalid size: should be {other.shape} but got {each.shape}."
            )
    return tuple(each if each.requires_grad else each.detach() for each in tensors)


_INDEPENDENT = {
    "vjp": "The output of the user-provided function is independent of input {}.",
    "jvp": "The gradient with respect to the input is independent of entry {} in the grad_outputs "
    "when using the double backward trick to compute forward mode gradients.",
    "jacobian": "The jacobian of the user-provided function is independent of input {}.",
    "hessian": "The hessian of the user-provided function is independent of input {}.",
}


def gradients(outputs, inputs, weights, create_graph, strict, stage, of=None):
    """Call torch.autograd.grad; independent inputs get zeros, or raise in strict mode.

    `of` names the matrix of the product: in strict mode it must depend on the inputs.
    """
    live = [
        (output, weight)
        for output, weight in zip(outputs, weights, strict=True)
        if output.requires_grad
    ]
    grads = (None,) * len(inputs)
    if live:
        grads = torch.autograd.grad(
            [output for output, _ in live],
            inputs,
            [weight for _, weight in live],
            create_graph=create_graph,
            allow_unused=True,
        )
    for index, grad in enumerate(grads):
        if strict and grad is None:
            if stage == "constant jacobian":
                _raise_constant_jacobian(index)
            raise RuntimeError(
                _INDEPENDENT[stage].format(index) + " This is not allowed in strict mode."
            )
        if of and strict and create_graph and not grad.requires_grad:
            raise RuntimeError(
                f"The {of} of the user-provided function is independent of input {index}. This is "
                "not allowed in strict mode when create_graph=True."
            )
    return tuple(
        torch.zeros_like(each) if grad is None else grad
        for grad, each in zip(grads, inputs, strict=True)
    )


def unpack(values, is_tuple, create_graph):
    """Unwrap the tuple if there was none; detach the values unless create_graph is set."""
    values = tuple(value if create_graph else value.detach() for value in values)
    return values if is_tuple else values[0]


def require_dependent_gradient(grads, strict):
    """Raise an error in strict mode if a gradient does not depend on the inputs."""
    for index, grad in enumerate(grads):
        if strict and not grad.requires_grad:
            _raise_constant_jacobian(index)


def _raise_constant_jacobian(index):
    raise RuntimeError(
        "While computing the hessian, found that the jacobian of the user-provided function with "
        f"respect to input {index} is independent of the input. This is not allowed in strict mode. "
        "You should ensure that your function is twice differentiable and that the jacobian "
        "depends on the inputs (this would be violated by a linear function for example)."
    )
