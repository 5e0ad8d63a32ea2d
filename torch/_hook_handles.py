"""Handles of hooks, in a module without imports of torch; torch.utils.hooks exports them."""

import warnings
import weakref


class RemovableHandle:
    """Removes a hook from the dictionary in which it is registered.

    Used as a context manager, it removes the hook at the end of the block.

    Args:
        hooks_dict: The dictionary of hooks; the handle holds a weak reference to it.
        extra_dict: A dictionary, or several, with options of the hook under the same id.

    Example:
        >>> from collections import OrderedDict
        >>> hooks = OrderedDict()
        >>> handle = torch.utils.hooks.RemovableHandle(hooks)
        >>> hooks[handle.id] = print
        >>> handle.remove()
        >>> len(hooks)
        0
    """

    __module__ = "torch.utils.hooks"
    next_id = 0

    def __init__(self, hooks_dict, *, extra_dict=None):
        self.hooks_dict_ref = weakref.ref(hooks_dict)
        self.id = RemovableHandle.next_id
        RemovableHandle.next_id += 1
        if extra_dict is None:
            extra_dict = ()
        elif isinstance(extra_dict, dict):
            extra_dict = (extra_dict,)
        self.extra_dict_ref = tuple(map(weakref.ref, extra_dict))

    def remove(self):
        """Remove the hook. Further calls have no effect."""
        for reference in (self.hooks_dict_ref, *self.extra_dict_ref):
            hooks = reference()
            if hooks is not None:
                hooks.pop(self.id, None)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.remove()

    def __getstate__(self):
        return (self.hooks_dict_ref(), self.id, tuple(ref() for ref in self.extra_dict_ref))

    def __setstate__(self, state):
        hooks, self.id, *rest = state
        # An empty dictionary stands for one that no longer exists.
        self.hooks_dict_ref = weakref.ref({} if hooks is None else hooks)
        extras = rest[0] if rest else ()
        self.extra_dict_ref = tuple(weakref.ref({} if d is None else d) for d in extras)


def add_hook(hooks, hook, options=(), *, prepend=False):
    """Register a hook, and return the handle that removes it.

    Args:
        hooks: The dictionary of hooks, an OrderedDict.
        hook: The hook.
        options: Dictionaries that may get options of the hook under the handle's id.
        prepend: Whether the hook runs before the ones that are registered already.
    """
    handle = RemovableHandle(hooks, extra_dict=options)
    hooks[handle.id] = hook
    if prepend:
        hooks.move_to_end(handle.id, last=False)
    return handle


def unserializable_hook(f):
    """Decorate a hook to say that pickling may drop it without a warning.

    Args:
        f: The hook, which is returned.

    Example:
        >>> @torch.utils.hooks.unserializable_hook
        ... def hook(grad):
        ...     return grad * 2
        >>> x = torch.ones(1, requires_grad=True)
        >>> handle = x.register_hook(hook)
        >>> torch.utils.hooks.warn_if_has_hooks(x)
    """
    f.__torch_unserializable__ = True
    return f


def warn_if_has_hooks(tensor):
    """Warn about each hook that a tensor loses when it is pickled.

    Args:
        tensor: A tensor. Hooks marked by `unserializable_hook` do not count.

    Example:
        >>> import warnings
        >>> x = torch.ones(1, requires_grad=True)
        >>> handle = x.register_hook(print)
        >>> with warnings.catch_warnings(record=True) as caught:
        ...     warnings.simplefilter("always")
        ...     torch.utils.hooks.warn_if_has_hooks(x)
        >>> len(caught)
        1
    """
    for hook in (tensor._backward_hooks or {}).values():
        if not hasattr(hook, "__torch_unserializable__"):
            warnings.warn(
                f"backward hook {hook!r} on tensor will not be serialized.  If this is expected, "
                "you can decorate the function with @torch.utils.hooks.unserializable_hook to "
                "suppress this warning",
                stacklevel=2,
            )
