"""torch.utils._pytree: the types that are nodes, and specifications as text."""

from __future__ import annotations

import pickle
import subprocess
import sys

import torch
from torch.utils import _pytree as pytree


def test_sizes_are_nodes() -> None:
    leaves, spec = pytree.tree_flatten((torch.Size([2, 3]), [4]))
    assert leaves == [2, 3, 4]
    doubled = pytree.tree_unflatten([2 * x for x in leaves], spec)
    assert doubled == (torch.Size([4, 6]), [8]) and type(doubled[0]) is torch.Size


def test_results_with_names_are_nodes_without_an_import() -> None:
    program = """
import torch
from torch.utils import _pytree as pytree
result = pytree.tree_map(lambda t: t + 1, torch.ones(2, 2).max(0))
assert type(result) is torch.return_types.max, type(result)
assert result.values.tolist() == [2, 2] and result.indices.tolist() == [1, 1]
"""
    subprocess.run([sys.executable, "-c", program], check=True)


def test_specifications_show_a_child_per_line() -> None:
    spec = pytree.tree_structure([1, (2, {"a": 3})])
    assert repr(spec) == (
        "TreeSpec(list, None, [*,\n  TreeSpec(tuple, None, [*,\n    TreeSpec(dict, ['a'], [*])])])"
    )


def test_specifications_of_leaves_are_recognized() -> None:
    leaf, tree = pytree.treespec_leaf(), pytree.tree_structure((1, [2]))
    assert isinstance(leaf, pytree.LeafSpec) and not isinstance(tree, pytree.LeafSpec)
    assert pytree.LeafSpec() == leaf and issubclass(pytree.LeafSpec, pytree.TreeSpec)
    assert pytree.TreeSpec.__module__ == "torch.utils._pytree"
    assert pickle.loads(pickle.dumps(tree)) == tree
