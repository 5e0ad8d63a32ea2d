"""Observers, fake quantization and fusion of layers; the conversion of models is only named."""

from __future__ import annotations

import copy
import sys
from typing import Any

from torch import nn
from torch._absent import absent_class as _absent_class
from torch._absent import refusing as _refusing
from torch.ao.nn import intrinsic as _intrinsic
from torch.ao.quantization import fake_quantize, observer
from torch.ao.quantization._histogram import HistogramObserver, default_histogram_observer
from torch.ao.quantization.fake_quantize import *  # noqa: F403
from torch.ao.quantization.observer import *  # noqa: F403
from torch.ao.quantization.qconfig import *  # noqa: F403
from torch.nn.utils.fusion import fuse_conv_bn_eval as _fuse_conv
from torch.nn.utils.fusion import fuse_linear_bn_eval as _fuse_linear

_WITHOUT = "torch.ao.quantization.{name} does not exist in this build yet"


class QuantStub(nn.Module):
    """The place where a quantised model would quantise its input; in floating point, the identity.

    Example:
        >>> torch.ao.quantization.QuantStub()(torch.ones(2))
        tensor([1., 1.])
    """

    def __init__(self, qconfig: Any = None) -> None:
        super().__init__()
        if qconfig:
            self.qconfig = qconfig

    def forward(self, x: Any) -> Any:
        """Return the input."""
        return x


class DeQuantStub(QuantStub):
    """The place where a quantised model would return to floating point; here, the identity.

    Example:
        >>> torch.ao.quantization.DeQuantStub()(torch.ones(2))
        tensor([1., 1.])
    """


class QuantWrapper(nn.Module):
    """A module between a QuantStub and a DeQuantStub.

    Example:
        >>> torch.ao.quantization.QuantWrapper(nn.Identity())(torch.ones(2))
        tensor([1., 1.])
    """

    def __init__(self, module: nn.Module) -> None:
        super().__init__()
        qconfig = getattr(module, "qconfig", None)
        self.add_module("quant", QuantStub(qconfig))
        self.add_module("dequant", DeQuantStub(qconfig))
        self.add_module("module", module)
        self.train(module.training)

    def forward(self, X: Any) -> Any:
        """Call the module."""
        return self.dequant(self.module(self.quant(X)))


# ---- fusion --------------------------------------------------------------------------------------
def _kind(layer: nn.Module) -> str:
    name = type(layer).__name__
    return (
        "bn"
        if name.startswith("BatchNorm")
        else "conv"
        if name.startswith("Conv")
        else name.lower()
    )


def _fused(layers: list[nn.Module], is_qat: bool) -> nn.Module:
    """Return the module that does what a list of layers does.

    Raises:
        NotImplementedError: If the layers have no fused form.
    """
    kinds = tuple(_kind(layer) for layer in layers)
    end = type(layers[0]).__name__[-2:]  # 1d, 2d or 3d
    first, *rest = layers
    if kinds[1:2] == ("bn",) and kinds[0] in ("conv", "linear"):
        if is_qat:
            name = {("conv",): "ConvBn", ("conv", "relu"): "ConvBnReLU"}.get((kinds[0], *kinds[2:]))
            if name is not None and kinds[0] == "conv":
                return getattr(_intrinsic, f"{name}{end}")(*layers)  # type: ignore[no-any-return]
        else:
            first = (_fuse_conv if kinds[0] == "conv" else _fuse_linear)(first, rest[0])
            if kinds[2:] == ():
                return first
        kinds, rest = (kinds[0], *kinds[2:]), rest[1:]
    names = {("conv", "relu"): f"ConvReLU{end}", ("linear", "relu"): "LinearReLU"}
    names[("bn", "relu")] = f"BNReLU{end}"
    if kinds not in names:
        raise NotImplementedError(
            f"did not find fuser method for: {tuple(type(x) for x in layers)} "
        )
    return getattr(_intrinsic, names[kinds])(first, *rest)  # type: ignore[no-any-return]


def _fuse_in_place(model: nn.Module, names: list[str], is_qat: bool) -> None:
    fused = _fused([model.get_submodule(name) for name in names], is_qat)
    for name in names:
        parent, _, own = name.rpartition(".")
        setattr(model.get_submodule(parent), own, fused)
        fused = nn.Identity()


def _fuse_modules(model: Any, modules_to_fuse: Any, inplace: bool, is_qat: bool) -> Any:
    model = model if inplace else copy.deepcopy(model)
    groups = [modules_to_fuse] if isinstance(modules_to_fuse[0], str) else modules_to_fuse
    for names in groups:
        _fuse_in_place(model, list(names), is_qat)
    return model


def fuse_modules(model: Any, modules_to_fuse: Any, inplace: bool = False, **options: Any) -> Any:
    """Replace sequences of layers by one layer each, in evaluation mode.

    Args:
        model: The model.
        modules_to_fuse: The names of the layers of a sequence, or a list of such lists:
            convolution or linear layer, normalisation, ReLU.
        inplace: Whether to change the model itself.
        **options: Ignored.

    Raises:
        NotImplementedError: If layers have no fused form.

    Example:
        >>> model = nn.Sequential(nn.Conv2d(1, 2, 1), nn.BatchNorm2d(2), nn.ReLU()).eval()
        >>> torch.ao.quantization.fuse_modules(model, ["0", "1", "2"])[1]
        Identity()
    """
    return _fuse_modules(model, modules_to_fuse, inplace, False)


def fuse_modules_qat(
    model: Any, modules_to_fuse: Any, inplace: bool = False, **options: Any
) -> Any:
    """Group sequences of layers for training, as `fuse_modules` does for evaluation.

    Example:
        >>> model = nn.Sequential(nn.Conv2d(1, 2, 1), nn.BatchNorm2d(2), nn.ReLU())
        >>> type(torch.ao.quantization.fuse_modules_qat(model, ["0", "1", "2"])[0]).__name__  # doctest: +SKIP
        'ConvBnReLU2d'
    """
    return _fuse_modules(model, modules_to_fuse, inplace, True)


# ---- what does not exist yet --------------------------------------------------------------------
QConfigMapping = _absent_class(__name__, "QConfigMapping", _WITHOUT.format(name="QConfigMapping"))
observer.HistogramObserver = HistogramObserver
observer.default_histogram_observer = default_histogram_observer
globals().update(
    _refusing(
        __name__,
        """convert default_eval_fn get_default_qat_qconfig_mapping get_default_qconfig_mapping prepare prepare_qat propagate_qconfig_ quantize
        quantize_dynamic quantize_qat swap_module""".split(),  # noqa: SIM905
        NotImplementedError,
        _WITHOUT,
    )
)
for _name in ("fuse_modules", "quantize", "stubs"):
    sys.modules.setdefault(f"{__name__}.{_name}", sys.modules[__name__])
