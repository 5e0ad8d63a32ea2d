"""Iteration over the modules, parameters and buffers in a module, and their lookup by path."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from torch import Tensor
from torch.nn.parameter import Parameter

if TYPE_CHECKING:
    from torch.nn.modules.module import Module


def _attribute(module: Any, name: str) -> Any:
    """Return an attribute of a module on a path, or say which class lacks it."""
    if not hasattr(module, name):
        raise AttributeError(f"{type(module).__name__} has no attribute `{name}`")
    return getattr(module, name)


class Traversal:
    """Mixin of Module that iterates over submodules, parameters and buffers, and finds them."""

    # ---- iteration
    def named_modules(
        self, memo: set[Module] | None = None, prefix: str = "", remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Module]]:
        """Iterate over this module and all modules below it, with their dotted paths.

        Args:
            memo: Modules to skip. Visited ones are added.
            prefix: Path of this module.
            remove_duplicate: If True, visit a module that has several names once.

        Yields:
            Pairs of path and module.

        Example:
            >>> model = nn.Sequential(nn.Sequential(nn.Identity()), nn.ReLU())
            >>> [path for path, _ in model.named_modules()]
            ['', '0', '0.0', '1']
        """
        memo = set() if memo is None else memo
        if self in memo:
            return
        if remove_duplicate:
            memo.add(self)
        yield prefix, self
        for name, module in self._modules.items():
            if module is not None:
                path = f"{prefix}.{name}" if prefix else name
                yield from module.named_modules(memo, path, remove_duplicate)

    def modules(self, remove_duplicate: bool = True) -> Iterator[Module]:
        """Iterate over this module and all modules below it.

        Args:
            remove_duplicate: If True, visit a module that has several names once.

        Yields:
            The modules.
        """
        for _, module in self.named_modules(remove_duplicate=remove_duplicate):
            yield module

    def named_children(self) -> Iterator[tuple[str, Module]]:
        """Iterate over the direct children with their names, each child once."""
        seen: set[Module] = set()
        for name, module in self._modules.items():
            if module is not None and module not in seen:
                seen.add(module)
                yield name, module

    def children(self) -> Iterator[Module]:
        """Iterate over the direct children, each once."""
        for _, module in self.named_children():
            yield module

    def _named_members(
        self, table: str, prefix: str, recurse: bool, remove_duplicate: bool
    ) -> Iterator[tuple[str, Any]]:
        """Iterate over one table's entries in this module, and with `recurse` in those below."""
        seen: set[Any] = set()
        named = self.named_modules(prefix=prefix, remove_duplicate=remove_duplicate)
        for path, module in named if recurse else [(prefix, self)]:
            for name, member in getattr(module, table).items():
                if member is None or member in seen:
                    continue
                if remove_duplicate:
                    seen.add(member)
                yield (f"{path}.{name}" if path else name), member

    def named_parameters(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Parameter]]:
        """Iterate over the parameters with their dotted paths.

        Args:
            prefix: Path of this module.
            recurse: If True, include the parameters of all modules below.
            remove_duplicate: If True, visit a parameter that has several names once.

        Returns:
            An iterator over pairs of path and parameter.

        Example:
            >>> model = nn.Sequential(nn.Linear(3, 2))
            >>> [(path, tuple(weight.shape)) for path, weight in model.named_parameters()]
            [('0.weight', (2, 3)), ('0.bias', (2,))]
        """
        return self._named_members("_parameters", prefix, recurse, remove_duplicate)

    def parameters(self, recurse: bool = True) -> Iterator[Parameter]:
        """Iterate over the parameters, in the form that optimizers take them.

        Args:
            recurse: If True, include the parameters of all modules below.

        Yields:
            The parameters, each once.

        Example:
            >>> sum(weight.numel() for weight in nn.Linear(3, 2).parameters())
            8
        """
        for _, parameter in self.named_parameters(recurse=recurse):
            yield parameter

    def named_buffers(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Tensor]]:
        """Iterate over the buffers with their dotted paths.

        Args:
            prefix: Path of this module.
            recurse: If True, include the buffers of all modules below.
            remove_duplicate: If True, visit a buffer that has several names once.

        Returns:
            An iterator over pairs of path and buffer.
        """
        return self._named_members("_buffers", prefix, recurse, remove_duplicate)

    def buffers(self, recurse: bool = True) -> Iterator[Tensor]:
        """Iterate over the buffers.

        Args:
            recurse: If True, include the buffers of all modules below.

        Yields:
            The buffers, each once.
        """
        for _, buffer in self.named_buffers(recurse=recurse):
            yield buffer

    # ---- lookup by path
    def get_submodule(self, target: str) -> Module:
        """Return the module at a dotted path.

        Args:
            target: Path from this module, such as ``encoder.0``. An empty path means this module.

        Returns:
            The module.

        Raises:
            AttributeError: If there is no module at the path.

        Example:
            >>> model = nn.Sequential(nn.Sequential(nn.Linear(2, 1)), nn.ReLU())
            >>> model.get_submodule("0.0")
            Linear(in_features=2, out_features=1, bias=True)
        """
        module: Any = self
        for name in target.split(".") if target else ():
            found = _attribute(module, name)
            if not isinstance(found, Traversal):
                raise AttributeError(f"`{name}` is not an nn.Module")
            module = found
        return module

    def set_submodule(self, target: str, module: Module, strict: bool = False) -> None:
        """Set the module at a dotted path.

        Args:
            target: Path from this module, such as ``encoder.0``.
            module: Module to put there.
            strict: If True, there must already be a module at the path.

        Raises:
            ValueError: If the path is empty or `module` is not a module.
            AttributeError: If the path leads through or to something else than a module.

        Example:
            >>> model = nn.Sequential(nn.Sequential(nn.Linear(2, 1)), nn.ReLU())
            >>> model.set_submodule("0.0", nn.Identity())
            >>> model[0][0]
            Identity()
        """
        if not target:
            raise ValueError("Cannot set the submodule without a target name!")
        if not isinstance(module, Traversal):
            raise ValueError(f"`module` is not an nn.Module, found {type(module)}")
        path, _, name = target.rpartition(".")
        parent = self.get_submodule(path)
        if strict:
            _attribute(parent, name)
        if hasattr(parent, name) and not isinstance(getattr(parent, name), Traversal):
            raise AttributeError(f"`{name}` is not an nn.Module")
        setattr(parent, name, module)

    def get_parameter(self, target: str) -> Parameter:
        """Return the parameter at a dotted path.

        Args:
            target: Path from this module, such as ``encoder.0.weight``.

        Returns:
            The parameter.

        Raises:
            AttributeError: If there is no parameter at the path.
        """
        path, _, name = target.rpartition(".")
        found = _attribute(self.get_submodule(path), name)
        if not isinstance(found, Parameter):
            raise AttributeError(f"`{name}` is not an nn.Parameter")
        return found

    def get_buffer(self, target: str) -> Tensor:
        """Return the buffer at a dotted path.

        Args:
            target: Path from this module, such as ``encoder.norm.running_mean``.

        Returns:
            The buffer.

        Raises:
            AttributeError: If there is no buffer at the path.
        """
        path, _, name = target.rpartition(".")
        module = self.get_submodule(path)
        found = _attribute(module, name)
        if name not in module._buffers:
            raise AttributeError(f"`{name}` is not a buffer")
        return found
