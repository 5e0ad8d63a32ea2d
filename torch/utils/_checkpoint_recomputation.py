"""Non-reentrant checkpoints: placeholders in the graph, which the first backward pass to read one fills.

Hooks on saved tensors put a placeholder into the graph for each tensor that the call would save. The first
of them that a backward pass reads runs the function again, which makes the tensors of all placeholders.
"""

import contextlib
import weakref
from itertools import count

import torch
from torch import _C, Tensor
from torch.autograd.function import Function
from torch.autograd.graph import saved_tensors_hooks
from torch.utils._checkpoint_ambience import AmbientState


class CheckpointError(RuntimeError):
    """Raised if recomputation saves different tensors from the forward pass."""

    __module__ = "torch.utils.checkpoint"


_early_stop = None
DETERMINISM_CHECKS = {
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


_TIP = (
    "Tip: To see a more detailed error message, either pass `debug=True` to\n"
    "`torch.utils.checkpoint.checkpoint(...)` or wrap the code block\n"
    "with `with torch.utils.checkpoint.set_checkpoint_debug_enabled(True):` to\n"
    "enable checkpoint-debug mode globally."
)
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


def _without_graph(tensor):
    """Return a tensor outside the graph, which is the tensor itself if it is in none."""
    return tensor.detach() if tensor.requires_grad else tensor


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
            args[i] = _without_graph(tensor).requires_grad_(tensor.requires_grad)
        return args, self._kwargs


class _Frame:
    """One checkpointed call: its placeholders, and the values that each pass recomputed."""

    def __init__(self, function, inputs, context, ambience, describe, early_stop, debug=False):
        self.function = function
        self.debug = debug
        self.forward_operators = []
        self.inputs = inputs
        self.context = context
        self.ambience = ambience
        self.describe = describe
        self.early_stop = early_stop
        self.completed = False  # whether the call has returned; it may run backward passes itself
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
            if position >= len(self.holders):
                seen.append(None)
                if not self.completed:
                    return _without_graph(tensor)
                raise CheckpointError(
                    "torch.utils.checkpoint: trying to save more tensors during recomputation than "
                    "during the original forward pass."
                )
            seen.append(self.describe(tensor))
            holder = self.holders[position]()
            if holder is not None:
                tensors[holder] = _without_graph(tensor)
            if self.early_stop and len(seen) == len(self.holders):
                raise _StopRecomputation
            return _without_graph(tensor)

        args, kwargs = self.inputs.detached()
        operators = _recorded_operators() if self.debug else None
        with self._explained(operators), contextlib.suppress(_StopRecomputation):
            self._run(args, kwargs, keep, operators)
        if not self.completed:
            seen = seen[: len(self.holders)]  # the call will save the others later
        with self._explained(operators):
            self._check_same(seen)
        return tensors

    def _run(self, args, kwargs, keep, operators):
        with contextlib.ExitStack() as stack:
            stack.enter_context(self.ambience.restored())
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
                raise CheckpointError(f"{error}\n\n{_TIP}") from None
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


def checkpoint_without_reentrant(function, args, kwargs, options):
    """Call a function; `options` are those of `checkpoint` and `preserve_rng_state`."""
    forward_context, recompute_context = options["context_fn"]()
    if not torch.is_grad_enabled():
        with forward_context:
            return function(*args, **kwargs)
    frame = _Frame(
        function,
        _Inputs(args, kwargs),
        recompute_context,
        AmbientState((args, kwargs), options["preserve_rng_state"]),
        DETERMINISM_CHECKS[options["determinism_check"]],
        options["early_stop"] if _early_stop is None else _early_stop,
        options["debug"] if _debug is None else _debug,
    )
    with saved_tensors_hooks(frame.pack, frame.unpack), forward_context:
        recorder = _recorded_operators() if frame.debug else contextlib.nullcontext()
        with recorder as operators:
            result = function(*args, **kwargs)
    if operators is not None:
        frame.forward_operators = operators.names
    frame.completed = True
    return result
