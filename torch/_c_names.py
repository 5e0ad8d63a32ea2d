"""Names of torch._C that this package implements in Python; the extension module finds them here."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any

from torch import _C

_MODULES = {
    **dict.fromkeys(
        (
            "DispatchKey",
            "DispatchKeySet",
            "ExcludeDispatchKeyGuard",
            "_ExcludeDispatchKeyGuard",
            "_SetExcludeDispatchKeyGuard",
            "_ForceDispatchKeyGuard",
            "_IncludeDispatchKeyGuard",
            "_dispatch_key_name",
            "_dispatch_key_parse",
            "_dispatch_key_set",
            "_dispatch_keys",
            "_dispatch_keyset_full",
            "_dispatch_keyset_to_string",
            "_dispatch_tls_is_dispatch_key_excluded",
            "_dispatch_tls_is_dispatch_key_included",
            "_dispatch_tls_local_exclude_set",
            "_dispatch_tls_local_include_set",
            "_dispatch_tls_set_dispatch_key_excluded",
            "_dispatch_tls_set_dispatch_key_included",
            "_parse_dispatch_key",
        ),
        "torch._dispatch_keys",
    ),
    **dict.fromkeys(
        (
            "_UpgraderEntry",
            "_UpgraderRange",
            "_get_max_operator_version",
            "_get_operator_version_map",
            "_get_upgrader_ranges",
            "_get_upgraders_entry_map",
            "_get_upgraders_map_size",
        ),
        "torch.jit._upgraders",
    ),
    **dict.fromkeys(
        (
            "_get_module_info_from_flatbuffer",
            "_load_mobile_module_from_bytes",
            "_load_mobile_module_from_file",
            "_save_mobile_module",
            "_save_mobile_module_to_bytes",
        ),
        "torch.jit.mobile._functions",
    ),
    "_SDPBackend": "torch.nn.attention",
    "ScriptObject": "torch._quantized._packed_objects",
    "Tag": "torch._operator_tags",
    "_cpu": "",
    **dict.fromkeys(("_get_tracing_state", "_is_tracing"), "torch.jit._tracing_state"),
    **dict.fromkeys(("Graph", "Node", "Use", "Value"), "torch.jit._graph._ir"),
    **dict.fromkeys(
        (
            "AnyType",
            "BoolType",
            "ClassType",
            "ComplexType",
            "DeviceObjType",
            "DictType",
            "FloatType",
            "IntType",
            "ListType",
            "NoneType",
            "OptionalType",
            "StringType",
            "TensorType",
            "TupleType",
            "Type",
        ),
        "torch.jit._graph._types",
    ),
    "PyTorchFileReader": "torch._file_reader",
    "_are_functorch_transforms_active": "torch._c_names",
    "_is_alias_of": "torch._c_names",
    **dict.fromkeys(("_functorch", "_distributed_c10d", "_profiler"), ""),
}
# Functions of the compiler of TorchScript and of logging: what each answers.
_ANSWERS = {
    "_jit_can_fuse_on_cpu": False,
    "_jit_can_fuse_on_cpu_legacy": False,
    "_jit_can_fuse_on_gpu": False,
    "_jit_get_profiling_executor": False,
    "_jit_get_profiling_mode": False,
    "_jit_get_te_must_use_llvm_cpu": False,
    "_jit_nvfuser_enabled": False,
    "_jit_override_can_fuse_on_cpu": None,
    "_jit_override_can_fuse_on_cpu_legacy": None,
    "_jit_override_can_fuse_on_gpu": None,
    "_jit_set_autocast_mode": False,
    "_jit_set_fusion_strategy": [],
    "_jit_set_nvfuser_enabled": False,
    "_jit_set_nvfuser_guard_mode": False,
    "_jit_set_profiling_executor": False,
    "_jit_set_profiling_mode": False,
    "_jit_set_te_must_use_llvm_cpu": None,
    "_jit_set_texpr_fuser_enabled": None,
    "_jit_texpr_fuser_enabled": False,
    "_log_api_usage_once": None,
    "_log_api_usage_metadata": None,
}
# Classes of TorchScript's compiler: nothing is an instance of them.
_CLASSES = (
    "Block",
    "JITException",
    "ScriptFunction",
    "ScriptMethod",
    "ScriptModule",
)


def find(name: str) -> Any:
    """Return an attribute that torch._C itself lacks.

    Raises:
        AttributeError: If there is none.
    """
    if name in _ANSWERS:
        from torch._absent import answering

        return answering("torch._C", {name: _ANSWERS[name]}, "TorchScript")[name]
    if name in ("_has_xpu", "_has_mps"):
        return False
    if name in _CLASSES:
        from torch._absent import absent_class

        return absent_class("torch._C", name, f"this build makes no {name}")
    module = _MODULES.get(name)
    if module is None:
        return _C._enumeration(name)
    return (
        import_module(f"torch._C.{name}") if module == "" else getattr(import_module(module), name)
    )


__getattr__ = find  # torch has some of these names too


def _is_alias_of(a: Any, b: Any) -> bool:
    """Return whether two tensors share a storage."""
    return bool(a.untyped_storage()._cdata == b.untyped_storage()._cdata)


def _are_functorch_transforms_active() -> bool:
    """Return whether a transform of torch.func is running."""
    levels = sys.modules.get("torch._transforms.levels")
    return levels is not None and levels.innermost_level() is not None
