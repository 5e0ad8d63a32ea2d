"""The graph that backward passes walk: nodes, edges, and hooks on what they save."""

import abc
from _operator import itemgetter

from torch import _C
from torch._tensor import Tensor
from torch.autograd.function import BackwardCFunction
from torch.utils._contextlib import _DecoratorContextManager

__all__ = [
    "GradientEdge",
    "Node",
    "allow_mutation_on_saved_tensors",
    "disable_saved_tensors_hooks",
    "get_gradient_edge",
    "increment_version",
    "register_multi_grad_hook",
    "save_on_cpu",
    "saved_tensors_hooks",
]


class Node(abc.ABC):
    """A function of the backward graph; `isinstance(tensor.grad_fn, Node)` holds."""

    @abc.abstractmethod
    def name(self):
        """The name of the function."""

    @property
    @abc.abstractmethod
    def next_functions(self):
        """The nodes that the gradients go to, each with the number of its input."""

    @abc.abstractmethod
    def metadata(self):
        """A dictionary for the user."""

    @property
    @abc.abstractmethod
    def _input_metadata(self):
        """Shape, dtype and device of each gradient coming in."""

    @abc.abstractmethod
    def register_hook(self, fn):
        """Calls `fn(grad_inputs, grad_outputs)` after the node; it may return new grad_inputs."""

    @abc.abstractmethod
    def register_prehook(self, fn):
        """Calls `fn(grad_outputs)` before the node; it may return new grad_outputs."""

    @classmethod
    def __subclasshook__(cls, subclass):
        if cls is Node and issubclass(subclass, (BackwardCFunction, _C._functions.CppFunction)):
            return True
        return NotImplemented


class GradientEdge(tuple):
    """Where the gradient of a tensor enters the graph: input `output_nr` of `node`.

    A named tuple; made by hand, because `import torch` does without `collections` and `typing`.
    """

    __slots__ = ()
    _fields = ("node", "output_nr", "ownership_token")
    node, output_nr, ownership_token = (property(itemgetter(i)) for i in range(3))

    def __new__(cls, node, output_nr, ownership_token=None):
        return super().__new__(cls, (node, output_nr, ownership_token))

    def __getnewargs__(self):
        return tuple(self)

    def __repr__(self):
        fields = ", ".join(
            f"{name}={value!r}" for name, value in zip(self._fields, self, strict=True)
        )
        return f"GradientEdge({fields})"


def get_gradient_edge(tensor):
    """The edge at which the gradient of a tensor enters the graph."""
    if not tensor.requires_grad:
        raise RuntimeError(
            "It is not possible to get the gradient edge for a Tensor that does not require "
            "gradients"
        )
    return GradientEdge(_node_of(tensor), tensor.output_nr)


def _node_of(tensor):
    """The grad_fn of a tensor, or for a leaf the node that accumulates into its .grad."""
    if isinstance(tensor, GradientEdge):
        return tensor.node
    if tensor.requires_grad and tensor.grad_fn is None:
        return _C._autograd._get_grad_accumulator(tensor)
    return tensor.grad_fn


def increment_version(tensor):
    """Tells autograd that one tensor, or several, were modified where it could not see it."""
    for each in (tensor,) if isinstance(tensor, Tensor) else tensor:
        _C._increment_version(each)


class saved_tensors_hooks:
    """Inside, tensors saved for backward pass `pack_hook`, and `unpack_hook` when read again."""

    def __init__(self, pack_hook, unpack_hook):
        self.pack_hook = pack_hook
        self.unpack_hook = unpack_hook

    def __enter__(self):
        _C._autograd._push_saved_tensors_default_hooks(self.pack_hook, self.unpack_hook)

    def __exit__(self, *args):
        _C._autograd._pop_saved_tensors_default_hooks()


class save_on_cpu(saved_tensors_hooks):
    """Inside, tensors saved for backward wait in CPU memory."""

    def __init__(self, pin_memory=False, device_type="cuda"):
        def pack(tensor):
            return tensor.device, tensor.detach().to("cpu", copy=True)

        def unpack(packed):
            device, tensor = packed
            return tensor.to(device, non_blocking=pin_memory)

        super().__init__(pack, unpack)


class disable_saved_tensors_hooks(_DecoratorContextManager):
    """Inside, entering saved_tensors_hooks raises `error_message`."""

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
        """Another one with the same message."""
        return type(self)(self.error_message)


def allow_mutation_on_saved_tensors():
    """Inside, tensors saved for backward may be modified in place: what is saved is a copy."""
    return saved_tensors_hooks(Tensor.clone, lambda copy: copy)


class _MultiHandle:
    """Removes several hooks at once."""

    def __init__(self, handles):
        self.handles = tuple(handles)

    def remove(self):
        """Takes all the hooks out."""
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
    """Hooks that call `fn` for the first gradient of each backward pass."""
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
    """Hooks that call `fn` with all gradients once the last of a backward pass is there."""
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
    """Calls `fn` in each backward pass when gradients of the tensors are known.

    With mode "all", once, with the list of all gradients (None where a tensor took no part); with
    "any", with the first gradient that is computed.
    """
    if mode == "all":
        return _hook_all(tensors, fn)
    if mode == "any":
        return _hook_any(tensors, fn)
    raise ValueError(f"Expects mode to be one of ('all', 'any') but got {mode}")
