"""The states of the observers of a model, apart from its parameters."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

from torch import nn

_MARK = "activation_post_process"


def get_observer_state_dict(mod: nn.Module) -> OrderedDict[str, Any]:
    """Return the entries of a state dictionary that belong to observers of results.

    Args:
        mod: A model that `prepare` returned.

    Example:
        >>> model = torch.ao.quantization.QuantWrapper(nn.Linear(2, 2))
        >>> model.qconfig = torch.ao.quantization.default_qconfig
        >>> observed = torch.ao.quantization.prepare(model)
        >>> len(torch.ao.quantization.get_observer_state_dict(observed))
        6
    """
    states: Any = mod.state_dict()
    found: Any = OrderedDict((key, value) for key, value in states.items() if _MARK in key)
    found._metadata = states._metadata
    return found  # type: ignore[no-any-return]


def load_observer_state_dict(mod: nn.Module, obs_dict: dict[str, Any]) -> None:
    """Restore the states of the observers of a model.

    Args:
        mod: A model that `prepare` returned.
        obs_dict: What `get_observer_state_dict` returned.

    Raises:
        RuntimeError: If an observer has no entry, or an entry no observer.

    Example:
        >>> model = torch.ao.quantization.QuantWrapper(nn.Linear(2, 2))
        >>> model.qconfig = torch.ao.quantization.default_qconfig
        >>> observed = torch.ao.quantization.prepare(model)
        >>> states = torch.ao.quantization.get_observer_state_dict(observed)
        >>> torch.ao.quantization.load_observer_state_dict(observed, states)
    """
    result = mod.load_state_dict(obs_dict, strict=False)
    missing = [key for key in result.missing_keys if _MARK in key]
    for what, keys in (("Missing", missing), ("Unexpected", result.unexpected_keys)):
        if keys:
            raise RuntimeError(f"{what} keys for observer {keys} in state_dict")
