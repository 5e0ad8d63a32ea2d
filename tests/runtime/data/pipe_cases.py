"""Composed data sets, run on both libraries; see both.py."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).parents[1] / "nn"))

import both

import torch
from torch.utils.data import DataLoader, graph_settings
from torch.utils.data.graph import traverse_dps

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from torch.utils.data.datapipes.iter import IterableWrapper
    from torch.utils.data.datapipes.map import SequenceWrapper

CASES: dict[str, Callable[[], Any]] = {}
WORDS = ["a1", "b2", "a3", "c4", "b5", "a6"]


def ten() -> Any:
    """Return a pipe of ten numbers."""
    return IterableWrapper(range(10))


def seeded(make: Callable[[], Any]) -> Callable[[], Any]:
    """Return a case that seeds torch's generator first."""

    def case() -> Any:
        torch.manual_seed(5)
        return [item.tolist() if isinstance(item, torch.Tensor) else item for item in make()]

    return case


def split() -> Any:
    """Return what several readers of one pipe get."""
    first, second = IterableWrapper(range(5)).fork(2)
    even, odd = IterableWrapper(range(6)).demux(2, lambda x: x % 2)
    zipped = [list(pair) for pair in zip(first, second, strict=True)]
    return [zipped, list(first), list(second), list(first), list(first), list(odd), list(even)]


CASES["seeded order"] = lambda: list(ten().shuffle().set_seed(3))
CASES["order by torch's generator"] = seeded(lambda: ten().shuffle(buffer_size=3))
CASES["order of keys"] = lambda: list(SequenceWrapper(range(10)).shuffle().set_seed(3))
CASES["order of keys by torch's generator"] = seeded(lambda: SequenceWrapper(range(10)).shuffle())
for _name, _pipe in {"items": ten, "keys": lambda: SequenceWrapper(range(10))}.items():
    CASES[f"torch's generator after an order of {_name} with a seed"] = seeded(
        lambda pipe=_pipe: [*pipe().shuffle().set_seed(3), torch.rand(2)]
    )
CASES["fork and demux"] = split
CASES["columns"] = lambda: [
    list(IterableWrapper([(1, 2, 3), (4, 5, 6)]).map(lambda x, y: x + y, input_col=[0, 2])),
    list(IterableWrapper([(1, 2), (4, 5)]).map(lambda x: x * 10, input_col=0, output_col=-1)),
    list(IterableWrapper([{"a": 1}]).map(lambda x: x * 10, input_col="a", output_col="b")),
    list(IterableWrapper([(1, 2), (4, 5)]).filter(lambda x: x > 2, input_col=1)),
]
CASES["batches"] = lambda: [
    [list(batch) for batch in ten().batch(3)],
    [list(batch) for batch in ten().batch(3, drop_last=True)],
    list(ten().batch(2).batch(2).unbatch(-1)),
    [len(ten().batch(3)), len(ten().batch(3, drop_last=True)), len(ten().map(str))],
    [list(batch) for batch in SequenceWrapper(range(5)).batch(2)],
    list(ten().batch(4).collate()),
]
CASES["groups"] = lambda: [
    [list(x) for x in IterableWrapper(WORDS).groupby(lambda s: s[0], **options)]
    for options in (
        {},
        {"group_size": 2},
        {"group_size": 2, "drop_remaining": True, "guaranteed_group_size": 2},
        {"buffer_size": 4, "group_size": 3, "guaranteed_group_size": 2},
    )
]
CASES["joined"] = lambda: [
    list(ten().concat(ten())),
    list(ten().zip(IterableWrapper("abc"))),
    list(ten().mux(IterableWrapper("abc"))),
    list(SequenceWrapper("ab").concat(SequenceWrapper("c")).zip(SequenceWrapper(range(3)))),
    [len(ten().concat(ten())), len(ten().zip(IterableWrapper("abc")))],
]
for _shuffle in (None, False, True):
    CASES[f"loader, shuffle={_shuffle}"] = seeded(
        lambda shuffle=_shuffle: DataLoader(ten().shuffle(), batch_size=3, shuffle=shuffle)
    )
CASES["loader of keys"] = seeded(
    lambda: DataLoader(SequenceWrapper(range(8)).map(float), batch_size=3, shuffle=True)
)
CASES["workers"] = seeded(
    lambda: DataLoader(ten().shuffle().sharding_filter(), batch_size=2, num_workers=2)
)


def in_several_orders() -> Any:
    """Return a pipe with random orders at several places."""
    first, second = ten().shuffle(buffer_size=4).fork(2)
    return first.shuffle(buffer_size=5).zip(second.map(str).shuffle(buffer_size=3))


def with_settings(shuffle: bool | None) -> Any:
    """Return a pipe's items after its settings were changed by function."""
    pipe = graph_settings.apply_shuffle_settings(ten().shuffle(buffer_size=4).map(float), shuffle)
    pipe = graph_settings.apply_random_seed(pipe, torch.Generator().manual_seed(7))
    return graph_settings.apply_sharding(pipe.sharding_filter(), 3, 1)


def shape_of(graph: Any) -> list[Any]:
    """Return a graph of pipes as nested lists."""
    return [shape_of(sources) for _, sources in graph.values()]


CASES["loader of several orders"] = seeded(
    lambda: [tuple(pair) for pair in DataLoader(in_several_orders(), batch_size=None)]
)
for _shuffle in (None, False, True):
    CASES[f"settings, shuffle={_shuffle}"] = seeded(lambda shuffle=_shuffle: with_settings(shuffle))
CASES["order that is added"] = seeded(
    lambda: graph_settings.apply_shuffle_settings(ten(), shuffle=True)
)
CASES["graph"] = lambda: [
    shape_of(traverse_dps(ten().shuffle().zip(ten(), ten().map(str).batch(2)))),
    len(graph_settings.get_all_graph_pipes(traverse_dps(ten().map(str).zip(ten())))),
]
CASES["error: sharding twice"] = lambda: graph_settings.apply_sharding(
    ten().sharding_filter().sharding_filter(), 2, 0
)
CASES["error: graph of a number"] = lambda: traverse_dps(3)
CASES["error: empty batches"] = lambda: ten().batch(0)
CASES["error: several output columns"] = lambda: ten().map(str, input_col=0, output_col=[1, 2])
CASES["error: large guarantee"] = lambda: ten().groupby(str, group_size=2, guaranteed_group_size=3)
CASES["error: deep level"] = lambda: list(IterableWrapper([[1]]).unbatch(3))
CASES["error: unknown copy"] = lambda: ten().fork(2, copy="other")

if __name__ == "__main__":
    both.record(CASES)
