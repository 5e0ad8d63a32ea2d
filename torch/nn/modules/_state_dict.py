"""Saving a module's state to a flat mapping, and loading it."""

from __future__ import annotations

import itertools
import warnings
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch import __future__ as _future
from torch._hook_handles import RemovableHandle, add_hook
from torch.nn.modules._hooks import bind_with_module
from torch.nn.parameter import Parameter, is_lazy

_EXTRA_STATE = "_extra_state"


def _swap_in(own: Tensor, value: Tensor, assign: bool) -> None:
    """Exchange a module's tensor with what its `module_load` makes of a value."""
    loaded = own.module_load(value, assign)  # type: ignore[attr-defined]
    if loaded is own or loaded is value:
        raise RuntimeError(
            "module_load returned one of self or other, please .detach() the result if returning "
            "one of the inputs in module_load"
        )
    if isinstance(own, Parameter):
        loaded = Parameter(loaded, own.requires_grad)
    torch.utils.swap_tensors(own, loaded)


def _warn_of_meta(key: str) -> None:
    warnings.warn(
        f"for {key}: copying from a non-meta parameter in the checkpoint to a meta parameter in "
        "the current model, which is a no-op. (Did you mean to pass `assign=True` to assign items "
        "in the state dictionary to their corresponding key in the module instead of copying them "
        "in place?)",
        stacklevel=5,
    )


def _load_tree(
    module: StateDict,
    state: dict[str, Any],
    prefix: str,
    metadata: Any,
    assign: bool,
    problems: tuple[list[str], list[str], list[str]],
) -> None:
    """Load a module and its children, collecting missing and unexpected names and messages."""
    local = {} if metadata is None else metadata.get(prefix[:-1], {})
    if assign:
        local["assign_to_params_buffers"] = assign
    module._load_from_state_dict(state, prefix, local, True, *problems)
    for name, child in module._modules.items():
        if child is not None:
            inner = f"{prefix}{name}."
            of_child = {key: value for key, value in state.items() if key.startswith(inner)}
            _load_tree(child, of_child, inner, metadata, assign, problems)
    incompatible = _IncompatibleKeys(problems[0], problems[1])
    for hook in module._load_state_dict_post_hooks.values():
        if hook(module, incompatible) is not None:
            raise AssertionError(
                "Hooks registered with ``register_load_state_dict_post_hook`` are not "
                "expected to return new values, if incompatible_keys need to be modified, "
                "it should be done inplace."
            )


class _Keys(NamedTuple):
    missing_keys: list[str]
    unexpected_keys: list[str]


class _IncompatibleKeys(_Keys):
    """Result of load_state_dict(): the names that module and dictionary do not share."""

    def __repr__(self) -> str:
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return super().__repr__()

    __str__ = __repr__


class StateDict:
    """Mixin of Module that saves and loads its state."""

    _version: int = 1

    def get_extra_state(self) -> Any:
        """Return additional state to save.

        A class that overrides this method overrides set_extra_state() too.

        Returns:
            Any object that can be pickled.

        Raises:
            RuntimeError: Always, in this class.
        """
        raise RuntimeError(
            "Reached a code path in Module.get_extra_state() that should never be called. Please "
            "override get_extra_state() in your module."
        )

    def set_extra_state(self, state: Any) -> None:
        """Restore the state that get_extra_state() returned.

        Args:
            state: The loaded state.

        Raises:
            RuntimeError: Always, in this class.
        """
        raise RuntimeError(
            "Reached a code path in Module.set_extra_state() that should never be called. Please "
            "override set_extra_state() in your module."
        )

    def _has_extra_state(self, method: str) -> bool:
        """Return whether the class overrides one of the two methods above."""
        return getattr(type(self), method) is not getattr(StateDict, method)

    # ---- saving
    def register_state_dict_post_hook(self, hook: Callable[..., None]) -> RemovableHandle:
        """Register a hook that runs at the end of state_dict().

        Args:
            hook: Called as ``hook(module, state_dict, prefix, local_metadata)``. It may change the
                dictionary and must return None.

        Returns:
            A handle whose ``remove()`` unregisters the hook.

        Example:
            >>> module = nn.Linear(1, 1)
            >>> def drop_bias(module, state, prefix, metadata):
            ...     del state[prefix + "bias"]
            >>> handle = module.register_state_dict_post_hook(drop_bias)
            >>> list(module.state_dict())
            ['weight']
        """
        hook._from_public_api = True
        return add_hook(self._state_dict_hooks, hook)

    def _register_state_dict_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Register a hook that runs at the end of state_dict() and may return its replacement.

        Raises:
            RuntimeError: If the hook is already registered by register_state_dict_post_hook().
        """
        if getattr(hook, "_from_public_api", False):
            raise RuntimeError(
                "Cannot register the same function as the state dict post hook that was previously "
                "registered via register_state_dict_post_hook"
            )
        return add_hook(self._state_dict_hooks, hook)

    def register_state_dict_pre_hook(self, hook: Callable[..., None]) -> RemovableHandle:
        """Register a hook that runs at the start of state_dict().

        Args:
            hook: Called as ``hook(module, prefix, keep_vars)``.

        Returns:
            A handle whose ``remove()`` unregisters the hook.
        """
        return add_hook(self._state_dict_pre_hooks, hook)

    def _saved_buffers(self) -> Iterator[tuple[str, Tensor | None]]:
        for name, buffer in self._buffers.items():
            if name not in self._non_persistent_buffers_set:
                yield name, buffer

    def _save_to_state_dict(
        self, destination: dict[str, Any], prefix: str, keep_vars: bool
    ) -> None:
        """Save this module's own parameters, buffers and extra state, not its children's."""
        for name, value in itertools.chain(self._parameters.items(), self._saved_buffers()):
            if value is not None:
                destination[prefix + name] = value if keep_vars else value.detach()
        if self._has_extra_state("get_extra_state"):
            destination[prefix + _EXTRA_STATE] = self.get_extra_state()

    def state_dict(
        self,
        *args: Any,
        destination: dict[str, Any] | None = None,
        prefix: str = "",
        keep_vars: bool = False,
    ) -> dict[str, Any]:
        """Return the parameters and persistent buffers by dotted path.

        Args:
            *args: Deprecated form of the other arguments, in their order.
            destination: Dictionary to add to. The default is a new one.
            prefix: Prefix of all names.
            keep_vars: If True, return the parameters themselves rather than detached tensors.

        Returns:
            The dictionary. Its tensors share the module's memory.

        Raises:
            RuntimeError: If a hook returns a value.

        Example:
            >>> model = nn.Sequential(nn.Linear(3, 2))
            >>> {path: tuple(value.shape) for path, value in model.state_dict().items()}
            {'0.weight': (2, 3), '0.bias': (2,)}
        """
        for value, name in zip(args, ("destination", "prefix", "keep_vars"), strict=False):
            if name == "destination":
                destination = value if destination is None else destination
            elif name == "prefix":
                prefix = prefix or value
            else:
                keep_vars = keep_vars or value
        if destination is None:
            destination = OrderedDict()
            destination._metadata = OrderedDict()
        local_metadata = {"version": self._version}
        if hasattr(destination, "_metadata"):
            destination._metadata[prefix[:-1]] = local_metadata
        for hook in self._state_dict_pre_hooks.values():
            hook(self, prefix, keep_vars)
        self._save_to_state_dict(destination, prefix, keep_vars)
        for name, module in self._modules.items():
            if module is not None:
                module.state_dict(
                    destination=destination, prefix=f"{prefix}{name}.", keep_vars=keep_vars
                )
        for hook in self._state_dict_hooks.values():
            result = hook(self, destination, prefix, local_metadata)
            if getattr(hook, "_from_public_api", False):
                if result is not None:
                    raise RuntimeError("state_dict post-hook must return None")
            elif result is not None:
                destination = result
        return destination

    # ---- loading
    def register_load_state_dict_pre_hook(self, hook: Callable[..., None]) -> RemovableHandle:
        """Register a hook that runs before this module loads its state.

        Args:
            hook: Called as ``hook(module, state_dict, prefix, local_metadata, strict, missing_keys,
                unexpected_keys, error_msgs)``. It may change the dictionary and the lists.

        Returns:
            A handle whose ``remove()`` unregisters the hook.
        """
        bound = bind_with_module(hook, self)
        return add_hook(self._load_state_dict_pre_hooks, bound)

    def _register_load_state_dict_pre_hook(
        self, hook: Callable[..., None], with_module: bool = False
    ) -> RemovableHandle:
        bound = bind_with_module(hook, self) if with_module else hook
        return add_hook(self._load_state_dict_pre_hooks, bound)

    def register_load_state_dict_post_hook(self, hook: Callable[..., None]) -> RemovableHandle:
        """Register a hook that runs after this module has loaded its state.

        Args:
            hook: Called as ``hook(module, incompatible_keys)``. It may change the lists of names
                and must return None.

        Returns:
            A handle whose ``remove()`` unregisters the hook.
        """
        return add_hook(self._load_state_dict_post_hooks, hook)

    def _load_from_state_dict(
        self,
        state_dict: dict[str, Any],
        prefix: str,
        local_metadata: Mapping[str, Any],
        strict: bool,
        missing_keys: list[str],
        unexpected_keys: list[str],
        error_msgs: list[str],
    ) -> None:
        """Load this module's own state, not its children's, and collect problems in the lists."""
        rest = (local_metadata, strict, missing_keys, unexpected_keys, error_msgs)
        for hook in self._load_state_dict_pre_hooks.values():
            hook(state_dict, prefix, *rest)
        assign = bool(local_metadata.get("assign_to_params_buffers", False))
        own = itertools.chain(self._parameters.items(), self._saved_buffers())
        for name, tensor in [(name, tensor) for name, tensor in own if tensor is not None]:
            key = prefix + name
            if key not in state_dict:
                if strict:
                    missing_keys.append(key)
                continue
            problem = self._load_tensor(name, tensor, key, state_dict[key], assign)
            if problem:
                error_msgs.append(problem)
        self._load_extra_state(state_dict, prefix, strict, missing_keys, unexpected_keys)
        if strict:
            self._find_unexpected(state_dict, prefix, unexpected_keys)

    def _load_tensor(self, name: str, own: Tensor, key: str, value: Any, assign: bool) -> str:
        """Copy or assign one tensor. Return a message if that fails, otherwise an empty string."""
        if not isinstance(value, Tensor):
            return (
                f'While copying the parameter named "{key}", expected torch.Tensor or Tensor-like '
                f"object from checkpoint but received {type(value)}"
            )
        sized = not is_lazy(own)
        if sized and len(own.shape) == 0 and len(value.shape) == 1 and not assign:
            value = value[0]  # versions before 0.4 saved scalars this way
        if sized and value.shape != own.shape:
            return (
                f"size mismatch for {key}: copying a param with shape {value.shape} from "
                f"checkpoint, the shape in current model is {own.shape}."
            )
        if own.is_meta and not value.is_meta and not assign:
            _warn_of_meta(key)
        swap = _future.get_swap_module_params_on_conversion()
        try:
            with torch.no_grad():
                if swap:
                    _swap_in(own, value, assign)
                elif not assign:
                    own.copy_(value)
                elif isinstance(own, Parameter):
                    parameter = value if isinstance(value, Parameter) else Parameter(value)
                    setattr(self, name, parameter.requires_grad_(own.requires_grad))
                else:
                    setattr(self, name, value)
        except Exception as error:
            action = "swapping" if swap else "assigning" if assign else "copying"
            return (
                f'While {action} the parameter named "{key}", whose dimensions in the model are '
                f"{own.size()} and whose dimensions in the checkpoint are {value.size()}, an "
                f"exception occurred : {error.args}."
            )
        return ""

    def _load_extra_state(
        self,
        state_dict: dict[str, Any],
        prefix: str,
        strict: bool,
        missing_keys: list[str],
        unexpected_keys: list[str],
    ) -> None:
        key = prefix + _EXTRA_STATE
        if self._has_extra_state("set_extra_state"):
            if key in state_dict:
                self.set_extra_state(state_dict[key])
            elif strict:
                missing_keys.append(key)
        elif strict and key in state_dict:
            unexpected_keys.append(key)

    def _find_unexpected(
        self, state_dict: dict[str, Any], prefix: str, unexpected_keys: list[str]
    ) -> None:
        """Add the names that this module does not have to the list of unexpected ones."""
        known = {
            name for name, _ in itertools.chain(self._parameters.items(), self._saved_buffers())
        }
        for key in state_dict:
            if not key.startswith(prefix) or key == prefix + _EXTRA_STATE:
                continue
            first, dot, _ = key[len(prefix) :].partition(".")
            if not (first in self._modules if dot else first in known):
                unexpected_keys.append(key)

    def load_state_dict(
        self, state_dict: Mapping[str, Any], strict: bool = True, assign: bool = False
    ) -> _IncompatibleKeys:
        """Load parameters and buffers from a dictionary that state_dict() returned.

        Args:
            state_dict: Tensors by dotted path.
            strict: If True, the names must match exactly.
            assign: If True, use the given tensors themselves instead of copying their values.

        Returns:
            A named tuple with the lists `missing_keys` and `unexpected_keys`.

        Raises:
            TypeError: If `state_dict` is not a mapping.
            RuntimeError: If a tensor does not fit or, with `strict`, names do not match. The
                message lists every problem.

        Example:
            >>> module = nn.Linear(2, 1)
            >>> module.load_state_dict({"weight": torch.ones(1, 2), "bias": torch.zeros(1)})
            <All keys matched successfully>
            >>> module.weight
            Parameter containing:
            tensor([[1., 1.]], requires_grad=True)
        """
        if not isinstance(state_dict, Mapping):
            raise TypeError(f"Expected state_dict to be dict-like, got {type(state_dict)}.")
        metadata = getattr(state_dict, "_metadata", None)
        values = OrderedDict(state_dict)
        if metadata is not None:
            values._metadata = metadata
        missing: list[str] = []
        unexpected: list[str] = []
        errors: list[str] = []
        _load_tree(self, values, "", metadata, assign, (missing, unexpected, errors))
        if strict:
            for kind, names in (("Unexpected", unexpected), ("Missing", missing)):
                if names:
                    listed = ", ".join(f'"{name}"' for name in names)
                    errors.insert(0, f"{kind} key(s) in state_dict: {listed}. ")
        if errors:
            name = type(self).__name__
            raise RuntimeError(
                f"Error(s) in loading state_dict for {name}:\n\t" + "\n\t".join(errors)
            )
        return _IncompatibleKeys(missing, unexpected)
