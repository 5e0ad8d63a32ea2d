"""Optimizer: parameter groups and per-parameter state."""

from __future__ import annotations

import warnings
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from copy import deepcopy
from itertools import chain
from typing import Any

import torch
from torch import Tensor
from torch._published import publish_all as _publish_all
from torch.autograd import _profiled_blocks as _blocks
from torch.optim import _hooks
from torch.optim._hooks import (  # noqa: F401 (programs import them from here)
    register_optimizer_step_post_hook,
    register_optimizer_step_pre_hook,
)
from torch.optim._step_helpers import (  # noqa: F401 (libraries import them from here)
    _default_to_fused_or_foreach,
    _get_capturable_supported_devices,
    _get_value,
    _use_grad_for_differentiable,
    _view_as_real,
)
from torch.utils._foreach_utils import _group_tensors_by_device_and_dtype

Closure = Callable[[], Any]
Group = dict[str, Any]
StateDict = dict[str, Any]
Parameters = Iterable[Tensor] | Iterable[Group] | Iterable[tuple[str, Tensor]]
ParamsT = Parameters  # the name in PyTorch

required = object()
"""Default of a setting that every group must specify."""


class Optimizer(_hooks.Hooks):
    """Base class of the optimizers.

    A subclass overrides step(), or _update(), which updates one parameter group. `state` maps each
    parameter to a dictionary of the optimizer's data about it. `param_groups` lists the groups:
    dictionaries of settings, each with its parameters under the key ``params``.

    Args:
        params: Parameters, ``(name, parameter)`` pairs, or dictionaries of group settings.
        defaults: Settings used by the groups that do not override them.

    Raises:
        TypeError: If `params` is a tensor.
        ValueError: If `params` is empty.

    Example:
        >>> class SignDescent(torch.optim.Optimizer):
        ...     def __init__(self, params, lr=0.1):
        ...         super().__init__(params, {"lr": lr})
        ...     @torch.no_grad()
        ...     def step(self):
        ...         for group in self.param_groups:
        ...             for p in group["params"]:
        ...                 p -= group["lr"] * p.grad.sign()
        >>> weight = torch.tensor([1.0, -2.0], requires_grad=True)
        >>> optimizer = SignDescent([weight])
        >>> weight.square().sum().backward()
        >>> optimizer.step()
        >>> weight
        tensor([ 0.9000, -1.9000], requires_grad=True)
    """

    _group_tensors_by_device_and_dtype = staticmethod(_group_tensors_by_device_and_dtype)

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
        """Add a group of parameters with its own settings.

        Args:
            param_group: Dictionary with the key ``params`` and any settings that differ from the
                defaults.

        Raises:
            TypeError: If the group is not a dictionary, its parameters are a set, or one of them is
                not a tensor.
            ValueError: If a parameter is not a leaf or is already in another group.

        Example:
            >>> first = torch.zeros(2, requires_grad=True)
            >>> second = torch.zeros(3, requires_grad=True)
            >>> optimizer = torch.optim.SGD([first], lr=0.1)
            >>> optimizer.add_param_group({"params": [second], "lr": 0.01})
            >>> [group["lr"] for group in optimizer.param_groups]
            [0.1, 0.01]
        """
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
    @_hooks.with_hooks
    def step(self, closure: Closure | None = None) -> Any:
        """Update the parameters once.

        Args:
            closure: Function that recomputes the loss and its gradients. It is called first, with
                gradients enabled.

        Returns:
            The result of `closure`, or None without one.

        Example:
            >>> weight = torch.tensor([1.0], requires_grad=True)
            >>> optimizer = torch.optim.SGD([weight], lr=0.25)
            >>> def closure():
            ...     optimizer.zero_grad()
            ...     loss = weight.square().sum()
            ...     loss.backward()
            ...     return loss
            >>> optimizer.step(closure).item()
            1.0
            >>> weight.item()
            0.5
        """
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
        """Update the parameters of one group."""
        raise NotImplementedError

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Clear the gradients of all parameters.

        Args:
            set_to_none: If True, set the gradients to None. Otherwise, fill them with zeros.

        Example:
            >>> weight = torch.tensor([1.0], requires_grad=True)
            >>> optimizer = torch.optim.SGD([weight], lr=0.1)
            >>> weight.square().sum().backward()
            >>> optimizer.zero_grad()
            >>> weight.grad is None
            True
        """
        block = None
        if _blocks.running is not None:
            block = _blocks.begin("Optimizer.zero_grad", self, "zero_grad")
        try:
            self._clear_gradients(set_to_none)
        finally:
            if block is not None:
                _blocks.end(block)

    def _clear_gradients(self, set_to_none: bool) -> None:
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

    # ---- state
    def state_dict(self) -> dict[str, Any]:
        """Return the state and the settings as a dictionary that can be saved.

        Parameters are replaced by their index, counted in the order of the groups.

        Returns:
            A dictionary with the keys ``state`` and ``param_groups``.

        Example:
            >>> weight = torch.zeros(2, requires_grad=True)
            >>> state = torch.optim.SGD([weight], lr=0.1).state_dict()
            >>> state["param_groups"][0]["params"], state["param_groups"][0]["lr"]
            ([0], 0.1)
        """
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
        """Load a dictionary that state_dict() returned.

        Parameters are matched by their position in the groups. Loaded tensors take the device and
        the dtype of their parameter.

        Args:
            state_dict: State of an optimizer with the same number and sizes of groups.

        Raises:
            ValueError: If the groups do not match.

        Example:
            >>> weight = torch.zeros(2, requires_grad=True)
            >>> saved = torch.optim.SGD([weight], lr=0.1, momentum=0.9).state_dict()
            >>> optimizer = torch.optim.SGD([weight], lr=1.0)
            >>> optimizer.load_state_dict(saved)
            >>> optimizer.param_groups[0]["lr"], optimizer.param_groups[0]["momentum"]
            (0.1, 0.9)
        """
        state_dict = dict(state_dict)
        for hook in self._optimizer_load_state_dict_pre_hooks.values():
            replaced = hook(self, state_dict)
            if replaced is not None:
                state_dict = replaced
        saved = deepcopy(state_dict["param_groups"])
        current = self.param_groups
        if len(current) != len(saved):
            raise ValueError("loaded state dict has a different number of parameter groups")
        if any(len(a["params"]) != len(b["params"]) for a, b in zip(current, saved, strict=True)):
            raise ValueError(
                "loaded state dict contains a parameter group that doesn't match the size of "
                "optimizer's group"
            )
        numbers = chain.from_iterable(group["params"] for group in saved)
        parameters = chain.from_iterable(group["params"] for group in current)
        by_number = dict(zip(numbers, parameters, strict=True))
        state: defaultdict[Any, Any] = defaultdict(dict)
        for key, value in state_dict["state"].items():
            parameter = by_number.get(key)
            state[key if parameter is None else parameter] = (
                value if parameter is None else _match_parameter(parameter, value)
            )
        for current_group, group in zip(current, saved, strict=True):
            group["params"] = current_group["params"]
            if "param_names" in current_group and "param_names" not in group:
                group["param_names"] = current_group["param_names"]
        self.__setstate__({"state": state, "param_groups": saved})
        for hook in self._optimizer_load_state_dict_post_hooks.values():
            hook(self)


def _match_parameter(parameter: Tensor, value: Any, key: str = "") -> Any:
    """Return state with its tensors on the parameter's device and in its dtype.

    Step counters keep their device and become float32.
    """
    if isinstance(value, Tensor):
        if key == "step":
            return value if value.dtype == torch.float32 else value.to(torch.float32)
        if parameter.is_floating_point():
            return value.to(dtype=parameter.dtype, device=parameter.device)
        return value.to(device=parameter.device)
    if isinstance(value, dict):
        return {name: _match_parameter(parameter, item, name) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(_match_parameter(parameter, item) for item in value)
    return value


_publish_all(globals(), ("register_optimizer_step_post_hook", "register_optimizer_step_pre_hook"))
