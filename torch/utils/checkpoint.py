"""Activation checkpointing: the backward pass recomputes intermediate values to save memory.

There are two variants. Non-reentrant: see _checkpoint_recomputation.py. Reentrant: the function runs without
a graph; backward runs it again with one, and then that graph's backward pass.
"""

import contextlib
import warnings

import torch
from torch import Tensor
from torch._published import publish, publish_all
from torch.autograd.function import Function
from torch.utils._checkpoint_ambience import (
    AmbientState,
    DefaultDeviceType,
    get_device_states,
    set_device_states,
)
from torch.utils._checkpoint_recomputation import (
    DETERMINISM_CHECKS,
    CheckpointError,
    GraphExecGroup,
    checkpoint_without_reentrant,
    set_checkpoint_debug_enabled,
    set_checkpoint_early_stop,
)

__all__ = [  # noqa: F822 (__getattr__ finds some)
    "CheckpointError",
    "CheckpointFunction",
    "CheckpointPolicy",
    "DefaultDeviceType",
    "GraphExecGroup",
    "SelectiveCheckpointContext",
    "check_backward_validity",
    "checkpoint",
    "checkpoint_sequential",
    "create_selective_checkpoint_contexts",
    "detach_variable",
    "get_device_states",
    "noop_context_fn",
    "set_checkpoint_debug_enabled",
    "set_checkpoint_early_stop",
    "set_device_states",
]


def detach_variable(inputs):
    """Return the tensors of a tuple detached, with the same requires_grad, and other values as they are.

    Raises:
        RuntimeError: If `inputs` is not a tuple.

    Example:
        >>> x = torch.ones(1, requires_grad=True)
        >>> torch.utils.checkpoint.detach_variable((x * 2, 3))[0].is_leaf
        True
    """
    if not isinstance(inputs, tuple):
        raise RuntimeError(
            f"Only tuple of tensors is supported. Got Unsupported input type: {type(inputs).__name__}"
        )
    return tuple(
        value.detach().requires_grad_(value.requires_grad) if isinstance(value, Tensor) else value
        for value in inputs
    )


def check_backward_validity(inputs):
    """Warn if no input requires a gradient.

    Example:
        >>> torch.utils.checkpoint.check_backward_validity([torch.ones(1, requires_grad=True)])
    """
    if not any(value.requires_grad for value in inputs if isinstance(value, Tensor)):
        warnings.warn(
            "None of the inputs have requires_grad=True. Gradients will be None", stacklevel=2
        )


def noop_context_fn():
    """Return two contexts that do nothing: the default `context_fn` of `checkpoint`.

    Example:
        >>> forward, recompute = torch.utils.checkpoint.noop_context_fn()
        >>> with forward:
        ...     pass
    """
    return contextlib.nullcontext(), contextlib.nullcontext()


publish_all(
    globals(),
    (
        "DefaultDeviceType",
        "GraphExecGroup",
        "get_device_states",
        "set_checkpoint_debug_enabled",
        "set_checkpoint_early_stop",
        "set_device_states",
    ),
)


class CheckpointFunction(Function):
    """The reentrant variant: runs a function without a graph; backward reruns it with one.

    Example:
        >>> from torch.utils.checkpoint import CheckpointFunction
        >>> x = torch.tensor(2.0, requires_grad=True)
        >>> CheckpointFunction.apply(torch.square, True, x).backward()
        >>> x.grad
        tensor(4.)
    """

    @staticmethod
    def forward(ctx, run_function, preserve_rng_state, *args):
        """Run the function without a graph; save its tensor arguments."""
        if not any(isinstance(arg, Tensor) and arg.requires_grad for arg in args):
            warnings.warn(
                "None of the inputs have requires_grad=True. Gradients will be None", stacklevel=4
            )
        ctx.run_function = run_function
        ctx.ambience = AmbientState(args, preserve_rng_state)
        ctx.tensor_index = [i for i, arg in enumerate(args) if isinstance(arg, Tensor)]
        ctx.others = [None if isinstance(arg, Tensor) else arg for arg in args]
        ctx.save_for_backward(*(args[i] for i in ctx.tensor_index))
        with torch.no_grad():
            return run_function(*args)

    @staticmethod
    def backward(ctx, *grad_outputs):
        """Run the function again with a graph, and that graph's backward pass."""
        if not torch.autograd._is_checkpoint_valid():
            raise RuntimeError(
                "When use_reentrant=True, torch.utils.checkpoint is incompatible with .grad() or "
                "passing an `inputs` parameter to .backward(). To resolve this error, you can "
                "either set use_reentrant=False, or call .backward() without passing the `inputs` "
                "argument."
            )
        args = list(ctx.others)
        for i, tensor in zip(ctx.tensor_index, ctx.saved_tensors, strict=True):
            args[i] = tensor.detach().requires_grad_(tensor.requires_grad)
        with ctx.ambience.restored(), torch.enable_grad():
            outputs = ctx.run_function(*args)
        if isinstance(outputs, Tensor):
            outputs = (outputs,)
        pairs = [
            (output, grad)
            for output, grad in zip(outputs, grad_outputs, strict=True)
            if isinstance(output, Tensor) and output.requires_grad
        ]
        if not pairs:
            raise RuntimeError(
                "none of output has requires_grad=True, this checkpoint() is not necessary"
            )
        torch.autograd.backward([output for output, _ in pairs], [grad for _, grad in pairs])
        grads = (arg.grad if isinstance(arg, Tensor) else None for arg in args)
        return (None, None, *grads)


def _resolve_use_reentrant(use_reentrant, name):
    if use_reentrant is not None:
        return use_reentrant
    warnings.warn(
        f"{name}: the use_reentrant parameter should be passed explicitly. use_reentrant=False is "
        "recommended, but if you need to preserve the current default behavior, you can pass "
        "use_reentrant=True.",
        stacklevel=3,
    )
    return True


def checkpoint(
    function,
    *args,
    use_reentrant=None,
    context_fn=noop_context_fn,
    determinism_check="default",
    debug=False,
    early_stop=True,
    **kwargs,
):
    """Call a function without saving tensors for its backward pass, which recomputes them.

    This trades computation for memory. The function must do the same each time it runs.

    Args:
        function: The function to call, such as a module.
        *args: Its positional arguments.
        use_reentrant: Which variant to use. Pass False; None warns and means True, where
            gradients need a tensor argument that requires them, and
            `torch.autograd.grad` does not work.
        context_fn: A function that returns two context managers: for the call and for the
            recomputation. Needs `use_reentrant=False`.
        determinism_check: "default" checks the shape, dtype and device of recomputed tensors;
            "none" does not.
        debug: Whether a CheckpointError lists the operators of both runs. Needs
            `use_reentrant=False`.
        early_stop: Whether recomputation stops at the last tensor it needs.
        **kwargs: `preserve_rng_state` (True): whether recomputation repeats the random numbers.
            With `use_reentrant=False`, all others are passed to `function`.

    Returns:
        The result of the function.

    Raises:
        ValueError: If an argument is not valid for the variant.
        CheckpointError: In backward, if recomputation saves different tensors from the call.

    Example:
        >>> from torch.utils.checkpoint import checkpoint
        >>> x = torch.tensor([0.0, 1.0], requires_grad=True)
        >>> y = checkpoint(lambda x: (x * 2).exp(), x, use_reentrant=False)
        >>> y.sum().backward()
        >>> x.grad
        tensor([ 2.0000, 14.7781])
    """
    use_reentrant = _resolve_use_reentrant(use_reentrant, "torch.utils.checkpoint")
    preserve_rng_state = kwargs.pop("preserve_rng_state", True)
    if use_reentrant:
        if kwargs:
            raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))
        if context_fn is not noop_context_fn or debug is not False:
            raise ValueError(
                "Passing `context_fn` or `debug` is only supported when use_reentrant=False."
            )
        return CheckpointFunction.apply(function, preserve_rng_state, *args)
    if determinism_check not in DETERMINISM_CHECKS:
        raise ValueError(
            f"determinism_check should be one of {list(DETERMINISM_CHECKS)}, "
            f"but got {determinism_check}"
        )
    options = {
        "context_fn": context_fn,
        "debug": debug,
        "determinism_check": determinism_check,
        "early_stop": early_stop,
        "preserve_rng_state": preserve_rng_state,
    }
    return checkpoint_without_reentrant(function, args, kwargs, options)


def checkpoint_sequential(functions, segments, input, use_reentrant=None, **kwargs):
    """Run a chain of modules in segments, and checkpoint all segments but the last.

    Args:
        functions: An nn.Sequential, or an iterable of modules or functions.
        segments: The number of segments.
        input: The argument of the first function.
        use_reentrant: As for `checkpoint`.
        **kwargs: Only `preserve_rng_state`, as for `checkpoint`.

    Returns:
        The result of the last function.

    Raises:
        ValueError: If there are other keyword arguments.

    Example:
        >>> from torch.utils.checkpoint import checkpoint_sequential
        >>> x = torch.ones(2, requires_grad=True)
        >>> chain = [torch.sin, torch.cos, torch.exp, torch.neg]
        >>> y = checkpoint_sequential(chain, 2, x, use_reentrant=False)
        >>> torch.equal(y, -x.sin().cos().exp())
        True
    """
    use_reentrant = _resolve_use_reentrant(
        use_reentrant, "torch.utils.checkpoint.checkpoint_sequential"
    )
    preserve_rng_state = kwargs.pop("preserve_rng_state", True)
    if kwargs:
        raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))
    chain = list(functions.children()) if hasattr(functions, "children") else list(functions)
    size = len(chain) // segments

    def run(start, end):
        def segment(value):
            for function in chain[start:end]:
                value = function(value)
            return value

        return segment

    last = size * (segments - 1)
    for start in range(0, last, size):
        input = checkpoint(
            run(start, start + size),
            input,
            use_reentrant=use_reentrant,
            preserve_rng_state=preserve_rng_state,
        )
    return run(last, len(chain))(input)


_SELECTIVE = (
    "CheckpointPolicy",
    "SAC_IGNORED_OPS",
    "SelectiveCheckpointContext",
    "create_selective_checkpoint_contexts",
)


def __getattr__(name):
    if name in _SELECTIVE:
        from torch.utils import _selective_checkpoint

        return publish(getattr(_selective_checkpoint, name), __name__, name)
    raise AttributeError(f"module 'torch.utils.checkpoint' has no attribute '{name}'")
