"""torch.library.custom_op: operators from Python functions."""

import contextlib
import functools
import inspect
import logging

import torch
from torch import _ops
from torch._library.autograd import Formula, autograd_kernel
from torch._library.infer_schema import infer_schema
from torch._library.kernels import register_autocast
from torch._library.registration import (
    Library,
    parse_namespace,
    register_fake,
    register_kernel,
    register_torch_dispatch,
    register_vmap,
)
from torch.utils import _pytree as pytree

log = logging.getLogger(__name__)


class CustomOpDef:
    """An operator that `custom_op` created: callable, and open to further kernels.

    Example:
        >>> @torch.library.custom_op("definition_demo::double", mutates_args=())
        ... def double(x: torch.Tensor) -> torch.Tensor:
        ...     return x * 2
        >>> @double.register_fake
        ... def _(x):
        ...     return torch.empty_like(x)
        >>> double(torch.ones(2, device="meta")).shape
        torch.Size([2])
    """

    def __init__(self, namespace, name, schema, fn, tags=None):
        self._namespace, self._name = namespace, name
        self._qualname = f"{namespace}::{name}"
        self._schema = schema
        self._lib = Library(namespace, "FRAGMENT")
        self._lib.define(name + schema, tags=_all_tags(tags))
        self._init_fn = fn
        self.__name__ = name
        self._formula = None
        self._device_types = set()
        self._disabled = set()
        arguments = self._opoverload._schema.arguments
        _require_device(arguments)
        written = [a.alias_info is not None and a.alias_info.is_write for a in arguments]
        self._written = [
            a.name for a, is_written in zip(arguments, written, strict=True) if is_written
        ]
        self._positions = {a.name: i for i, a in enumerate(arguments) if not a.kwarg_only}
        self._register_autograd_kernel()

    def register_kernel(self, device_types, fn=None, /):
        """Register a kernel for device types; see `torch.library.register_kernel`."""

        def register(function):
            types = [device_types] if isinstance(device_types, str) else device_types or [None]
            for device_type in types:
                self._device_types.add(device_type)
                kernel = self._kernel(device_type, _without_aliases(function, self._name))
                register_kernel(self, device_type, kernel, lib=self._lib)
            return function

        return register if fn is None else register(fn)

    def set_kernel_enabled(self, device_type, enabled=True):
        """Disable or enable the kernel of a device type, for the length of a block.

        While it is disabled, the decorated function itself runs. An unknown device type, and a
        kernel that is in the requested state already, are only logged.

        Args:
            device_type: The device type, such as "cpu".
            enabled: Whether the kernel runs.

        Returns:
            A context manager.

        Example:
            >>> @torch.library.custom_op("enabled_demo::name_of", mutates_args=())
            ... def count(x: torch.Tensor) -> int:
            ...     return 0
            >>> @count.register_kernel("cpu")
            ... def _(x):
            ...     return 1
            >>> x = torch.ones(1)
            >>> with count.set_kernel_enabled("cpu", False):
            ...     found = count(x)
            >>> found, count(x)
            (0, 1)
        """
        return self._with_kernel(device_type, enabled)

    @contextlib.contextmanager
    def _with_kernel(self, device_type, enabled):
        verb = "enable" if enabled else "disable"
        if device_type not in self._device_types:
            log.warning(
                "Attempted to %s kernel for %s but no kernel was registered for this device type.",
                verb,
                device_type,
            )
        before = frozenset(self._disabled)
        if enabled == (device_type not in before):
            log.warning(
                "Attempted to %s kernel for %s but it was already %sd.", verb, device_type, verb
            )
        (self._disabled.discard if enabled else self._disabled.add)(device_type)
        try:
            yield
        finally:
            self._disabled = set(before)

    def _kernel(self, device_type, function):
        """Return the kernel that calls a function, unless it is disabled."""

        @functools.wraps(function)
        def kernel(*args, **kwargs):
            chosen = self._init_fn if device_type in self._disabled else function
            return chosen(*args, **kwargs)

        return self._counted(kernel)

    def _counted(self, function):
        """Return a function after which what the operator writes to counts as written."""
        if not self._written:
            return function

        @functools.wraps(function)
        def kernel(*args, **kwargs):
            result = function(*args, **kwargs)
            self._count_writes(args, kwargs)
            return result

        return kernel

    def _count_writes(self, args, kwargs):
        """Increment the versions of the tensors that the operator declares to write to."""
        for name in self._written:
            position = self._positions.get(name, len(args))
            value = args[position] if position < len(args) else kwargs.get(name)
            for tensor in value if isinstance(value, (list, tuple)) else (value,):
                if isinstance(tensor, torch.Tensor) and not tensor.is_inference():
                    torch.autograd.graph.increment_version(tensor)

    def register_fake(self, fn, /):
        """Register the Meta kernel; see `torch.library.register_fake`."""
        register_fake(self, self._counted(fn), lib=self._lib)
        return fn

    def register_vmap(self, func=None):
        """Register the rule for vmap; see `torch.library.register_vmap`."""
        return register_vmap(self, func)

    def register_autocast(self, device_type, cast_inputs, /):
        """Cast arguments under autocast; see `torch.library.register_autocast`."""
        return register_autocast(self, device_type, cast_inputs, lib=self._lib)

    def register_torch_dispatch(self, torch_dispatch_class, fn=None, /):
        """Register a rule for a class; see `torch.library.register_torch_dispatch`."""
        return register_torch_dispatch(self, torch_dispatch_class, fn)

    def register_autograd(self, backward, /, *, setup_context=None):
        """Register the derivative; see `torch.library.register_autograd`.

        Raises:
            RuntimeError: If the operator modifies an argument.
        """
        schema = self._opoverload._schema
        if schema.is_mutable:
            raise RuntimeError(
                f"Cannot register autograd formula for non-functional operator {self} with schema "
                f"{schema}. Please create a functional operator and register an autograd formula "
                "for that."
            )
        self._formula = Formula(backward, setup_context)

    def _register_autograd_kernel(self):
        """Register the kernel that records calls; the formula can follow later."""

        def kernel(*args, **kwargs):
            return autograd_kernel(self._opoverload, self._formula)(*args, **kwargs)

        self._lib.impl(self._name, kernel, "Autograd")

    @property
    def _opoverload(self):
        name, _, overload = self._name.partition(".")
        return getattr(getattr(getattr(_ops.ops, self._namespace), name), overload or "default")

    def __call__(self, *args, **kwargs):
        """Call the operator."""
        return self._opoverload(*args, **kwargs)

    def __repr__(self):
        return f"<CustomOpDef({self._qualname})>"


def _all_tags(tags):
    """Return the tags of an operator whose definition has these, one or several."""
    given = (tags,) if isinstance(tags, torch.Tag) else tuple(tags or ())
    return tuple(dict.fromkeys((torch.Tag.pt2_compliant_tag, *given)))


def _require_device(arguments):
    """Raise ValueError if nothing in the arguments says which kernel a call runs."""
    if not any("Tensor" in str(a.type) or a.name == "device" for a in arguments):
        raise ValueError(
            "Functions without tensor inputs are required to have a `device: torch.device` argument"
        )


def _without_aliases(function, name):
    """Return a kernel that refuses results that share memory with an argument or with each other."""

    @functools.wraps(function)
    def kernel(*args, **kwargs):
        results = function(*args, **kwargs)
        seen = {_memory(value) for value in pytree.tree_leaves((args, kwargs))} - {None}
        for result in pytree.tree_leaves(results):
            place = _memory(result)
            if place in seen:
                raise RuntimeError(
                    f"{name} (with implementation in {inspect.getmodule(function)}): The output of "
                    "this custom operator (1) must not also be an input to this custom operator and "
                    "(2) may not alias any inputs to this custom operator or other returns. The most "
                    "common way to trigger this error is if we have y = custom_op(x) and y and x are "
                    "the same Tensor. Please instead return a clone of the offending output tensor(s) "
                    "(e.g. return x.clone()) or refactor the custom operator to not return y."
                )
            if place is not None:
                seen.add(place)
        return results

    return kernel


def _memory(value):
    """Return where the elements of a tensor are, or None for other objects and without memory."""
    if not isinstance(value, torch.Tensor) or value.is_meta or value.layout is not torch.strided:
        return None
    try:
        return value.untyped_storage().data_ptr() or None
    except (NotImplementedError, RuntimeError):  # a wrapper without storage
        return None


_libraries = {}


def custom_op(name, fn=None, /, *, mutates_args, device_types=None, schema=None, tags=None):
    """Create an operator from a Python function.

    Args:
        name: The name, as "namespace::name".
        fn: The function; if it is None, return a decorator.
        mutates_args: The names of the arguments that the function modifies; "unknown" means all
            tensors.
        device_types: The device types for which the function is the kernel; None means all.
        schema: The signature; by default inferred from the annotations of the function.
        tags: A torch.Tag of the operator, or several, beside `pt2_compliant_tag`.

    Returns:
        A CustomOpDef, which is called like the function.

    Raises:
        ValueError: If the name has no namespace, or an annotation is missing or not supported.

    Example:
        >>> @torch.library.custom_op("custom_op_demo::scale", mutates_args=())
        ... def scale(x: torch.Tensor, by: float) -> torch.Tensor:
        ...     return x * by
        >>> scale(torch.ones(2), 3.0)
        tensor([3., 3.])
        >>> torch.ops.custom_op_demo.scale(torch.ones(1), 2.0)
        tensor([2.])
    """

    def make(function):
        ns, op_name = parse_namespace(name)
        text = schema or infer_schema(function, mutates_args=mutates_args)
        if before := _libraries.pop(name, None):  # a later definition replaces an earlier one
            before._destroy()
        operator = CustomOpDef(ns, op_name, text, function, tags)
        _libraries[name] = operator._lib
        operator.register_kernel(device_types, function)
        return operator

    return make if fn is None else make(fn)
