"""QConfigs and observers of the modules of a model."""

from __future__ import annotations

from typing import Any

from torch import nn
from torch.ao.nn import quantizable
from torch.ao.nn.intrinsic.modules.fused import _FusedModule
from torch.ao.nn.quantized.modules.functional_modules import FloatFunctional, FXFloatFunctional
from torch.ao.quantization import qconfig as _qconfig
from torch.ao.quantization import quantization_mappings as _mappings
from torch.ao.quantization.fake_quantize import FakeQuantizeBase
from torch.ao.quantization.observer import ObserverBase
from torch.ao.quantization.stubs import DeQuantStub
from torch.nn.utils.parametrize import type_before_parametrizations as _type


def propagate_qconfig_(
    module: nn.Module,
    qconfig_dict: dict[Any, Any] | None = None,
    prepare_custom_config_dict: dict[str, Any] | None = None,
) -> None:
    """Give each module of a model an attribute `qconfig`.

    Args:
        module: The model, which is changed.
        qconfig_dict: QConfigs by names or classes of modules, with "" for the model; a module without one gets
            that of the module around it. The attribute `qconfig` comes first.
        prepare_custom_config_dict: `non_traceable_module_name` and `non_traceable_module_class`: modules to leave out.

    Example:
        >>> model = nn.Sequential(nn.Linear(1, 1))
        >>> torch.ao.quantization.propagate_qconfig_(model, {"0": torch.ao.quantization.default_qconfig})
        >>> model[0].qconfig is not None, model.qconfig is None
        (True, True)
    """
    _propagate(module, qconfig_dict or {}, None, "", prepare_custom_config_dict or {})


def _propagate(
    module: nn.Module, qconfigs: dict[Any, Any], parent: Any, prefix: str, custom: dict[str, Any]
) -> None:
    found = qconfigs.get(_type(module), parent)
    found = getattr(module, "qconfig", qconfigs.get(prefix, found))
    _qconfig._assert_valid_qconfig(found, module)
    module.qconfig = found
    for name, child in module.named_children():
        path = f"{prefix}.{name}" if prefix else name
        if path in custom.get("non_traceable_module_name", ()):
            continue
        if type(child) in custom.get("non_traceable_module_class", ()):
            continue
        _propagate(child, qconfigs, found, path, custom)


def remove_qconfig(module: nn.Module) -> None:
    """Remove the QConfigs and the observers of a model."""
    for child in module.children():
        remove_qconfig(child)
    if hasattr(module, "qconfig"):
        del module.qconfig
    _remove_activation_post_process(module)


def _is_activation_post_process(module: Any) -> bool:
    return isinstance(module, (ObserverBase, FakeQuantizeBase))


def observer_forward_hook(self: Any, input: Any, output: Any) -> Any:
    """Let the observer of a module look at its results."""
    return self.activation_post_process(output)


def observer_forward_pre_hook(self: Any, input: Any) -> Any:
    """Let the observer of a module look at its input."""
    return self.activation_post_process(input[0])


def _remove_activation_post_process(module: Any) -> None:
    if _is_activation_post_process(getattr(module, "activation_post_process", None)):
        del module.activation_post_process
    for hooks, hook in (
        (module._forward_pre_hooks, observer_forward_pre_hook),
        (module._forward_hooks, observer_forward_hook),
    ):
        for key in [key for key, each in hooks.items() if each is hook]:
            hooks.pop(key)


def is_observable(module: Any) -> bool:
    """Return whether a module has a QConfig."""
    return getattr(module, "qconfig", None) is not None


def _observer(module: Any, special: Any = None) -> Any:
    made = (module.qconfig.activation if special is None else special)()
    device = next((each.device for each in module.parameters()), None)
    return made if device is None else made.to(device)


def _insert_observer(module: Any, special: Any = None) -> None:
    """Let an observer look at the results of a module, or at its input where the qconfig keeps nothing."""
    if not is_observable(module) or isinstance(module, DeQuantStub):
        return
    module.add_module("activation_post_process", _observer(module, special))
    if _qconfig._activation_is_memoryless(module.qconfig):
        module.register_forward_pre_hook(observer_forward_pre_hook, prepend=True)
    else:
        module.register_forward_hook(observer_forward_hook, prepend=True)


_UNOBSERVABLE = (nn.GRU, nn.MultiheadAttention)


def add_observers(module: Any, kinds: set[Any], whole: Any, custom: dict[Any, Any]) -> None:
    """Add observers to the layers of a model.

    Args:
        module: The model.
        kinds: The classes of layers without children that are observed.
        whole: Classes with children that are observed as a whole.
        custom: Classes of observed modules by the classes that they replace.
    """
    for name, child in module.named_children():
        special = _mappings.special_activation(child)
        if _type(child) is nn.Dropout:
            continue
        if isinstance(child, FXFloatFunctional):
            if is_observable(child) and isinstance(child, FloatFunctional):
                child.activation_post_process = _observer(child)
        elif isinstance(child, _FusedModule) or _type(child) in (whole or ()):
            _insert_observer(child)
        elif special is not None:
            _insert_observer(child, special)
        elif is_observable(child) and _type(child) in custom:
            observed = custom[_type(child)].from_float(child)
            setattr(module, name, observed)
            if not isinstance(observed, quantizable.LSTM):  # its parts are observed
                _insert_observer(observed)
        elif is_observable(child) and _type(child) in _UNOBSERVABLE:
            raise NotImplementedError(
                f"static quantization does not support {_type(child).__name__} ('{name}'): use "
                "quantize_dynamic, or set its qconfig to None"
            )
        else:
            add_observers(child, kinds, whole, custom)
    parts = [name for name, _ in module.named_children() if name != "parametrizations"]
    is_layer = not parts or hasattr(module, "weight_fake_quant")
    if is_layer and not isinstance(module, nn.Sequential) and _type(module) in kinds:
        _insert_observer(module)
