"""Optimizer: parameter groups, per-parameter state, and the hooks around a step."""

from __future__ import annotations

import functools
import warnings
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterable, Mapping
from copy import deepcopy
from itertools import chain
from typing import Any

import torch
from torch import Tensor
from torch.utils.hooks import RemovableHandle

Closure = Callable[[], Any]
Group = dict[str, Any]
Parameters = Iterable[Tensor] | Iterable[Group] | Iterable[tuple[str, Tensor]]

required = object()
"""The default of a setting that every group must give."""

_global_pre_hooks: OrderedDict[int, Callable[..., Any]] = OrderedDict()
_global_post_hooks: OrderedDict[int, Callable[..., None]] = OrderedDict()


def _hooked(
    hooks: OrderedDict[int, Any], hook: Callable[..., Any], prepend: bool = False
) -> RemovableHandle:
    handle = RemovableHandle(hooks)
    hooks[handle.id] = hook
    if prepend:
        hooks.move_to_end(handle.id, last=False)
    return handle


def register_optimizer_step_pre_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Runs hook(optimizer, args, kwargs) before every optimizer's step."""
    return _hooked(_global_pre_hooks, hook)


def register_optimizer_step_post_hook(hook: Callable[..., None]) -> RemovableHandle:
    """Runs hook(optimizer, args, kwargs) after every optimizer's step."""
    return _hooked(_global_post_hooks, hook)


def _with_hooks(step: Callable[..., Any]) -> Callable[..., Any]:
    """step() between the hooks of all optimizers and of this one."""

    @functools.wraps(step)
    def hooked_step(self: Optimizer, *args: Any, **kwargs: Any) -> Any:
        before = self._optimizer_step_pre_hooks
        if before or _global_pre_hooks:
            for hook in chain(_global_pre_hooks.values(), before.values()):
                result = hook(self, args, kwargs)
                if result is None:
                    continue
                if not (isinstance(result, tuple) and len(result) == 2):
                    raise RuntimeError(
                        f"{hook} must return None or a tuple of (new_args, new_kwargs), but got "
                        f"{result}."
                    )
                args, kwargs = result
        result = step(self, *args, **kwargs)
        after = self._optimizer_step_post_hooks
        if after or _global_post_hooks:
            for hook in chain(after.values(), _global_post_hooks.values()):
                hook(self, args, kwargs)
        return result

    hooked_step._is_hooked = True
    return hooked_step


class Optimizer:
    """The base of every optimizer. A subclass defines step(), or _update() of one group.

    `state` maps a parameter to what the optimizer remembers of it; `param_groups` are dictionaries
    of settings, each with its `params`.
    """

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        own = cls.__dict__.get("step")
        if own is not None and not getattr(own, "_is_hooked", False):
            cls.step = _with_hooks(own)

    def __init__(self, params: Parameters, defaults: dict[str, Any]) -> None:
        self.defaults = defaults
        self._init_hooks()
        if isinstance(params, Tensor):
            raise TypeError(
                "params argument given to the optimizer should be an iterable of Tensors or dicts, "
                f"but got {torch.typename(params)}"
            )
        self.state: defaultdict[Tensor, Any] = defaultdict(dict)
        self.param_groups: list[Group] = []
        groups = list(params)
        if not groups:
            raise ValueError("optimizer got an empty parameter list")
        if not isinstance(groups[0], dict):
            groups = [{"params": groups}]
        for group in groups:
            self.add_param_group(group)

    def _init_hooks(self) -> None:
        self._optimizer_step_pre_hooks: OrderedDict[int, Any] = OrderedDict()
        self._optimizer_step_post_hooks: OrderedDict[int, Any] = OrderedDict()
        self._optimizer_state_dict_pre_hooks: OrderedDict[int, Any] = OrderedDict()
        self._optimizer_state_dict_post_hooks: OrderedDict[int, Any] = OrderedDict()
        self._optimizer_load_state_dict_pre_hooks: OrderedDict[int, Any] = OrderedDict()
        self._optimizer_load_state_dict_post_hooks: OrderedDict[int, Any] = OrderedDict()

    def __getstate__(self) -> dict[str, Any]:
        return {
            "defaults": self.defaults,
            "state": self.state,
            "param_groups": self.param_groups,
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        if "_optimizer_step_pre_hooks" not in self.__dict__:
            self._init_hooks()
        self.defaults.setdefault("differentiable", False)

    def __repr__(self) -> str:
        lines = [f"{type(self).__name__} ("]
        for index, group in enumerate(self.param_groups):
            lines.append(f"\nParameter Group {index}\n")
            lines += [f"    {name}: {group[name]}\n" for name in sorted(group) if name != "params"]
        return "".join([*lines, ")"])

    # ---- groups
    def add_param_group(self, param_group: Group) -> None:
        """Adds a group of parameters with its own settings; the defaults fill in the rest."""
        if not isinstance(param_group, dict):
            raise TypeError(f"param_group must be a dict, but got {type(param_group)}")
        params = param_group["params"]
        if isinstance(params, set):
            raise TypeError(
                "optimizer parameters need to be organized in ordered collections, but the "
                "ordering of tensors in sets will change between runs. Please use a list instead."
            )
        params = [params] if isinstance(params, Tensor) else list(params)
        if params and all(isinstance(item, tuple) for item in params):
            param_group["param_names"] = [name for name, _ in params]
            params = [parameter for _, parameter in params]
        elif any(isinstance(item, tuple) for item in params):
            raise ValueError(
                "all optimizer params should be with/without names. Some param names are missing"
            )
        param_group["params"] = params
        self._check_parameters(params)
        for name, default in self.defaults.items():
            if default is required and name not in param_group:
                raise ValueError(
                    f"parameter group didn't specify a value of required optimization parameter {name}"
                )
            param_group.setdefault(name, default)
        if len(params) != len(set(params)):
            warnings.warn(
                "optimizer contains a parameter group with duplicate parameters; in future, this "
                "will cause an error; see github.com/pytorch/pytorch/issues/40967 for more "
                "information",
                stacklevel=3,
            )
        known = {parameter for group in self.param_groups for parameter in group["params"]}
        if not known.isdisjoint(params):
            raise ValueError("some parameters appear in more than one parameter group")
        if self.param_groups and ("param_names" in param_group) != (
            "param_names" in self.param_groups[0]
        ):
            with_or_without = "without" if "param_names" in param_group else "with"
            raise ValueError(
                "all optimizer param groups should be with/without names. cannot add param group "
                f"{'with' if with_or_without == 'without' else 'without'} names to the optimizer"
            )
        self.param_groups.append(param_group)

    def _check_parameters(self, params: list[Any]) -> None:
        for parameter in params:
            if not isinstance(parameter, Tensor):
                raise TypeError(
                    f"optimizer can only optimize Tensors, but one of the params is "
                    f"{torch.typename(parameter)}"
                )
            if not self.defaults.get("differentiable", None) and not (
                parameter.is_leaf or parameter.retains_grad
            ):
                raise ValueError("can't optimize a non-leaf Tensor")

    # ---- a step
    @_with_hooks
    def step(self, closure: Closure | None = None) -> Any:
        """Changes the parameters once; `closure` computes the loss anew, and its value is returned."""
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for group in self.param_groups:
            # Only `differentiable` groups let autograd see the update.
            with torch.set_grad_enabled(
                bool(group.get("differentiable")) and torch.is_grad_enabled()
            ):
                self._update(group)
        return loss

    def _update(self, group: Group) -> None:
        """The step of one group."""
        raise NotImplementedError

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Drops the gradients of all parameters, or fills them with zeros."""
        for group in self.param_groups:
            for parameter in group["params"]:
                if parameter.grad is None:
                    continue
                if set_to_none:
                    parameter.grad = None
                else:
                    if parameter.grad.grad_fn is not None:
                        parameter.grad.detach_()
                    else:
                        parameter.grad.requires_grad_(False)
                    parameter.grad.zero_()

    # ---- hooks
    def register_step_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Runs hook(optimizer, args, kwargs) before a step; it may return new (args, kwargs)."""
        return _hooked(self._optimizer_step_pre_hooks, hook)

    def register_step_post_hook(self, hook: Callable[..., None]) -> RemovableHandle:
        """Runs hook(optimizer, args, kwargs) after a step."""
        return _hooked(self._optimizer_step_post_hooks, hook)

    def register_state_dict_pre_hook(
        self, hook: Callable[[Optimizer], None], prepend: bool = False
    ) -> RemovableHandle:
        """Runs hook(optimizer) before state_dict()."""
        return _hooked(self._optimizer_state_dict_pre_hooks, hook, prepend)

    def register_state_dict_post_hook(
        self, hook: Callable[..., Any], prepend: bool = False
    ) -> RemovableHandle:
        """Runs hook(optimizer, state_dict) after state_dict(); what it returns replaces it."""
        return _hooked(self._optimizer_state_dict_post_hooks, hook, prepend)

    def register_load_state_dict_pre_hook(
        self, hook: Callable[..., Any], prepend: bool = False
    ) -> RemovableHandle:
        """Runs hook(optimizer, state_dict) before loading; what it returns replaces it."""
        return _hooked(self._optimizer_load_state_dict_pre_hooks, hook, prepend)

    def register_load_state_dict_post_hook(
        self, hook: Callable[[Optimizer], None], prepend: bool = False
    ) -> RemovableHandle:
        """Runs hook(optimizer) after loading."""
        return _hooked(self._optimizer_load_state_dict_post_hooks, hook, prepend)

    # ---- state
    def state_dict(self) -> dict[str, Any]:
        """State and groups, with numbers for the parameters, in the order of the groups."""
        for hook in self._optimizer_state_dict_pre_hooks.values():
            hook(self)
        numbers: dict[int, int] = {}
        groups = []
        for group in self.param_groups:
            for parameter in group["params"]:
                numbers.setdefault(id(parameter), len(numbers))
            packed = {name: value for name, value in group.items() if name != "params"}
            packed["params"] = [numbers[id(parameter)] for parameter in group["params"]]
            groups.append(packed)
        state = {
            numbers[id(key)] if isinstance(key, Tensor) else key: value
            for key, value in self.state.items()
        }
        result = {"state": state, "param_groups": groups}
        for hook in self._optimizer_state_dict_post_hooks.values():
            replaced = hook(self, result)
            if replaced is not None:
                result = replaced
        return result

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Takes over what state_dict() gave; parameters match by position."""
        state_dict = dict(state_dict)
        for hook in self._optimizer_load_state_dict_pre_hooks.values():
            replaced = hook(self, state_dict)
            if replaced is not None:
                state_dict = replaced
        saved = deepcopy(state_dict["param_groups"])
        own = self.param_groups
        if len(own) != len(saved):
            raise ValueError("loaded state dict has a different number of parameter groups")
        if any(len(a["params"]) != len(b["params"]) for a, b in zip(own, saved, strict=True)):
            raise ValueError(
                "loaded state dict contains a parameter group that doesn't match the size of "
                "optimizer's group"
            )
        numbers = chain.from_iterable(group["params"] for group in saved)
        parameters = chain.from_iterable(group["params"] for group in own)
        by_number = dict(zip(numbers, parameters, strict=True))
        state: defaultdict[Any, Any] = defaultdict(dict)
        for key, value in state_dict["state"].items():
            parameter = by_number.get(key)
            state[key if parameter is None else parameter] = (
                value if parameter is None else _like_parameter(parameter, value)
            )
        for kept, group in zip(own, saved, strict=True):
            group["params"] = kept["params"]
            if "param_names" in kept and "param_names" not in group:
                group["param_names"] = kept["param_names"]
        self.__setstate__({"state": state, "param_groups": saved})
        for hook in self._optimizer_load_state_dict_post_hooks.values():
            hook(self)


def _like_parameter(parameter: Tensor, value: Any, key: str = "") -> Any:
    """State with its tensors on the parameter's device and in its dtype; steps stay as they are."""
    if isinstance(value, Tensor):
        if key == "step":
            return value if value.dtype == torch.float32 else value.to(torch.float32)
        if parameter.is_floating_point():
            return value.to(dtype=parameter.dtype, device=parameter.device)
        return value.to(device=parameter.device)
    if isinstance(value, dict):
        return {name: _like_parameter(parameter, item, name) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(_like_parameter(parameter, item) for item in value)
    return value
