"""torch.utils._pytree: specifications as text, and the types that are nodes."""

from __future__ import annotations

import enum
import json
from collections import OrderedDict, defaultdict, deque, namedtuple
from collections.abc import Iterator
from typing import Any

import pytest

import torch
from torch.fx.immutable_collections import immutable_dict, immutable_list
from torch.utils import _pytree as pytree


class Color(enum.Enum):
    """Keys of a dictionary."""

    RED = 1


class Box:
    """A container of one value."""

    def __init__(self, value: Any) -> None:
        self.value = value


Named = namedtuple("Named", "a b")
pytree._register_namedtuple(Named, serialized_type_name="tests.Named")
TREES = [
    defaultdict(list, a=1),
    defaultdict(None, a=1),
    OrderedDict(a=1),
    Named(1, [2]),
    {Color.RED: 1, "b": (2, 3)},
    deque([1], maxlen=3),
    immutable_list([1, 2]),
    immutable_dict(a=1),
]


@pytest.fixture
def box() -> Iterator[type]:
    """Yield a type that may be registered."""
    yield Box
    pytree.SUPPORTED_NODES.pop(Box, None)


def register(cls: type, **options: Any) -> None:
    """Make the type a node."""
    pytree.register_pytree_node(
        cls, lambda b: ([b.value], "context"), lambda values, _: cls(*values), **options
    )


@pytest.mark.parametrize(
    "tree", TREES, ids=[type(tree).__name__ + str(i) for i, tree in enumerate(TREES)]
)
def test_specifications_can_be_written_and_read(tree: Any) -> None:
    spec = pytree.tree_structure(tree)
    assert pytree.treespec_loads(pytree.treespec_dumps(spec)) == spec
    assert len(pytree.tree_leaves_with_path(tree)) == spec.num_leaves


def test_results_of_operators_are_nodes() -> None:
    leaves, spec = pytree.tree_flatten(torch.max(torch.ones(2, 2), 0))
    assert [leaf.tolist() for leaf in leaves] == [[1, 1], [0, 0]]
    assert isinstance(pytree.tree_unflatten(leaves, spec), torch.return_types.max)


def test_children_are_printed_on_lines_of_their_own() -> None:
    spec = pytree.tree_structure((0, [0, 0, [0]]))
    assert repr(spec) == (
        "TreeSpec(tuple, None, [*,\n  TreeSpec(list, None, [*,\n    *,\n"
        "    TreeSpec(list, None, [*])])])"
    )


def test_contexts_are_converted(box: type) -> None:
    converted = {"to_dumpable_context": lambda c: ["moo", c]}
    with pytest.raises(ValueError, match="must be None or registered"):
        register(box, serialized_type_name="tests.Box", **converted)
    converted["from_dumpable_context"] = lambda dumped: dumped[1]
    register(box, serialized_type_name="tests.Box", **converted)
    spec = pytree.tree_structure(Box(1))
    assert json.loads(pytree.treespec_dumps(spec))[1]["context"] == ["moo", "context"]
    assert pytree.treespec_loads(pytree.treespec_dumps(spec)) == spec


def test_what_cannot_be_written_is_named(box: type) -> None:
    unnamed = namedtuple("unnamed", "a")
    with pytest.raises(NotImplementedError, match="Can't serialize TreeSpec of namedtuple"):
        pytree.treespec_dumps(pytree.tree_structure(unnamed(1)))
    with pytest.raises(
        TypeError, match="instance of PyTreeSpec but got item of type <class 'str'>"
    ):
        pytree.treespec_dumps("x")  # type: ignore[arg-type]
    spec = pytree.tree_structure([1])
    with pytest.raises(ValueError, match=r"Unknown protocol -1\. Available protocols: \[1\]"):
        pytree.treespec_dumps(spec, -1)
    register(box)
    with pytest.raises(NotImplementedError, match="No registered serialization name"):
        pytree.treespec_dumps(pytree.tree_structure(Box(1)))


def test_constants_need_an_equality_of_their_own(box: type) -> None:
    with pytest.raises(TypeError, match="non-default `__eq__`"):
        pytree.register_constant(box)


def test_the_old_way_to_register_is_deprecated(box: type) -> None:
    with pytest.warns(FutureWarning, match="register_pytree_node` instead"):
        pytree._register_pytree_node(box, lambda b: ([b.value], None), lambda v, _: Box(*v))
