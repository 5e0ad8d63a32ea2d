"""Settings of how modules replace their parameters, which will be the default some day."""

from __future__ import annotations

_overwrite_module_params_on_conversion = False
_swap_module_params_on_conversion = False


def set_overwrite_module_params_on_conversion(value: bool) -> None:
    """Set whether conversions such as `module.double()` make new parameters.

    By default they change the data of the parameters that exist.

    Args:
        value: Whether to assign new parameters.

    Example:
        >>> torch.__future__.set_overwrite_module_params_on_conversion(True)
        >>> layer = nn.Linear(1, 1)
        >>> before = layer.weight
        >>> layer.double().weight is before
        False
        >>> torch.__future__.set_overwrite_module_params_on_conversion(False)
    """
    global _overwrite_module_params_on_conversion
    _overwrite_module_params_on_conversion = value


def get_overwrite_module_params_on_conversion() -> bool:
    """Return whether conversions of modules make new parameters.

    Example:
        >>> torch.__future__.get_overwrite_module_params_on_conversion()
        False
    """
    return _overwrite_module_params_on_conversion


def set_swap_module_params_on_conversion(value: bool) -> None:
    """Set whether modules exchange parameters with `torch.utils.swap_tensors`.

    It concerns conversions such as `module.to(...)`, and `load_state_dict`, which then asks
    `parameter.module_load(value, assign)` for the new contents. The parameters keep their identities,
    which optimizers rely on, also where their class changes.

    Args:
        value: Whether to exchange them.

    Example:
        >>> torch.__future__.set_swap_module_params_on_conversion(True)
        >>> layer = nn.Linear(1, 1)
        >>> before = layer.weight
        >>> layer.to("meta").weight is before
        True
        >>> torch.__future__.set_swap_module_params_on_conversion(False)
    """
    global _swap_module_params_on_conversion
    _swap_module_params_on_conversion = value


def get_swap_module_params_on_conversion() -> bool:
    """Return whether modules exchange parameters with `torch.utils.swap_tensors`.

    Example:
        >>> torch.__future__.get_swap_module_params_on_conversion()
        False
    """
    return _swap_module_params_on_conversion
