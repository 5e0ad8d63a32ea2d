"""The base of what chooses zeros: it finds the layers, gives them masks, and makes the zeros final."""

from __future__ import annotations

import abc
import copy
from collections import defaultdict
from collections.abc import Collection
from typing import Any

import torch
from torch import nn
from torch.ao.pruning.sparsifier.utils import (
    FakeSparsity,
    get_arg_info_from_tensor_fqn,
    module_contains_param,
    module_to_fqn,
    swap_module,
)
from torch.nn.utils import parametrize
from torch.nn.utils.parametrize import type_before_parametrizations

__all__ = ["BaseSparsifier"]

_OWN_KEYS = ("module", "module_fqn", "tensor_name")  # found again from "tensor_fqn"


class BaseSparsifier(abc.ABC):
    """Base class of sparsifiers; a subclass defines `update_mask`.

    Args:
        defaults: The settings of layers that the configuration does not give.

    Example:
        >>> from torch.ao.pruning import BaseSparsifier
        >>> class FirstRow(BaseSparsifier):
        ...     def update_mask(self, module, tensor_name, rows, **settings):
        ...         getattr(module.parametrizations, tensor_name)[0].mask[rows:] = 0
        >>> model = nn.Sequential(nn.Linear(2, 2))
        >>> sparsifier = FirstRow({"rows": 1})
        >>> sparsifier.prepare(model, config=None)
        >>> sparsifier.step()
        >>> (model[0].weight == 0)[1]
        tensor([True, True])
        >>> sparsifier.squash_mask()
        >>> model
        Sequential(
          (0): Linear(in_features=2, out_features=2, bias=True)
        )
    """

    def __init__(self, defaults: dict[str, Any] | None = None) -> None:
        super().__init__()
        self.defaults: dict[str, Any] = defaults or {}
        self.state: dict[str, dict[str, Any]] = defaultdict(dict)
        self.groups: list[dict[str, Any]] = []
        self.enable_mask_update = True

    def __getstate__(self) -> dict[str, Any]:
        return {"defaults": self.defaults, "state": self.state, "groups": self.groups}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)

    def __repr__(self) -> str:
        text = type(self).__name__ + " ("
        for number, group in enumerate(self.groups):
            text += f"\n\tGroup {number}\n"
            text += "".join(
                f"\t    {key}: {group[key]}\n" for key in sorted(group) if key != "params"
            )
        return text + ")"

    def state_dict(self) -> dict[str, Any]:
        """Return the state and the settings, without the modules."""
        groups = [
            {key: value for key, value in group.items() if key not in _OWN_KEYS}
            for group in self.groups
        ]
        return {"state": self.state, "groups": groups}

    def load_state_dict(self, state_dict: dict[str, Any], strict: bool = True) -> None:
        """Take over the result of `state_dict`.

        Args:
            state_dict: The state.
            strict: Whether a tensor that is not in this sparsifier's model is an error.
        """
        groups = copy.deepcopy(state_dict["groups"])
        states = state_dict["state"]
        for name, state in states.items():
            info = get_arg_info_from_tensor_fqn(self.model, name)
            module, tensor = info["module"], info["tensor_name"]
            if strict and module is None:
                raise RuntimeError(f"Error loading {name} into the model")
            found = next(
                (p for p in module.parametrizations[tensor] if isinstance(p, FakeSparsity)), None
            )
            if found is None:
                found = FakeSparsity(torch.ones(getattr(module, tensor).shape))
                parametrize.register_parametrization(module, tensor, found)
            if state.get("mask", None) is not None:
                found.mask = state["mask"]
        for group in groups:
            group.update(get_arg_info_from_tensor_fqn(self.model, group["tensor_fqn"]))
        self.__setstate__({"state": states, "groups": groups})

    def make_config_from_model(
        self, model: nn.Module, SUPPORTED_MODULES: Collection[type[nn.Module]] = (nn.Linear,)
    ) -> None:
        """Make a configuration of the weights of all layers of some classes.

        Args:
            model: The model.
            SUPPORTED_MODULES: The classes.
        """
        self.config: list[dict[str, Any]] = [
            {"tensor_fqn": f"{module_to_fqn(model, module)}.weight".lstrip(".")}
            for parent in model.modules()
            for module in parent.children()
            if type(module) in SUPPORTED_MODULES
        ]

    def prepare(self, model: nn.Module, config: list[dict[str, Any]] | None) -> None:
        """Give the weights of a model masks, which are all ones at first.

        Args:
            model: The model, which is changed.
            config: One dictionary of settings for each weight, with the name of the weight as
                `"tensor_fqn"`; all weights of linear layers if None.
        """
        self.model = model
        self.config = config  # type: ignore[assignment]
        if self.config is None:
            self.make_config_from_model(model)
        for entry in self.config:
            if not isinstance(entry, dict):
                raise AssertionError(
                    "config elements should be dicts not modules i.e.:"
                    "[{`tensor_fqn`: `foo.bar.weight`}, {`tensor_fqn`: ... }, ...]"
                )
            name = entry.get("tensor_fqn")
            if name is None:
                raise AssertionError("tensor_fqn is a required argument in the sparsity config")
            group = {**self.defaults, **entry}
            for key, value in get_arg_info_from_tensor_fqn(model, name).items():
                if key in group and group[key] != value:
                    raise AssertionError(
                        f"Given both `{key}` and `tensor_fqn` in the config, it is expected them to "
                        f"agree!"
                    )
                group[key] = value
            self.groups.append(group)
        self._prepare()

    def _prepare(self, *args: Any, **kwargs: Any) -> None:
        for group in self.groups:
            module, tensor = group["module"], group["tensor_name"]
            mask = group.get("mask", torch.ones_like(getattr(module, tensor)))
            self.state[group["tensor_fqn"]]["mask"] = mask
            made = group.get("parametrization", FakeSparsity)(mask)
            parametrize.register_parametrization(module, tensor, made)

    def squash_mask(
        self,
        params_to_keep: tuple[str, ...] | None = None,
        params_to_keep_per_layer: dict[str, tuple[str, ...]] | None = None,
        *args: Any,
        **kwargs: Any,
    ) -> None:
        """Make the zeros part of the weights and remove the masks.

        Args:
            params_to_keep: The settings that each module keeps, in its attribute `sparse_params`.
            params_to_keep_per_layer: The settings that modules keep, by the name of the module.
            *args: Ignored.
            **kwargs: Ignored.
        """
        for group in self.groups:
            module, tensor = group["module"], group["tensor_name"]
            parametrize.remove_parametrizations(module, tensor, leave_parametrized=True)
            kept = {key: group[key] for key in params_to_keep or ()}
            per_layer = (params_to_keep_per_layer or {}).get(group["module_fqn"])
            kept.update({key: group[key] for key in per_layer or ()})
            if kept:
                module.sparse_params = kept

    def convert(
        self,
        module: nn.Module,
        mapping: dict[type[nn.Module], type[nn.Module]] | None = None,
        inplace: bool = False,
        parameterization: type[nn.Module] = FakeSparsity,
    ) -> nn.Module:
        """Replace the layers that have masks by layers of other classes.

        Args:
            module: The model.
            mapping: The classes, each with a `from_dense`.
            inplace: Whether the model itself is changed.
            parameterization: The class of the masks.

        Raises:
            NotImplementedError: Without a mapping.
        """
        if mapping is None:
            raise NotImplementedError("Need to auto generate mapping ")
        if not inplace:
            module = copy.deepcopy(module)
        replaced = {}
        for name, child in module.named_children():
            if (
                module_contains_param(child, parameterization)
                and type_before_parametrizations(child) in mapping
            ):
                replaced[name] = swap_module(child, mapping)
            else:
                replaced[name] = self.convert(
                    child, mapping=mapping, inplace=True, parameterization=parameterization
                )
        for name, child in replaced.items():
            module._modules[name] = child
        return module

    def step(self, use_path: bool = True) -> None:
        """Choose the zeros of each weight again."""
        if not self.enable_mask_update:
            return
        with torch.no_grad():
            for group in self.groups:
                self.update_mask(**group)

    @abc.abstractmethod
    def update_mask(self, module: nn.Module, tensor_name: str, **kwargs: Any) -> None:
        """Write the mask of a weight.

        Args:
            module: The module that has the weight.
            tensor_name: The name of the weight.
            **kwargs: The other settings of this weight.
        """
