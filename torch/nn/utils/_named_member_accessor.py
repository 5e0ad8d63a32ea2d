"""Get and replace the tensors and submodules of a module by their dotted names."""

from __future__ import annotations

from typing import Any

from torch import Tensor
from torch.nn.modules.module import Module

_MISSING = object()


def _check_name(name: str) -> None:
    if "." in name:
        raise KeyError("tensor name can't contain '.'")
    if not name:
        raise KeyError('tensor name can\'t be empty string ""')


def swap_tensor(module: Module, name: str, tensor: Any, allow_missing: bool = False) -> Any:
    """Replace a tensor of a module without its checks, and return the old one.

    Raises:
        KeyError: If the name is not a plain one.
        AttributeError: If the module has no such tensor, unless `allow_missing`.
        TypeError: If the module's attribute, or the new value, is not a tensor.
    """
    _check_name(name)
    if tensor is not None and tensor is not _MISSING and not isinstance(tensor, Tensor):
        raise TypeError(f"{tensor} is not an instance of torch.Tensor")
    for table in (module._parameters, module._buffers):
        if name in table:
            old = table[name]
            if tensor is _MISSING:
                del table[name]
            else:
                table[name] = tensor
            return old
    old = getattr(module, name, _MISSING)
    if old is _MISSING:
        if not allow_missing:
            raise AttributeError(f"{module._get_name()} has no attribute `{name}`")
    elif not isinstance(old, Tensor):
        raise TypeError(f"attribute `{name}`: {old} is not an instance of torch.Tensor")
    if tensor is not _MISSING:
        setattr(module, name, tensor)
    elif old is not _MISSING:
        delattr(module, name)
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
        self._found = {"": module}

    def get_submodule(self, name: str) -> Module:
        """Return a submodule.

        Raises:
            AttributeError: If there is no attribute of this name.
            TypeError: If the attribute is not a module.
        """
        if name not in self._found:
            path, _, last = name.rpartition(".")
            parent = self.get_submodule(path)
            found = getattr(parent, last, _MISSING)
            if found is _MISSING:
                raise AttributeError(f"{parent._get_name()} has no attribute `{last}`")
            if not isinstance(found, Module):
                raise TypeError(
                    f"submodule `{name}`: {found} is not an instance of torch.nn.Module"
                )
            self._found[name] = found
        return self._found[name]

    def _owner(self, name: str) -> tuple[Module, str]:
        path, _, last = name.rpartition(".")
        return self.get_submodule(path), last

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

    def del_tensor(self, name: str) -> None:
        """Remove a tensor.

        Raises:
            AttributeError: If there is none of this name.
        """
        owner, last = self._owner(name)
        delattr(owner, last)

    def swap_submodule(self, path: str, value: Module) -> Module:
        """Replace a submodule, and return the old one."""
        owner, last = self._owner(path)
        self._found.clear()
        self._found[""] = self.module
        return swap_submodule(owner, last, value)

    def get_tensors(self, names: list[str]) -> list[Tensor]:
        """Return several tensors."""
        return [self.get_tensor(name) for name in names]

    def set_tensors(self, names: list[str], values: list[Tensor]) -> None:
        """Replace several tensors."""
        for name, value in zip(names, values, strict=True):
            self.set_tensor(name, value)

    def set_tensors_dict(self, named_tensors: dict[str, Tensor]) -> None:
        """Replace several tensors."""
        for name, value in named_tensors.items():
            self.set_tensor(name, value)

    def del_tensors(self, names: list[str]) -> None:
        """Remove several tensors."""
        for name in names:
            self.del_tensor(name)

    def swap_tensors(
        self, names: list[str], values: list[Any], allow_missing: bool = False
    ) -> list[Any]:
        """Replace several tensors, and return the old ones."""
        return [
            self.swap_tensor(name, value, allow_missing)
            for name, value in zip(names, values, strict=True)
        ]

    def swap_tensors_dict(
        self, named_tensors: dict[str, Any], allow_missing: bool = False
    ) -> tuple[dict[str, Any], list[str]]:
        """Replace tensors by name, all or none. Return the old ones and the names that were missing."""
        old: dict[str, Any] = {}
        try:
            for name, value in named_tensors.items():
                old[name] = self.swap_tensor(name, value, allow_missing=True)
            missing = [name for name, value in old.items() if value is _MISSING]
            if missing and not allow_missing:
                raise RuntimeError(f"Missing key(s): {', '.join(map(repr, missing))}.")
        except Exception:
            self.swap_tensors_dict(old, allow_missing=True)
            raise
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
