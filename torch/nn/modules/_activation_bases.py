"""Base classes of the activation modules, by the settings they share."""

from __future__ import annotations

import warnings

from torch import Tensor
from torch.nn.modules.module import Module


class _InplaceActivation(Module):
    """Base class of the activations whose only setting is `inplace`."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """Apply the function to each element."""
        return self._operator(input, inplace=self.inplace)

    def extra_repr(self) -> str:
        """Return the settings that repr() shows."""
        return "inplace=True" if self.inplace else ""


def _resolve_renamed(old: str, old_value: float | None, new: str, value: float) -> float:
    """Return the value of a renamed setting, and warn if its old name was used."""
    if old_value is None:
        return value
    warnings.warn(
        f"keyword argument `{old}` is deprecated and renamed to `{new}`",
        FutureWarning,
        stacklevel=3,
    )
    return old_value


class _AlphaActivation(Module):
    """Base class of the activations with the settings `alpha` and `inplace`."""

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        super().__init__()
        self.alpha = alpha
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """Apply the function to each element."""
        return self._operator(input, self.alpha, self.inplace)

    def extra_repr(self) -> str:
        """Return the settings that repr() shows."""
        return f"alpha={self.alpha}, inplace=True" if self.inplace else f"alpha={self.alpha}"


class _ElementwiseActivation(Module):
    """Base class of the elementwise activations without settings."""

    def forward(self, input: Tensor) -> Tensor:
        """Apply the function to each element."""
        return self._operator(input)


class _DimActivation(Module):
    """Base class of the activations along one dimension."""

    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim = dim

    def __setstate__(self, state: dict[str, object]) -> None:
        super().__setstate__(state)
        self.__dict__.setdefault("dim", None)

    def forward(self, input: Tensor) -> Tensor:
        """Apply the function along the dimension."""
        return self._operator(input, self.dim, _stacklevel=5)

    def extra_repr(self) -> str:
        """Return the settings that repr() shows."""
        return f"dim={self.dim}"
