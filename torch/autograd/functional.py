"""Jacobians, Hessians and their products with vectors, for functions of tensors."""

import torch
from torch import Tensor

__all__ = ["hessian", "hvp", "jacobian", "jvp", "vhp", "vjp"]


# ---- arguments ----------------------------------------------------------------------------------
def _as_tuple(values, what, caller):
    """A tensor or a tuple of tensors, as a tuple, and whether it was one."""
    several = isinstance(values, tuple)
    whole = values if several else (values,)
    for index, value in enumerate(whole):
        if isinstance(value, Tensor):
            continue
        if several:
            raise TypeError(
                f"The {what} given to {caller} must be either a Tensor or a tuple of Tensors but "
                f"the value at index {index} has type {type(value)}."
            )
        raise TypeError(
            f"The {what} given to {caller} must be either a Tensor or a tuple of Tensors but the "
            f"given {what} has type {type(value)}."
        )
    return several, whole


def _inputs(inputs, caller, create_graph):
    """Inputs that gradients can be taken for, apart from those of the caller."""
    several, whole = _as_tuple(inputs, "inputs", caller)
    # A view keeps the caller's graph connected without being the caller's leaf.
    return several, tuple(
        each.view_as(each)
        if create_graph and each.requires_grad
        else each.detach().requires_grad_()
        for each in whole
    )


def _outputs(func, inputs, caller):
    return _as_tuple(func(*inputs), "outputs of the user-provided function", caller)


def _scalar_output(func, inputs, caller, strict):
    several, outputs = _outputs(func, inputs, caller)
    _require_grads(outputs, strict)
    if several or not isinstance(outputs[0], Tensor):
        raise RuntimeError(f"The function given to {caller} should return a single Tensor")
    if outputs[0].nelement() != 1:
        raise RuntimeError(
            f"The Tensor returned by the function given to {caller} should contain a single element"
        )
    return outputs


def _require_grads(outputs, strict):
    for index, output in enumerate(outputs):
        if strict and not output.requires_grad:
            raise RuntimeError(
                f"Output {index} of the user-provided function does not require gradients. The "
                "outputs must be computed in a differentiable manner from the input when running "
                "in strict mode."
            )


def _vector(v, like, several_like, caller, when):
    """The vector of a product: as given, checked, or one where there is nothing to choose."""
    if v is None:
        if len(like) != 1 or like[0].nelement() != 1:
            raise RuntimeError(f"The vector v can only be None if {when}.")
        return tuple(torch.ones_like(each) for each in like)
    _, whole = _as_tuple(v, "v", caller)
    if len(whole) != len(like):
        if several_like:
            raise RuntimeError(
                f"v is a tuple of invalid length: should be {len(like)} but got {len(whole)}."
            )
        raise RuntimeError("The given v should contain a single Tensor.")
    for index, (each, other) in enumerate(zip(whole, like, strict=True)):
        if each.shape != other.shape:
            where = f"Entry {index} in " if several_like else ""
            raise RuntimeError(
                f"{where}v has invalid size: should be {other.shape} but got {each.shape}."
            )
    return tuple(each if each.requires_grad else each.detach() for each in whole)


_ONE_ELEMENT_INPUT = (
    "the input to the user-provided function is a single Tensor with a single element"
)
_ONE_ELEMENT_OUTPUT = "the user-provided function returns a single Tensor with a single element"


# ---- results ------------------------------------------------------------------------------------
_INDEPENDENT = {
    "vjp": "The output of the user-provided function is independent of input {}.",
    "jvp": "The gradient with respect to the input is independent of entry {} in the grad_outputs "
    "when using the double backward trick to compute forward mode gradients.",
    "jacobian": "The jacobian of the user-provided function is independent of input {}.",
    "hessian": "The hessian of the user-provided function is independent of input {}.",
}


def _gradients(outputs, inputs, weights, create_graph, strict, stage, of=None):
    """torch.autograd.grad with zeros for what took no part, or an error in strict mode.

    `of` names the matrix whose product this is: in strict mode it has to depend on the inputs.
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


def _result(values, several, create_graph):
    """The user's shape of result; without create_graph it has no history."""
    values = tuple(value if create_graph else value.detach() for value in values)
    return values if several else values[0]


def _require_dependent_gradient(grads, strict):
    for index, grad in enumerate(grads):
        if strict and not grad.requires_grad:
            raise RuntimeError(
                "While computing the hessian, found that the jacobian of the user-provided "
                f"function with respect to input {index} is independent of the input. This is "
                "not allowed in strict mode. You should ensure that your function is twice "
                "differentiable and that the jacobian depends on the inputs (this would be "
                "violated by a linear function for example)."
            )


# ---- products -----------------------------------------------------------------------------------
def vjp(func, inputs, v=None, create_graph=False, strict=False):
    """`func(*inputs)`, and v times the Jacobian there."""
    with torch.enable_grad():
        several_in, inputs = _inputs(inputs, "vjp", create_graph)
        several_out, outputs = _outputs(func, inputs, "vjp")
        _require_grads(outputs, strict)
        weights = _vector(v, outputs, several_out, "vjp", _ONE_ELEMENT_OUTPUT)
        product = _gradients(outputs, inputs, weights, create_graph, strict, "vjp", "jacobian")
    return _result(outputs, several_out, create_graph), _result(product, several_in, create_graph)


def jvp(func, inputs, v=None, create_graph=False, strict=False):
    """`func(*inputs)`, and the Jacobian there times v.

    Differentiates u -> u'J at u = 0: its own Jacobian, transposed, is J.
    """
    with torch.enable_grad():
        several_in, inputs = _inputs(inputs, "jvp", create_graph)
        direction = _vector(v, inputs, several_in, "jvp", _ONE_ELEMENT_INPUT)
        several_out, outputs = _outputs(func, inputs, "jvp")
        _require_grads(outputs, strict)
        zeros = tuple(torch.zeros_like(output).requires_grad_() for output in outputs)
        linear = _gradients(outputs, inputs, zeros, True, strict, "vjp")
        product = _gradients(linear, zeros, direction, create_graph, strict, "jvp", "jacobian")
    return _result(outputs, several_out, create_graph), _result(product, several_out, create_graph)


def vhp(func, inputs, v=None, create_graph=False, strict=False):
    """`func(*inputs)`, one number, and v times the Hessian there."""
    with torch.enable_grad():
        several, inputs = _inputs(inputs, "vhp", create_graph)
        direction = _vector(v, inputs, several, "vhp", _ONE_ELEMENT_INPUT)
        outputs = _scalar_output(func, inputs, "vhp", strict)
        ones = (torch.ones_like(outputs[0]),)
        gradient = _gradients(outputs, inputs, ones, True, strict, "jacobian")
        _require_dependent_gradient(gradient, strict)
        product = _gradients(
            gradient, inputs, direction, create_graph, strict, "hessian", "hessian"
        )
    return _result(outputs, False, create_graph), _result(product, several, create_graph)


def hvp(func, inputs, v=None, create_graph=False, strict=False):
    """`func(*inputs)`, one number, and the Hessian there times v."""
    with torch.enable_grad():
        several, inputs = _inputs(inputs, "hvp", create_graph)
        direction = _vector(v, inputs, several, "hvp", _ONE_ELEMENT_INPUT)
        outputs = _scalar_output(func, inputs, "hvp", strict)
        one = (torch.ones_like(outputs[0]).requires_grad_(),)
        gradient = _gradients(outputs, inputs, one, True, strict, "jacobian")
        zeros = tuple(torch.zeros_like(each).requires_grad_() for each in inputs)
        linear = _gradients(gradient, inputs, zeros, True, strict, "hessian")
        product = _gradients(linear, zeros, direction, create_graph, strict, "jvp", "hessian")
    return _result(outputs, False, create_graph), _result(product, several, create_graph)


# ---- whole matrices -----------------------------------------------------------------------------
def _check_strategy(strategy, argument):
    if strategy == "reverse-mode":
        return
    if strategy == "forward-mode":
        raise NotImplementedError(f'{argument}="forward-mode" is not available in this version')
    raise AssertionError(
        f'Expected {argument} to be either "forward-mode" or "reverse-mode", but got {strategy!r}'
    )


def _jacobian_rows(output, index, inputs, create_graph, strict):
    """For each input, the gradient of each element of the output, stacked."""
    rows = [[] for _ in inputs]
    one = torch.ones((), dtype=output.dtype, device=output.device)
    for element in output.reshape(-1):
        grads = (
            torch.autograd.grad(
                element,
                inputs,
                one,
                retain_graph=True,
                create_graph=create_graph,
                allow_unused=True,
            )
            if element.requires_grad
            else (None,) * len(inputs)
        )
        for position, (grad, each) in enumerate(zip(grads, inputs, strict=True)):
            if strict and (grad is None or (create_graph and not grad.requires_grad)):
                _refuse_independent(index, position, grad is None)
            rows[position].append(torch.zeros_like(each) if grad is None else grad)
    return tuple(
        (torch.stack(row) if row else each.new_zeros((0, *each.shape))).view(
            tuple(output.shape) + tuple(each.shape)
        )
        for row, each in zip(rows, inputs, strict=True)
    )


def _refuse_independent(output, position, no_gradient):
    if no_gradient:
        raise RuntimeError(
            f"Output {output} of the user-provided function is independent of input {position}. "
            "This is not allowed in strict mode."
        )
    raise RuntimeError(
        "The jacobian of the user-provided function is independent of input "
        f"{position}. This is not allowed in strict mode when create_graph=True."
    )


def jacobian(
    func, inputs, create_graph=False, strict=False, vectorize=False, strategy="reverse-mode"
):
    """d func / d inputs: for each output and input a tensor of output.shape + input.shape.

    A tuple where func returns or takes a tuple; a tuple of tuples for both. `vectorize` is a
    promise that func can be batched, which this version does not need.
    """
    _check_strategy(strategy, "strategy")
    if strict and vectorize:
        raise RuntimeError(
            "torch.autograd.functional.jacobian: `strict=True` and `vectorized=True` are not "
            "supported together. Please either set `strict=False` or `vectorize=False`."
        )
    with torch.enable_grad():
        several_in, inputs = _inputs(inputs, "jacobian", create_graph)
        several_out, outputs = _outputs(func, inputs, "jacobian")
        _require_grads(outputs, strict)
        matrices = [
            _result(
                _jacobian_rows(output, index, inputs, create_graph, strict),
                several_in,
                create_graph,
            )
            for index, output in enumerate(outputs)
        ]
    return tuple(matrices) if several_out else matrices[0]


def hessian(
    func,
    inputs,
    create_graph=False,
    strict=False,
    vectorize=False,
    outer_jacobian_strategy="reverse-mode",
):
    """The second derivatives of a function of one number: the Jacobian of its gradient."""
    _check_strategy(outer_jacobian_strategy, "outer_jacobian_strategy")
    several, whole = _as_tuple(inputs, "inputs", "hessian")

    def gradient(*point):
        outputs = _scalar_output(func, point, "hessian", strict)
        grads = _gradients(outputs, point, (torch.ones_like(outputs[0]),), True, strict, "jacobian")
        _require_dependent_gradient(grads, strict)
        return grads

    result = jacobian(gradient, whole, create_graph, strict, vectorize)
    return result if several else result[0][0]
