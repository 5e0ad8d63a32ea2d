"""Automatic differentiation: backward passes, gradients, and custom differentiable functions.

The engine is C++ (torch/csrc/autograd); this package checks arguments and reports errors.
"""

import warnings

from torch import _C
from torch._lazy_attributes import import_at_use as _import_at_use
from torch._tensor import Tensor
from torch._torch_function import handle_torch_function, has_torch_function
from torch.autograd import graph
from torch.autograd.anomaly_mode import detect_anomaly, set_detect_anomaly
from torch.autograd.function import Function, NestedIOFunction
from torch.autograd.grad_mode import (
    enable_grad,
    enforce_grad_layout_policy,
    inference_mode,
    no_grad,
    set_grad_enabled,
    set_multithreading_enabled,
)
from torch.autograd.gradcheck import gradcheck, gradgradcheck
from torch.autograd.variable import Variable

__all__ = [
    "Function",
    "NestedIOFunction",
    "Variable",
    "backward",
    "detect_anomaly",
    "enable_grad",
    "enforce_grad_layout_policy",
    "grad",
    "grad_mode",
    "gradcheck",
    "gradgradcheck",
    "inference_mode",
    "no_grad",
    "set_detect_anomaly",
    "set_grad_enabled",
    "set_multithreading_enabled",
    "variable",
]

SavedTensor = _C._autograd.SavedTensor
is_multithreading_enabled = _C._is_multithreading_enabled
_run_backward = Variable._execution_engine.run_backward


__getattr__ = _import_at_use(
    __name__, homes={"DeviceType": "profiler_util", "_profiler_enabled": "_profiled_blocks"}
)


def _as_tuple(tensors):
    """Convert a tensor, an edge, or a sequence of them to a tuple."""
    if isinstance(tensors, (Tensor, graph.GradientEdge)):
        return (tensors,)
    return tuple(tensors)


def _grads_as_tuple(tensors, length):
    if tensors is None:
        return (None,) * length
    return _as_tuple(tensors)


def _inputs_as_tuple(inputs, caller):
    """Return the inputs as a tuple, and their names if a dict gave them (else None)."""
    names = None
    if isinstance(inputs, dict):
        names, inputs = tuple(inputs), tuple(inputs.values())
    elif hasattr(inputs, "keys"):
        raise TypeError(
            f"`inputs` argument to `{caller}()` must be a dict, not {type(inputs).__name__}. "
            "Other Mapping types are not supported."
        )
    inputs = _as_tuple(inputs)
    if not inputs:
        raise RuntimeError(f"`inputs` argument to `{caller}()` cannot be empty.")
    return inputs, names


def _first_grad(out, edge):
    """Return the gradient that differentiation of a scalar starts with: one."""
    shape, dtype, device = (
        (edge.shape, edge.dtype, edge.device) if edge else (out.shape, out.dtype, out.device)
    )
    if shape.numel() != 1:
        raise RuntimeError("grad can be implicitly created only for scalar outputs")
    if not dtype.is_floating_point:
        raise RuntimeError(
            f"grad can be implicitly created only for real scalar outputs but got {dtype}"
        )
    if edge:
        return _C._VariableFunctions.ones(shape, dtype=dtype, device=device)
    return _C._VariableFunctions.ones_like(out)


def _check_grad(position, out, grad, edge):
    """Raise unless `grad` has the output's shape and is complex exactly if the output is."""
    if grad.is_nested or (not edge and out.is_nested):
        _check_nested_grad(position, out, grad)
        return
    expected = edge.shape if edge else out.shape
    if grad.shape != expected:
        raise RuntimeError(
            f"Mismatch in shape: grad_output[{position}] has a shape of {grad.shape} and "
            f"output[{position}] has a shape of {expected}."
        )
    dtype = edge.dtype if edge else out.dtype
    if dtype.is_complex != grad.dtype.is_complex:
        raise RuntimeError(
            "For complex Tensors, both grad_output and output are required to have the same "
            f"dtype. Mismatch in dtype: grad_output[{position}] has a dtype of {grad.dtype} and "
            f"output[{position}] has a dtype of {dtype}."
        )


def _check_nested_grad(position, out, grad):
    """Raise unless the gradient of a nested output has components of the same sizes."""
    if not (out.is_nested and grad.is_nested):
        kinds = ["nested" if each.is_nested else "not nested" for each in (grad, out)]
        raise ValueError(
            f"grad_output[{position}] and output[{position}] must both be nested tensors or both not, "
            f"but the gradient is {kinds[0]} and the output {kinds[1]}."
        )
    if not out.is_same_size(grad):
        raise RuntimeError(
            f"Mismatch in shape: grad_output[{position}] and output[{position}] are nested tensors "
            "with components of different sizes."
        )


def _make_grads(outputs, grads):
    """Check the gradients of the outputs, and fill in ones for scalars without a gradient."""
    checked = []
    for position, (out, grad) in enumerate(zip(outputs, grads, strict=False)):
        edge = None
        if isinstance(out, graph.GradientEdge):
            edge = out.node._input_metadata[out.output_nr]
        elif not isinstance(out, Tensor):
            raise AssertionError("Expected output to be a torch.Tensor")
        if isinstance(grad, Tensor):
            _check_grad(position, out, grad, edge)
            checked.append(grad)
        elif grad is not None:
            raise TypeError(
                f"gradients can be either Tensors or None, but got {type(grad).__name__}"
            )
        elif edge or out.requires_grad:
            checked.append(_first_grad(out, edge))
        else:
            checked.append(None)
    return tuple(checked)


def _are_dual(outputs):
    """Return whether an output is a dual tensor whose value has a graph."""
    return any(
        type(out) is not Tensor and getattr(out, "_differentiates_parts", False) for out in outputs
    )


def _check_batch(outputs, grads):
    """Check batched gradients, stacked along a leading dimension."""
    for position, (out, grad) in enumerate(zip(outputs, grads, strict=True)):
        if grad is None:
            raise RuntimeError("grad can be implicitly created only for scalar outputs")
        if grad.shape[1:] != out.shape:
            raise RuntimeError(
                "If `is_grads_batched=True`, we interpret the first dimension of each grad_output "
                "as the batch dimension. The sizes of the remaining dimensions are expected to "
                "match the shape of corresponding output, but a mismatch was detected: "
                f"grad_output[{position}] has a shape of {grad.shape} and output[{position}] has "
                f"a shape of {out.shape}. If you only want some tensors in `grad_output` to be "
                "considered batched, consider using vmap."
            )


def _batched_grads(outputs, grads, keep, create_graph, inputs, allow_unused):
    """Run one backward pass for all gradients of the batch."""
    _check_batch(outputs, grads)
    from torch._vmap_internals import _vmap

    def one_pass(*vectors):
        return _run_backward(
            outputs, vectors, keep, create_graph, inputs, allow_unused, accumulate_grad=False
        )

    return _vmap(one_pass, allow_none_pass_through=True)(*grads)


def backward(
    tensors,
    grad_tensors=None,
    retain_graph=None,
    create_graph=False,
    grad_variables=None,
    inputs=None,
):
    """Add the gradients of tensors to the `.grad` of the leaves of their graph.

    Args:
        tensors: A tensor, or a sequence of tensors, to differentiate.
        grad_tensors: The gradient with respect to each tensor, which weights its elements. May
            be None for tensors with one element.
        retain_graph: Whether to keep the graph for another pass; defaults to `create_graph`.
        create_graph: Whether the gradients can be differentiated again.
        grad_variables: The old name of `grad_tensors`.
        inputs: The tensors whose `.grad` to add to; None means all leaves. A tensor, a sequence
            or a dict of tensors.

    Raises:
        RuntimeError: If a tensor has no graph, a required gradient is missing or has the wrong
            shape, or the graph was freed by an earlier pass.

    Example:
        >>> x = torch.tensor([1.0, 2.0], requires_grad=True)
        >>> torch.autograd.backward((x**2).sum())
        >>> x.grad
        tensor([2., 4.])
        >>> torch.autograd.backward(x * 3, torch.tensor([1.0, 10.0]))
        >>> x.grad
        tensor([ 5., 34.])
    """
    if grad_variables is not None:
        warnings.warn(
            "`grad_variables` is deprecated. Use `grad_tensors` instead.",
            FutureWarning,
            stacklevel=2,
        )
        if grad_tensors is not None:
            raise RuntimeError(
                "`grad_tensors` and `grad_variables` (deprecated) arguments both passed to "
                "`backward()`. Please only use `grad_tensors`."
            )
        grad_tensors = grad_variables
    targets = () if inputs is None else _inputs_as_tuple(inputs, "backward")[0]
    tensors = _as_tuple(tensors)
    grads = _make_grads(tensors, _grads_as_tuple(grad_tensors, len(tensors)))
    keep = create_graph if retain_graph is None else retain_graph
    if _are_dual(tensors):
        from torch._transforms.dual_backward import accumulate

        accumulate(tensors, targets, grads, keep, create_graph)
        return
    _run_backward(
        tensors, grads, keep, create_graph, targets, allow_unreachable=True, accumulate_grad=True
    )


def grad(
    outputs,
    inputs,
    grad_outputs=None,
    retain_graph=None,
    create_graph=False,
    only_inputs=True,
    allow_unused=None,
    is_grads_batched=False,
    materialize_grads=False,
):
    """Compute the gradients of outputs with respect to inputs, and leave `.grad` alone.

    Args:
        outputs: A tensor, or a sequence of tensors, to differentiate.
        inputs: A tensor, a sequence or a dict of tensors to differentiate by.
        grad_outputs: The gradient with respect to each output, which weights its elements. May
            be None for outputs with one element.
        retain_graph: Whether to keep the graph for another pass; defaults to `create_graph`.
        create_graph: Whether the gradients can be differentiated again.
        only_inputs: Deprecated and ignored.
        allow_unused: Whether the gradient of an input that the outputs do not depend on is
            None, rather than an error.
        is_grads_batched: Whether the first dimension of `grad_outputs`, and then of the
            results, is a batch. torch.vmap runs one backward pass for all its elements.
        materialize_grads: Whether the gradient of an unused input is zeros.

    Returns:
        A tuple with one gradient for each input; for a dict of inputs, a dict.

    Raises:
        RuntimeError: If an output has no graph, an input is unused and that is not allowed, or
            a required gradient is missing or has the wrong shape.

    Example:
        >>> x = torch.tensor(3.0, requires_grad=True)
        >>> (slope,) = torch.autograd.grad(x**3, x, create_graph=True)
        >>> torch.autograd.grad(slope, {"x": x})
        {'x': tensor(18.)}
    """
    if materialize_grads and allow_unused is False:
        raise ValueError(
            "Expected allow_unused to be True or not passed when materialize_grads=True, "
            "but got: allow_unused=False."
        )
    if allow_unused is None:
        allow_unused = materialize_grads
    outputs = _as_tuple(outputs)
    inputs, names = _inputs_as_tuple(inputs, "grad")
    if has_torch_function(outputs + inputs):
        return handle_torch_function(
            grad,
            outputs + inputs,
            outputs,
            inputs if names is None else dict(zip(names, inputs, strict=True)),
            grad_outputs=grad_outputs,
            retain_graph=retain_graph,
            create_graph=create_graph,
            only_inputs=only_inputs,
            allow_unused=allow_unused,
            is_grads_batched=is_grads_batched,
            materialize_grads=materialize_grads,
        )
    if not only_inputs:
        warnings.warn(
            "only_inputs argument is deprecated and is ignored now (defaults to True). To "
            "accumulate gradient for other parts of the graph, please use "
            "torch.autograd.backward.",
            FutureWarning,
            stacklevel=2,
        )
    grads = _grads_as_tuple(grad_outputs, len(outputs))
    keep = create_graph if retain_graph is None else retain_graph
    if is_grads_batched:
        result = _batched_grads(outputs, grads, keep, create_graph, inputs, allow_unused)
    else:
        grads = _make_grads(outputs, grads)
        if _are_dual(outputs):
            from torch._transforms.dual_backward import gradients

            result = gradients(outputs, inputs, grads, keep, create_graph, allow_unused)
        else:
            result = _run_backward(
                outputs, grads, keep, create_graph, inputs, allow_unused, accumulate_grad=False
            )
    if materialize_grads:
        result = _zeros_for_none(result, inputs, create_graph)
    return result if names is None else dict(zip(names, result, strict=True))


def _zeros_for_none(grads, inputs, requires_grad):
    pairs = list(zip(grads, inputs, strict=True))
    if any(value is None and isinstance(entry, graph.GradientEdge) for value, entry in pairs):
        raise RuntimeError(
            "materialize_grads cannot be used when the given input is a GradientEdge"
        )
    return tuple(
        _C._VariableFunctions.zeros_like(entry).requires_grad_(requires_grad)
        if value is None
        else value
        for value, entry in pairs
    )


def _is_checkpoint_valid():
    """Return whether the running pass accumulates into all leaves, as recomputation requires."""
    return Variable._execution_engine.is_checkpoint_valid()


def variable(*args, **kwargs):
    """Raise an error: this constructor is gone, and torch.tensor replaces it.

    Raises:
        RuntimeError: Always.

    Example:
        >>> torch.autograd.variable([1.0])
        Traceback (most recent call last):
            ...
        RuntimeError: torch.autograd.variable(...) is deprecated, use torch.tensor(...) instead
    """
    raise RuntimeError("torch.autograd.variable(...) is deprecated, use torch.tensor(...) instead")
