"""The lists and dictionaries that are arguments of nodes: a change must go through the node."""

from torch.utils import _pytree as pytree

__all__ = ["immutable_dict", "immutable_list"]


def _refuse(self, *args, **kwargs):
    raise NotImplementedError(
        f"'{type(self).__name__}' object does not support mutation. If you are attempting to "
        "modify the kwargs or args of a torch.fx.Node object, instead create a new copy of it and "
        "assign the copy to the node: new_args = ... # copy and mutate args; node.args = new_args"
    )


class immutable_list(list):
    """A list that cannot be changed.

    Example:
        >>> from torch.fx.immutable_collections import immutable_list
        >>> immutable_list([1, 2])
        [1, 2]
    """

    append = clear = extend = insert = pop = remove = reverse = sort = _refuse
    __delitem__ = __setitem__ = __iadd__ = __imul__ = _refuse

    def __hash__(self):
        return hash(tuple(self))

    def __reduce__(self):
        return immutable_list, (tuple(self),)


class immutable_dict(dict):
    """A dictionary that cannot be changed.

    Example:
        >>> from torch.fx.immutable_collections import immutable_dict
        >>> immutable_dict({"a": 1})
        {'a': 1}
    """

    clear = pop = popitem = setdefault = update = _refuse
    __delitem__ = __setitem__ = __ior__ = _refuse

    def __hash__(self):
        return hash(frozenset(self.items()))

    def __reduce__(self):
        return immutable_dict, (tuple(self.items()),)


pytree.register_pytree_node(
    immutable_list,
    lambda items: (list(items), None),
    lambda items, _: immutable_list(items),
    serialized_type_name="torch.fx.immutable_collections.immutable_list",
    flatten_with_keys_fn=pytree._list_flatten_with_keys,
)
pytree.register_pytree_node(
    immutable_dict,
    lambda found: (list(found.values()), list(found)),
    lambda values, keys: immutable_dict(zip(keys, values, strict=True)),
    serialized_type_name="torch.fx.immutable_collections.immutable_dict",
    flatten_with_keys_fn=pytree._dict_flatten_with_keys,
)
