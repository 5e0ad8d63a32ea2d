"""Activation checkpointing: the backward pass recomputes intermediate values to save memory.

There are two variants. Non-reentrant: hooks on saved tensors put placeholders into the graph; the
first one that backward reads runs the function again and fills them all. Reentrant: the function
runs without a graph; backward runs it again with one, and then that graph's backward pass.
"""

import contextlib
import warnings
import weakref
from itertools import count

import torch
from torch import _C, Tensor
from torch.autograd.function import Function
from torch.autograd.graph import saved_tensors_hooks

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


class CheckpointError(RuntimeError):
    """Raised if recomputation saves different tensors from the forward pass."""


# ---- the random number generator ----------------------------------------------------------------
@contextlib.contextmanager
def _rng_state(state):
    """Restore a generator state for the length of the block; None leaves it alone."""
    if state is None:
        yield
        return
    now = torch.get_rng_state()
    torch.set_rng_state(state)
    try:
        yield
    finally:
        torch.set_rng_state(now)


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


def get_device_states(*args):
    """Return the devices of the arguments that have generators of their own, and their states.

    Example:
        >>> torch.utils.checkpoint.get_device_states(torch.ones(1))
        ([], [])
    """
    devices = sorted({t.get_device() for t in args if isinstance(t, Tensor) and t.is_cuda})
    return devices, [torch.cuda.get_rng_state(device) for device in devices]


def set_device_states(devices, states, *, device_type=None):
    """Set the states that `get_device_states` returned.

    Example:
        >>> torch.utils.checkpoint.set_device_states([], [])
    """
    for device, state in zip(devices, states, strict=True):
        torch.cuda.set_rng_state(state, device)


class DefaultDeviceType:
    """The type of the devices whose random numbers are repeated, if no argument is on a device.

    Example:
        >>> from torch.utils.checkpoint import DefaultDeviceType
        >>> DefaultDeviceType.get_device_type()
        'cpu'
    """

    _type = None

    @staticmethod
    def set_device_type(device="cuda"):
        """Set the type."""
        DefaultDeviceType._type = device

    @staticmethod
    def get_device_type():
        """Return the type that was set, or that of the accelerator, or "cpu"."""
        accelerator = torch.accelerator.current_accelerator()
        found = "cpu" if accelerator is None else accelerator.type
        return DefaultDeviceType._type or found


# ---- non-reentrant ------------------------------------------------------------------------------
_early_stop = None
_DETERMINISM_CHECKS = {
    "default": lambda tensor: {
        "shape": tensor.shape,
        "dtype": tensor.dtype,
        "device": tensor.device,
    },
    "none": lambda tensor: None,
}
_unnamed_passes = count(start=-2, step=-1)


@contextlib.contextmanager
def set_checkpoint_early_stop(enable):
    """Context manager that sets whether recomputation stops at the last tensor it needs.

    It overrides the argument `early_stop` of the calls to `checkpoint` in the block.

    Args:
        enable: False makes recomputation run the function to its end.

    Example:
        >>> from torch.utils.checkpoint import checkpoint, set_checkpoint_early_stop
        >>> x = torch.ones(2, requires_grad=True)
        >>> with set_checkpoint_early_stop(False):
        ...     y = checkpoint(torch.sin, x, use_reentrant=False)
        >>> y.sum().backward()
    """
    global _early_stop
    before = _early_stop
    _early_stop = enable
    try:
        yield
    finally:
        _early_stop = before


class GraphExecGroup:
    """Context manager whose backward passes share what they recompute.

    Several passes over different parts of a graph then run each checkpointed function only once.
    No two of them may read the same tensor.

    Example:
        >>> from torch.utils.checkpoint import GraphExecGroup, checkpoint
        >>> x = torch.ones(2, requires_grad=True)
        >>> a, b = checkpoint(lambda x: (x.sin(), x.cos()), x, use_reentrant=False)
        >>> with GraphExecGroup():
        ...     a.sum().backward()
        ...     b.sum().backward()
    """

    _current = None

    def __enter__(self):
        if GraphExecGroup._current is not None:
            raise RuntimeError("GraphExecGroup cannot be nested")
        GraphExecGroup._current = self
        return self

    def __exit__(self, *error):
        GraphExecGroup._current = None


_debug = None


@contextlib.contextmanager
def set_checkpoint_debug_enabled(enabled):
    """Context manager that sets whether errors of recomputation list the operators that ran.

    Args:
        enabled: True or False; None leaves it to the argument `debug` of each call.

    Example:
        >>> from torch.utils.checkpoint import checkpoint, set_checkpoint_debug_enabled
        >>> x = torch.ones(2, requires_grad=True)
        >>> with set_checkpoint_debug_enabled(True):
        ...     checkpoint(torch.sin, x, use_reentrant=False).sum().backward()
    """
    global _debug
    before, _debug = _debug, enabled
    try:
        yield
    finally:
        _debug = before


def _recorded_operators():
    """Return a context manager that appends the names of operators to its list `names`."""
    from torch.utils._python_dispatch import TorchDispatchMode

    class Operators(TorchDispatchMode):
        def __init__(self):
            super().__init__()
            self.names = []

        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            self.names.append(str(func))
            return func(*args, **(kwargs or {}))

    return Operators()


class _StopRecomputation(Exception):
    """Ends a recomputation that has produced all tensors it needs."""


class _Holder:
    """A placeholder in the graph for a tensor that was not saved."""


class _SaveInputs(Function):
    """Saves the inputs as a graph node does, so that an enclosing checkpoint can drop them."""

    @staticmethod
    def forward(ctx, anchor, *tensors):
        ctx.save_for_backward(*tensors)
        return torch.empty((0,))

    @staticmethod
    def backward(ctx, *grad_outputs):
        raise AssertionError("no gradient flows here")


class _Inputs:
    """The arguments of a checkpointed call."""

    def __init__(self, args, kwargs):
        self._kwargs = kwargs
        self._index = [i for i, arg in enumerate(args) if isinstance(arg, Tensor)]
        self._others = [None if isinstance(arg, Tensor) else arg for arg in args]
        anchor = torch.empty((0,), requires_grad=True)
        self._node = _SaveInputs.apply(anchor, *(args[i] for i in self._index)).grad_fn

    def detached(self):
        """Return the arguments, with tensors detached from the graph of the first call."""
        args = list(self._others)
        for i, tensor in zip(self._index, self._node.saved_tensors, strict=True):
            args[i] = tensor.detach().requires_grad_(tensor.requires_grad)
        return args, self._kwargs


class _Frame:
    """One checkpointed call: its placeholders, and the values that each pass recomputed."""

    def __init__(self, function, inputs, context, rng_state, describe, early_stop, debug=False):
        self.function = function
        self.debug = debug
        self.forward_operators = []
        self.inputs = inputs
        self.context = context
        self.rng_state = rng_state
        self.describe = describe
        self.early_stop = early_stop
        self.holders = []
        self.descriptions = []
        self.recomputed = {}

    def pack(self, tensor):
        """Replace a tensor by a placeholder; keep its description for a later comparison."""
        holder = _Holder()
        self.holders.append(weakref.ref(holder))
        self.descriptions.append(self.describe(tensor))
        return holder

    def unpack(self, holder):
        """Return the value of a placeholder in the current backward pass."""
        task = _C._current_graph_task_id()
        if GraphExecGroup._current is not None:
            task = GraphExecGroup._current
        elif task == -1:  # the saved tensor is read outside a backward pass
            task = next(_unnamed_passes)
        if task not in self.recomputed:
            self.recomputed[task] = self._recompute()
        tensor = self.recomputed[task].pop(holder, None)
        if isinstance(task, int) and task < -1:
            del self.recomputed[task]
        if tensor is None:
            raise CheckpointError(
                "torch.utils.checkpoint: Unpack is being triggered for a tensor that was already "
                "unpacked once. If you are calling ctx.saved_tensors in backward, make sure to do "
                "so only once. Otherwise please open an issue with details on your use case."
            )
        return tensor

    def _recompute(self):
        tensors = weakref.WeakKeyDictionary()
        seen = []

        def keep(tensor):
            position = len(seen)
            if position == len(self.holders):
                raise CheckpointError(
                    "torch.utils.checkpoint: trying to save more tensors during recomputation than "
                    "during the original forward pass."
                )
            seen.append(self.describe(tensor))
            holder = self.holders[position]()
            if holder is not None:
                tensors[holder] = tensor.detach()
            if self.early_stop and len(seen) == len(self.holders):
                raise _StopRecomputation
            return tensor.detach()

        args, kwargs = self.inputs.detached()
        operators = _recorded_operators() if self.debug else None
        with self._explained(operators), contextlib.suppress(_StopRecomputation):
            self._run(args, kwargs, keep, operators)
        with self._explained(operators):
            self._check_same(seen)
        return tensors

    def _run(self, args, kwargs, keep, operators):
        with contextlib.ExitStack() as stack:
            stack.enter_context(_rng_state(self.rng_state))
            stack.enter_context(torch.enable_grad())
            stack.enter_context(saved_tensors_hooks(keep, lambda tensor: tensor))
            stack.enter_context(self.context)
            if operators is not None:
                stack.enter_context(operators)
            self.function(*args, **kwargs)

    @contextlib.contextmanager
    def _explained(self, operators):
        """Add the operators of both runs to an error, if `debug` asked for them."""
        try:
            yield
        except CheckpointError as error:
            if operators is None:
                raise
            raise CheckpointError(
                f"{error}\n\nOperators of the forward pass:\n  "
                + "\n  ".join(self.forward_operators)
                + "\nOperators of the recomputation:\n  "
                + "\n  ".join(operators.names)
            ) from None

    def _check_same(self, seen):
        if len(seen) != len(self.holders):
            raise CheckpointError(
                "torch.utils.checkpoint: A different number of tensors was saved during the "
                "original forward and recomputation.\n"
                f"Number of tensors saved during forward: {len(self.holders)}\n"
                f"Number of tensors saved during recomputation: {len(seen)}."
            )
        different = [
            f"tensor at position {position}:\nsaved metadata: {before}\nrecomputed metadata: {now}"
            for position, (before, now) in enumerate(zip(self.descriptions, seen, strict=True))
            if before != now
        ]
        if different:
            raise CheckpointError(
                "torch.utils.checkpoint: Recomputed values for the following tensors have "
                "different metadata than during the forward pass.\n" + "\n".join(different) + "."
            )


def noop_context_fn():
    """Return two contexts that do nothing: the default `context_fn` of `checkpoint`.

    Example:
        >>> forward, recompute = torch.utils.checkpoint.noop_context_fn()
        >>> with forward:
        ...     pass
    """
    return contextlib.nullcontext(), contextlib.nullcontext()


def _checkpoint_without_reentrant(function, args, kwargs, options):
    forward_context, recompute_context = options["context_fn"]()
    if not torch.is_grad_enabled():
        with forward_context:
            return function(*args, **kwargs)
    frame = _Frame(
        function,
        _Inputs(args, kwargs),
        recompute_context,
        torch.get_rng_state() if options["preserve_rng_state"] else None,
        _DETERMINISM_CHECKS[options["determinism_check"]],
        options["early_stop"] if _early_stop is None else _early_stop,
        options["debug"] if _debug is None else _debug,
    )
    with saved_tensors_hooks(frame.pack, frame.unpack), forward_context:
        if not frame.debug:
            return function(*args, **kwargs)
        with _recorded_operators() as operators:
            result = function(*args, **kwargs)
        frame.forward_operators = operators.names
        return result


# ---- reentrant ----------------------------------------------------------------------------------
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
        ctx.rng_state = torch.get_rng_state() if preserve_rng_state else None
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
        with _rng_state(ctx.rng_state), torch.enable_grad():
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


# ---- the two public functions -------------------------------------------------------------------
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
    if determinism_check not in _DETERMINISM_CHECKS:
        raise ValueError(
            f"determinism_check should be one of {list(_DETERMINISM_CHECKS)}, "
            f"but got {determinism_check}"
        )
    options = {
        "context_fn": context_fn,
        "debug": debug,
        "determinism_check": determinism_check,
        "early_stop": early_stop,
        "preserve_rng_state": preserve_rng_state,
    }
    return _checkpoint_without_reentrant(function, args, kwargs, options)


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

        return getattr(_selective_checkpoint, name)
    raise AttributeError(f"module 'torch.utils.checkpoint' has no attribute '{name}'")
