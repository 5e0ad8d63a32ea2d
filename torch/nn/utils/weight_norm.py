"""Weight norm by a hook, as PyTorch had it before `parametrizations.weight_norm`."""

from __future__ import annotations

import warnings
from typing import Any

from torch.nn.modules.module import Module
from torch.nn.parameter import Parameter, is_lazy
from torch.nn.utils.parametrizations import _norm_except

__all__ = ["WeightNorm", "remove_weight_norm", "weight_norm"]


class WeightNorm:
    """The hook that computes a weight before each forward pass.

    Args:
        name: The name of the weight.
        dim: The dimension whose slices have a length each; -1 for one length of all.

    Example:
        >>> from torch.nn.utils.weight_norm import WeightNorm
        >>> WeightNorm("weight", 0).name
        'weight'
    """

    def __init__(self, name: str, dim: int | None) -> None:
        self.name = name
        self.dim = -1 if dim is None else dim

    def compute_weight(self, module: Module) -> Any:
        """Return the weight of the current length and direction."""
        g, v = getattr(module, f"{self.name}_g"), getattr(module, f"{self.name}_v")
        return v * (g / _norm_except(v, self.dim))

    @staticmethod
    def apply(module: Module, name: str, dim: int | None) -> WeightNorm:
        """Replace a weight by its length and its direction, and add the hook."""
        for hook in module._forward_pre_hooks.values():
            if isinstance(hook, WeightNorm) and hook.name == name:
                raise RuntimeError(
                    f"Cannot register two weight_norm hooks on the same parameter {name}"
                )
        made = WeightNorm(name, dim)
        weight = getattr(module, name)
        if is_lazy(weight):
            raise ValueError(
                "The module passed to `WeightNorm` can't have uninitialized parameters. Make sure "
                "to run the dummy forward before applying weight normalization"
            )
        del module._parameters[name]
        length = Parameter(_norm_except(weight, made.dim).data)
        module.register_parameter(f"{name}_g", length)
        module.register_parameter(f"{name}_v", Parameter(weight.data))
        setattr(module, name, made.compute_weight(module))
        module.register_forward_pre_hook(made)
        return made

    def remove(self, module: Module) -> None:
        """Make the weight an ordinary parameter again."""
        weight = self.compute_weight(module)
        delattr(module, self.name)
        del module._parameters[f"{self.name}_g"]
        del module._parameters[f"{self.name}_v"]
        setattr(module, self.name, Parameter(weight.data))

    def __call__(self, module: Module, inputs: Any) -> None:
        """Compute the weight; called before each forward pass."""
        setattr(module, self.name, self.compute_weight(module))


def weight_norm(module: Module, name: str = "weight", dim: int | None = 0) -> Module:
    """Compute a weight from its length and its direction before each forward pass.

    `torch.nn.utils.parametrizations.weight_norm` replaces this function.

    Args:
        module: The module.
        name: The name of the weight; `name_g` and `name_v` take its place.
        dim: The dimension whose slices have a length each; None for one length of all.

    Raises:
        RuntimeError: If the weight has such a hook already.

    Example:
        >>> linear = nn.utils.weight_norm(nn.Linear(20, 40))  # doctest: +SKIP
        >>> linear.weight_g.shape  # doctest: +SKIP
        torch.Size([40, 1])
    """
    warnings.warn(
        "`torch.nn.utils.weight_norm` is deprecated in favor of "
        "`torch.nn.utils.parametrizations.weight_norm`.",
        FutureWarning,
        stacklevel=2,
    )
    WeightNorm.apply(module, name, dim)
    return module


def remove_weight_norm(module: Module, name: str = "weight") -> Module:
    """Remove what `weight_norm` added; the weight becomes an ordinary parameter.

    Raises:
        ValueError: If the weight has no such hook.

    Example:
        >>> linear = nn.utils.weight_norm(nn.Linear(20, 40))  # doctest: +SKIP
        >>> type(nn.utils.remove_weight_norm(linear).weight).__name__  # doctest: +SKIP
        'Parameter'
    """
    for key, hook in module._forward_pre_hooks.items():
        if isinstance(hook, WeightNorm) and hook.name == name:
            hook.remove(module)
            del module._forward_pre_hooks[key]
            return module
    raise ValueError(f"weight_norm of '{name}' not found in {module}")
