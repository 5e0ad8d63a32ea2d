"""Modules that hold parameters."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import torch
from torch import Tensor
from torch.nn.modules.container import _normalize_index
from torch.nn.modules.module import Module
from torch.nn.parameter import Parameter


class ParameterList(Module):
    """A list of parameters, registered so that the module finds them.

    Tensors that are added become parameters.

    Args:
        values: Values to add.

    Example:
        >>> weights = nn.ParameterList([torch.zeros(2), torch.ones(3)])
        >>> weights.append(torch.ones(1))
        ParameterList(
            (0): Parameter containing: [torch.float32 of size 2]
            (1): Parameter containing: [torch.float32 of size 3]
            (2): Parameter containing: [torch.float32 of size 1]
        )
        >>> len(list(weights.parameters()))
        3
    """

    def __init__(self, values: Iterable[Any] | None = None) -> None:
        super().__init__()
        self._size = 0
        if values is not None:
            self.extend(values)

    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return type(self)(self[i] for i in range(*index.indices(len(self))))
        return getattr(self, str(_normalize_index(index, len(self))))

    def __setitem__(self, index: int, value: Any) -> None:
        if isinstance(value, Tensor) and not isinstance(value, Parameter):
            value = Parameter(value)
        setattr(self, str(_normalize_index(index, len(self))), value)

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[Any]:
        return iter(self[i] for i in range(len(self)))

    def __iadd__(self, values: Iterable[Any]) -> ParameterList:
        return self.extend(values)

    def append(self, value: Any) -> ParameterList:
        """Add a value to the end, and return the list."""
        self._size += 1
        self[self._size - 1] = value
        return self

    def extend(self, values: Iterable[Any]) -> ParameterList:
        """Add several values to the end.

        Args:
            values: Values to add.

        Returns:
            The list.

        Raises:
            TypeError: If `values` is a tensor or not iterable.
        """
        if not isinstance(values, Iterable) or isinstance(values, Tensor):
            raise TypeError(
                "ParameterList.extend should be called with an iterable, but got "
                f"{type(values).__name__}"
            )
        for value in list(values):
            self.append(value)
        return self

    def extra_repr(self) -> str:
        """Return one line per value."""
        return "\n".join(
            _describe_entry(str(index), value, getattr(value, "dtype", None))
            for index, value in enumerate(self)
        )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Raise RuntimeError, because a list of parameters cannot be called."""
        raise RuntimeError("ParameterList should not be called.")


class ParameterDict(Module):
    """A dictionary of parameters, registered so that the module finds them.

    Tensors that are added become parameters.

    Args:
        parameters: Mapping, or iterable of pairs of name and value.

    Example:
        >>> scales = nn.ParameterDict({"left": torch.ones(2), "right": torch.zeros(1)})
        >>> scales["left"]
        Parameter containing:
        tensor([1., 1.], requires_grad=True)
        >>> sorted(name for name, _ in scales.named_parameters())
        ['left', 'right']
    """

    def __init__(self, parameters: Any = None) -> None:
        super().__init__()
        self._keys: dict[str, None] = {}
        if parameters is not None:
            self.update(parameters)

    def __getitem__(self, key: str) -> Any:
        return getattr(self, key)

    def __setitem__(self, key: str, value: Any) -> None:
        if not isinstance(key, str):
            raise TypeError(
                "Index given to ParameterDict cannot be used as a key as it is not a string "
                f"(type is '{type(key).__name__}'). Open an issue on github if you need non-string "
                "keys."
            )
        self._keys[key] = None
        if isinstance(value, Tensor) and not isinstance(value, Parameter):
            value = Parameter(value)
        setattr(self, key, value)

    def __delitem__(self, key: str) -> None:
        del self._keys[key]
        delattr(self, key)

    def __len__(self) -> int:
        return len(self._keys)

    def __iter__(self) -> Iterator[str]:
        return iter(self._keys)

    def __reversed__(self) -> Iterator[str]:
        return reversed(list(self._keys))

    def __contains__(self, key: str) -> bool:
        return key in self._keys

    def copy(self) -> ParameterDict:
        """Return a new dictionary with the same parameters."""
        return ParameterDict(OrderedDict(self.items()))

    def setdefault(self, key: str, default: Any = None) -> Any:
        """Return the value of a key, adding the default first if the key is missing."""
        if key not in self:
            self[key] = default
        return self[key]

    def clear(self) -> None:
        """Remove all values."""
        for key in list(self._keys):
            del self[key]

    def pop(self, key: str) -> Any:
        """Remove a value and return it."""
        value = self[key]
        del self[key]
        return value

    def popitem(self) -> tuple[str, Any]:
        """Remove the last pair and return it."""
        key = next(reversed(self._keys))
        return key, self.pop(key)

    def get(self, key: str, default: Any = None) -> Any:
        """Return the value of a key, or the default if the key is missing."""
        return getattr(self, key) if key in self._keys else default

    def fromkeys(self, keys: Iterable[str], default: Any = None) -> ParameterDict:
        """Return a new dictionary with one value for all keys."""
        return ParameterDict((key, default) for key in keys)

    def keys(self) -> Iterable[str]:
        """Return the names."""
        return self._keys.keys()

    def items(self) -> Iterable[tuple[str, Any]]:
        """Return the pairs of name and value."""
        return ((key, self[key]) for key in self._keys)

    def values(self) -> Iterable[Any]:
        """Return the values."""
        return (self[key] for key in self._keys)

    def update(self, parameters: Any) -> None:
        """Add values from a mapping or from pairs. A mapping without an order is sorted by name.

        Args:
            parameters: Mapping, or iterable of pairs of name and value.

        Raises:
            TypeError: If `parameters` is not iterable.
        """
        if not isinstance(parameters, Iterable):
            raise TypeError(
                "ParametersDict.update should be called with an iterable of key/value pairs, but "
                f"got {type(parameters).__name__}"
            )
        if isinstance(parameters, (OrderedDict, ParameterDict)):
            pairs: Iterable[Any] = parameters.items()
        elif isinstance(parameters, Mapping):
            pairs = sorted(parameters.items())
        else:
            pairs = parameters
        for key, value in pairs:
            self[key] = value

    def extra_repr(self) -> str:
        """Return one line per value."""
        return "\n".join(
            _describe_entry(key, value, torch.typename(value)) for key, value in self.items()
        )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Raise RuntimeError, because a dictionary of parameters cannot be called."""
        raise RuntimeError("ParameterDict should not be called.")

    def __or__(self, other: ParameterDict) -> ParameterDict:
        joined = self.copy()
        joined.update(other)
        return joined

    def __ror__(self, other: ParameterDict) -> ParameterDict:
        joined = other.copy()
        joined.update(self)
        return joined

    def __ior__(self, other: ParameterDict) -> ParameterDict:
        self.update(other)
        return self


def _describe_entry(name: str, value: Any, kind_of_values: Any) -> str:
    """Return the line that describes one value in a container's repr()."""
    if not isinstance(value, Tensor):
        return f"  ({name}): Object of type: {type(value).__name__}"
    size = "x".join(str(extent) for extent in value.size())
    kind = "Parameter" if isinstance(value, Parameter) else "Tensor"
    device = f" (GPU {value.get_device()})" if value.is_cuda else ""
    return f"  ({name}): {kind} containing: [{kind_of_values} of size {size}{device}]"
