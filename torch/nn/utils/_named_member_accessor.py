"""Get and replace the tensors and submodules of a module by their dotted names."""

from __future__ import annotations

from typing import Any

from torch import Tensor
from torch.nn.modules.module import Module

_MISSING = object()


def _members(module: Module, name: str) -> dict[str, Any]:
    """Return the table of a module that holds, or may hold, a tensor of this name."""
    if "." in name:
        raise KeyError("tensor name can't contain '.'")
    if not name:
        raise KeyError('tensor name can\'t be empty string ""')
    for table in (module._parameters, module._buffers):
        if name in table:
            return table
    return module.__dict__


def swap_tensor(module: Module, name: str, tensor: Any, allow_missing: bool = False) -> Any:
    """Replace a tensor of a module without its checks and hooks, and return the old one.

    Raises:
        KeyError: If the name is not a plain one.
        AttributeError: If the module has no such tensor, unless `allow_missing`.
        TypeError: If the module's attribute, or the new value, is not a tensor.
    """
    table = _members(module, name)
    old = table.get(name, _MISSING)
    if old is _MISSING and not allow_missing:
        raise AttributeError(f"{module._get_name()} has no attribute `{name}`")
    if old is not _MISSING and old is not None and not isinstance(old, Tensor):
        raise TypeError(f"attribute `{name}` of {module._get_name()} is not an instance of Tensor")
    if tensor is not None and tensor is not _MISSING and not isinstance(tensor, Tensor):
        raise TypeError(f"{tensor} is not an instance of torch.Tensor")
    if tensor is _MISSING:
        table.pop(name, None)
    else:
        table[name] = tensor
    return old


def swap_submodule(module: Module, name: str, submodule: Module) -> Module:
    """Replace a submodule, and return the old one.

    Raises:
        KeyError: If the name is not a plain one.
        AttributeError: If the module has no such submodule.
        TypeError: If one of both is not a module.
    """
    if not name or "." in name:
        raise KeyError(f"submodule name must be a plain name, not {name!r}")
    if name not in module._modules:
        raise AttributeError(f"{module._get_name()} has no attribute `{name}`")
    old = module._modules[name]
    if not isinstance(submodule, Module) or not isinstance(old, Module):
        raise TypeError(f"{submodule} is not an instance of torch.nn.Module")
    module._modules[name] = submodule
    return old


class NamedMemberAccessor:
    """Gets and sets the members of a module by their dotted names.

    Example:
        >>> from torch.nn.utils._named_member_accessor import NamedMemberAccessor
        >>> accessor = NamedMemberAccessor(nn.Sequential(nn.Linear(2, 1)))
        >>> accessor.get_tensor("0.weight").shape
        torch.Size([1, 2])
    """

    def __init__(self, module: Module) -> None:
        self.module = module

    def get_submodule(self, name: str) -> Module:
        """Return a submodule."""
        return self.module.get_submodule(name)

    def _owner(self, name: str) -> tuple[Module, str]:
        path, _, last = name.rpartition(".")
        return self.module.get_submodule(path), last

    def get_tensor(self, name: str) -> Tensor:
        """Return a parameter, a buffer, or another tensor of the module."""
        owner, last = self._owner(name)
        found = getattr(owner, last)
        if not isinstance(found, Tensor):
            raise TypeError(f"attribute `{name}` is not an instance of Tensor")
        return found

    def swap_tensor(self, name: str, value: Any, allow_missing: bool = False) -> Any:
        """Replace a tensor, and return the old one; see `swap_tensor`."""
        owner, last = self._owner(name)
        return swap_tensor(owner, last, value, allow_missing)

    def set_tensor(self, name: str, value: Tensor) -> None:
        """Replace a tensor."""
        self.swap_tensor(name, value)

    def get_tensors(self, names: list[str]) -> list[Tensor]:
        """Return several tensors."""
        return [self.get_tensor(name) for name in names]

    def set_tensors(self, names: list[str], values: list[Tensor]) -> None:
        """Replace several tensors."""
        for name, value in zip(names, values, strict=True):
            self.set_tensor(name, value)

    def swap_tensors_dict(
        self, values: dict[str, Any], allow_missing: bool = False
    ) -> tuple[dict[str, Any], list[str]]:
        """Replace tensors by name. Return the old ones and the names that were missing."""
        old, missing = {}, []
        for name, value in values.items():
            found = self.swap_tensor(name, value, allow_missing=True)
            if found is _MISSING:
                missing.append(name)
            old[name] = found
        if missing and not allow_missing:
            self.swap_tensors_dict(old, allow_missing=True)
            raise RuntimeError(f"Missing key(s): {', '.join(map(repr, missing))}.")
        return old, missing

    def check_keys(self, keys: Any) -> tuple[list[str], list[str]]:
        """Return the names of tensors that the keys lack, and the keys that name no tensor."""
        keys = set(keys)
        names = {name for name, _ in self.named_tensors(remove_duplicate=False)}
        return sorted(names - keys), sorted(keys - names)

    def named_parameters(self, remove_duplicate: bool = True) -> Any:
        """Yield the names and parameters."""
        yield from self.module.named_parameters(remove_duplicate=remove_duplicate)

    def named_buffers(self, remove_duplicate: bool = True) -> Any:
        """Yield the names and buffers."""
        yield from self.module.named_buffers(remove_duplicate=remove_duplicate)

    def named_tensors(self, remove_duplicate: bool = True) -> Any:
        """Yield the names and tensors, parameters first."""
        yield from self.named_parameters(remove_duplicate)
        yield from self.named_buffers(remove_duplicate)

    def named_modules(self, remove_duplicate: bool = True) -> Any:
        """Yield the names and modules."""
        yield from self.module.named_modules(remove_duplicate=remove_duplicate)
