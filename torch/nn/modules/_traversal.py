"""Iteration over a module and the modules below it, and over their parameters and buffers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from torch import Tensor
from torch.nn.parameter import Parameter

if TYPE_CHECKING:
    from torch.nn.modules.module import Module


class Traversal:
    """Mixin of Module that iterates over submodules, parameters and buffers."""

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
