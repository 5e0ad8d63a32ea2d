"""The graph of a data pipe, and the settings of all its pipes."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest

import torch
from torch.utils.data.datapipes.iter import FileLister, FileOpener, IterableWrapper, StreamReader
from torch.utils.data.datapipes.iter.sharding import SHARDING_PRIORITIES
from torch.utils.data.datapipes.utils import common
from torch.utils.data.graph import traverse, traverse_dps
from torch.utils.data.graph_settings import (
    apply_random_seed,
    apply_sharding,
    apply_shuffle_settings,
    get_all_graph_pipes,
)


def shape_of(graph: Any) -> Any:
    return {repr(pipe): shape_of(below) for pipe, below in graph.values()}


def test_graphs_have_the_sources_of_all_pipes() -> None:
    source = IterableWrapper(range(4))
    left, right = source.fork(2)
    last = left.zip(right.map(lambda x: x)).shuffle()
    zipped = shape_of(traverse_dps(last))["ShufflerIterDataPipe"]["ZipperIterDataPipe"]
    assert zipped["MapperIterDataPipe"]
    assert sum(pipe is source for pipe in get_all_graph_pipes(traverse_dps(last))) == 1


def test_sources_inside_other_values_are_found_unless_excluded() -> None:
    class Holder(torch.utils.data.IterDataPipe):  # type: ignore[misc]
        def __init__(self, source: Any) -> None:
            self.sources = {"first": [source]}

    pipe = Holder(IterableWrapper([1]))
    assert len(get_all_graph_pipes(traverse_dps(pipe))) == 2
    with pytest.warns(FutureWarning, match="traverse_dps"):
        assert len(get_all_graph_pipes(traverse(pipe, only_datapipe=True))) == 1


def test_other_objects_have_no_graph() -> None:
    with pytest.raises(RuntimeError, match="Expected `IterDataPipe` or `MapDataPipe`"):
        traverse_dps(3)


def test_seeds_give_pytorchs_order() -> None:
    pipe = IterableWrapper(range(10)).shuffle()
    apply_random_seed(pipe, torch.Generator().manual_seed(3))
    assert list(pipe) == [3, 4, 8, 2, 7, 9, 6, 0, 1, 5]  # PyTorch 2.13


def test_shuffling_is_switched_off_and_added() -> None:
    pipe = IterableWrapper(range(5)).shuffle()
    assert list(apply_shuffle_settings(pipe, False)) == list(range(5))
    with pytest.warns(UserWarning, match="does not contain a `Shuffler`"):
        added = apply_shuffle_settings(IterableWrapper(range(5)), True)
    assert repr(added) == "ShufflerIterDataPipe"


def test_sharding_applies_once_to_a_branch() -> None:
    pipe = IterableWrapper(range(5)).sharding_filter()
    assert list(apply_sharding(pipe, 2, 1)) == [1, 3]
    with pytest.raises(RuntimeError, match="Sharding twice"):
        apply_sharding(pipe.sharding_filter(), 2, 1)


def test_groups_of_workers_multiply() -> None:
    seen = []
    for machine in range(2):
        for worker in range(3):
            pipe = IterableWrapper(range(12)).sharding_filter()
            pipe.apply_sharding(2, machine, SHARDING_PRIORITIES.DISTRIBUTED)
            pipe.apply_sharding(3, worker, SHARDING_PRIORITIES.MULTIPROCESSING)
            seen.append(list(pipe))
    assert sorted(item for items in seen for item in items) == list(range(12))
    assert len(seen[0]) == 2
    with pytest.raises(RuntimeError, match="cannot mix"):
        pipe.apply_sharding(2, 0)


def test_files_are_listed_opened_and_read(tmp_path: Path) -> None:
    (tmp_path / "b.txt").write_text("bb")
    (tmp_path / "a.txt").write_text("aaa")
    (tmp_path / "c.bin").write_text("c")
    opened = FileOpener(FileLister(str(tmp_path), "*.txt"), mode="r")
    parts = list(StreamReader(opened, chunk=2))
    assert [(Path(path).name, part) for path, part in parts] == [
        ("a.txt", "aa"),
        ("a.txt", "a"),
        ("b.txt", "bb"),
    ]


def test_a_parent_stream_closes_with_its_last_child() -> None:
    parent = common.StreamWrapper(io.StringIO("x"))
    children = [common.StreamWrapper(io.StringIO("y"), parent) for _ in range(2)]
    parent.autoclose()
    assert not parent.closed
    for child in children:
        child.close()
    assert parent.closed


@pytest.mark.parametrize(
    ("function", "column", "message"),
    [
        (lambda a, b: a, None, "takes 2 positional parameters, but 1 are required"),
        (lambda a: a, [0, 1], "takes 1 parameters, but 2 are required"),
        (lambda a, *, k: a, 0, "1 non-default keyword-only parameters"),
    ],
)
def test_functions_must_take_the_columns(function: Any, column: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        common.validate_input_col(function, column)
