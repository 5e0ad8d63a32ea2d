"""Spectral norm by a hook, as PyTorch had it before `parametrizations.spectral_norm`."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F
from torch.nn.modules.module import Module
from torch.nn.parameter import Parameter, is_lazy

__all__ = ["SpectralNorm", "remove_spectral_norm", "spectral_norm"]


class SpectralNorm:
    """The hook that divides a weight by its largest singular value before each forward pass.

    Args:
        name: The name of the weight.
        n_power_iterations: The iterations in each forward pass in training mode.
        dim: The dimension of the rows.
        eps: Added to norms that are divided by.

    Example:
        >>> from torch.nn.utils.spectral_norm import SpectralNorm
        >>> SpectralNorm("weight", n_power_iterations=2).n_power_iterations
        2
    """

    _version = 1

    def __init__(
        self, name: str = "weight", n_power_iterations: int = 1, dim: int = 0, eps: float = 1e-12
    ) -> None:
        if n_power_iterations <= 0:
            raise ValueError(
                "Expected n_power_iterations to be positive, but got "
                f"n_power_iterations={n_power_iterations}"
            )
        self.name, self.dim, self.eps = name, dim, eps
        self.n_power_iterations = n_power_iterations

    def reshape_weight_to_matrix(self, weight: Tensor) -> Tensor:
        """Return the weight as a matrix with the chosen dimension as rows."""
        return weight.movedim(self.dim, 0).flatten(1)

    def compute_weight(self, module: Module, do_power_iteration: bool) -> Tensor:
        """Return the divided weight, after some iterations if requested."""
        weight = getattr(module, f"{self.name}_orig")
        u, v = getattr(module, f"{self.name}_u"), getattr(module, f"{self.name}_v")
        matrix = self.reshape_weight_to_matrix(weight)
        if do_power_iteration:
            with torch.no_grad():
                for _ in range(self.n_power_iterations):
                    v.copy_(F.normalize(matrix.t().mv(u), dim=0, eps=self.eps))
                    u.copy_(F.normalize(matrix.mv(v), dim=0, eps=self.eps))
            u, v = u.clone(), v.clone()
        return weight / torch.dot(u, matrix.mv(v))

    def remove(self, module: Module) -> None:
        """Make the weight an ordinary parameter again."""
        with torch.no_grad():
            weight = self.compute_weight(module, do_power_iteration=False)
        delattr(module, self.name)
        for suffix in ("_u", "_v", "_orig"):
            delattr(module, f"{self.name}{suffix}")
        module.register_parameter(self.name, Parameter(weight.detach()))

    def __call__(self, module: Module, inputs: Any) -> None:
        """Compute the weight; called before each forward pass."""
        setattr(module, self.name, self.compute_weight(module, module.training))

    @staticmethod
    def apply(
        module: Module, name: str, n_power_iterations: int, dim: int, eps: float
    ) -> SpectralNorm:
        """Replace a weight by the original one and the estimates, and add the hook."""
        for hook in module._forward_pre_hooks.values():
            if isinstance(hook, SpectralNorm) and hook.name == name:
                raise RuntimeError(
                    f"Cannot register two spectral_norm hooks on the same parameter {name}"
                )
        made = SpectralNorm(name, n_power_iterations, dim, eps)
        weight = module._parameters[name]
        if weight is None:
            raise ValueError(f"`SpectralNorm` cannot be applied as parameter `{name}` is None")
        if is_lazy(weight):
            raise ValueError(
                "The module passed to `SpectralNorm` can't have uninitialized parameters. Make "
                "sure to run the dummy forward before applying spectral normalization"
            )
        with torch.no_grad():
            matrix = made.reshape_weight_to_matrix(weight)
            rows, columns = matrix.shape
            u = F.normalize(weight.new_empty(rows).normal_(0, 1), dim=0, eps=eps)
            v = F.normalize(weight.new_empty(columns).normal_(0, 1), dim=0, eps=eps)
        delattr(module, name)
        module.register_parameter(f"{name}_orig", weight)
        setattr(module, name, weight.data)
        module.register_buffer(f"{name}_u", u)
        module.register_buffer(f"{name}_v", v)
        module.register_forward_pre_hook(made)
        module._register_state_dict_hook(_FormatOfStates(made))
        module._register_load_state_dict_pre_hook(_OlderStates(made))
        return made


class _FormatOfStates:
    """Writes the version of the format into the metadata of a state."""

    def __init__(self, norm: SpectralNorm) -> None:
        self.norm = norm

    def __call__(self, module: Module, state: Any, prefix: str, metadata: dict[str, Any]) -> None:
        versions = metadata.setdefault("spectral_norm", {})
        key = f"{self.norm.name}.version"
        if key in versions:
            raise RuntimeError(f"Unexpected key in metadata['spectral_norm']: {key}")
        versions[key] = self.norm._version


class _OlderStates:
    """Converts a state without a version: it has the divided weight instead of the vector v."""

    def __init__(self, norm: SpectralNorm) -> None:
        self.norm = norm

    def __call__(
        self,
        state: dict[str, Tensor],
        prefix: str,
        metadata: dict[str, Any],
        strict: bool,
        missing_keys: list[str],
        unexpected_keys: list[str],
        error_msgs: list[str],
    ) -> None:
        name = self.norm.name
        if metadata.get("spectral_norm", {}).get(f"{name}.version", 0) >= 1:
            return
        key = prefix + name
        if key not in state and all(f"{key}_{part}" in state for part in ("orig", "u", "v")):
            return
        missing = [each for each in (f"{key}_orig", key, f"{key}_u") if each not in state]
        if missing:
            missing_keys.extend(missing if strict else ())
            return
        with torch.no_grad():
            whole, u = state[f"{key}_orig"], state[f"{key}_u"]
            largest = (whole / state.pop(key)).mean()
            matrix = self.norm.reshape_weight_to_matrix(whole)
            v = torch.linalg.pinv(matrix).mv(u)
            state[f"{key}_v"] = v * (largest / torch.dot(u, matrix.mv(v)))


def _remove_hooks_of_states(module: Module, norm: SpectralNorm) -> None:
    for hooks in (module._state_dict_hooks, module._load_state_dict_pre_hooks):
        for key, hook in list(hooks.items()):
            if isinstance(hook, (_FormatOfStates, _OlderStates)) and hook.norm is norm:
                del hooks[key]


def spectral_norm(
    module: Module,
    name: str = "weight",
    n_power_iterations: int = 1,
    eps: float = 1e-12,
    dim: int | None = None,
) -> Module:
    """Divide a weight by its largest singular value before each forward pass.

    `torch.nn.utils.parametrizations.spectral_norm` replaces this function.

    Args:
        module: The module.
        name: The name of the weight; `name_orig`, `name_u` and `name_v` take its place.
        n_power_iterations: The iterations in each forward pass in training mode.
        eps: Added to norms that are divided by.
        dim: The dimension of the rows; 1 for transposed convolutions, otherwise 0.

    Raises:
        RuntimeError: If the weight has such a hook already.

    Example:
        >>> linear = nn.utils.spectral_norm(nn.Linear(20, 40))
        >>> linear.weight_u.shape
        torch.Size([40])
    """
    if dim is None:
        dim = 1 if type(module).__name__.startswith("ConvTranspose") else 0
    SpectralNorm.apply(module, name, n_power_iterations, dim, eps)
    return module


def remove_spectral_norm(module: Module, name: str = "weight") -> Module:
    """Remove what `spectral_norm` added; the weight becomes an ordinary parameter.

    Raises:
        ValueError: If the weight has no such hook.

    Example:
        >>> linear = nn.utils.spectral_norm(nn.Linear(20, 40))
        >>> type(nn.utils.remove_spectral_norm(linear).weight).__name__
        'Parameter'
    """
    for key, hook in module._forward_pre_hooks.items():
        if isinstance(hook, SpectralNorm) and hook.name == name:
            hook.remove(module)
            del module._forward_pre_hooks[key]
            _remove_hooks_of_states(module, hook)
            return module
    raise ValueError(f"spectral_norm of '{name}' not found in {module}")
