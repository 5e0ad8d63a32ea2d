"""Expandable segments, pools of memory, and allocators from shared libraries."""

from __future__ import annotations

import gc
import os
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest

import torch

MIB = 2**20

SOURCE = """
#include <cstddef>
#include <cuda_runtime_api.h>

static int allocated = 0, freed = 0;
extern "C" {
__attribute__((visibility("default"))) void* counted_alloc(ptrdiff_t size, int, cudaStream_t) {
  ++allocated;
  void* data = nullptr;
  return cudaMalloc(&data, static_cast<size_t>(size)) == cudaSuccess ? data : nullptr;
}
__attribute__((visibility("default"))) void counted_free(void* data, ptrdiff_t, int, cudaStream_t) {
  ++freed;
  cudaFree(data);
}
__attribute__((visibility("default"))) int count_allocated() { return allocated; }
__attribute__((visibility("default"))) int count_freed() { return freed; }
}
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a shared library with an allocator that counts its calls."""
    compiler = os.environ.get("CXX") or shutil.which("c++")
    if compiler is None:
        pytest.skip("needs a C++ compiler")
    folder = tmp_path_factory.mktemp("allocator")
    source, library = folder / "allocator.cpp", folder / "allocator.so"
    source.write_text(SOURCE)
    if torch.cuda.get_device_name(0).startswith("Emulated"):
        root = Path(__file__).resolve().parents[3]
        includes = [root, root / "c10" / "cuda" / "emulated" / "include"]
        libraries, runtime = Path(torch.__file__).parent / "lib", "cuda_emulation"
    else:
        from torch.utils.cpp_extension import CUDA_HOME

        includes, libraries = [Path(str(CUDA_HOME)) / "include"], Path(str(CUDA_HOME)) / "lib64"
        runtime = "cudart"
    flags = [f"-I{folder}" for folder in includes]
    links = [f"-L{libraries}", f"-l{runtime}", f"-Wl,-rpath,{libraries}"]
    command = [compiler, "-std=c++20", "-shared", "-fPIC", *flags, str(source), *links]
    command += ["-o", str(library)]
    subprocess.run(command, check=True)
    return library


def run_python(code: str, **variables: str) -> str:
    answer = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert answer.returncode == 0, answer.stderr
    return answer.stdout + answer.stderr


@pytest.fixture
def expandable() -> Iterator[None]:
    torch.cuda.empty_cache()
    torch.cuda.memory._set_allocator_settings("expandable_segments:True")
    yield
    torch.cuda.memory._set_allocator_settings("expandable_segments:False")
    torch.cuda.empty_cache()


def test_tensors_grow_in_one_expandable_segment(expandable: None) -> None:
    held = [torch.full((3 * MIB,), float(i), device="cuda") for i in range(4)]
    segments = [s for s in torch.cuda.memory_snapshot() if s["is_expandable"]]
    large = [s for s in segments if s["segment_type"] == "large"]
    assert len(large) == 1
    assert large[0]["total_size"] % (20 * MIB) == 0
    assert sum(block["size"] for block in large[0]["blocks"]) == large[0]["total_size"]
    assert [x[7].item() for x in held] == [0, 1, 2, 3]
    before = torch.cuda.memory_reserved()
    held[1:] = []
    torch.cuda.empty_cache()
    assert torch.cuda.memory_reserved() < before
    assert (held[0] == 0).all().item()


def test_the_variable_turns_expandable_segments_on() -> None:
    code = """
        import torch
        x = torch.ones(10, device="cuda")
        print([s["is_expandable"] for s in torch.cuda.memory_snapshot()], x.sum().item())
    """
    setting = {"PYTORCH_CUDA_ALLOC_CONF": "expandable_segments:True"}
    assert run_python(code, **setting).strip() == "[True] 10.0"


def test_a_driver_without_mapping_says_so_and_works() -> None:
    if not torch.cuda.get_device_name(0).startswith("Emulated"):
        pytest.skip("needs the emulated device, which can lack the mapping of memory")
    code = """
        import torch
        x = torch.ones(10, device="cuda")
        print([s["is_expandable"] for s in torch.cuda.memory_snapshot()], x.sum().item())
    """
    text = run_python(
        code,
        PYTORCH_CUDA_ALLOC_CONF="expandable_segments:True",
        CUDA_EMULATION_VIRTUAL_MEMORY="0",
    )
    assert "[False] 10.0" in text
    assert "expandable_segments are not available on CUDA device 0: the device does not" in text


def test_settings_are_checked() -> None:
    with pytest.raises(ValueError, match="expandable_segments is 'maybe', but must be True or F"):
        torch.cuda.memory._set_allocator_settings("expandable_segments:maybe")


# ---- pools


def test_a_pool_has_memory_of_its_own() -> None:
    pool = torch.cuda.MemPool()
    assert pool.use_count() == 1
    with torch.cuda.use_mem_pool(pool):
        assert pool.use_count() == 2
        inside = torch.ones(1000, device="cuda")
    outside = torch.ones(1000, device="cuda")
    assert pool.use_count() == 1
    (segment,) = pool.snapshot()
    start, end = segment["address"], segment["address"] + segment["total_size"]
    assert start <= inside.data_ptr() < end
    assert not start <= outside.data_ptr() < end
    address = inside.data_ptr()
    del inside
    again = torch.ones(1000, device="cuda")
    assert again.data_ptr() != address, "memory of a pool serves that pool only"
    with torch.cuda.use_mem_pool(pool):
        assert torch.empty(1000, device="cuda").data_ptr() == address


def test_the_memory_of_a_dead_pool_returns() -> None:
    torch.cuda.empty_cache()
    before = torch.cuda.memory_reserved()
    pool = torch.cuda.MemPool()
    with torch.cuda.use_mem_pool(pool):
        torch.ones(1000, device="cuda")
    torch.cuda.empty_cache()
    assert torch.cuda.memory_reserved() > before
    del pool
    gc.collect()
    assert torch.cuda.memory_reserved() == before


def test_other_threads_do_not_allocate_from_a_pool() -> None:
    from concurrent.futures import ThreadPoolExecutor

    pool = torch.cuda.MemPool()
    with ThreadPoolExecutor(1) as executor, torch.cuda.use_mem_pool(pool):
        executor.submit(torch.ones, 1000, device="cuda").result()
        assert pool.snapshot() == []


def test_a_graph_uses_a_pool() -> None:
    pool = torch.cuda.MemPool()
    x = torch.ones(100, device="cuda")
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, pool=pool.id):
        y = x + 1
    assert graph.pool() == pool.id
    assert pool.use_count() == 2
    graph.replay()
    assert y.sum().item() == 200
    graph.reset()
    assert pool.use_count() == 1


def test_a_pool_belongs_to_one_device(two_devices: None) -> None:
    pool = torch.cuda.MemPool()
    with (
        torch.cuda.device(1),
        pytest.raises(RuntimeError, match="belongs to CUDA device 0, not to 1"),
        torch.cuda.use_mem_pool(pool),
    ):
        pass


# ---- allocators


def test_a_pool_takes_memory_from_a_library(library: Path) -> None:
    import ctypes

    counts = ctypes.CDLL(str(library))
    allocator = torch.cuda.memory.CUDAPluggableAllocator(
        str(library), "counted_alloc", "counted_free"
    )
    pool = torch.cuda.MemPool(allocator.allocator())
    with torch.cuda.use_mem_pool(pool):
        x = torch.ones(1000, device="cuda")
        y = torch.ones(1000, device="cuda")
    assert counts.count_allocated() == 1, "a pool caches segments"
    assert (x + y).sum().item() == 2000
    del x, y, pool
    gc.collect()
    torch.cuda.empty_cache()
    assert counts.count_freed() == 1


def test_a_library_takes_the_place_of_the_allocator(library: Path) -> None:
    code = f"""
        import ctypes, torch
        allocator = torch.cuda.memory.CUDAPluggableAllocator(
            {str(library)!r}, "counted_alloc", "counted_free")
        torch.cuda.memory.change_current_allocator(allocator)
        counts = ctypes.CDLL({str(library)!r})
        x = torch.ones(5, device="cuda")
        print(x.sum().item(), torch.cuda.get_allocator_backend(), counts.count_allocated() > 0)
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            y = x * 2
        x.record_stream(side)
        freed = counts.count_freed()
        del x
        print(counts.count_freed() - freed, side.query(), y.sum().item())
        torch.cuda.empty_cache()
        try:
            torch.cuda.memory_stats()
        except NotImplementedError as error:
            print(error)
        try:
            torch.cuda.memory.change_current_allocator(allocator)
        except RuntimeError as error:
            print(error)
    """
    lines = run_python(code).splitlines()
    assert lines[0] == "5.0 pluggable True"
    assert lines[1] == "1 True 10.0"
    assert lines[2].startswith("getDeviceStats needs the native allocator, but `pluggable` is")
    assert lines[3].startswith("Can't swap an already initialized allocator")


def test_an_allocator_that_has_started_cannot_be_replaced(library: Path) -> None:
    torch.ones(1, device="cuda")
    allocator = torch.cuda.memory.CUDAPluggableAllocator(
        str(library), "counted_alloc", "counted_free"
    )
    with pytest.raises(RuntimeError, match="Can't swap an already initialized allocator"):
        torch.cuda.memory.change_current_allocator(allocator)
    with pytest.raises(AttributeError):
        torch.cuda.memory.CUDAPluggableAllocator(str(library), "counted_alloc", "absent")
