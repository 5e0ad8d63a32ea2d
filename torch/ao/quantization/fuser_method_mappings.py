"""Functions that make one module of a sequence of layers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch import nn
from torch.ao.nn import intrinsic
from torch.nn.utils.fusion import fuse_conv_bn_eval, fuse_linear_bn_eval

__all__ = [
    "fuse_conv_bn",
    "fuse_conv_bn_relu",
    "fuse_convtranspose_bn",
    "fuse_linear_bn",
    "get_fuser_method",
]


def _check_norm(is_qat: bool, layer: Any, norm: Any, features: int) -> None:
    if layer.training != norm.training:
        raise AssertionError("Conv and BN both must be in the same mode (train or eval).")
    if not is_qat:
        return
    if norm.num_features != features:
        raise AssertionError("Output channel of Conv2d must match num_features of BatchNorm2d")
    if not norm.affine:
        raise AssertionError("Only support fusing BatchNorm2d with affine set to True")
    if not norm.track_running_stats:
        raise AssertionError(
            "Only support fusing BatchNorm2d with tracking_running_stats set to True"
        )


def _of_kind(name: str, layer: Any) -> Any:
    """Return the class of sequences for the number of dimensions of a layer."""
    return getattr(intrinsic, f"{name}{type(layer).__name__[-2:]}")


def fuse_conv_bn(is_qat: bool, conv: Any, bn: Any) -> nn.Module:
    """Return a convolution that includes a batch normalization, or both as one module for training.

    Args:
        is_qat: Whether the module is for training.
        conv: The convolution.
        bn: The normalization.

    Raises:
        AssertionError: If modes or sizes differ, or `is_qat` is False in training mode.

    Example:
        >>> conv, bn = nn.Conv2d(1, 2, 1).eval(), nn.BatchNorm2d(2).eval()
        >>> type(torch.ao.quantization.fuse_conv_bn(False, conv, bn)).__name__
        'Conv2d'
    """
    _check_norm(is_qat, conv, bn, conv.out_channels)
    if is_qat:
        return _of_kind("ConvBn", conv)(conv, bn)  # type: ignore[no-any-return]
    return fuse_conv_bn_eval(conv, bn)


def fuse_conv_bn_relu(is_qat: bool, conv: Any, bn: Any, relu: nn.Module) -> nn.Module:
    """Return what `fuse_conv_bn` returns with ReLU.

    Args:
        is_qat: Whether the module is for training.
        conv: The convolution.
        bn: The normalization.
        relu: The ReLU.

    Raises:
        AssertionError: If modes or sizes differ, or `is_qat` is False in training mode.

    Example:
        >>> layers = nn.Conv2d(1, 2, 1).eval(), nn.BatchNorm2d(2).eval(), nn.ReLU().eval()
        >>> type(torch.ao.quantization.fuse_conv_bn_relu(False, *layers)).__name__
        'ConvReLU2d'
    """
    _check_norm(is_qat, conv, bn, conv.out_channels)
    if is_qat:
        return _of_kind("ConvBnReLU", conv)(conv, bn, relu)  # type: ignore[no-any-return]
    return _of_kind("ConvReLU", conv)(fuse_conv_bn_eval(conv, bn), relu)  # type: ignore[no-any-return]


def fuse_linear_bn(is_qat: bool, linear: Any, bn: Any) -> nn.Module:
    """Return a linear layer that includes a batch normalization, or both as one module for training.

    Args:
        is_qat: Whether the module is for training.
        linear: The linear layer.
        bn: The normalization.

    Raises:
        AssertionError: If modes or sizes differ, or `is_qat` is False in training mode.

    Example:
        >>> linear, bn = nn.Linear(1, 2).eval(), nn.BatchNorm1d(2).eval()
        >>> type(torch.ao.quantization.fuse_linear_bn(False, linear, bn)).__name__
        'Linear'
    """
    _check_norm(is_qat, linear, bn, linear.out_features)
    if is_qat:
        return intrinsic.LinearBn1d(linear, bn)  # type: ignore[attr-defined,no-any-return]
    return fuse_linear_bn_eval(linear, bn)


def fuse_convtranspose_bn(is_qat: bool, convt: Any, bn: Any) -> nn.Module:
    """Return a transposed convolution that includes a batch normalization.

    Args:
        is_qat: Must be False.
        convt: The convolution.
        bn: The normalization.

    Raises:
        NotImplementedError: If `is_qat` is True.
        AssertionError: If the modes differ, or are training.

    Example:
        >>> convt, bn = nn.ConvTranspose2d(1, 2, 1).eval(), nn.BatchNorm2d(2).eval()
        >>> type(torch.ao.quantization.fuse_convtranspose_bn(False, convt, bn)).__name__
        'ConvTranspose2d'
    """
    if is_qat:
        raise NotImplementedError("Fusing ConvTranspose+BatchNorm not yet supported in QAT.")
    _check_norm(is_qat, convt, bn, convt.out_channels)
    return fuse_conv_bn_eval(convt, bn, transpose=True)


def _sequence(kind: Any) -> Callable[..., nn.Module]:
    return lambda is_qat, *layers: kind(*layers)  # type: ignore[no-any-return]


_FUSERS: dict[tuple[type, ...], Callable[..., nn.Module]] = {
    (nn.Linear, nn.ReLU): _sequence(intrinsic.LinearReLU),  # type: ignore[attr-defined]
    (nn.Linear, nn.BatchNorm1d): fuse_linear_bn,
    (nn.BatchNorm2d, nn.ReLU): _sequence(intrinsic.BNReLU2d),  # type: ignore[attr-defined]
    (nn.BatchNorm3d, nn.ReLU): _sequence(intrinsic.BNReLU3d),  # type: ignore[attr-defined]
}
for _dims in (1, 2, 3):
    _conv, _norm = getattr(nn, f"Conv{_dims}d"), getattr(nn, f"BatchNorm{_dims}d")
    _FUSERS[_conv, _norm] = fuse_conv_bn
    _FUSERS[_conv, _norm, nn.ReLU] = fuse_conv_bn_relu
    _FUSERS[_conv, nn.ReLU] = _sequence(getattr(intrinsic, f"ConvReLU{_dims}d"))
    _FUSERS[getattr(nn, f"ConvTranspose{_dims}d"), _norm] = fuse_convtranspose_bn


def get_fuser_method(
    op_list: tuple[type, ...], additional_fuser_method_mapping: Any = None
) -> Callable[..., nn.Module]:
    """Return the function that makes one module of layers of given classes.

    Args:
        op_list: The classes.
        additional_fuser_method_mapping: Functions by tuples of classes, which come first.

    Raises:
        AssertionError: If there is none.

    Example:
        >>> get = torch.ao.quantization.get_fuser_method
        >>> get((nn.Conv2d, nn.BatchNorm2d)) is torch.ao.quantization.fuse_conv_bn
        True
    """
    found = {**_FUSERS, **(additional_fuser_method_mapping or {})}.get(tuple(op_list))
    if found is None:
        raise AssertionError(f"did not find fuser method for: {op_list} ")
    return found
