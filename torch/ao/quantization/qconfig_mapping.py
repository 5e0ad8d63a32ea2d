"""QConfigs of a model by classes, names and patterns of names."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import nn
from torch.ao.quantization import fake_quantize as _fake
from torch.ao.quantization import observer as _observer
from torch.ao.quantization.qconfig import (
    QConfig,
    default_quint8_weight_qconfig,
    default_reuse_input_qconfig,
    get_default_qat_qconfig,
    get_default_qconfig,
)

__all__ = ["QConfigMapping", "get_default_qat_qconfig_mapping", "get_default_qconfig_mapping"]

_STYLES = (
    "global",
    "object_type",
    "module_name_regex",
    "module_name",
    "module_name_object_type_order",
)
_LIMITED = {
    (nn.Hardsigmoid, F.hardsigmoid, "hardsigmoid", "hardsigmoid_"): "0to1",
    (nn.Sigmoid, torch.sigmoid, "sigmoid", "sigmoid_"): "0to1",
    (nn.Softmax,): "0to1",
    (nn.Tanh, torch.tanh, "tanh", "tanh_"): "neg1to1",
}
_TRANSPOSED = (
    nn.ConvTranspose1d,
    nn.ConvTranspose2d,
    nn.ConvTranspose3d,
    F.conv_transpose1d,
    F.conv_transpose2d,
    F.conv_transpose3d,
)


class QConfigMapping:
    """QConfigs of a model; a later kind of key comes before an earlier one: global, classes, patterns, names.

    Example:
        >>> qconfig = torch.ao.quantization.default_qconfig
        >>> mapping = torch.ao.quantization.QConfigMapping().set_global(qconfig)
        >>> mapping.set_object_type(nn.Linear, None).to_dict()["object_type"]
        [(<class 'torch.nn.modules.linear.Linear'>, None)]
    """

    def __init__(self) -> None:
        self.global_qconfig: Any = None
        self.object_type_qconfigs: OrderedDict[Callable[..., Any] | str, Any] = OrderedDict()
        self.module_name_regex_qconfigs: OrderedDict[str, Any] = OrderedDict()
        self.module_name_qconfigs: OrderedDict[str, Any] = OrderedDict()
        self.module_name_object_type_order_qconfigs: OrderedDict[Any, Any] = OrderedDict()

    def set_global(self, global_qconfig: Any) -> QConfigMapping:
        """Set the QConfig of modules without another one."""
        self.global_qconfig = global_qconfig
        return self

    def set_object_type(self, object_type: Any, qconfig: Any) -> QConfigMapping:
        """Set the QConfig of a class of modules, a function, or a method by its name."""
        self.object_type_qconfigs[object_type] = qconfig
        return self

    def set_module_name_regex(self, module_name_regex: str, qconfig: Any) -> QConfigMapping:
        """Set the QConfig of modules whose names match a pattern; the first one that matches counts."""
        self.module_name_regex_qconfigs[module_name_regex] = qconfig
        return self

    def set_module_name(self, module_name: str, qconfig: Any) -> QConfigMapping:
        """Set the QConfig of a module and those inside."""
        self.module_name_qconfigs[module_name] = qconfig
        return self

    def set_module_name_object_type_order(
        self, module_name: str, object_type: Any, index: int, qconfig: Any
    ) -> QConfigMapping:
        """Set the QConfig of one call of a function in a module, counted from 0."""
        self.module_name_object_type_order_qconfigs[module_name, object_type, index] = qconfig
        return self

    def to_dict(self) -> dict[str, Any]:
        """Return the QConfigs as a dictionary."""
        orders = self.module_name_object_type_order_qconfigs.items()
        return {
            "": self.global_qconfig,
            "object_type": list(self.object_type_qconfigs.items()),
            "module_name_regex": list(self.module_name_regex_qconfigs.items()),
            "module_name": list(self.module_name_qconfigs.items()),
            "module_name_object_type_order": [(*key, qconfig) for key, qconfig in orders],
        }

    @classmethod
    def from_dict(cls, qconfig_dict: dict[str, Any]) -> QConfigMapping:
        """Return the mapping of a dictionary in the form of `to_dict`."""
        made = cls().set_global(qconfig_dict.get(""))
        for style in _STYLES[1:]:
            for arguments in qconfig_dict.get(style, ()):
                getattr(made, f"set_{style}")(*arguments)
        return made

    def __repr__(self) -> str:
        lines = ["QConfigMapping ("]
        for style in _STYLES:
            name = "global_qconfig" if style == "global" else f"{style}_qconfigs"
            value = getattr(self, name)
            lines.append(f" {name}")
            if isinstance(value, OrderedDict) and value:
                lines += [f"  {key}: {qconfig}" for key, qconfig in value.items()]
            else:
                shown = "OrderedDict()" if isinstance(value, OrderedDict) else value
                lines.append(f"  {shown}")
        return "\n".join([*lines, ")"])


def _mapping(qconfig: QConfig, is_qat: bool) -> QConfigMapping:
    by_tensor = _fake.default_weight_fake_quant if is_qat else _observer.default_weight_observer
    transposed = QConfig(qconfig.activation, by_tensor)
    unweighted = QConfig(qconfig.activation, _observer.default_placeholder_observer)
    made = QConfigMapping().set_global(qconfig)
    made.set_object_type("reshape", default_reuse_input_qconfig)
    for kind in _TRANSPOSED:
        made.set_object_type(kind, transposed)
    for kind in (F.layer_norm, nn.LayerNorm):
        made.set_object_type(kind, unweighted)
    made.set_object_type(nn.PReLU, default_quint8_weight_qconfig)
    home, end = (_fake, "fake_quant") if is_qat else (_observer, "observer")
    for kinds, limits in _LIMITED.items():
        activation = getattr(home, f"default_fixed_qparams_range_{limits}_{end}")
        for kind in kinds:
            made.set_object_type(kind, QConfig(activation, by_tensor))
    return made


def get_default_qconfig_mapping(backend: str = "x86", version: int = 0) -> QConfigMapping:
    """Return the QConfigs of static quantization for a back end; see `get_default_qconfig`.

    Example:
        >>> mapping = torch.ao.quantization.get_default_qconfig_mapping()
        >>> mapping.object_type_qconfigs[nn.Sigmoid].activation().scale
        tensor([0.0039])
    """
    return _mapping(get_default_qconfig(backend, version), is_qat=False)


def get_default_qat_qconfig_mapping(backend: str = "x86", version: int = 1) -> QConfigMapping:
    """Return the QConfigs of training with quantization for a back end; see `get_default_qat_qconfig`.

    Example:
        >>> mapping = torch.ao.quantization.get_default_qat_qconfig_mapping()
        >>> type(mapping.global_qconfig.weight()).__name__
        'FusedMovingAvgObsFakeQuantize'
    """
    return _mapping(get_default_qat_qconfig(backend, version), is_qat=True)
