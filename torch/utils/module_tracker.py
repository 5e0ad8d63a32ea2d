"""Which modules the running forward and backward passes are in."""

from __future__ import annotations

import weakref
from typing import Any

import torch
from torch.nn.modules.module import (
    register_module_forward_hook,
    register_module_forward_pre_hook,
)
from torch.utils import _pytree as pytree

__all__ = ["ModuleTracker"]


class ModuleTracker:
    """A context manager that keeps the names of the modules whose passes are running.

    Attributes:
        parents: The names, such as "Net.layer1"; "Global" is always among them.

    Example:
        >>> from torch.utils.module_tracker import ModuleTracker
        >>> class Shows(nn.Module):
        ...     def forward(self, x):
        ...         print(sorted(tracker.parents), tracker.is_bw)
        ...         return x
        >>> with ModuleTracker() as tracker:
        ...     _ = Shows()(torch.ones(1))
        ['Global', 'Shows'] False
    """

    def __init__(self) -> None:
        self.parents: set[str] = {"Global"}
        self._names: weakref.WeakKeyDictionary[Any, str] = weakref.WeakKeyDictionary()
        self._handles: list[Any] = []

    @property
    def is_bw(self) -> bool:
        """Whether a backward pass is running."""
        return torch._C._current_graph_task_id() != -1

    def _name_of(self, module: torch.nn.Module) -> str:
        if module not in self._names:
            root = type(module).__name__
            for path, child in module.named_modules():
                self._names[child] = f"{root}.{path}" if path else root
        return self._names[module]

    def _enter(self, module: torch.nn.Module, inputs: Any) -> None:
        name = self._name_of(module)
        self.parents.add(name)
        for tensor in pytree.tree_leaves(inputs):
            if isinstance(tensor, torch.Tensor) and tensor.requires_grad:
                tensor.register_hook(lambda grad: self.parents.discard(name))

    def _leave(self, module: torch.nn.Module, inputs: Any, outputs: Any) -> None:
        name = self._name_of(module)
        self.parents.discard(name)
        for tensor in pytree.tree_leaves(outputs):
            if isinstance(tensor, torch.Tensor) and tensor.requires_grad:
                tensor.register_hook(lambda grad: self.parents.add(name))

    def __enter__(self) -> ModuleTracker:
        self._handles = [
            register_module_forward_pre_hook(self._enter),
            register_module_forward_hook(self._leave, always_call=True),
        ]
        return self

    def __exit__(self, *error: object) -> None:
        for handle in self._handles:
            handle.remove()
        self.parents = {"Global"}
