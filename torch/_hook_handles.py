"""The handles of hooks, below everything that has hooks; torch.utils.hooks is their public place."""

import warnings
import weakref


class RemovableHandle:
    """Removes a hook from the dictionary that it was registered in.

    `extra_dict` names one dictionary, or several, that hold options under the same id.
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
        """Takes the hook out; doing so twice is no error."""
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
        # A dictionary that is gone is stood for by one that nobody looks at.
        self.hooks_dict_ref = weakref.ref({} if hooks is None else hooks)
        extras = rest[0] if rest else ()
        self.extra_dict_ref = tuple(weakref.ref({} if d is None else d) for d in extras)


def unserializable_hook(f):
    """Marks a hook that pickling leaves out on purpose, without a warning."""
    f.__torch_unserializable__ = True
    return f


def warn_if_has_hooks(tensor):
    """Warns for each hook of the tensor that pickling it will lose."""
    for hook in (tensor._backward_hooks or {}).values():
        if not hasattr(hook, "__torch_unserializable__"):
            warnings.warn(
                f"backward hook {hook!r} on tensor will not be serialized.  If this is expected, "
                "you can decorate the function with @torch.utils.hooks.unserializable_hook to "
                "suppress this warning",
                stacklevel=2,
            )
