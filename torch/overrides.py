"""The __torch_function__ protocol: types and modes that handle calls of torch's functions."""

from torch import _ops
from torch._published import publish_all
from torch._torch_function import (  # noqa: F401 (programs also use names that are not in __all__)
    BaseTorchFunctionMode,
    TorchFunctionMode,
    _get_current_function_mode,
    _get_current_function_mode_stack,
    _get_overloaded_args,
    _pop_mode_temporarily,
    enable_reentrant_dispatch,
    get_default_nowrap_functions,
    handle_torch_function,
    has_torch_function,
    has_torch_function_unary,
    has_torch_function_variadic,
    is_tensor_like,
    redispatch_function,
    wrap_torch_function,
)

__all__ = [
    "enable_reentrant_dispatch",
    "get_ignored_functions",
    "get_overridable_functions",
    "get_testing_overrides",
    "handle_torch_function",
    "has_torch_function",
    "is_tensor_like",
    "is_tensor_method_or_property",
    "redispatch_function",
    "resolve_name",
    "wrap_torch_function",
]


def get_overridable_functions():
    """Return the functions that can be overridden, by namespace.

    Returns:
        A dictionary from modules and classes to lists of functions.

    Example:
        >>> functions = torch.overrides.get_overridable_functions()
        >>> torch.add in functions[torch]
        True
    """
    from torch import _overridable

    return {namespace: list(found) for namespace, found in _overridable.functions().items()}


def get_ignored_functions():
    """Return the public functions that cannot be overridden.

    Example:
        >>> torch.is_tensor in torch.overrides.get_ignored_functions()
        True
    """
    from torch import _overridable

    return set(_overridable.ignored())


def get_testing_overrides():
    """Return a function with a matching signature for every function that can be overridden.

    The functions return -1.

    Example:
        >>> import inspect
        >>> overrides = torch.overrides.get_testing_overrides()
        >>> inspect.signature(overrides[torch.nn.functional.relu])
        <Signature (input, inplace=False)>
    """
    from torch import _overridable

    return _overridable.testing_overrides()


def is_tensor_method_or_property(func):
    """Return whether a function is a method, or the getter of a property, of torch.Tensor.

    Example:
        >>> torch.overrides.is_tensor_method_or_property(torch.Tensor.add)
        True
        >>> torch.overrides.is_tensor_method_or_property(torch.add)
        False
    """
    from torch import _overridable

    return func.__name__ == "__get__" or func in _overridable.tensor_methods()


def resolve_name(f):
    """Return a name by which a function can be found; None for a function that is not torch's.

    Example:
        >>> torch.overrides.resolve_name(torch.Tensor.add)
        'torch.Tensor.add'
    """
    if isinstance(f, (_ops.OpOverload, _ops.OpOverloadPacket)):
        return str(f)
    from torch import _overridable

    return _overridable.names().get(f) or _overridable.name_in_module(f)


publish_all(globals(), __all__)
