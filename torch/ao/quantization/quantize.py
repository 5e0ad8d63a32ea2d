"""Quantization of models: observers are added, then layers replaced by quantized ones."""

from __future__ import annotations

import copy
import inspect
import warnings
from typing import Any

import torch
from torch import nn
from torch._published import publish
from torch.ao.nn import quantizable, quantized
from torch.ao.nn.intrinsic.modules.fused import _FusedModule
from torch.ao.quantization import _observation
from torch.ao.quantization import qconfig as _qconfig
from torch.ao.quantization import quantization_mappings as _mappings
from torch.ao.quantization._observation import (
    add_observers,
    is_observable,
    observer_forward_hook,
    observer_forward_pre_hook,
    propagate_qconfig_,
)
from torch.ao.quantization.stubs import QuantWrapper
from torch.nn.utils.parametrize import type_before_parametrizations as _type

__all__ = [
    "add_quant_dequant",
    "convert",
    "default_eval_fn",
    "get_default_custom_config_dict",
    "prepare",
    "prepare_qat",
    "propagate_qconfig_",
    "quantize",
    "quantize_dynamic",
    "quantize_qat",
    "swap_module",
]


def get_default_custom_config_dict() -> dict[str, Any]:
    """Return the classes of observed modules by those that they replace, and what replaces them.

    Example:
        >>> sorted(torch.ao.quantization.get_default_custom_config_dict())
        ['float_to_observed_custom_module_class', 'observed_to_quantized_custom_module_class']
    """
    return {
        "float_to_observed_custom_module_class": {nn.LSTM: quantizable.LSTM},
        "observed_to_quantized_custom_module_class": {quantizable.LSTM: quantized.LSTM},
    }


def default_eval_fn(model: nn.Module, calib_data: Any) -> None:
    """Call a model with the inputs of pairs of inputs and targets.

    Example:
        >>> torch.ao.quantization.default_eval_fn(nn.Identity(), [(torch.ones(1), 0)])
    """
    for data, _ in calib_data:
        model(data)


def prepare(
    model: Any,
    inplace: bool = False,
    allow_list: set[Any] | None = None,
    observer_non_leaf_module_list: Any = None,
    prepare_custom_config_dict: dict[str, Any] | None = None,
) -> Any:
    """Add observers to the layers of a model that have a qconfig.

    Args:
        model: The model, with the attribute `qconfig` or modules that have it.
        inplace: Whether to change the model itself.
        allow_list: The classes of layers to observe; those that have quantized ones by default.
        observer_non_leaf_module_list: Classes of modules with children to observe as a whole.
        prepare_custom_config_dict: `float_to_observed_custom_module_class`.

    Raises:
        NotImplementedError: If a GRU or an attention has a qconfig.

    Example:
        >>> model = nn.Sequential(torch.ao.quantization.QuantStub(), nn.Linear(2, 2))
        >>> model.qconfig = torch.ao.quantization.get_default_qconfig()
        >>> observed = torch.ao.quantization.prepare(model)
        >>> type(observed[1].activation_post_process).__name__
        'HistogramObserver'
    """
    custom = prepare_custom_config_dict or get_default_custom_config_dict()
    model = model if inplace else copy.deepcopy(model)
    kinds = allow_list or _mappings.get_default_qconfig_propagation_list()
    propagate_qconfig_(model)
    if not any(is_observable(module) for module in model.modules()):
        warnings.warn(
            "None of the submodule got qconfig applied. Make sure you passed correct configuration "
            "through `qconfig_dict` or by assigning the `.qconfig` attribute directly on submodules",
            stacklevel=2,
        )
    mapping = custom.get("float_to_observed_custom_module_class", {})
    add_observers(model, kinds, observer_non_leaf_module_list, mapping)
    return model


# ---- conversion ----------------------------------------------------------------------------------
def _keep_hooks(old: nn.Module, new: nn.Module) -> None:
    """Give the hooks of a module to the one that replaces it, but those of observers."""
    for before in old._forward_pre_hooks.values():
        if before is not observer_forward_pre_hook:
            new.register_forward_pre_hook(before)
    for after in old._forward_hooks.values():
        if after is not observer_forward_hook:
            new.register_forward_hook(after)


def swap_module(
    mod: Any,
    mapping: dict[Any, Any],
    custom_module_class_mapping: dict[Any, Any],
    use_precomputed_fake_quant: bool = False,
) -> Any:
    """Return the module that replaces one with a qconfig, or the module itself if there is none.

    Args:
        mod: The module, with an observer.
        mapping: The classes of quantized modules by the classes that they replace.
        custom_module_class_mapping: Classes with a method `from_observed`, which come first.
        use_precomputed_fake_quant: Whether weights have been observed and keep their parameters.

    Example:
        >>> layer = nn.Linear(2, 2)
        >>> torch.ao.quantization.swap_module(layer, {}, {}) is layer
        True
    """
    kind = _type(mod)
    if not is_observable(mod) or kind not in (*mapping, *custom_module_class_mapping):
        return mod
    if kind in custom_module_class_mapping:
        made = custom_module_class_mapping[kind].from_observed(mod)
    else:
        build = mapping[kind].from_float
        options = {}
        if "use_precomputed_fake_quant" in inspect.signature(build).parameters:
            options["use_precomputed_fake_quant"] = use_precomputed_fake_quant
        made = build(mod, **options)
    _keep_hooks(mod, made)
    device = next((each.device for each in mod.parameters()), None)
    return made if device is None else made.to(device)


def _convert(module: Any, mapping: Any, custom: Any, use_precomputed_fake_quant: bool) -> None:
    swapped = {}
    for name, child in module.named_children():
        if not isinstance(child, _FusedModule) and _type(child) not in custom:
            _convert(child, mapping, custom, use_precomputed_fake_quant)
        swapped[name] = swap_module(child, mapping, custom, use_precomputed_fake_quant)
    module._modules.update(swapped)


def convert(
    module: Any,
    mapping: dict[Any, Any] | None = None,
    inplace: bool = False,
    remove_qconfig: bool = True,
    is_reference: bool = False,
    convert_custom_config_dict: dict[str, Any] | None = None,
    use_precomputed_fake_quant: bool = False,
) -> Any:
    """Replace the observed layers of a model by quantized ones.

    Args:
        module: The model that `prepare` returned, after calls with typical inputs.
        mapping: The classes of quantized layers by the classes that they replace.
        inplace: Whether to change the model itself.
        remove_qconfig: Whether to remove the attribute `qconfig` and the observers that are left.
        is_reference: Must be False.
        convert_custom_config_dict: `observed_to_quantized_custom_module_class`.
        use_precomputed_fake_quant: Whether weights have been observed and keep their parameters.

    Raises:
        NotImplementedError: If reference modules are asked for.
        AttributeError: If a layer has a qconfig, but no observer.

    Example:
        >>> model = nn.Sequential(torch.ao.quantization.QuantStub(), nn.Linear(2, 2)).eval()
        >>> model.qconfig = torch.ao.quantization.get_default_qconfig()
        >>> observed = torch.ao.quantization.prepare(model)
        >>> _ = observed(torch.ones(1, 2))
        >>> type(torch.ao.quantization.convert(observed)[1])
        <class 'torch.ao.nn.quantized.modules.linear.Linear'>
    """
    if is_reference:
        raise NotImplementedError("reference modules do not exist in this build")
    custom = convert_custom_config_dict or get_default_custom_config_dict()
    module = module if inplace else copy.deepcopy(module)
    mapping = _mappings.get_default_static_quant_module_mappings() if mapping is None else mapping
    kinds = custom.get("observed_to_quantized_custom_module_class", {})
    _convert(module, mapping, kinds, use_precomputed_fake_quant)
    if remove_qconfig:
        _observation.remove_qconfig(module)
    return module


def add_quant_dequant(module: Any) -> Any:
    """Put layers with a qconfig between a QuantStub and a DeQuantStub each.

    Args:
        module: The model, which is changed.

    Returns:
        The model, or the wrapper of a layer.

    Example:
        >>> layer = nn.Linear(2, 2)
        >>> layer.qconfig = torch.ao.quantization.default_qconfig
        >>> type(torch.ao.quantization.add_quant_dequant(layer)).__name__
        'QuantWrapper'
    """
    if not list(module.children()) and getattr(module, "qconfig", None):
        return QuantWrapper(module)
    for name, child in module.named_children():
        module._modules[name] = add_quant_dequant(child)
    return module


# ---- all at once ---------------------------------------------------------------------------------
def quantize(
    model: Any, run_fn: Any, run_args: Any, mapping: Any = None, inplace: bool = False
) -> Any:
    """Prepare a model, call a function that runs it with typical inputs, and convert it.

    Args:
        model: The model, with qconfigs.
        run_fn: A function of the model and `run_args`.
        run_args: The further arguments.
        mapping: See `convert`.
        inplace: Whether to change the model itself.

    Example:
        >>> model = torch.ao.quantization.QuantWrapper(nn.Linear(2, 2))
        >>> model.qconfig = torch.ao.quantization.default_qconfig
        >>> quantized = torch.ao.quantization.quantize(model, lambda m, x: m(x), [torch.ones(1, 2)])
        >>> quantized(torch.ones(1, 2)).shape
        torch.Size([1, 2])
    """
    model = model if inplace else copy.deepcopy(model)
    model.eval()
    prepare(model, inplace=True)
    run_fn(model, *run_args)
    return convert(model, mapping, inplace=True)


_RECURRENT = (nn.Linear, nn.LSTM, nn.GRU, nn.LSTMCell, nn.RNNCell, nn.GRUCell)
_OF_DTYPE = {
    torch.qint8: (_RECURRENT, _qconfig.default_dynamic_qconfig),
    torch.float16: (_RECURRENT, _qconfig.float16_dynamic_qconfig),
    torch.quint8: ((nn.EmbeddingBag, nn.Embedding), _qconfig.float_qparams_weight_only_qconfig),
    torch.quint4x2: ((nn.EmbeddingBag,), _qconfig.float_qparams_weight_only_qconfig_4bit),
}


def quantize_dynamic(
    model: Any,
    qconfig_spec: Any = None,
    dtype: Any = torch.qint8,
    mapping: dict[Any, Any] | None = None,
    inplace: bool = False,
) -> Any:
    """Replace layers by those that quantize their inputs for each call.

    Args:
        model: The model.
        qconfig_spec: QConfigs by classes or names of modules, or a set of them that get the default of
            the dtype; linear and recurrent layers, or tables, by default.
        dtype: torch.qint8, torch.float16, or for tables torch.quint8 and torch.quint4x2.
        mapping: The classes of quantized layers by the classes that they replace.
        inplace: Whether to change the model itself.

    Raises:
        ValueError: If the dtype has no defaults.
        RuntimeError: If it has none and a set of modules is given.

    Example:
        >>> model = nn.Sequential(nn.Linear(2, 3), nn.ReLU())
        >>> torch.ao.quantization.quantize_dynamic(model, {nn.Linear}, dtype=torch.qint8)[0]
        DynamicQuantizedLinear(in_features=2, out_features=3, dtype=torch.qint8, qscheme=torch.per_tensor_affine)
    """
    qconfigs = _dynamic_qconfigs(qconfig_spec, dtype)
    if mapping is None:
        mapping = _mappings.get_default_dynamic_quant_module_mappings()
    model = model if inplace else copy.deepcopy(model)
    model.eval()
    propagate_qconfig_(model, qconfigs)
    return convert(model, mapping, inplace=True)


def _dynamic_qconfigs(spec: Any, dtype: Any) -> dict[Any, Any]:
    if spec is None:
        if dtype not in _OF_DTYPE:
            raise ValueError(
                f"Don't know how to quantize with default settings for {dtype}. Provide full qconfig please"
            )
        kinds, qconfig = _OF_DTYPE[dtype]
        return dict.fromkeys(kinds, qconfig)
    if not isinstance(spec, set):
        return dict(spec)
    if dtype not in _OF_DTYPE:
        raise RuntimeError(f"Unknown dtype specified for quantize_dynamic: {dtype}")
    return dict.fromkeys(spec, _OF_DTYPE[dtype][1])


def prepare_qat(model: Any, mapping: dict[Any, Any] | None = None, inplace: bool = False) -> Any:
    """Replace layers by those that round their weights, and round the results of layers, for training.

    Args:
        model: The model in training mode, with qconfigs.
        mapping: The classes of layers by the classes that they replace.
        inplace: Whether to change the model itself.

    Raises:
        AssertionError: If the model is in evaluation mode.

    Example:
        >>> model = nn.Sequential(torch.ao.quantization.QuantStub(), nn.Linear(2, 2))
        >>> model.qconfig = torch.ao.quantization.get_default_qat_qconfig()
        >>> type(torch.ao.quantization.prepare_qat(model)[1])
        <class 'torch.ao.nn.qat.modules.linear.Linear'>
    """
    if not model.training:
        raise AssertionError("prepare_qat only works on models in training mode")
    mapping = _mappings.get_default_qat_module_mappings() if mapping is None else mapping
    model = model if inplace else copy.deepcopy(model)
    propagate_qconfig_(model)
    convert(model, mapping, inplace=True, remove_qconfig=False)
    return prepare(model, True, observer_non_leaf_module_list=set(mapping.values()))


def quantize_qat(model: Any, run_fn: Any, run_args: Any, inplace: bool = False) -> Any:
    """Prepare a model for training, call a function that trains it, and convert it.

    Args:
        model: The model, with qconfigs.
        run_fn: A function of the model and `run_args`.
        run_args: The further arguments.
        inplace: Whether to change the model itself.

    Example:
        >>> model = torch.ao.quantization.QuantWrapper(nn.Linear(2, 2))
        >>> model.qconfig = torch.ao.quantization.get_default_qat_qconfig()
        >>> train = lambda model, x: model(x).sum().backward()
        >>> torch.ao.quantization.quantize_qat(model, train, [torch.ones(1, 2)]).training
        True
    """
    model = model if inplace else copy.deepcopy(model)
    model.train()
    prepare_qat(model, inplace=True)
    run_fn(model, *run_args)
    return convert(model, inplace=True)


publish(propagate_qconfig_, __name__, "propagate_qconfig_")
