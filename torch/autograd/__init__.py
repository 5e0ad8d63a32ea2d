"""Automatic differentiation: backward passes, gradients, and functions with gradients of their own.

The engine is C++ (torch/csrc/autograd); this package checks arguments and words errors.
"""

import warnings
from importlib import import_module as _import_module

from torch import _C
from torch._tensor import Tensor
from torch.autograd import graph
from torch.autograd.anomaly_mode import detect_anomaly, set_detect_anomaly
from torch.autograd.function import Function
from torch.autograd.grad_mode import (
    enable_grad,
    inference_mode,
    no_grad,
    set_grad_enabled,
    set_multithreading_enabled,
)
from torch.autograd.gradcheck import gradcheck, gradgradcheck
from torch.autograd.variable import Variable
from torch.overrides import handle_torch_function, has_torch_function

__all__ = [
    "Function",
    "Variable",
    "backward",
    "detect_anomaly",
    "enable_grad",
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


def __getattr__(name):
    if name == "functional":
        return _import_module("torch.autograd.functional")
    raise AttributeError(f"module 'torch.autograd' has no attribute '{name}'")


def _as_tuple(tensors):
    """One tensor (or edge) or a sequence of them, as a tuple."""
    if isinstance(tensors, (Tensor, graph.GradientEdge)):
        return (tensors,)
    return tuple(tensors)


def _grads_as_tuple(tensors, length):
    if tensors is None:
        return (None,) * length
    return _as_tuple(tensors)


def _inputs_as_tuple(inputs, caller):
    """The inputs and, where a dict named them, their names."""
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
    """The gradient with which differentiation of a scalar begins: one."""
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
    """Raises unless `grad` fits the output in shape and, for complex tensors, in dtype."""
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


def _make_grads(outputs, grads):
    """The gradient of each output: what was given, checked, or one for scalars that need it."""
    made = []
    for position, (out, grad) in enumerate(zip(outputs, grads, strict=False)):
        edge = None
        if isinstance(out, graph.GradientEdge):
            edge = out.node._input_metadata[out.output_nr]
        elif not isinstance(out, Tensor):
            raise AssertionError("Expected output to be a torch.Tensor")
        if isinstance(grad, Tensor):
            _check_grad(position, out, grad, edge)
            made.append(grad)
        elif grad is not None:
            raise TypeError(
                f"gradients can be either Tensors or None, but got {type(grad).__name__}"
            )
        elif edge or out.requires_grad:
            made.append(_first_grad(out, edge))
        else:
            made.append(None)
    return tuple(made)


def _check_batch(outputs, grads):
    """How many gradients each output has; they are stacked along a leading dimension."""
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
    return grads[0].shape[0]


def _batched_grads(outputs, grads, keep, create_graph, inputs, allow_unused):
    """One backward pass for each gradient of the batch; the results stacked as they were given."""
    count = _check_batch(outputs, grads)
    passes = [
        _run_backward(
            outputs,
            tuple(grad[i] for grad in grads),
            keep or i + 1 < count,
            create_graph,
            inputs,
            allow_unused,
            accumulate_grad=False,
        )
        for i in range(count)
    ]
    return tuple(
        None if each[0] is None else _C._VariableFunctions.stack(each)
        for each in zip(*passes, strict=True)
    )


def backward(
    tensors,
    grad_tensors=None,
    retain_graph=None,
    create_graph=False,
    grad_variables=None,
    inputs=None,
):
    """Accumulates into `.grad` of the leaves (or of `inputs`) the gradients of `tensors`.

    `grad_tensors` weights each tensor's elements and may be omitted for scalars. The graph is
    freed unless `retain_graph`, which `create_graph` implies.
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
    into = () if inputs is None else _inputs_as_tuple(inputs, "backward")[0]
    tensors = _as_tuple(tensors)
    grads = _make_grads(tensors, _grads_as_tuple(grad_tensors, len(tensors)))
    keep = create_graph if retain_graph is None else retain_graph
    _run_backward(
        tensors, grads, keep, create_graph, into, allow_unreachable=True, accumulate_grad=True
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
    """The gradients of `outputs` with respect to `inputs`, as a tuple (a dict for a dict).

    An input that took no part is an error, None with `allow_unused`, zeros with
    `materialize_grads`. With `is_grads_batched`, `grad_outputs` and the results are stacks.
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
        result = _run_backward(
            outputs, grads, keep, create_graph, inputs, allow_unused, accumulate_grad=False
        )
    if materialize_grads:
        result = _zeros_for_none(result, inputs, create_graph)
    return result if names is None else dict(zip(names, result, strict=True))


def _zeros_for_none(grads, inputs, requires_grad):
    if any(isinstance(entry, graph.GradientEdge) for entry in inputs):
        raise RuntimeError(
            "materialize_grads cannot be used when the given input is a GradientEdge"
        )
    return tuple(
        _C._VariableFunctions.zeros_like(entry).requires_grad_(requires_grad)
        if value is None
        else value
        for value, entry in zip(grads, inputs, strict=True)
    )


def _is_checkpoint_valid():
    """Whether the running backward pass may recompute: it accumulates into every leaf."""
    return Variable._execution_engine.is_checkpoint_valid()


def variable(*args, **kwargs):
    """Refused: torch.tensor makes tensors."""
    raise RuntimeError("torch.autograd.variable(...) is deprecated, use torch.tensor(...) instead")
