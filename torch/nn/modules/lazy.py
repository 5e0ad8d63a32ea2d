"""Modules that learn the sizes of their parameters from the first input."""

from __future__ import annotations

import itertools
from typing import Any

from torch.nn.parameter import is_lazy


class LazyModuleMixin:
    """Base class of modules whose parameters get their sizes at the first call of forward().

    A subclass creates UninitializedParameter and UninitializedBuffer, and gives them memory in
    `initialize_parameters`, which receives the arguments of the first call. Afterwards the module
    becomes one of the class `cls_to_become`, if that is set.

    Example:
        >>> layer = nn.LazyLinear(2)
        >>> layer(torch.zeros(4, 3)).shape, layer
        (torch.Size([4, 2]), Linear(in_features=3, out_features=2, bias=True))
    """

    cls_to_become: type | None = None

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._load_hook = self._register_load_state_dict_pre_hook(self._lazy_load_hook)
        self._initialize_hook = self.register_forward_pre_hook(
            self._infer_parameters, with_kwargs=True
        )

    def _save_to_state_dict(self, destination: Any, prefix: str, keep_vars: bool) -> None:
        """Save parameters without a size unchanged: they cannot be detached."""
        buffers = ((k, v) for k, v in self._buffers.items() if self._is_saved(k))
        for name, value in itertools.chain(self._parameters.items(), buffers):
            if value is not None:
                keep = is_lazy(value) or keep_vars
                destination[prefix + name] = value if keep else value.detach()

    def _is_saved(self, name: str) -> bool:
        return name not in self._non_persistent_buffers_set

    def _lazy_load_hook(
        self, state_dict: Any, prefix: str, local_metadata: Any, strict: bool,
        missing_keys: Any, unexpected_keys: Any, error_msgs: Any,
    ) -> None:  # fmt: skip
        """Give parameters the sizes of a state that is loaded before the first call."""
        for name, value in itertools.chain(self._parameters.items(), self._buffers.items()):
            loaded = state_dict.get(prefix + name)
            if loaded is not None and is_lazy(value) and not is_lazy(loaded):
                value.materialize(loaded.shape)

    def initialize_parameters(self, *args: Any, **kwargs: Any) -> None:
        """Give the parameters their sizes, from the arguments of the first call."""
        raise NotImplementedError(
            f"initialize_parameters is not implemented for {type(self).__name__}"
        )

    def has_uninitialized_params(self) -> bool:
        """Return whether a parameter or buffer has no size yet."""
        return any(map(is_lazy, (*self._parameters.values(), *self._buffers.values())))

    def _infer_parameters(
        self, module: Any, args: tuple[Any, ...], kwargs: dict[str, Any] | None = None
    ) -> None:
        """Run before the first call."""
        module.initialize_parameters(*args, **(kwargs or {}))
        if module.has_uninitialized_params():
            raise RuntimeError(f"module {self._get_name()} has not been fully initialized")
        module._initialize_hook.remove()
        module._load_hook.remove()
        del module._initialize_hook, module._load_hook
        if module.cls_to_become is not None:
            module.__class__ = module.cls_to_become

    def _replicate_for_data_parallel(self) -> Any:
        raise RuntimeError(
            "Modules with uninitialized parameters can't be used with `DataParallel`. Run a dummy "
            "forward pass to correctly initialize the modules"
        )
