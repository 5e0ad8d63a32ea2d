"""The graph of the backward pass: nodes, edges, and hooks on gradients and saved tensors."""

import abc
from _operator import itemgetter

from torch import _C
from torch._published import publish_all as _publish_all
from torch._tensor import Tensor
from torch.autograd._graph_settings import (
    region_activation_memory_budget,
    set_override_stale_capture_stream,
)
from torch.autograd.function import BackwardCFunction
from torch.utils._contextlib import _DecoratorContextManager

__all__ = [
    "GradientEdge",
    "Node",
    "allow_mutation_on_saved_tensors",
    "disable_saved_tensors_hooks",
    "get_gradient_edge",
    "increment_version",
    "region_activation_memory_budget",
    "register_multi_grad_hook",
    "save_on_cpu",
    "saved_tensors_hooks",
    "set_override_stale_capture_stream",
    "set_warn_on_accumulate_grad_stream_mismatch",
]


class Node(abc.ABC):
    """Abstract class of the nodes of the backward graph; every `grad_fn` is an instance.

    Example:
        >>> y = torch.ones(2, requires_grad=True).exp()
        >>> isinstance(y.grad_fn, torch.autograd.graph.Node)
        True
        >>> y.grad_fn.name()
        'ExpBackward0'
        >>> [(node.name(), index) for node, index in y.grad_fn.next_functions]
        [('torch::autograd::AccumulateGrad', 0)]
    """

    @abc.abstractmethod
    def name(self):
        """Return the name of the node's class."""

    @property
    @abc.abstractmethod
    def next_functions(self):
        """The nodes that receive the gradients, each with the index of its input."""

    @abc.abstractmethod
    def metadata(self):
        """Return a dictionary in which users can store data."""

    @property
    @abc.abstractmethod
    def _input_metadata(self):
        """The shape, dtype and device of each incoming gradient."""

    @abc.abstractmethod
    def register_hook(self, fn):
        """Call `fn(grad_inputs, grad_outputs)` after the node; it may return new grad_inputs."""

    @abc.abstractmethod
    def register_prehook(self, fn):
        """Call `fn(grad_outputs)` before the node; it may return new grad_outputs."""

    @classmethod
    def __subclasshook__(cls, subclass):
        if cls is Node and issubclass(subclass, (BackwardCFunction, _C._functions.CppFunction)):
            return True
        return NotImplemented


class GradientEdge(tuple):
    """The place where the gradient of a tensor enters the graph: input `output_nr` of `node`.

    `torch.autograd.grad` and `backward` accept edges instead of tensors. A named tuple, written
    by hand because `import torch` avoids importing `collections` and `typing`.

    Example:
        >>> y = torch.ones(2, requires_grad=True).exp()
        >>> edge = torch.autograd.graph.get_gradient_edge(y)
        >>> edge.node.name(), edge.output_nr
        ('ExpBackward0', 0)
    """

    __slots__ = ()
    _fields = ("node", "output_nr", "ownership_token")
    node, output_nr, ownership_token = (property(itemgetter(i)) for i in range(3))

    def __new__(cls, node, output_nr, ownership_token=None):
        """Create an edge; `ownership_token` keeps alive what the node depends on."""
        return super().__new__(cls, (node, output_nr, ownership_token))

    def __getnewargs__(self):
        return tuple(self)

    def __repr__(self):
        fields = ", ".join(
            f"{name}={value!r}" for name, value in zip(self._fields, self, strict=True)
        )
        return f"GradientEdge({fields})"


def get_gradient_edge(tensor):
    """Return the edge at which the gradient of a tensor enters the graph.

    Args:
        tensor: A tensor that requires gradients.

    Raises:
        RuntimeError: If the tensor does not require gradients.

    Example:
        >>> x = torch.tensor(3.0, requires_grad=True)
        >>> y = x**2
        >>> edge = torch.autograd.graph.get_gradient_edge(y)
        >>> del y  # the edge keeps the graph, not the tensor
        >>> torch.autograd.grad(edge, x)
        (tensor(6.),)
    """
    if not tensor.requires_grad:
        raise RuntimeError(
            "It is not possible to get the gradient edge for a Tensor that does not require "
            "gradients"
        )
    return GradientEdge(_node_of(tensor), tensor.output_nr)


def _node_of(tensor):
    """Return the grad_fn of a tensor; for a leaf, the node that accumulates into its .grad."""
    if isinstance(tensor, GradientEdge):
        return tensor.node
    if tensor.requires_grad and tensor.grad_fn is None:
        return _C._autograd._get_grad_accumulator(tensor)
    return tensor.grad_fn


def increment_version(tensor):
    """Record an in-place modification that autograd cannot see, such as one through NumPy.

    If a graph saved the tensor, its backward pass then raises instead of using wrong values.

    Args:
        tensor: A tensor, or an iterable of tensors.

    Example:
        >>> x = torch.ones(2)
        >>> torch.autograd.graph.increment_version(x)
        >>> x._version
        1
    """
    for each in (tensor,) if isinstance(tensor, Tensor) else tensor:
        _C._increment_version(each)


class saved_tensors_hooks:
    """Context manager that converts the tensors that operators save for backward.

    Args:
        pack_hook: A function that takes a tensor when it is saved and returns any object.
        unpack_hook: A function that takes that object when backward needs the tensor, and
            returns a tensor with the same content.

    Example:
        >>> x = torch.ones(2, requires_grad=True)
        >>> with torch.autograd.graph.saved_tensors_hooks(lambda t: t.tolist(), torch.tensor):
        ...     y = x.exp()
        >>> y.sum().backward()
        >>> x.grad
        tensor([2.7183, 2.7183])
    """

    def __init__(self, pack_hook, unpack_hook):
        self.pack_hook = pack_hook
        self.unpack_hook = unpack_hook

    def __enter__(self):
        _C._autograd._push_saved_tensors_default_hooks(self.pack_hook, self.unpack_hook)

    def __exit__(self, *args):
        _C._autograd._pop_saved_tensors_default_hooks()


class save_on_cpu(saved_tensors_hooks):
    """Context manager that keeps tensors saved for backward in CPU memory.

    They are copied back to their device when backward needs them.

    Args:
        pin_memory: Whether the copy back may be asynchronous.
        device_type: Ignored.

    Example:
        >>> x = torch.ones(2, requires_grad=True)
        >>> with torch.autograd.graph.save_on_cpu():
        ...     y = (x * x).sum()
        >>> torch.autograd.grad(y, x)
        (tensor([2., 2.]),)
    """

    def __init__(self, pin_memory=False, device_type="cuda"):
        def pack(tensor):
            return tensor.device, tensor.detach().to("cpu", copy=True)

        def unpack(packed):
            device, tensor = packed
            return tensor.to(device, non_blocking=pin_memory)

        super().__init__(pack, unpack)


class disable_saved_tensors_hooks(_DecoratorContextManager):
    """Context manager under which the use of `saved_tensors_hooks` raises.

    Args:
        error_message: The message of the RuntimeError.

    Example:
        >>> from torch.autograd.graph import disable_saved_tensors_hooks, save_on_cpu
        >>> with disable_saved_tensors_hooks("no hooks here"):
        ...     with save_on_cpu():
        ...         pass
        Traceback (most recent call last):
            ...
        RuntimeError: no hooks here
    """

    def __init__(self, error_message):
        self.error_message = error_message

    def __enter__(self):
        self.prev = _C._autograd._saved_tensors_hooks_get_disabled_error_message()
        _C._autograd._saved_tensors_hooks_disable(self.error_message)

    def __exit__(self, *args):
        if self.prev is None:
            _C._autograd._saved_tensors_hooks_enable()
        else:
            _C._autograd._saved_tensors_hooks_disable(self.prev)

    def clone(self):
        """Return a new instance with the same message."""
        return type(self)(self.error_message)


class _AllowMutationOnSavedContext:
    """What a block of `allow_mutation_on_saved_tensors` gives; graphs remember theirs."""


_mutable_block = None


class allow_mutation_on_saved_tensors(_DecoratorContextManager):
    """Context manager in which saved tensors may be modified in place.

    Operators inside it save copies of tensors, so it costs time and memory. Backward passes must
    run inside it too.

    Raises:
        RuntimeError: If such a block runs already.

    Example:
        >>> x = torch.ones(2, requires_grad=True)
        >>> with torch.autograd.graph.allow_mutation_on_saved_tensors():
        ...     y = x.clone()
        ...     z = (y**2).sum()
        ...     _ = y.zero_()
        ...     torch.autograd.grad(z, x)
        (tensor([2., 2.]),)
    """

    def __enter__(self):
        global _mutable_block
        if _mutable_block is not None:
            raise RuntimeError("allow_mutation_on_saved_tensors contexts cannot be nested")
        block = _mutable_block = _AllowMutationOnSavedContext()

        def unpack(copy):
            if _mutable_block is not block:
                raise AssertionError(
                    "Trying to backward outside of the 'allow_mutation_on_saved_tensors' context"
                    "in which the graph was originally recorded."
                )
            return copy

        self._hooks = saved_tensors_hooks(Tensor.clone, unpack)
        self._hooks.__enter__()
        return block

    def __exit__(self, *error):
        global _mutable_block
        _mutable_block = None
        self._hooks.__exit__(*error)


class _MultiHandle:
    """Removes several hooks at once."""

    def __init__(self, handles):
        self.handles = tuple(handles)

    def remove(self):
        """Remove all the hooks."""
        for handle in self.handles:
            handle.remove()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.remove()


def _current_task():
    task = _C._current_graph_task_id()
    if task == -1:
        raise AssertionError("expected this hook to be called inside a backward call")
    return task


def _hook_any(tensors, fn):
    """Register hooks that call `fn` with the first gradient of each backward pass."""
    from threading import Lock

    lock = Lock()
    ran_in = None

    def first(grad):
        nonlocal ran_in
        task = _current_task()
        with lock:
            if ran_in == task:
                return
            ran_in = task
        fn(grad)

    return _MultiHandle(tensor.register_hook(first) for tensor in tensors if tensor.requires_grad)


def _hook_all(tensors, fn):
    """Register hooks that call `fn` once a backward pass has computed all gradients."""
    from threading import Lock

    lock = Lock()
    nodes = [_node_of(tensor) for tensor in tensors]
    gradients = {}
    expected = {}

    def make_hook(position):
        def collect(grad):
            task = _current_task()
            with lock:
                if task not in expected:
                    expected[task] = sum(map(_C._will_engine_execute_node, nodes))
                    gradients[task] = [None] * len(tensors)
                gradients[task][position] = grad
                expected[task] -= 1
                complete = expected[task] == 0
                if complete:
                    del expected[task]
                    collected = gradients.pop(task)
            if complete:
                fn(collected)

        return collect

    return _MultiHandle(
        tensor.register_hook(make_hook(position)) for position, tensor in enumerate(tensors)
    )


def register_multi_grad_hook(tensors, fn, *, mode="all"):
    """Register a function that backward passes call once for several tensors.

    Args:
        tensors: A sequence of tensors that require gradients.
        fn: A function whose result is ignored.
        mode: "all" calls `fn` with a list of all gradients when the last is known (None for
            tensors without one); "any" calls it with the first gradient that is computed.

    Returns:
        A handle whose `remove()` removes the hooks.

    Raises:
        ValueError: If `mode` is neither "all" nor "any".

    Example:
        >>> a, b = (torch.ones(1, requires_grad=True) for _ in range(2))
        >>> handle = torch.autograd.graph.register_multi_grad_hook((a, b), print)
        >>> (a * 2 + b * 3).backward()
        [tensor([2.]), tensor([3.])]
        >>> handle.remove()
    """
    if mode == "all":
        return _hook_all(tensors, fn)
    if mode == "any":
        return _hook_any(tensors, fn)
    raise ValueError(f"Expects mode to be one of ('all', 'any') but got {mode}")


def set_warn_on_accumulate_grad_stream_mismatch(enabled):
    """Set whether backward warns of leaves whose gradients come from another stream.

    A leaf's gradient is accumulated on the stream that was current when the leaf was first used in
    the graph. If its last operator ran on another stream, the two are synchronized.

    Args:
        enabled: Whether to warn, once; True at first.

    Example:
        >>> torch.autograd.graph.set_warn_on_accumulate_grad_stream_mismatch(True)
    """
    _C._set_warn_on_accumulate_grad_stream_mismatch(enabled)


_publish_all(globals(), ("region_activation_memory_budget", "set_override_stale_capture_stream"))
