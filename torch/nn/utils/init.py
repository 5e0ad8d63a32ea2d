"""Creation of modules without initializing their parameters."""

from __future__ import annotations

import inspect
from typing import Any

from torch.nn.modules.module import Module


def skip_init(module_cls: type[Module], *args: Any, **kwargs: Any) -> Module:
    """Create a module whose parameters have memory, but no values yet.

    Args:
        module_cls: The class of the module; its constructor must accept `device`.
        *args: Arguments of the constructor.
        **kwargs: Keyword arguments of the constructor.

    Returns:
        The module.

    Raises:
        RuntimeError: If `module_cls` is no module class, or does not accept `device`.

    Example:
        >>> torch.nn.utils.skip_init(nn.Linear, 5, 1).weight.shape
        torch.Size([1, 5])
    """
    if not issubclass(module_cls, Module):
        raise RuntimeError(f"Expected a Module; got {module_cls}")
    if "device" not in inspect.signature(module_cls).parameters:
        raise RuntimeError("Module must support a 'device' arg to skip initialization")
    device = kwargs.pop("device", "cpu")
    return module_cls(*args, **kwargs, device="meta").to_empty(device=device)
