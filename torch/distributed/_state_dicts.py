"""State dicts by the names of parameters, of one process: torch.distributed.checkpoint.state_dict.

Nothing is sharded here, so a full state dict is the local one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.nn import Module
from torch.optim import Optimizer

_HOME = "torch.distributed.checkpoint.state_dict"
StateDict = dict[str, Any]
Optimizers = Optimizer | Iterable[Optimizer]


@dataclass
class StateDictOptions:
    """What state dicts hold, and how they are read.

    Args:
        full_state_dict: Whether they are whole, which they always are in one process; tensors
            without memory are then replaced when a state dict is read.
        cpu_offload: Whether their tensors are on the CPU.
        ignore_frozen_params: Whether parameters that require no gradient are left out.
        keep_submodule_prefixes: Whether the names in submodules start with theirs.
        strict: Whether names must match when a state dict is read.
        broadcast_from_rank0: Whether other processes get the first one's; there are none.
        flatten_optimizer_state_dict: Whether states of optimizers have one level, as
            ``state.NAME.KEY`` and ``param_groups.NAME.KEY``.
        dsd_fqn_modifiers: Ignored.
    """

    full_state_dict: bool = False
    cpu_offload: bool = False
    ignore_frozen_params: bool = False
    keep_submodule_prefixes: bool = True
    strict: bool = True
    broadcast_from_rank0: bool = False
    flatten_optimizer_state_dict: bool = False
    dsd_fqn_modifiers: str = "_fqn_modifiers"


def _checked(options: StateDictOptions | None) -> StateDictOptions:
    options = options or StateDictOptions()
    if options.broadcast_from_rank0:
        if not options.full_state_dict:
            raise ValueError("full_state_dict must be True when broadcast_from_rank0 is True.")
        raise ValueError(
            "Default process group has not been initialized, please make sure to call "
            "init_process_group."
        )
    return options


def _list_of(optimizers: Optimizers) -> list[Optimizer]:
    return [optimizers] if isinstance(optimizers, Optimizer) else list(optimizers)


def _names(model: Module) -> dict[Tensor, str]:
    return {parameter: name for name, parameter in model.named_parameters()}


# ---- models
def get_model_state_dict(
    model: Module,
    *,
    submodules: set[Module] | None = None,
    options: StateDictOptions | None = None,
) -> StateDict:
    """Return the state dict of a model.

    Args:
        model: The model.
        submodules: The submodules whose states are wanted; all if None.
        options: What it holds.

    Raises:
        ValueError: If the options ask for other processes.
    """
    options = _checked(options)
    state = model.state_dict()
    if options.ignore_frozen_params:
        for name, parameter in model.named_parameters():
            if not parameter.requires_grad:
                state.pop(name, None)
    if submodules:
        state = _of_submodules(model, state, submodules, options.keep_submodule_prefixes)
    if options.cpu_offload:
        for name, value in state.items():
            state[name] = value.cpu() if isinstance(value, Tensor) else value
    return state


def _of_submodules(
    model: Module, state: StateDict, submodules: set[Module], keep_prefixes: bool
) -> StateDict:
    found: StateDict = {}
    for path, module in model.named_modules():
        if module in submodules:
            for name, value in state.items():
                if name.startswith(f"{path}."):
                    found[name if keep_prefixes else name.removeprefix(f"{path}.")] = value
    return found


def set_model_state_dict(
    model: Module,
    model_state_dict: dict[Any, Any],
    *,
    options: StateDictOptions | None = None,
) -> Any:
    """Read the state dict of a model.

    Args:
        model: The model.
        model_state_dict: The state dict, or state dicts by submodule.
        options: How it is read.

    Returns:
        The names that are missing and those that are unexpected.

    Raises:
        ValueError: If the options ask for other processes.
        RuntimeError: If names or shapes do not match.
    """
    options = _checked(options)
    state: StateDict = {}
    paths = {module: path for path, module in model.named_modules()}
    for key, value in model_state_dict.items():
        if isinstance(key, Module):
            prefix = f"{paths[key]}." if paths[key] else ""
            state.update({f"{prefix}{name}": each for name, each in value.items()})
        else:
            state[key] = value
    assign = options.full_state_dict and any(
        isinstance(value, Tensor) and value.is_meta for value in model.state_dict().values()
    )
    return model.load_state_dict(state, strict=options.strict, assign=assign)


# ---- optimizers
def _init_optim_state(optim: Optimizer) -> None:
    """Create the state of an optimizer that has not made a step, by one that changes nothing."""
    parameters = [p for group in optim.param_groups for p in group["params"]]
    if optim.state or any(parameter.grad is not None for parameter in parameters):
        return
    rates = [group["lr"] for group in optim.param_groups]
    for parameter in parameters:
        if parameter.requires_grad:
            parameter.grad = torch.zeros_like(parameter)
    try:
        for group in optim.param_groups:
            group["lr"] = torch.zeros_like(group["lr"]) if isinstance(group["lr"], Tensor) else 0.0
        optim.step(closure=None)
    finally:
        for group, rate in zip(optim.param_groups, rates, strict=True):
            group["lr"] = rate
        optim.zero_grad(set_to_none=True)


def get_optimizer_state_dict(
    model: Module,
    optimizers: Optimizers,
    *,
    submodules: set[Module] | None = None,
    options: StateDictOptions | None = None,
) -> StateDict:
    """Return the state dict of optimizers, with the names of the model's parameters.

    Args:
        model: The model.
        optimizers: An optimizer, or several.
        submodules: Ignored, as by PyTorch in one process.
        options: What it holds.

    Raises:
        ValueError: If the options ask for other processes.
    """
    options = _checked(options)
    names = _names(model)
    states: StateDict = {}
    groups: list[StateDict] = []
    for optimizer in _list_of(optimizers):
        _init_optim_state(optimizer)
        for parameter, state in optimizer.state.items():
            states[names[parameter]] = {
                key: value.cpu() if options.cpu_offload and isinstance(value, Tensor) else value
                for key, value in state.items()
            }
        for group in optimizer.param_groups:
            settings = {key: value for key, value in group.items() if key != "params"}
            groups.append({**settings, "params": [names[each] for each in group["params"]]})
    found = {"state": states, "param_groups": groups}
    return dict(_flat(found)) if options.flatten_optimizer_state_dict else found


def _flat(found: StateDict) -> Iterator[tuple[str, Any]]:
    for name, state in found["state"].items():
        for key, value in state.items():
            yield f"state.{name}.{key}", value
    for group in found["param_groups"]:
        for name in group["params"]:
            for key, value in group.items():
                if key != "params":
                    yield f"param_groups.{name}.{key}", value


def _raised(optimizer: Optimizer, names: dict[Tensor, str], flat: StateDict) -> StateDict:
    """Return the two levels of what `_flat` made, for one optimizer."""
    states: StateDict = {}
    groups = []
    for group in optimizer.param_groups:
        named = [names[each] for each in group["params"]]
        for name in named:
            prefix = f"state.{name}."
            state = {k.removeprefix(prefix): v for k, v in flat.items() if k.startswith(prefix)}
            if state:
                states[name] = state
        settings = {
            key: flat.get(f"param_groups.{named[0]}.{key}", value)
            for key, value in group.items()
            if named and key != "params"
        }
        groups.append({**settings, "params": named})
    return {"state": states, "param_groups": groups}


def set_optimizer_state_dict(
    model: Module,
    optimizers: Optimizers,
    optim_state_dict: StateDict,
    *,
    options: StateDictOptions | None = None,
) -> None:
    """Read the state dict of optimizers, which has the names of the model's parameters.

    Args:
        model: The model.
        optimizers: An optimizer, or several.
        optim_state_dict: What `get_optimizer_state_dict` returned.
        options: How it is read.

    Raises:
        ValueError: If the options ask for other processes.
        RuntimeError: If it is empty, or lacks the state of a parameter.
    """
    options = _checked(options)
    if not optim_state_dict:
        raise RuntimeError(
            "The option indicates that model state_dict is required to save, or load but optim "
            f"state_dict is empty. {optim_state_dict}"
        )
    names = _names(model)
    for optimizer in _list_of(optimizers):
        _init_optim_state(optimizer)
        given = optim_state_dict
        if options.flatten_optimizer_state_dict:
            given = _raised(optimizer, names, optim_state_dict)
        optimizer.load_state_dict(_numbered(optimizer, names, given, options.strict))


def _numbered(
    optimizer: Optimizer, names: dict[Tensor, str], given: StateDict, strict: bool
) -> StateDict:
    """Return the state dict of one optimizer as it numbers its parameters."""
    groups_by_name = {name: group for group in given["param_groups"] for name in group["params"]}
    result = optimizer.state_dict()
    for group, numbered in zip(optimizer.param_groups, result["param_groups"], strict=True):
        for parameter, number in zip(group["params"], numbered["params"], strict=True):
            name = names[parameter]
            if name in groups_by_name:
                found = {k: v for k, v in groups_by_name[name].items() if k != "params"}
                numbered.update(found)
            if number not in result["state"]:
                continue
            if name in given["state"]:
                result["state"][number] = given["state"][name]
            elif strict and parameter.requires_grad:
                raise RuntimeError(
                    f"Missing optimizer state for parameter '{name}' in checkpoint. The parameter "
                    "requires gradients but has no saved optimizer state. To load anyway, use "
                    "StateDictOptions(strict=False)."
                )
    return result


# ---- both
def get_state_dict(
    model: Module,
    optimizers: Optimizers,
    *,
    submodules: set[Module] | None = None,
    options: StateDictOptions | None = None,
) -> tuple[StateDict, StateDict]:
    """Return the state dicts of a model and of its optimizers; see the functions for each."""
    optimizers = _list_of(optimizers)
    return (
        get_model_state_dict(model, submodules=submodules, options=options),
        get_optimizer_state_dict(model, optimizers, options=options) if optimizers else {},
    )


def set_state_dict(
    model: Module,
    optimizers: Optimizers,
    *,
    model_state_dict: dict[Any, Any],
    optim_state_dict: StateDict,
    options: StateDictOptions | None = None,
) -> Any:
    """Read the state dicts of a model and of its optimizers; see the functions for each.

    Returns:
        The names that the model's lacks, and those that are unexpected there.
    """
    optimizers = _list_of(optimizers)
    if optimizers:
        set_optimizer_state_dict(model, optimizers, optim_state_dict, options=options)
    return set_model_state_dict(model, model_state_dict, options=options)


DEFINITIONS = {
    function.__name__: function
    for function in (
        StateDictOptions,
        _init_optim_state,
        get_model_state_dict,
        get_optimizer_state_dict,
        get_state_dict,
        set_model_state_dict,
        set_optimizer_state_dict,
        set_state_dict,
    )
}
for _definition in DEFINITIONS.values():
    _definition.__module__ = _HOME
