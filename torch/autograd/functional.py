"""Jacobians, Hessians and their products with vectors, for functions of tensors."""

import torch
from torch.autograd._function_calls import (
    as_tuple,
    call,
    call_scalar,
    checked_vector,
    differentiable_inputs,
    gradients,
    require_dependent_gradient,
    require_grads,
    unpack,
)

__all__ = ["hessian", "hvp", "jacobian", "jvp", "vhp", "vjp"]


_ONE_ELEMENT_INPUT = (
    "the input to the user-provided function is a single Tensor with a single element"
)
_ONE_ELEMENT_OUTPUT = "the user-provided function returns a single Tensor with a single element"


# ---- products -----------------------------------------------------------------------------------
def vjp(func, inputs, v=None, create_graph=False, strict=False):
    """Compute the product of a vector and the Jacobian of a function, v' J.

    Args:
        func: A function of tensors that returns a tensor or a tuple of tensors.
        inputs: The point of evaluation: a tensor, or a tuple of tensors.
        v: The vector, with the shapes of the outputs. May be None if the output has one element.
        create_graph: Whether the results can be differentiated again.
        strict: Whether to raise if an output does not depend on an input, rather than return
            zeros for it.

    Returns:
        The pair `(func(*inputs), v' J)`; the product has the structure of `inputs`.

    Raises:
        TypeError: If inputs, outputs or `v` are not tensors.
        RuntimeError: If `v` does not fit the outputs, or a strict check fails.

    Example:
        >>> x = torch.tensor([1.0, 2.0])
        >>> torch.autograd.functional.vjp(lambda x: x**2, x, torch.ones(2))
        (tensor([1., 4.]), tensor([2., 4.]))
    """
    with torch.enable_grad():
        inputs_are_tuple, inputs = differentiable_inputs(inputs, "vjp", create_graph)
        outputs_are_tuple, outputs = call(func, inputs, "vjp")
        require_grads(outputs, strict)
        weights = checked_vector(v, outputs, outputs_are_tuple, "vjp", _ONE_ELEMENT_OUTPUT)
        product = gradients(outputs, inputs, weights, create_graph, strict, "vjp", "jacobian")
    return unpack(outputs, outputs_are_tuple, create_graph), unpack(
        product, inputs_are_tuple, create_graph
    )


def jvp(func, inputs, v=None, create_graph=False, strict=False):
    """Compute the product of the Jacobian of a function and a vector, J v.

    Two backward passes do it: the transposed Jacobian of u -> u' J is J.

    Args:
        func: A function of tensors that returns a tensor or a tuple of tensors.
        inputs: The point of evaluation: a tensor, or a tuple of tensors.
        v: The vector, with the shapes of the inputs. May be None if the input has one element.
        create_graph: Whether the results can be differentiated again.
        strict: Whether to raise if an output does not depend on an input, rather than return
            zeros for it.

    Returns:
        The pair `(func(*inputs), J v)`; the product has the structure of the outputs.

    Raises:
        TypeError: If inputs, outputs or `v` are not tensors.
        RuntimeError: If `v` does not fit the inputs, or a strict check fails.

    Example:
        >>> x = torch.tensor([1.0, 2.0])
        >>> torch.autograd.functional.jvp(lambda x: x**2, x, torch.ones(2))
        (tensor([1., 4.]), tensor([2., 4.]))
    """
    with torch.enable_grad():
        inputs_are_tuple, inputs = differentiable_inputs(inputs, "jvp", create_graph)
        direction = checked_vector(v, inputs, inputs_are_tuple, "jvp", _ONE_ELEMENT_INPUT)
        outputs_are_tuple, outputs = call(func, inputs, "jvp")
        require_grads(outputs, strict)
        zeros = tuple(torch.zeros_like(output).requires_grad_() for output in outputs)
        linear = gradients(outputs, inputs, zeros, True, strict, "vjp")
        product = gradients(linear, zeros, direction, create_graph, strict, "jvp", "jacobian")
    return unpack(outputs, outputs_are_tuple, create_graph), unpack(
        product, outputs_are_tuple, create_graph
    )


def vhp(func, inputs, v=None, create_graph=False, strict=False):
    """Compute the product of a vector and the Hessian of a scalar function, v' H.

    Args:
        func: A function of tensors that returns a tensor with one element.
        inputs: The point of evaluation: a tensor, or a tuple of tensors.
        v: The vector, with the shapes of the inputs. May be None if the input has one element.
        create_graph: Whether the results can be differentiated again.
        strict: Whether to raise if an output does not depend on an input, rather than return
            zeros for it.

    Returns:
        The pair `(func(*inputs), v' H)`; the product has the structure of `inputs`.

    Raises:
        TypeError: If inputs, outputs or `v` are not tensors.
        RuntimeError: If the function does not return one element, `v` does not fit the inputs,
            or a strict check fails.

    Example:
        >>> x = torch.tensor([1.0, 2.0])
        >>> torch.autograd.functional.vhp(lambda x: (x**3).sum(), x, torch.ones(2))
        (tensor(9.), tensor([ 6., 12.]))
    """
    with torch.enable_grad():
        is_tuple, inputs = differentiable_inputs(inputs, "vhp", create_graph)
        direction = checked_vector(v, inputs, is_tuple, "vhp", _ONE_ELEMENT_INPUT)
        outputs = call_scalar(func, inputs, "vhp", strict)
        ones = (torch.ones_like(outputs[0]),)
        gradient = gradients(outputs, inputs, ones, True, strict, "vjp")
        require_dependent_gradient(gradient, strict)
        product = gradients(gradient, inputs, direction, create_graph, strict, "hessian", "hessian")
    return unpack(outputs, False, create_graph), unpack(product, is_tuple, create_graph)


def hvp(func, inputs, v=None, create_graph=False, strict=False):
    """Compute the product of the Hessian of a scalar function and a vector, H v.

    `vhp` gives the same result, because Hessians are symmetric, with one backward pass fewer.

    Args:
        func: A function of tensors that returns a tensor with one element.
        inputs: The point of evaluation: a tensor, or a tuple of tensors.
        v: The vector, with the shapes of the inputs. May be None if the input has one element.
        create_graph: Whether the results can be differentiated again.
        strict: Whether to raise if an output does not depend on an input, rather than return
            zeros for it.

    Returns:
        The pair `(func(*inputs), H v)`; the product has the structure of `inputs`.

    Raises:
        TypeError: If inputs, outputs or `v` are not tensors.
        RuntimeError: If the function does not return one element, `v` does not fit the inputs,
            or a strict check fails.

    Example:
        >>> x = torch.tensor([1.0, 2.0])
        >>> torch.autograd.functional.hvp(lambda x: (x**3).sum(), x, torch.ones(2))
        (tensor(9.), tensor([ 6., 12.]))
    """
    with torch.enable_grad():
        is_tuple, inputs = differentiable_inputs(inputs, "hvp", create_graph)
        direction = checked_vector(v, inputs, is_tuple, "hvp", _ONE_ELEMENT_INPUT)
        outputs = call_scalar(func, inputs, "hvp", strict)
        one = (torch.ones_like(outputs[0]).requires_grad_(),)
        gradient = gradients(outputs, inputs, one, True, strict, "vjp")
        zeros = tuple(torch.zeros_like(each).requires_grad_() for each in inputs)
        linear = gradients(gradient, inputs, zeros, True, strict, "constant jacobian")
        product = gradients(linear, zeros, direction, create_graph, strict, "jvp", "hessian")
    return unpack(outputs, False, create_graph), unpack(product, is_tuple, create_graph)


# ---- tensors matrices -----------------------------------------------------------------------------
def _check_strategy(strategy, argument):
    if strategy in ("reverse-mode", "forward-mode"):
        return
    raise AssertionError(
        f'Expected {argument} to be either "forward-mode" or "reverse-mode", but got {strategy!r}'
    )


def _jacobian_rows(output, index, inputs, create_graph, strict):
    """Stack, for each input, the gradients of all elements of the output."""
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
                _reject_independent(index, position, grad is None)
            rows[position].append(torch.zeros_like(each) if grad is None else grad)
    return tuple(
        (torch.stack(row) if row else each.new_zeros((0, *each.shape))).view(
            tuple(output.shape) + tuple(each.shape)
        )
        for row, each in zip(rows, inputs, strict=True)
    )


_as_tuple = as_tuple


def _grad_postprocess(inputs, create_graph):
    """Return nested tuples of tensors, detached from the graph unless it was asked for."""
    if isinstance(inputs, torch.Tensor):
        return inputs if create_graph else inputs.detach()
    return tuple(_grad_postprocess(each, create_graph) for each in inputs)


def _tuple_postprocess(res, to_unpack):
    """Return the element of each tuple that the caller did not give as a tuple.

    Args:
        res: A tuple, or a tuple of tuples.
        to_unpack: Whether the caller gave a tuple, or that for the outer and the inner tuples.
    """
    outer, inner = to_unpack if isinstance(to_unpack, tuple) else (to_unpack, True)
    if not inner:
        res = tuple(each[0] for each in res)
    return res if outer else res[0]


def _construct_standard_basis_for(tensors, tensor_numels):
    """Return the rows of the identity over all elements, split among the tensors.

    Args:
        tensors: Tensors that give the dtypes and devices.
        tensor_numels: The number of elements of each.
    """
    whole = torch.eye(sum(tensor_numels))
    parts = whole.split(list(tensor_numels), dim=1)
    return tuple(part.to(tensor) for part, tensor in zip(parts, tensors, strict=True))


def _rows_at_once(output, inputs, create_graph):
    """Compute the same with one backward pass over all elements, batched by vmap."""
    shapes = [tuple(output.shape) + tuple(each.shape) for each in inputs]
    if not output.requires_grad or not output.numel():
        return tuple(each.new_zeros(s) for each, s in zip(inputs, shapes, strict=True))
    basis = torch.eye(output.numel(), dtype=output.dtype, device=output.device)
    found = torch.vmap(
        lambda weight: (
            gradients((output,), inputs, (weight,), create_graph, False, "jacobian")
            if create_graph
            else tuple(
                torch.zeros_like(each) if grad is None else grad
                for grad, each in zip(
                    torch.autograd.grad(
                        output, inputs, weight, retain_graph=True, allow_unused=True
                    ),
                    inputs,
                    strict=True,
                )
            )
        )
    )(basis.view(-1, *output.shape))
    return tuple(grad.reshape(s) for grad, s in zip(found, shapes, strict=True))


def _forward_jacobian(func, inputs, create_graph):
    """Compute the Jacobian in forward mode, one column for each element of the inputs."""
    with torch.enable_grad():
        inputs_are_tuple, inputs = differentiable_inputs(inputs, "jacobian", create_graph)
        outputs_are_tuple = False

        def called(*point):
            nonlocal outputs_are_tuple
            outputs_are_tuple, outputs = call(func, point, "jacobian")
            return outputs

        found = torch.func.jacfwd(called, tuple(range(len(inputs))))(*inputs)
    matrices = tuple(unpack(row, inputs_are_tuple, create_graph) for row in found)
    return matrices if outputs_are_tuple else matrices[0]


def _reject_independent(output, position, no_gradient):
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
    """Compute the Jacobian of a function: all outputs differentiated by all inputs.

    Args:
        func: A function of tensors that returns a tensor or a tuple of tensors.
        inputs: The point of evaluation: a tensor, or a tuple of tensors.
        create_graph: Whether the result can be differentiated again.
        strict: Whether to raise if an output does not depend on an input, rather than return
            zeros for it.
        vectorize: Whether to compute all rows, or columns, at once with vmap.
        strategy: "reverse-mode" or "forward-mode", which needs `vectorize=True`.

    Returns:
        A tensor of shape `output.shape + input.shape`. If `func` takes or returns a tuple, a
        tuple of such tensors; if it does both, `result[i][j]` is output i by input j.

    Raises:
        RuntimeError: If a strict check fails, or both `strict` and `vectorize` are set.
        NotImplementedError: For strategy="forward-mode" without `vectorize`.

    Example:
        >>> x = torch.tensor([1.0, 2.0])
        >>> torch.autograd.functional.jacobian(lambda x: x**2, x)
        tensor([[2., 0.],
                [0., 4.]])
    """
    _check_strategy(strategy, "strategy")
    if strict and vectorize:
        raise RuntimeError(
            "torch.autograd.functional.jacobian: `strict=True` and `vectorized=True` are not "
            "supported together. Please either set `strict=False` or `vectorize=False`."
        )
    if strategy == "forward-mode":
        if not vectorize:
            raise NotImplementedError(
                "torch.autograd.functional.jacobian: Computing Jacobian using forward-AD or "
                "forward-over-reverse Hessian is only implemented for `vectorize=True`."
            )
        return _forward_jacobian(func, inputs, create_graph)
    with torch.enable_grad():
        inputs_are_tuple, inputs = differentiable_inputs(inputs, "jacobian", create_graph)
        outputs_are_tuple, outputs = call(func, inputs, "jacobian")
        require_grads(outputs, strict)
        matrices = [
            unpack(
                _jacobian_rows(output, index, inputs, create_graph, strict)
                if not vectorize
                else _rows_at_once(output, inputs, create_graph),
                inputs_are_tuple,
                create_graph,
            )
            for index, output in enumerate(outputs)
        ]
    return tuple(matrices) if outputs_are_tuple else matrices[0]


def hessian(
    func,
    inputs,
    create_graph=False,
    strict=False,
    vectorize=False,
    outer_jacobian_strategy="reverse-mode",
):
    """Compute the Hessian of a scalar function: the Jacobian of its gradient.

    Args:
        func: A function of tensors that returns a tensor with one element.
        inputs: The point of evaluation: a tensor, or a tuple of tensors.
        create_graph: Whether the result can be differentiated again.
        strict: Whether to raise if a derivative does not depend on an input, rather than return
            zeros for it.
        vectorize: Whether to compute all rows, or columns, at once with vmap.
        outer_jacobian_strategy: "reverse-mode" or "forward-mode", which needs `vectorize=True`.

    Returns:
        A tensor of shape `input.shape + input.shape`. For a tuple of inputs, a tuple of tuples:
        `result[i][j]` holds the derivatives by inputs i and j.

    Raises:
        RuntimeError: If the function does not return one element, or a strict check fails.
        NotImplementedError: For outer_jacobian_strategy="forward-mode" without `vectorize`.

    Example:
        >>> x = torch.tensor([1.0, 2.0])
        >>> torch.autograd.functional.hessian(lambda x: (x**3).sum(), x)
        tensor([[ 6.,  0.],
                [ 0., 12.]])
    """
    _check_strategy(outer_jacobian_strategy, "outer_jacobian_strategy")
    is_tuple, tensors = as_tuple(inputs, "inputs", "hessian")

    def gradient(*point):
        if outer_jacobian_strategy == "forward-mode":  # a graph of dual tensors is their own
            from torch._func_transforms import _tracked

            point = tuple(_tracked(each) for each in point)
        outputs = call_scalar(func, point, "hessian", strict)
        ones = (torch.ones_like(outputs[0]),)
        grads = gradients(outputs, point, ones, True, strict, "constant jacobian")
        require_dependent_gradient(grads, strict)
        return grads

    result = jacobian(gradient, tensors, create_graph, strict, vectorize, outer_jacobian_strategy)
    return result if is_tuple else result[0][0]
