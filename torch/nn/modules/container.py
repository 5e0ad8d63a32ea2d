"""Modules that hold other modules."""

from __future__ import annotations

import operator
import warnings
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any

from torch.nn.modules.module import Module, _addindent


def _normalize_index(index: Any, length: int) -> int:
    """Return an index counted from the front.

    Raises:
        IndexError: If the index is out of range.
    """
    index = operator.index(index)
    if not -length <= index < length:
        raise IndexError(f"index {index} is out of range")
    return index % length


class Container(Module):
    """Deprecated base class of modules with children; `Module` itself has them.

    Args:
        **kwargs: The children, by name.

    Example:
        >>> issubclass(nn.Container, nn.Module)
        True
    """

    def __init__(self, **kwargs: Any) -> None:
        super().__init__()
        warnings.warn(
            "`nn.Container` is deprecated. All of its functionality is now implemented in "
            "`nn.Module`. Subclass that instead.",
            FutureWarning,
            stacklevel=2,
        )
        for name, module in kwargs.items():
            self.add_module(name, module)


class _IndexedContainer(Module):
    """A module whose children have the names "0", "1", and so on."""

    def _name(self, index: Any) -> str:
        return list(self._modules)[_normalize_index(index, len(self))]

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Module]:
        return iter(self._modules.values())

    def __setitem__(self, index: int, module: Module) -> None:
        setattr(self, self._name(index), module)

    def __delitem__(self, index: int | slice) -> None:
        if isinstance(index, slice):
            for name in list(self._modules)[index]:
                delattr(self, name)
        else:
            delattr(self, self._name(index))
        self.__dict__["_modules"] = {str(i): m for i, m in enumerate(self._modules.values())}

    def append(self, module: Module):
        """Add a module to the end.

        Args:
            module: Module to add.

        Returns:
            The container.
        """
        self.add_module(str(len(self)), module)
        return self

    def insert(self, index: int, module: Module):
        """Insert a module before the one at an index.

        Args:
            index: Index of the new module.
            module: Module to add.

        Returns:
            The container.

        Raises:
            IndexError: If the index is out of range.
        """
        if not isinstance(module, Module):
            raise AssertionError(f"module should be of type: {Module}")
        modules = list(self._modules.values())
        if not -len(modules) <= index <= len(modules):
            raise IndexError(f"Index out of range: {index}")
        modules.insert(index, module)
        self.__dict__["_modules"] = {str(i): m for i, m in enumerate(modules)}
        return self

    def extend(self, modules: Iterable[Module]):
        """Add several modules to the end.

        Args:
            modules: Modules to add.

        Returns:
            The container.
        """
        for module in list(modules):
            self.append(module)
        return self

    def __dir__(self) -> list[str]:
        return [name for name in super().__dir__() if not name.isdigit()]


class Sequential(_IndexedContainer):
    """A chain of modules, each called with the result of the previous one.

    Args:
        *args: Modules in order, or one OrderedDict of modules by name.

    Example:
        >>> model = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2))
        >>> model(torch.randn(5, 3)).shape
        torch.Size([5, 2])
        >>> model[0]
        Linear(in_features=3, out_features=4, bias=True)
    """

    def __init__(self, *args: Any) -> None:
        super().__init__()
        if len(args) == 1 and isinstance(args[0], OrderedDict):
            for name, module in args[0].items():
                self.add_module(name, module)
        else:
            for index, module in enumerate(args):
                self.add_module(str(index), module)

    def __getitem__(self, index: int | slice) -> Module:
        if isinstance(index, slice):
            return type(self)(OrderedDict(list(self._modules.items())[index]))
        return self._modules[self._name(index)]

    def __add__(self, other: Sequential) -> Sequential:
        if not isinstance(other, Sequential):
            raise ValueError(
                "add operator supports only objects of Sequential class, but "
                f"{type(other)} is given."
            )
        return Sequential(*self, *other)

    def __iadd__(self, other: Sequential) -> Sequential:
        if not isinstance(other, Sequential):
            raise ValueError(
                "add operator supports only objects of Sequential class, but "
                f"{type(other)} is given."
            )
        return self.extend(list(other))

    def __mul__(self, times: int) -> Sequential:
        return Sequential(*self).__imul__(times)

    __rmul__ = __mul__

    def __imul__(self, times: int) -> Sequential:
        if not isinstance(times, int):
            raise TypeError(f"unsupported operand type(s) for *: {type(self)} and {type(times)}")
        if times <= 0:
            raise ValueError(f"Non-positive multiplication factor {times} for {type(self)}")
        return self.extend(list(self) * (times - 1))

    def pop(self, key: int | slice) -> Module:
        """Remove the module at an index, or the modules of a slice, and return it."""
        module = self[key]
        del self[key]
        return module

    def forward(self, input: Any) -> Any:
        """Call all modules in order, and return the last one's result."""
        for module in self._modules.values():
            input = module(input)
        return input

    def extend(self, sequential: Iterable[Module]) -> Sequential:
        """Add the modules of another container to the end, and return this one."""
        return super().extend(sequential)


class ModuleList(_IndexedContainer):
    """A list of modules, registered so that their parameters are found.

    It supports indexing, slicing, iteration and concatenation like a Python list. It cannot be
    called.

    Args:
        modules: Modules to add.

    Example:
        >>> layers = nn.ModuleList([nn.Linear(2, 2) for _ in range(3)])
        >>> x = torch.ones(1, 2)
        >>> for layer in layers:
        ...     x = layer(x)
        >>> len(layers), x.shape
        (3, torch.Size([1, 2]))
    """

    def __init__(self, modules: Iterable[Module] | None = None) -> None:
        super().__init__()
        if modules is not None:
            self.extend(modules)

    def __getitem__(self, index: int | slice) -> Module:
        if isinstance(index, slice):
            return type(self)(list(self._modules.values())[index])
        return self._modules[self._name(index)]

    def __add__(self, other: Iterable[Module]) -> ModuleList:
        return ModuleList(chain(self, other))

    def __iadd__(self, modules: Iterable[Module]) -> ModuleList:
        return self.extend(modules)

    def extend(self, modules: Iterable[Module]) -> ModuleList:
        """Add several modules to the end.

        Args:
            modules: Modules to add.

        Returns:
            The list.

        Raises:
            TypeError: If `modules` is not iterable.
        """
        if not isinstance(modules, Iterable):
            raise TypeError(
                "ModuleList.extend should be called with an iterable, but got "
                f"{type(modules).__name__}"
            )
        return super().extend(modules)

    def pop(self, key: int | slice) -> Module:
        """Remove the module at an index, or the modules of a slice, and return it."""
        module = self[key]
        del self[key]
        return module

    def __repr__(self) -> str:
        """Return a description that groups equal modules, such as (0-3): 4 x Linear(...)."""
        if not len(self):
            return f"{self._get_name()}()"
        runs: list[tuple[int, int, str]] = []
        for index, text in enumerate(map(repr, self)):
            if runs and runs[-1][2] == text:
                runs[-1] = (runs[-1][0], index, text)
            else:
                runs.append((index, index, text))
        lines = [
            f"\n  ({first}): {_addindent(text, 2)}"
            if first == last
            else f"\n  ({first}-{last}): {last - first + 1} x {_addindent(text, 2)}"
            for first, last, text in runs
        ]
        return f"{self._get_name()}({''.join(lines)}\n)"


class ModuleDict(Module):
    """A dictionary of modules, registered so that their parameters are found.

    Args:
        modules: Mapping of modules by name.

    Example:
        >>> branches = nn.ModuleDict({"wide": nn.Linear(2, 8), "narrow": nn.Linear(2, 1)})
        >>> branches["narrow"](torch.ones(3, 2)).shape
        torch.Size([3, 1])
        >>> list(branches)
        ['wide', 'narrow']
    """

    def __init__(self, modules: Mapping[str, Module] | None = None) -> None:
        super().__init__()
        if modules is not None:
            self.update(modules)

    def __getitem__(self, key: str) -> Module:
        return self._modules[key]

    def __setitem__(self, key: str, module: Module) -> None:
        self.add_module(key, module)

    def __delitem__(self, key: str) -> None:
        del self._modules[key]

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __contains__(self, key: str) -> bool:
        return key in self._modules

    def clear(self) -> None:
        """Remove all modules."""
        self._modules.clear()

    def pop(self, key: str) -> Module:
        """Remove a module and return it."""
        return self._modules.pop(key)

    def keys(self) -> Iterable[str]:
        """Return the names."""
        return self._modules.keys()

    def items(self) -> Iterable[tuple[str, Module]]:
        """Return the pairs of name and module."""
        return self._modules.items()

    def values(self) -> Iterable[Module]:
        """Return the modules."""
        return self._modules.values()

    def update(self, modules: Any) -> None:
        """Add modules from a mapping or from pairs, replacing those of the same names.

        Args:
            modules: Mapping, or iterable of pairs of name and module.

        Raises:
            TypeError: If `modules` or one of its elements is not iterable.
        """
        if not isinstance(modules, Iterable):
            raise TypeError(
                "ModuleDict.update should be called with an iterable of key/value pairs, but got "
                f"{type(modules).__name__}"
            )
        pairs = modules.items() if isinstance(modules, (Mapping, ModuleDict)) else modules
        for position, pair in enumerate(pairs):
            if not isinstance(pair, Iterable):
                raise TypeError(
                    f"ModuleDict update sequence element #{position} should be Iterable; is "
                    f"{type(pair).__name__}"
                )
            key, module = pair
            self[key] = module


def __getattr__(name: str) -> Any:
    from torch.nn.modules._lazy_names import find

    return find(name, __name__)
