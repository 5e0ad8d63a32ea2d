"""Modules of PyTorch's names are there: as attributes after `import torch`, and with the same objects."""

from __future__ import annotations

import importlib
import pickle
import subprocess
import sys
from typing import Any

import pytest
from runtime.python.module_places import OTHERS, SAME

import torch
from torch.utils.data.datapipes import iter as pipes
from torch.utils.data.datapipes import map as keyed_pipes

NAMES = [*SAME, *(f"torch.{name}" for name in OTHERS.split())]


def test_submodules_are_attributes_of_their_packages() -> None:
    code = f"""
import torch
for name in {NAMES!r}:
    found = torch
    for part in name.split(".")[1:]:
        found = getattr(found, part)
    assert found.__name__ == name, (name, found)
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr


@pytest.mark.parametrize("name", NAMES)
def test_modules_can_be_imported(name: str) -> None:
    assert importlib.import_module(name).__name__ == name


@pytest.mark.parametrize("name", SAME)
def test_moved_modules_have_the_same_objects(name: str) -> None:
    home, names = SAME[name]
    for each in names.split():
        found = getattr(importlib.import_module(name), each)
        assert found is getattr(importlib.import_module(home), each)


def test_missing_submodules_are_attribute_errors() -> None:
    for package in (torch.nn, torch.utils, torch.fx.passes, torch.ao.quantization):
        assert not hasattr(package, "no_such_module")


def test_import_of_torch_reads_no_table_of_modules() -> None:
    code = (
        "import sys, torch; print([n for n in sys.modules if n.endswith(('_parts', '_modules'))])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "torch." not in run.stdout


@pytest.mark.parametrize(
    "name",
    [
        "torch.ao.quantization.fx.prepare.insert_observers_for_model",
        "torch.fx.passes.reinplace.reinplace",
        "torch.fx.experimental.merge_matmul.merge_matmul",
        "torch.jit.quantized.quantize_linear_modules",
        "torch.mps.profiler.start",
        "torch.profiler.itt.mark",
        "torch.utils.mkldnn.to_mkldnn",
        "torch.utils.mobile_optimizer.optimize_for_mobile",
    ],
)
def test_names_of_parts_that_are_off_raise_when_called(name: str) -> None:
    module, _, function = name.rpartition(".")
    with pytest.raises((RuntimeError, NotImplementedError)):
        getattr(importlib.import_module(module), function)(None)


PIPES: list[tuple[Any, str]] = [
    (pipes.Mapper, "iter.callable.MapperIterDataPipe"),
    (pipes.Shuffler, "iter.combinatorics.ShufflerIterDataPipe"),
    (pipes.ShardingFilter, "iter.sharding.ShardingFilterIterDataPipe"),
    (pipes.StreamReader, "iter.streamreader.StreamReaderIterDataPipe"),
    (keyed_pipes.Mapper, "map.callable.MapperMapDataPipe"),
    (keyed_pipes.Shuffler, "map.combinatorics.ShufflerIterDataPipe"),
]


@pytest.mark.parametrize(("cls", "path"), PIPES)
def test_pipes_have_the_names_that_pickles_contain(cls: Any, path: str) -> None:
    module, _, name = f"torch.utils.data.datapipes.{path}".rpartition(".")
    assert (cls.__module__, cls.__qualname__) == (module, name)
    assert getattr(importlib.import_module(module), name) is cls
    assert pickle.loads(pickle.dumps(cls)) is cls
