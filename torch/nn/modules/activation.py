"""Activation layers."""

from __future__ import annotations

import warnings

import torch
from torch import Tensor
from torch.nn import functional as F
from torch.nn import init
from torch.nn.modules.module import Module
from torch.nn.parameter import Parameter


class _Inplace(Module):
    """A function with nothing but an in-place form."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """The shape of the input."""
        return self._operator(input, inplace=self.inplace)

    def extra_repr(self) -> str:
        """Whether it is in place."""
        return "inplace=True" if self.inplace else ""


class ReLU(_Inplace):
    """max(x, 0)."""

    _operator = staticmethod(F.relu)


class SiLU(_Inplace):
    """x sigmoid(x)."""

    _operator = staticmethod(F.silu)


class Mish(_Inplace):
    """x tanh(softplus(x)). Misra (2019)."""

    _operator = staticmethod(F.mish)


class SELU(_Inplace):
    """The self-normalising ELU. Klambauer et al. (2017)."""

    _operator = staticmethod(F.selu)


class Hardswish(_Inplace):
    """x relu6(x + 3) / 6. Howard et al. (2019)."""

    _operator = staticmethod(F.hardswish)

    def extra_repr(self) -> str:
        """Nothing."""
        return ""


class Hardsigmoid(_Inplace):
    """relu6(x + 3) / 6."""

    _operator = staticmethod(F.hardsigmoid)

    def extra_repr(self) -> str:
        """Nothing."""
        return ""


def _renamed(old: str, given: float | None, new: str, value: float) -> float:
    """The value of a setting that may come under its old name."""
    if given is None:
        return value
    warnings.warn(
        f"keyword argument `{old}` is deprecated and renamed to `{new}`",
        FutureWarning,
        stacklevel=3,
    )
    return given


class Hardtanh(Module):
    """x held between min_val and max_val."""

    def __init__(
        self,
        min_val: float = -1.0,
        max_val: float = 1.0,
        inplace: bool = False,
        min_value: float | None = None,
        max_value: float | None = None,
    ) -> None:
        super().__init__()
        self.min_val = _renamed("min_value", min_value, "min_val", min_val)
        self.max_val = _renamed("max_value", max_value, "max_val", max_val)
        self.inplace = inplace
        if self.max_val <= self.min_val:
            raise AssertionError("max_val must be greater than min_val")

    def forward(self, input: Tensor) -> Tensor:
        """The shape of the input."""
        return F.hardtanh(input, self.min_val, self.max_val, self.inplace)

    def extra_repr(self) -> str:
        """The settings."""
        text = f"min_val={self.min_val}, max_val={self.max_val}"
        return f"{text}, inplace=True" if self.inplace else text


class ReLU6(Hardtanh):
    """min(max(x, 0), 6)."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__(0.0, 6.0, inplace)

    def extra_repr(self) -> str:
        """Whether it is in place."""
        return "inplace=True" if self.inplace else ""


class Threshold(Module):
    """x where x > threshold, else value."""

    def __init__(self, threshold: float, value: float, inplace: bool = False) -> None:
        super().__init__()
        self.threshold = threshold
        self.value = value
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """The shape of the input."""
        return F.threshold(input, self.threshold, self.value, self.inplace)

    def extra_repr(self) -> str:
        """The settings."""
        text = f"threshold={self.threshold}, value={self.value}"
        return f"{text}, inplace=True" if self.inplace else text


class _Alpha(Module):
    """A function with a parameter alpha and an in-place form."""

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        super().__init__()
        self.alpha = alpha
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """The shape of the input."""
        return self._operator(input, self.alpha, self.inplace)

    def extra_repr(self) -> str:
        """The settings."""
        return f"alpha={self.alpha}, inplace=True" if self.inplace else f"alpha={self.alpha}"


class ELU(_Alpha):
    """x where x > 0, else alpha (exp(x) - 1). Clevert et al. (2015)."""

    _operator = staticmethod(F.elu)


class CELU(_Alpha):
    """x where x > 0, else alpha (exp(x / alpha) - 1). Barron (2017)."""

    _operator = staticmethod(F.celu)


class LeakyReLU(Module):
    """x where x > 0, else negative_slope x."""

    def __init__(self, negative_slope: float = 1e-2, inplace: bool = False) -> None:
        super().__init__()
        self.negative_slope = negative_slope
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """The shape of the input."""
        return F.leaky_relu(input, self.negative_slope, self.inplace)

    def extra_repr(self) -> str:
        """The settings."""
        text = f"negative_slope={self.negative_slope}"
        return f"{text}, inplace=True" if self.inplace else text


class PReLU(Module):
    """x where x > 0, else a x, a learned. He et al. (2015)."""

    def __init__(
        self,
        num_parameters: int = 1,
        init: float = 0.25,
        device: torch.device | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        self.num_parameters = num_parameters
        self.init = init
        self.weight = Parameter(torch.empty(num_parameters, device=device, dtype=dtype))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Every slope as given."""
        init.constant_(self.weight, self.init)

    def forward(self, input: Tensor) -> Tensor:
        """The shape of the input."""
        return torch.prelu(input, self.weight)

    def extra_repr(self) -> str:
        """The number of slopes."""
        return f"num_parameters={self.num_parameters}"


class _Plain(Module):
    """A function without settings."""

    def forward(self, input: Tensor) -> Tensor:
        """The shape of the input."""
        return self._operator(input)


class Sigmoid(_Plain):
    """1 / (1 + exp(-x))."""

    _operator = staticmethod(torch.sigmoid)


class Tanh(_Plain):
    """The hyperbolic tangent."""

    _operator = staticmethod(torch.tanh)


class LogSigmoid(_Plain):
    """log(sigmoid(x))."""

    _operator = staticmethod(torch._C._nn.log_sigmoid)


class Softsign(_Plain):
    """x / (1 + |x|)."""

    _operator = staticmethod(F.softsign)


class Tanhshrink(_Plain):
    """x - tanh(x)."""

    _operator = staticmethod(F.tanhshrink)


class GELU(Module):
    """x times the normal distribution function of x. Hendrycks and Gimpel (2016)."""

    def __init__(self, approximate: str = "none") -> None:
        super().__init__()
        self.approximate = approximate

    def forward(self, input: Tensor) -> Tensor:
        """The shape of the input."""
        return F.gelu(input, approximate=self.approximate)

    def extra_repr(self) -> str:
        """The formula."""
        return f"approximate={self.approximate!r}"


class Softplus(Module):
    """log(1 + exp(beta x)) / beta; x where beta x > threshold."""

    def __init__(self, beta: float = 1.0, threshold: float = 20.0) -> None:
        super().__init__()
        self.beta = beta
        self.threshold = threshold

    def forward(self, input: Tensor) -> Tensor:
        """The shape of the input."""
        return F.softplus(input, self.beta, self.threshold)

    def extra_repr(self) -> str:
        """The settings."""
        return f"beta={self.beta}, threshold={self.threshold}"


class GLU(Module):
    """a sigmoid(b) of the halves a and b of the input. Dauphin et al. (2016)."""

    def __init__(self, dim: int = -1) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, input: Tensor) -> Tensor:
        """Half as wide as the input along dim."""
        return F.glu(input, self.dim)

    def extra_repr(self) -> str:
        """The dimension."""
        return f"dim={self.dim}"


class _OverDim(Module):
    """A function of the values along a dimension."""

    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim = dim

    def __setstate__(self, state: dict[str, object]) -> None:
        super().__setstate__(state)
        self.__dict__.setdefault("dim", None)

    def forward(self, input: Tensor) -> Tensor:
        """The shape of the input."""
        return self._operator(input, self.dim, _stacklevel=5)

    def extra_repr(self) -> str:
        """The dimension."""
        return f"dim={self.dim}"


class Softmax(_OverDim):
    """exp(x) / sum(exp(x))."""

    _operator = staticmethod(F.softmax)


class LogSoftmax(_OverDim):
    """log(softmax(x))."""

    _operator = staticmethod(F.log_softmax)


class Softmin(_OverDim):
    """softmax(-x)."""

    _operator = staticmethod(F.softmin)


class Softmax2d(Module):
    """Softmax over the channels of (N, C, H, W) or (C, H, W)."""

    def forward(self, input: Tensor) -> Tensor:
        """The shape of the input."""
        if input.dim() not in (3, 4):
            raise ValueError(
                f"Softmax2d: expected input to be 3D or 4D, got {input.dim()}D instead"
            )
        return F.softmax(input, -3, _stacklevel=5)
