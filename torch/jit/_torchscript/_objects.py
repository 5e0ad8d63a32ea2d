"""The modules and other objects of TorchScript archives: state here, methods in their classes."""

from __future__ import annotations

import copy
import enum
import io
import os
from collections.abc import Callable, Mapping
from typing import IO, TYPE_CHECKING, Any

import torch
from torch.nn.modules.module import Module
from torch.nn.parameter import Parameter

if TYPE_CHECKING:
    from torch.jit._graph._ir import Graph
    from torch.jit._torchscript._program import Program, ScriptClass


# Functions that make an object of its state, for classes that no program defines, by their names.
_restorers: dict[str, Callable[[Any], ScriptObject]] = {}


def register_class(name: str, restore: Callable[[Any], ScriptObject]) -> None:
    """Let files have objects of a class that is written in Python.

    Args:
        name: The name of the class in files.
        restore: A function from a state to the object that has it.
    """
    _restorers[name] = restore


class ScriptObject:
    """An object of a class of a program that is not a module."""

    __module__ = "torch"  # where pickles look for it

    def __init__(self, script_class: ScriptClass) -> None:
        self.__dict__["_script_class"] = script_class
        self.__dict__.update(script_class.constants)

    @property
    def _script_name(self) -> str:
        return self._script_class.name

    def __getattr__(self, name: str) -> Any:
        if name == "_script_class":
            raise AttributeError(name)
        return self._script_class.method(name).__get__(self)

    def __setstate__(self, state: Any) -> None:
        if "_script_class" in vars(self):
            _restore(self, state)
            return
        value, name = state
        if name not in _restorers:
            raise RuntimeError(
                f"the file has an object of the class {name}, which does not exist here"
            )
        made = _restorers[name](value)
        self.__class__ = type(made)
        vars(self).update(vars(made))

    def __enter__(self) -> Any:
        return self._script_class.method("__enter__")(self)

    def __exit__(self, *error: Any) -> Any:
        return self._script_class.method("__exit__")(self, *error)

    def __repr__(self) -> str:
        return f"<torch.ScriptObject {self._script_class.name}>"


class ScriptModule(Module):
    """A module written for scripting, which runs as an ordinary module.

    Example:
        >>> class Double(torch.jit.ScriptModule):
        ...     def forward(self, x):
        ...         return 2 * x
        >>> Double()(torch.ones(1))  # doctest: +SKIP
        tensor([2.])
    """

    def save(self, f: str | os.PathLike[str] | IO[bytes], **options: Any) -> None:
        """Write the module to an archive; see `torch.jit.save`.

        Raises:
            NotImplementedError: If the module is written in Python, as there is no compiler.
        """
        torch.jit.save(self, f, **options)


class RecursiveScriptModule(ScriptModule):
    """A module of a TorchScript archive, which `torch.jit.load` and `torch.jit.trace` return.

    Its methods run the program of the archive; its parameters, buffers and modules are those of any
    module.

    Example:
        >>> traced = torch.jit.trace(nn.ReLU(), torch.ones(2))
        >>> isinstance(traced, torch.jit.ScriptModule)
        True
        >>> isinstance(nn.Linear(1, 1), torch.jit.RecursiveScriptModule)
        False
    """

    _script_class: ScriptClass

    def __init__(self, script_class: ScriptClass) -> None:
        super().__init__()
        self.__dict__["_script_class"] = script_class
        self.__dict__.update(script_class.constants)

    @property
    def _script_name(self) -> str:
        return self._script_class.name

    @property
    def original_name(self) -> str:
        """The name of the class in Python."""
        return self._script_class.original_name

    @property
    def code(self) -> str:
        """The source text of `forward`."""
        return self._script_class.code("forward")

    @property
    def code_with_constants(self) -> tuple[str, dict[str, Any]]:
        """The source text of `forward`, and the constants of the archive by name."""
        constants = self._script_class.program.constants
        return self.code, {f"c{number}": value for number, value in enumerate(constants)}

    @property
    def graph(self) -> Graph:
        """The graph of `forward`, in which the modules below this one are attributes.

        Raises:
            NotImplementedError: If the program has branches, loops or calls of other methods.
        """
        return self._script_class.graph("forward")

    inlined_graph = graph

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Run the program's `forward`."""
        return self._script_class.forward(self, args, kwargs)

    def save_to_buffer(self, _extra_files: Mapping[str, str | bytes] | None = None) -> bytes:
        """Return the module as the bytes of an archive; see `torch.jit.save`."""
        buffer = io.BytesIO()
        torch.jit.save(self, buffer, _extra_files)
        return buffer.getvalue()

    def __getattr__(self, name: str) -> Any:
        script_class = self.__dict__.get("_script_class")
        if script_class is not None and name in script_class.definitions:
            return script_class.method(name).__get__(self)
        return super().__getattr__(name)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._script_class.definitions]

    def __setstate__(self, state: Any) -> None:
        if isinstance(state, dict) and "_modules" in state:  # a copy, not an archive
            super().__setstate__(state)
        else:
            _restore(self, state)

    def __deepcopy__(self, memo: dict[int, Any]) -> RecursiveScriptModule:
        made = type(self).__new__(type(self))
        memo[id(self)] = made
        made.__dict__.update(copy.deepcopy(self.__dict__, memo))
        return made

    def __copy__(self) -> RecursiveScriptModule:
        made = type(self).__new__(type(self))
        made.__dict__.update(self.__dict__)
        return made

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise TypeError("a module of a TorchScript archive cannot be pickled; use torch.jit.save")

    def __len__(self) -> int:
        return int(self._special("__len__")())

    def __iter__(self) -> Any:
        return iter(self._modules.values())

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, str):
            return self._modules[index]
        return [*self._modules.values()][index]

    def __contains__(self, item: Any) -> bool:
        return bool(self._special("__contains__")(item))

    def __bool__(self) -> bool:
        return True

    def _special(self, name: str) -> Any:
        if name not in self._script_class.definitions:
            raise TypeError(f"'{self.original_name}' has no method {name}")
        return self._script_class.method(name).__get__(self)

    def _get_name(self) -> str:
        return type(self).__name__

    def extra_repr(self) -> str:
        """Return the name of the class in Python."""
        return f"original_name={self.original_name}"


class TopLevelTracedModule(RecursiveScriptModule):
    """A module that `torch.jit.trace` has recorded.

    Example:
        >>> isinstance(torch.jit.trace(nn.ReLU(), torch.ones(2)), torch.jit.TopLevelTracedModule)
        True
    """


class ScriptFunction:
    """A function that `torch.jit.trace` has recorded.

    Example:
        >>> double = torch.jit.trace(lambda x: 2 * x, torch.ones(1))
        >>> isinstance(double, torch.jit.ScriptFunction), double(torch.tensor([3.0]))
        (True, tensor([6.]))
        >>> isinstance(len, torch.jit.ScriptFunction)
        False
    """

    def __init__(self, module: RecursiveScriptModule, name: str) -> None:
        self._module = module
        self.name = self.__name__ = name

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run the recorded program."""
        return self._module(*args, **kwargs)

    @property
    def code(self) -> str:
        """The source text of the program."""
        return self._module.code

    @property
    def graph(self) -> Graph:
        """The graph of the program; see `RecursiveScriptModule`."""
        return self._module.graph

    inlined_graph = graph

    def save(self, f: str | os.PathLike[str] | IO[bytes], **options: Any) -> None:
        """Write the function to an archive; see `torch.jit.save`."""
        torch.jit.save(self, f, **options)

    def save_to_buffer(self, _extra_files: Mapping[str, str | bytes] | None = None) -> bytes:
        """Return the function as the bytes of an archive."""
        return self._module.save_to_buffer(_extra_files)


# ---- what programs and archives do with objects ----------------------------------------------------
def new_object(script_class: ScriptClass) -> Any:
    """Return an object whose attributes are not set yet."""
    kind = RecursiveScriptModule if script_class.is_module else ScriptObject
    return kind(script_class)


def read_attribute(owner: Any, name: str) -> Any:
    """Return an attribute or a method that the class of an object declares.

    Raises:
        AttributeError: If it declares none of this name.
    """
    script_class = getattr(owner, "_script_class", None)
    if script_class is not None:
        if name in script_class.definitions:
            return script_class.method(name).__get__(owner)
        if name in script_class.types:
            return getattr(owner, name)
    elif isinstance(owner, tuple):
        if name in getattr(owner, "_fields", ()):
            return getattr(owner, name)
    elif isinstance(owner, enum.Enum) and name in ("name", "value"):
        return getattr(owner, name)
    raise AttributeError(f"a program reads the attribute {name!r} of a {type(owner).__name__}")


def write_attribute(owner: Any, name: str, value: Any) -> None:
    """Set an attribute that the class of an object declares.

    Raises:
        AttributeError: If it declares none of this name.
    """
    script_class = getattr(owner, "_script_class", None)
    if script_class is None or name not in script_class.types:
        raise AttributeError(f"a program sets the attribute {name!r} of a {type(owner).__name__}")
    if name in owner.__dict__.get("_parameters", ()) and isinstance(value, torch.Tensor):
        owner._parameters[name] = value
    else:
        setattr(owner, name, value)


def _restore(owner: Any, state: Any) -> None:
    """Set the attributes of an object of an archive, or let its own __setstate__ do so."""
    script_class = owner._script_class
    if "__setstate__" in script_class.definitions:
        script_class.method("__setstate__")(owner, state)
        return
    if not isinstance(state, dict):
        raise RuntimeError(f"the archive has no attributes for an object of {script_class.name}")
    for name, value in state.items():
        if name not in script_class.types:
            raise RuntimeError(f"the archive sets {name!r}, which {script_class.name} lacks")
        _set(owner, script_class, name, value)


def _set(owner: Any, script_class: ScriptClass, name: str, value: Any) -> None:
    if not script_class.is_module:
        owner.__dict__[name] = value
    elif name in script_class.listed.get("__parameters__", ()):
        is_tensor = isinstance(value, torch.Tensor)
        owner.register_parameter(name, Parameter(value, value.requires_grad) if is_tensor else None)
    elif _is_buffer(script_class, name, value):
        owner.register_buffer(name, value)
    elif isinstance(value, Module):
        owner._modules[name] = value
    else:
        owner.__dict__[name] = value


def _is_buffer(script_class: ScriptClass, name: str, value: Any) -> bool:
    """Return whether an attribute is a buffer; older archives do not list theirs."""
    listed = script_class.listed.get("__buffers__")
    return isinstance(value, torch.Tensor) if listed is None else name in listed


def program_of(module: RecursiveScriptModule) -> Program:
    """Return the program that the methods of a module are in."""
    return module._script_class.program
