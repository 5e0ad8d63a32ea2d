"""Which observers, or modules that round, the activations and the weights of a module get."""

from __future__ import annotations

from collections import namedtuple
from typing import Any, Self

import torch
from torch import nn
from torch.ao.quantization import _histogram
from torch.ao.quantization import fake_quantize as _fake
from torch.ao.quantization import observer as _observer


class QConfig(namedtuple("QConfig", ["activation", "weight"])):
    """The observers, or other factories, of activations and of weights.

    Raises:
        ValueError: If one of them is a module instead of a factory.

    Example:
        >>> torch.ao.quantization.QConfig(activation=None, weight=None)
        QConfig(activation=None, weight=None)
    """

    __slots__ = ()

    def __new__(cls, activation: Any, weight: Any) -> Self:
        """Create the pair."""
        if isinstance(activation, nn.Module) or isinstance(weight, nn.Module):
            raise ValueError(
                "QConfig received observer instance, please pass observer class instead. "
                "Use MyObserver.with_args(x=1) to override arguments to constructor if needed"
            )
        return super().__new__(cls, activation, weight)


class QConfigDynamic(namedtuple("QConfigDynamic", ["activation", "weight"])):
    """The former class of the QConfigs of dynamic quantization.

    Raises:
        ValueError: If the observer of weights is a module instead of a factory.

    Example:
        >>> torch.ao.quantization.QConfigDynamic(weight=None).weight
    """

    __slots__ = ()

    def __new__(cls, activation: Any = nn.Identity, weight: Any = nn.Identity) -> Self:
        """Create the pair."""
        if isinstance(weight, nn.Module):
            raise ValueError(
                "QConfigDynamic received observer instance, please pass observer class instead. "
                "Use MyObserver.with_args(x=1) to override arguments to constructor if needed"
            )
        return super().__new__(cls, activation, weight)


_placeholder = _observer.PlaceholderObserver
default_qconfig = QConfig(_observer.default_observer, _observer.default_weight_observer)
default_debug_qconfig = QConfig(_observer.default_debug_observer, _observer.default_weight_observer)
default_per_channel_qconfig = QConfig(
    _observer.default_observer, _observer.default_per_channel_weight_observer
)

__all__ = [
    "QConfig",
    "QConfigDynamic",
    "default_activation_only_qconfig",
    "default_debug_qconfig",
    "default_dynamic_qat_qconfig",
    "default_dynamic_qconfig",
    "default_embedding_qat_qconfig",
    "default_embedding_qat_qconfig_4bit",
    "default_per_channel_qconfig",
    "default_per_channel_symmetric_qnnpack_qat_qconfig",
    "default_per_channel_symmetric_qnnpack_qconfig",
    "default_qat_qconfig",
    "default_qat_qconfig_v2",
    "default_qconfig",
    "default_quint8_weight_qconfig",
    "default_reuse_input_qconfig",
    "default_symmetric_qnnpack_qat_qconfig",
    "default_symmetric_qnnpack_qconfig",
    "default_weight_only_qconfig",
    "float16_dynamic_qconfig",
    "float16_static_qconfig",
    "float_qparams_weight_only_qconfig",
    "float_qparams_weight_only_qconfig_4bit",
    "get_default_qat_qconfig",
    "get_default_qconfig",
    "per_channel_dynamic_qconfig",
    "qconfig_equals",
]
default_dynamic_qconfig = QConfig(
    _observer.default_dynamic_quant_observer, _observer.default_weight_observer
)
float16_dynamic_qconfig = QConfig(
    _placeholder.with_args(dtype=torch.float16, is_dynamic=True),
    _placeholder.with_args(dtype=torch.float16),
)
float16_static_qconfig = QConfig(
    _placeholder.with_args(dtype=torch.float16), _placeholder.with_args(dtype=torch.float16)
)
per_channel_dynamic_qconfig = QConfig(
    _observer.default_dynamic_quant_observer, _observer.default_per_channel_weight_observer
)
float_qparams_weight_only_qconfig = QConfig(
    _observer.default_placeholder_observer, _observer.default_float_qparams_observer
)
float_qparams_weight_only_qconfig_4bit = QConfig(
    _observer.default_placeholder_observer, _observer.default_float_qparams_observer_4bit
)
default_qat_qconfig = QConfig(_fake.default_fake_quant, _fake.default_weight_fake_quant)
default_dynamic_qat_qconfig = QConfig(
    _fake.default_dynamic_fake_quant, _fake.default_weight_fake_quant
)
default_weight_only_qconfig = QConfig(nn.Identity, _fake.default_weight_fake_quant)
default_activation_only_qconfig = QConfig(_fake.default_fake_quant, nn.Identity)
default_qat_qconfig_v2 = QConfig(
    _fake.default_fused_act_fake_quant, _fake.default_fused_wt_fake_quant
)
default_reuse_input_qconfig = QConfig(
    _observer.default_reuse_input_observer, _observer.NoopObserver
)
default_embedding_qat_qconfig = QConfig(
    _observer.NoopObserver.with_args(dtype=torch.float32), _fake.default_embedding_fake_quant
)
default_embedding_qat_qconfig_4bit = QConfig(
    _observer.NoopObserver.with_args(dtype=torch.float32), _fake.default_embedding_fake_quant_4bit
)
default_quint8_weight_qconfig = QConfig(_histogram.HistogramObserver, _observer.MinMaxObserver)
_symmetric_activation = {"dtype": torch.qint8, "reduce_range": False, "eps": 2**-12}
_symmetric_observer = _histogram.HistogramObserver.with_args(**_symmetric_activation)
default_symmetric_qnnpack_qconfig = QConfig(
    _symmetric_observer, _observer.weight_observer_range_neg_127_to_127
)
default_per_channel_symmetric_qnnpack_qconfig = QConfig(
    _symmetric_observer, _observer.per_channel_weight_observer_range_neg_127_to_127
)
_symmetric_fake_quant = _fake.FusedMovingAvgObsFakeQuantize.with_args(
    observer=_observer.MovingAverageMinMaxObserver,
    quant_min=-128,
    quant_max=127,
    **_symmetric_activation,
)
default_symmetric_qnnpack_qat_qconfig = QConfig(
    _symmetric_fake_quant, _fake.fused_wt_fake_quant_range_neg_127_to_127
)
default_per_channel_symmetric_qnnpack_qat_qconfig = QConfig(
    _symmetric_fake_quant, _fake.fused_per_channel_wt_fake_quant_range_neg_127_to_127
)

_ENGINES = ("x86", "fbgemm", "qnnpack", "onednn")


def _check_backend(backend: str) -> None:
    if backend not in _ENGINES:
        raise AssertionError(f"backend: {backend} not supported, expected one of {list(_ENGINES)}")


def get_default_qconfig(backend: str = "x86", version: int = 0) -> QConfig:
    """Return how `prepare` observes modules for a back end.

    Args:
        backend: "x86", "fbgemm", "qnnpack" or "onednn".
        version: Must be 0.

    Raises:
        AssertionError: If the back end or the version is another.

    Example:
        >>> torch.ao.quantization.get_default_qconfig("qnnpack").activation().reduce_range
        False
    """
    if version != 0:
        raise AssertionError(
            f"Version number: {version} in get_default_qconfig is not supported. "
            "Version number must be 0"
        )
    _check_backend(backend)
    reduced = backend in ("x86", "fbgemm")
    by_tensor, by_channel = (
        _observer.default_weight_observer,
        _observer.default_per_channel_weight_observer,
    )
    return QConfig(
        _histogram.HistogramObserver.with_args(reduce_range=reduced),
        by_tensor if backend == "qnnpack" else by_channel,
    )


def get_default_qat_qconfig(backend: str = "x86", version: int = 1) -> QConfig:
    """Return how training with quantization prepares modules for a back end.

    Args:
        backend: "x86", "fbgemm", "qnnpack" or "onednn".
        version: 0 for separate observers, 1 for the fused operator.

    Raises:
        AssertionError: If the back end or the version is another.

    Example:
        >>> torch.ao.quantization.get_default_qat_qconfig("qnnpack").weight().dtype
        torch.qint8
    """
    _check_backend(backend)
    if version not in (0, 1):
        raise AssertionError(
            f"Version number {version} in get_default_qat_qconfig is not supported. "
            "Version number must be 0 or 1"
        )
    reduced = {"x86": True, "fbgemm": True, "qnnpack": False}
    options = {"reduce_range": reduced[backend]} if backend in reduced else {}
    module = _fake.FusedMovingAvgObsFakeQuantize if version else _fake.FakeQuantize
    activation = module.with_args(
        observer=_observer.MovingAverageMinMaxObserver, quant_min=0, quant_max=255, **options
    )
    by_tensor = (_fake.default_weight_fake_quant, _fake.default_fused_wt_fake_quant)
    by_channel = (
        _fake.default_per_channel_weight_fake_quant,
        _fake.default_fused_per_channel_wt_fake_quant,
    )
    return QConfig(activation, (by_tensor if backend == "qnnpack" else by_channel)[version])


def _parts(factory: Any) -> Any:
    """Return what two factories must have in common to be equal."""
    made = getattr(factory, "p", None)
    if made is None:
        return factory
    options = {key: _parts(value) for key, value in made.keywords.items()}
    return _parts(made.func), options


def qconfig_equals(q1: Any, q2: Any) -> bool:
    """Return whether two QConfigs, or None, have the same factories with the same arguments.

    Example:
        >>> from torch.ao.quantization import get_default_qconfig, qconfig_equals
        >>> qconfig_equals(get_default_qconfig("x86"), get_default_qconfig("fbgemm"))
        True
    """
    if q1 is None or q2 is None:
        return q1 is q2
    return _parts(q1.activation) == _parts(q2.activation) and _parts(q1.weight) == _parts(q2.weight)


_TRANSPOSED = (nn.ConvTranspose1d, nn.ConvTranspose2d, nn.ConvTranspose3d)


def _assert_valid_qconfig(qconfig: Any, mod: nn.Module) -> None:
    """Raise AssertionError if a module cannot have the weights that a QConfig asks for."""
    if qconfig is None or not isinstance(mod, _TRANSPOSED):
        return
    by_channel = (
        _observer.PerChannelMinMaxObserver,
        _observer.MovingAveragePerChannelMinMaxObserver,
    )
    if isinstance(qconfig.weight(), by_channel):
        raise AssertionError(
            "Per channel weight observer is not supported yet for ConvTranspose{n}d."
        )


def _activation_is_memoryless(qconfig: Any) -> bool:
    """Return whether the observer of results forgets earlier tensors."""
    if qconfig is None or qconfig.activation is None:
        return False
    made = qconfig.activation()
    observer = getattr(made, "activation_post_process", made)
    return getattr(observer, "averaging_constant", None) == 1
