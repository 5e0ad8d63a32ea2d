"""Modules of the C++ front end as Python modules."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from torch import Tensor, nn

__all__ = ["ModuleWrapper", "OrderedDictWrapper"]


class OrderedDictWrapper:
    """A dictionary of a C++ module, read again at each access.

    Args:
        cpp_module: The module.
        attr: The attribute that returns the dictionary.

    Example:
        >>> from types import SimpleNamespace
        >>> from torch.nn.cpp import OrderedDictWrapper
        >>> module = SimpleNamespace(_parameters={"weight": 1})
        >>> entries = OrderedDictWrapper(module, "_parameters")
        >>> module._parameters = {"bias": 2}
        >>> list(entries.items())
        [('bias', 2)]
    """

    def __init__(self, cpp_module: Any, attr: str) -> None:
        self.cpp_module = cpp_module
        self.attr = attr

    @property
    def cpp_dict(self) -> dict[str, Any]:
        """The current entries."""
        entries: dict[str, Any] = getattr(self.cpp_module, self.attr)
        return entries

    def items(self) -> Any:
        """Return the names with their entries."""
        return self.cpp_dict.items()

    def keys(self) -> Any:
        """Return the names."""
        return self.cpp_dict.keys()

    def values(self) -> Any:
        """Return the entries."""
        return self.cpp_dict.values()

    def get(self, key: str, default: Any = None) -> Any:
        """Return an entry, or the default if there is none of this name."""
        return self.cpp_dict.get(key, default)

    def __iter__(self) -> Iterator[str]:
        return iter(self.cpp_dict)

    def __len__(self) -> int:
        return len(self.cpp_dict)

    def __contains__(self, key: object) -> bool:
        return key in self.cpp_dict

    def __getitem__(self, key: str) -> Any:
        return self.cpp_dict[key]


class ModuleWrapper(nn.Module):
    """A Python module around a C++ one, which shares its parameters, buffers and modules.

    Parameters that Python changes, by an optimizer or `load_state_dict`, change in C++.

    Args:
        cpp_module: An object of a class that `torch::python::bind_module` has bound.

    Example:
        >>> from torch.utils.cpp_extension import load
        >>> nets = load("nets", ["net.cpp"])  # doctest: +SKIP
        >>> model = torch.nn.cpp.ModuleWrapper(nets.Net(4, 8))  # doctest: +SKIP
        >>> [name for name, _ in model.named_parameters()]  # doctest: +SKIP
        ['fc.weight', 'fc.bias']
    """

    def __init__(self, cpp_module: Any) -> None:
        object.__setattr__(self, "cpp_module", cpp_module)
        super().__init__()
        children = {name: ModuleWrapper(child) for name, child in cpp_module._modules.items()}
        vars(self).update(
            _parameters=OrderedDictWrapper(cpp_module, "_parameters"),
            _buffers=OrderedDictWrapper(cpp_module, "_buffers"),
            _modules=children,
        )

    def forward(self, *args: Any) -> Any:
        """Call the C++ module's method forward."""
        return self.cpp_module.forward(*args)

    def __getattr__(self, name: str) -> Any:
        if name == "cpp_module" or name.startswith("__"):
            raise AttributeError(name)
        try:
            return super().__getattr__(name)
        except AttributeError:
            return getattr(self.cpp_module, name)

    @property  # type: ignore[override]
    def training(self) -> bool:
        """Whether the module is in training mode; set it by train() and eval()."""
        mode: bool = self.cpp_module.training
        return mode

    @training.setter
    def training(self, mode: bool) -> None:
        self.cpp_module.train(mode)

    def _apply(self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> ModuleWrapper:
        for tensor in (*self.parameters(recurse), *self.buffers(recurse)):
            tensor.data = fn(tensor.data)
            if tensor.grad is not None:
                tensor.grad.data = fn(tensor.grad.data)
        return self

    def __repr__(self) -> str:
        return repr(self.cpp_module)
