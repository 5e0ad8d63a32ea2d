"""torch._C._functorch: which tensors the transforms of torch.func wrap."""

from __future__ import annotations

import sys
from typing import Any

from torch import _C
from torch._absent import answering as _answering

_ANSWERS = {
    "is_dead_tensor_wrapper": False,
    "is_gradtrackingtensor": False,
    "is_legacy_batchedtensor": False,
    "maybe_current_level": None,
    "maybe_get_bdim": -1,
    "maybe_get_level": -1,
    "peek_interpreter_stack": None,
    "get_interpreter_stack": None,
    "get_dynamic_layer_stack_depth": 0,
    "get_inplace_requires_grad_allowed": False,
    "get_single_level_autograd_function_allowed": False,
    "set_inplace_requires_grad_allowed": None,
    "set_single_level_autograd_function_allowed": None,
    "_is_vmap_fallback_enabled": True,
    "_set_vmap_fallback_enabled": None,
    "_set_vmap_fallback_warning_enabled": None,
}
globals().update(_answering("torch._C._functorch", _ANSWERS, "tensors of transforms"))


def _is_wrapped(tensor: Any, module: str, name: str) -> bool:
    """Return whether a tensor has a class of a module that transforms import."""
    kinds = sys.modules.get(f"torch._transforms.{module}")
    return kinds is not None and isinstance(tensor, getattr(kinds, name))


def is_batchedtensor(tensor: Any) -> bool:
    """Return whether vmap wraps a tensor."""
    return _is_wrapped(tensor, "batched", "BatchedTensor")


def is_functionaltensor(tensor: Any) -> bool:
    """Return whether functionalize wraps a tensor."""
    return _C._is_functional_tensor(tensor)


def is_functorch_wrapped_tensor(tensor: Any) -> bool:
    """Return whether a transform wraps a tensor."""
    return _is_wrapped(tensor, "levels", "LevelTensor")


def get_unwrapped(tensor: Any) -> Any:
    """Return the tensor below a transform's, which is the tensor itself."""
    return tensor


unwrap_if_dead = _unwrap_batched = _unwrap_for_grad = get_unwrapped


def _add_batch_dim(tensor: Any, bdim: int, level: Any) -> Any:
    """Return a tensor whose dimension `bdim` a running vmap maps; `level` is that vmap."""
    return level.wrap(tensor.movedim(bdim, 0))


def _remove_batch_dim(tensor: Any, level: Any, batch_size: int, out_dim: int) -> Any:
    """Return the tensor of all elements, with the mapped dimension at `out_dim`."""
    return level.batched(tensor).movedim(0, out_dim)


def _wrap_for_grad(tensor: Any, level: Any) -> Any:
    raise RuntimeError("torch.func.grad of this build wraps tensors inside its own calls only")
