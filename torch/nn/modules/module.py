"""Module: parameters, buffers and submodules as attributes, and the call."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any, TypeVar

import torch
from torch import Tensor
from torch.nn.modules import _hooks
from torch.nn.modules._conversion import Conversion
from torch.nn.modules._hooks import (  # noqa: F401 (libraries read and save the global hooks)
    Hooks,
    _global_backward_hooks,
    _global_backward_pre_hooks,
    _global_forward_hooks,
    _global_forward_hooks_always_called,
    _global_forward_hooks_with_kwargs,
    _global_forward_pre_hooks,
    register_module_backward_hook,
    register_module_forward_hook,
    register_module_forward_pre_hook,
    register_module_full_backward_hook,
    register_module_full_backward_pre_hook,
)
from torch.nn.modules._registration_hooks import (
    _global_buffer_registration_hooks,
    _global_module_registration_hooks,
    _global_parameter_registration_hooks,
    register_module_buffer_registration_hook,
    register_module_module_registration_hook,
    register_module_parameter_registration_hook,
)
from torch.nn.modules._registration_hooks import run as _run_hooks
from torch.nn.modules._state_dict import _EXTRA_STATE, StateDict, _IncompatibleKeys  # noqa: F401 (libraries import it)
from torch.nn.modules._traversal import Traversal
from torch.nn.parameter import Buffer, Parameter

__all__ = [
    "Module",
    "register_module_backward_hook",
    "register_module_buffer_registration_hook",
    "register_module_forward_hook",
    "register_module_forward_pre_hook",
    "register_module_full_backward_hook",
    "register_module_full_backward_pre_hook",
    "register_module_module_registration_hook",
    "register_module_parameter_registration_hook",
]

T = TypeVar("T", bound="Module")

_EXTRA_STATE_KEY_SUFFIX = _EXTRA_STATE  # the name that other packages know


def _addindent(text: str, spaces: int) -> str:
    """Indent all lines but the first."""
    return text.replace("\n", "\n" + " " * spaces)


def _new_attributes() -> dict[str, Any]:
    """Return the attributes of a module without parameters, children and hooks."""
    return {
        "training": True,
        "_parameters": {},
        "_buffers": {},
        "_non_persistent_buffers_set": set(),
        "_backward_pre_hooks": OrderedDict(),
        "_backward_hooks": OrderedDict(),
        "_is_full_backward_hook": None,
        "_forward_hooks": OrderedDict(),
        "_forward_hooks_with_kwargs": OrderedDict(),
        "_forward_hooks_always_called": OrderedDict(),
        "_forward_pre_hooks": OrderedDict(),
        "_forward_pre_hooks_with_kwargs": OrderedDict(),
        "_state_dict_hooks": OrderedDict(),
        "_state_dict_pre_hooks": OrderedDict(),
        "_load_state_dict_pre_hooks": OrderedDict(),
        "_load_state_dict_post_hooks": OrderedDict(),
        "_modules": {},
    }


class Module(Hooks, StateDict, Conversion, Traversal):
    """Base class of all layers and networks.

    A subclass overrides forward(), which a call of the module runs. Parameters, buffers and modules
    that are assigned as attributes are registered under the attribute's name.

    Args:
        *args: Passed on to the next class if `call_super_init` is set, otherwise an error.
        **kwargs: The same.

    Raises:
        TypeError: If there are arguments and `call_super_init` is not set.

    Example:
        >>> class Residual(nn.Module):
        ...     def __init__(self, size):
        ...         super().__init__()
        ...         self.linear = nn.Linear(size, size)
        ...     def forward(self, x):
        ...         return x + self.linear(x)
        >>> module = Residual(3)
        >>> module(torch.ones(2, 3)).shape
        torch.Size([2, 3])
        >>> module
        Residual(
          (linear): Linear(in_features=3, out_features=3, bias=True)
        )
    """

    call_super_init: bool = False
    dump_patches: bool = False
    T_destination = TypeVar("T_destination", bound=dict[str, Any])

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if not self.call_super_init:
            name = type(self).__name__
            if kwargs:
                raise TypeError(
                    f"{name}.__init__() got an unexpected keyword argument '{next(iter(kwargs))}'"
                )
            if args:
                raise TypeError(
                    f"{name}.__init__() takes 1 positional argument but {len(args) + 1} were given"
                )
        # Written to the dictionary directly, because __setattr__ relies on these attributes.
        self.__dict__.update(_new_attributes())
        if self.call_super_init:
            super().__init__(*args, **kwargs)

    def compile(self, *args: Any, **kwargs: Any) -> None:
        """Check the arguments of `torch.compile`; calls of the module run eagerly in this build.

        Args:
            *args: Arguments of `torch.compile` after the module.
            **kwargs: Its keyword arguments.

        Raises:
            RuntimeError: For an unknown back end or mode, or for both a mode and options.

        Example:
            >>> layer = nn.Linear(2, 1)
            >>> layer.compile(backend="eager")
            >>> list(layer.state_dict())
            ['weight', 'bias']
        """
        torch.compile(self.forward, *args, **kwargs)

    def forward(self, *input: Any) -> Any:
        """Compute the module's result. Subclasses override this method.

        Args:
            *input: Arguments of the call.

        Returns:
            The result of the call.

        Raises:
            NotImplementedError: Always, in this class.
        """
        raise NotImplementedError(
            f'Module [{type(self).__name__}] is missing the required "forward" function'
        )

    def _call_impl(self, *args: Any, **kwargs: Any) -> Any:
        """Run forward() and the hooks; libraries replace it in a module to see its calls."""
        return self._call_with_hooks(args, kwargs)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run forward() and the hooks registered around it."""
        if "_call_impl" in self.__dict__:
            return self._call_impl(*args, **kwargs)
        if (
            self._forward_hooks
            or self._forward_pre_hooks
            or self._backward_hooks
            or self._backward_pre_hooks
            or _hooks.global_hooks_exist()
        ):
            return self._call_with_hooks(args, kwargs)
        return self.forward(*args, **kwargs)

    # ---- registration
    def _check_name(self, kind: str, name: object) -> None:
        """Raise an error unless a name is a non-empty string without dots."""
        if not isinstance(name, str):
            raise TypeError(f"{kind} name should be a string. Got {type(name).__name__}")
        if "." in name:
            got = f", got: {name}" if kind == "module" else ""
            raise KeyError(f"{kind} name can't contain " + '"."' + got)
        if name == "":
            raise KeyError(f'{kind} name can\'t be empty string ""')

    def register_parameter(self, name: str, param: Parameter | None) -> None:
        """Register a parameter as an attribute.

        Args:
            name: Name of the attribute.
            param: Parameter, or None to reserve the name.

        Raises:
            AttributeError: If Module.__init__() has not run.
            TypeError: If an argument has the wrong type.
            KeyError: If the name is invalid or in use.
            ValueError: If the parameter is not a leaf.

        Example:
            >>> module = nn.Module()
            >>> module.register_parameter("scale", nn.Parameter(torch.ones(2)))
            >>> [name for name, _ in module.named_parameters()]
            ['scale']
        """
        if "_parameters" not in self.__dict__:
            raise AttributeError("cannot assign parameter before Module.__init__() call")
        self._check_name("parameter", name)
        if hasattr(self, name) and name not in self._parameters:
            raise KeyError(f"attribute '{name}' already exists")
        if param is not None:
            if not isinstance(param, Parameter):
                raise TypeError(
                    f"cannot assign '{_typename(param)}' object to parameter '{name}' "
                    "(torch.nn.Parameter or None required)"
                )
            if param.grad_fn:
                raise ValueError(
                    f"Cannot assign non-leaf Tensor to parameter '{name}'. Model parameters must "
                    f"be created explicitly. To express '{name}' as a function of another Tensor, "
                    "compute the value in the forward() method."
                )
            param = _run_hooks(_global_parameter_registration_hooks, self, name, param)
        self._parameters[name] = param

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """Register a tensor that belongs to the state but is not a parameter.

        Args:
            name: Name of the attribute.
            tensor: Tensor, or None to reserve the name.
            persistent: Whether the buffer is part of state_dict().

        Raises:
            AttributeError: If Module.__init__() has not run.
            TypeError: If an argument has the wrong type.
            KeyError: If the name is invalid or in use.

        Example:
            >>> module = nn.Module()
            >>> module.register_buffer("mean", torch.zeros(2))
            >>> list(module.state_dict())
            ['mean']
        """
        if "_buffers" not in self.__dict__:
            raise AttributeError("cannot assign buffer before Module.__init__() call")
        self._check_name("buffer", name)
        if hasattr(self, name) and name not in self._buffers:
            raise KeyError(f"attribute '{name}' already exists")
        if tensor is not None and not isinstance(tensor, Tensor):
            raise TypeError(
                f"cannot assign '{_typename(tensor)}' object to buffer '{name}' "
                "(torch Tensor or None required)"
            )
        self._buffers[name] = _run_hooks(_global_buffer_registration_hooks, self, name, tensor)
        if persistent:
            self._non_persistent_buffers_set.discard(name)
        else:
            self._non_persistent_buffers_set.add(name)

    def add_module(self, name: str, module: Module | None) -> None:
        """Register a child module as an attribute.

        Args:
            name: Name of the attribute.
            module: Module, or None to reserve the name.

        Raises:
            TypeError: If an argument has the wrong type.
            KeyError: If the name is invalid or in use.

        Example:
            >>> module = nn.Module()
            >>> module.add_module("linear", nn.Linear(2, 1))
            >>> [name for name, _ in module.named_children()]
            ['linear']
        """
        if not isinstance(module, Module) and module is not None:
            raise TypeError(f"{_typename(module)} is not a Module subclass")
        self._check_name("module", name)
        if hasattr(self, name) and name not in self._modules:
            raise KeyError(f"attribute '{name}' already exists")
        self._modules[name] = _run_hooks(_global_module_registration_hooks, self, name, module)

    register_module = add_module

    def __getattr__(self, name: str) -> Any:
        for table in ("_parameters", "_buffers", "_modules"):
            values = self.__dict__.get(table)
            if values is not None and name in values:
                return values[name]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __setattr__(self, name: str, value: Any) -> None:
        own = self.__dict__
        if isinstance(value, Parameter):
            if "_parameters" not in own:
                raise AttributeError("cannot assign parameters before Module.__init__() call")
            self._unregister(name, keep="_parameters")
            self.register_parameter(name, value)
        elif name in own.get("_parameters", ()):
            if value is not None:
                raise TypeError(
                    f"cannot assign '{_typename(value)}' as parameter '{name}' "
                    "(torch.nn.Parameter or None expected)"
                )
            self.register_parameter(name, None)
        elif isinstance(value, Module):
            if "_modules" not in own:
                raise AttributeError("cannot assign module before Module.__init__() call")
            self._unregister(name, keep="_modules")
            self._modules[name] = _run_hooks(_global_module_registration_hooks, self, name, value)
        elif name in own.get("_modules", ()):
            if value is not None:
                raise TypeError(
                    f"cannot assign '{_typename(value)}' as child module '{name}' "
                    "(torch.nn.Module or None expected)"
                )
            self._modules[name] = _run_hooks(_global_module_registration_hooks, self, name, None)
        elif isinstance(value, Buffer):
            if "_buffers" not in own:
                raise AttributeError("cannot assign buffer before Module.__init__() call")
            # Classes may override register_buffer() without the argument `persistent`.
            options = {} if value.persistent else {"persistent": False}
            self.register_buffer(name, value, **options)
        elif name in own.get("_buffers", ()):
            if value is not None and not isinstance(value, Tensor):
                raise TypeError(
                    f"cannot assign '{_typename(value)}' as buffer '{name}' "
                    "(torch.nn.Buffer, torch.Tensor or None expected)"
                )
            self._buffers[name] = _run_hooks(_global_buffer_registration_hooks, self, name, value)
        else:
            super().__setattr__(name, value)

    def _unregister(self, name: str, keep: str) -> None:
        """Remove a name from every table except one."""
        for table in ("__dict__", "_parameters", "_buffers", "_modules"):
            if table != keep:
                (self.__dict__ if table == "__dict__" else getattr(self, table)).pop(name, None)
        if keep != "_buffers":
            self._non_persistent_buffers_set.discard(name)

    def __delattr__(self, name: str) -> None:
        for table in (self._parameters, self._buffers, self._modules):
            if name in table:
                del table[name]
                self._non_persistent_buffers_set.discard(name)
                return
        super().__delattr__(name)

    def __dir__(self) -> list[str]:
        names = {*dir(type(self)), *self.__dict__, *self._parameters, *self._modules}
        return sorted(name for name in names | set(self._buffers) if not name[:1].isdigit())

    # ---- modes
    def train(self: T, mode: bool = True) -> T:
        """Set training mode for this module and all modules below it.

        Dropout and batch normalization, for example, depend on the mode.

        Args:
            mode: True for training mode, False for evaluation mode.

        Returns:
            The module.

        Raises:
            ValueError: If `mode` is not a boolean.

        Example:
            >>> nn.Dropout().train(False).training
            False
        """
        if not isinstance(mode, bool):
            raise ValueError("training mode is expected to be boolean")
        self.training = mode
        for module in self.children():
            module.train(mode)
        return self

    def eval(self: T) -> T:
        """Set evaluation mode for this module and all modules below it, and return the module."""
        return self.train(False)

    def requires_grad_(self: T, requires_grad: bool = True) -> T:
        """Set whether autograd computes gradients for the parameters.

        Args:
            requires_grad: Whether it does.

        Returns:
            The module.

        Example:
            >>> frozen = nn.Linear(3, 2).requires_grad_(False)
            >>> any(weight.requires_grad for weight in frozen.parameters())
            False
        """
        for parameter in self.parameters():
            parameter.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Clear the gradients of all parameters.

        Args:
            set_to_none: If True, set the gradients to None. Otherwise, fill them with zeros.
        """
        for parameter in self.parameters():
            if parameter.grad is None:
                continue
            if set_to_none:
                parameter.grad = None
            else:
                if parameter.grad.grad_fn is not None:
                    parameter.grad.detach_()
                else:
                    parameter.grad.requires_grad_(False)
                parameter.grad.zero_()

    # ---- printing and copying
    def _get_name(self) -> str:
        return type(self).__name__

    def extra_repr(self) -> str:
        """Return the text that repr() shows between the parentheses."""
        return ""

    def __repr__(self) -> str:
        extra = self.extra_repr()
        lines = extra.split("\n") if extra else []
        children = [
            f"({name}): {_addindent(repr(module), 2)}" for name, module in self._modules.items()
        ]
        if len(lines) == 1 and not children:
            return f"{self._get_name()}({lines[0]})"
        inner = "".join(f"\n  {line}" for line in [*lines, *children])
        return f"{self._get_name()}({inner}\n)" if inner else f"{self._get_name()}()"

    def _replicate_for_data_parallel(self: T) -> T:
        """Return a shallow copy for another device: a module without parameters of its own."""
        replica = self.__new__(type(self))
        replica.__dict__ = {
            **self.__dict__,
            "_parameters": {},
            "_buffers": self._buffers.copy(),
            "_modules": self._modules.copy(),
            "_is_replica": True,
        }
        return replica

    def __setstate__(self, state: dict[str, Any]) -> None:
        # Older versions had fewer tables of hooks.
        self.__dict__.update(_new_attributes() | state)


def _typename(value: object) -> str:
    import torch

    return torch.typename(value)
