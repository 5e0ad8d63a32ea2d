"""torch.cuda's functions on devices, and when CUDA starts."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

import torch
from torch.utils.checkpoint import checkpoint


def run(program: str, **environment: str) -> str:
    """Run a program in a new interpreter and return what it prints."""
    result = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
        check=False,
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


def test_cuda_starts_at_its_first_use() -> None:
    program = """if True:
        import torch
        print(torch.cuda.is_available(), torch.cuda.is_initialized(), torch.cuda.memory_allocated())
        torch.device("cuda"), torch.manual_seed(7)
        print(torch.cuda.is_initialized())
        torch.ones(1, device="cuda")
        print(torch.cuda.is_initialized(), torch.cuda.initial_seed())
        """
    assert run(program).split() == ["True", "False", "0", "False", "True", "7"]


def test_a_forked_process_may_not_use_cuda() -> None:
    program = """if True:
        import os, torch
        torch.cuda.init()
        if os.fork() == 0:
            try:
                torch.ones(1, device="cuda")
            except RuntimeError as error:
                print("spawn" in str(error), torch.cuda.is_initialized(), flush=True)
            torch.manual_seed(0)
            os._exit(0)
        os.wait()
        print(torch.ones(1, device="cuda").item())
        """
    assert run(program).split() == ["True", "False", "1.0"]


def test_a_process_forked_before_cuda_starts_may_use_it() -> None:
    program = """if True:
        import os, torch
        if os.fork() == 0:
            print(torch.ones(1, device="cuda").item(), flush=True)
            os._exit(0)
        os.wait()
        """
    assert run(program).split() == ["1.0"]


def test_calls_that_waited_report_their_origin() -> None:
    program = """if True:
        import torch
        torch.cuda._lazy_call(lambda: 1 / 0)
        try:
            torch.cuda.init()
        except torch.cuda.DeferredCudaCallError as error:
            print("originally" in str(error), "lambda: 1 / 0" in str(error) or "<string>" in str(error))
        """
    assert run(program).split() == ["True", "True"]


def test_the_current_device_can_be_changed_for_a_block(two_devices: None) -> None:
    assert torch.cuda.current_device() == 0
    with torch.cuda.device(1):
        assert torch.cuda.current_device() == 1
        assert torch.ones(1, device="cuda").get_device() == 1
        with torch.cuda.device_of(torch.ones(1, device="cuda:0")):
            assert torch.cuda.current_device() == 0
        with torch.cuda.device_of(torch.ones(1)):
            assert torch.cuda.current_device() == 1
    torch.cuda.set_device("cuda:1")
    assert torch.cuda.current_device() == 1
    torch.cuda.set_device(-1)
    assert torch.accelerator.current_device_index() == 1
    torch.cuda.set_device(0)


def test_properties() -> None:
    properties = torch.cuda.get_device_properties(0)
    assert properties.name == torch.cuda.get_device_name()
    assert (properties.major, properties.minor) == torch.cuda.get_device_capability("cuda:0")
    assert properties.total_memory == torch.cuda.mem_get_info()[1]
    assert properties.name in repr(properties)
    assert properties.warp_size == 32
    assert torch.cuda.is_bf16_supported()


def test_what_does_not_exist_is_an_error() -> None:
    for call in (
        lambda: torch.cuda.set_device(100),
        lambda: torch.cuda.memory_stats(100),
        lambda: torch.ones(1, device="cuda:100"),
    ):
        with pytest.raises(RuntimeError):
            call()
    with pytest.raises(AssertionError, match="Invalid device id"):
        torch.cuda.get_device_properties(100)
    with pytest.raises(AssertionError, match="Invalid peer device id"):
        torch.cuda.can_device_access_peer(0, 100)
    with pytest.raises(ValueError, match="Expected a cuda device"):
        torch.cuda.device("cpu")


def test_tensors_move_by_every_spelling(two_devices: None) -> None:
    x = torch.arange(6.0).reshape(2, 3)
    for moved in (
        x.cuda(),
        x.cuda(0),
        x.cuda(device="cuda:0", non_blocking=True),
        x.to("cuda"),
        x.to(torch.device("cuda", 0), non_blocking=True),
    ):
        assert moved.device == torch.device("cuda", 0)
        assert torch.equal(moved.cpu(), x)
    there = x.cuda()
    assert there.cuda() is there
    assert there.cuda(1).get_device() == 1
    module = torch.nn.Linear(2, 2).cuda()
    assert {p.device.type for p in module.parameters()} == {"cuda"}
    assert isinstance(there, torch.cuda.FloatTensor)
    assert torch.cuda.HalfTensor(2).dtype == torch.float16


def test_parameters_that_move_stay_the_same_objects() -> None:
    module = torch.nn.Linear(2, 2)
    weight, optimizer = module.weight, torch.optim.SGD(module.parameters(), lr=0.5)
    module(torch.ones(1, 2)).sum().backward()
    module.cuda()
    assert module.weight is weight and weight.is_cuda
    assert weight.grad is not None and weight.grad.is_cuda
    before = weight.detach().clone()
    module(torch.ones(1, 2, device="cuda")).sum().backward()  # a second gradient, on the device
    optimizer.step()
    assert torch.equal(weight.cpu(), (before - 1).cpu())
    assert module.cpu().weight is weight and weight.device.type == "cpu"
    assert module.to("meta").weight is not weight


def test_the_accelerator_is_cuda() -> None:
    assert torch.accelerator.current_accelerator() == torch.device("cuda")
    assert torch.accelerator.device_count() == torch.cuda.device_count()
    kept = torch.ones(100, device="cuda")
    assert torch.accelerator.memory_allocated() >= kept.nbytes
    assert torch.accelerator.get_memory_info() == torch.cuda.mem_get_info()
    torch.accelerator.synchronize()


def test_saved_tensors_load_where_they_are_wanted(two_devices: None, tmp_path) -> None:
    file = tmp_path / "saved.pt"
    torch.save(torch.arange(3.0, device="cuda:1"), file)
    for where, expected in (
        (None, "cuda:1"),
        ("cpu", "cpu"),
        ("cuda:0", "cuda:0"),
        ({"cuda:1": "cuda:0"}, "cuda:0"),
    ):
        loaded = torch.load(file, map_location=where)
        assert str(loaded.device) == expected
        assert loaded.tolist() == [0.0, 1.0, 2.0]


def test_copies_between_devices(two_devices: None) -> None:
    one, two = torch.cuda.comm.broadcast(torch.arange(4.0), [0, 1])
    assert (one.get_device(), two.get_device()) == (0, 1)
    parts = torch.cuda.comm.scatter(torch.arange(5.0), [0, 1], chunk_sizes=[2, 3])
    assert [part.tolist() for part in parts] == [[0.0, 1.0], [2.0, 3.0, 4.0]]
    with pytest.raises(RuntimeError, match="Exactly one"):
        torch.cuda.comm.broadcast(torch.ones(1))


def test_profiler_marks_do_not_disturb() -> None:
    assert torch.cuda.nvtx.range_push("outer") == 0
    assert torch.cuda.nvtx.range_push("inner") == 1
    assert torch.cuda.nvtx.range_pop() == 1
    assert torch.cuda.nvtx.range_pop() == 0
    with torch.cuda.nvtx.range("step {}", 3):
        torch.cuda.nvtx.mark("here")
    torch.cuda.nvtx.range_end(torch.cuda.nvtx.range_start("long"))
    with torch.cuda.profiler.profile():
        pass


def test_operations_that_wait_are_reported_on_request() -> None:
    ones = torch.ones(4, device="cuda")
    assert torch.cuda.get_sync_debug_mode() == 0
    try:
        torch.cuda.set_sync_debug_mode("warn")
        assert torch.cuda.get_sync_debug_mode() == 1
        for wait in (lambda: ones.sum().item(), ones.nonzero, ones.cpu):
            with pytest.warns(UserWarning, match="called a synchronizing CUDA operation"):
                wait()
        torch.cuda.set_sync_debug_mode(2)
        (ones * 2).sum()
        torch.cuda.synchronize()
        with pytest.raises(RuntimeError, match="called a synchronizing CUDA operation"):
            ones.cpu()
        with pytest.raises(RuntimeError, match="invalid value of debug_mode"):
            torch.cuda.set_sync_debug_mode("nonsense")
    finally:
        torch.cuda.set_sync_debug_mode("default")
    assert ones.sum().item() == 4


def test_handles_for_other_libraries() -> None:
    handles = torch.cuda.current_blas_handle(), torch.cuda.current_solver_handle()
    assert all(handles) and handles[0] == torch.cuda.current_blas_handle()


def test_version_names_the_toolkit() -> None:
    release = torch._C._cuda_getCompiledVersion()
    assert torch.version.cuda == f"{release // 1000}.{release % 1000 // 10}"


def test_version_names_the_toolkit_without_a_device() -> None:
    program = "import torch; print(torch.cuda.is_available(), torch.version.cuda)"
    answer = run(program, CUDA_EMULATION_DEVICES="0", CUDA_VISIBLE_DEVICES="")
    assert answer.split() == ["False", torch.version.cuda]


@pytest.mark.parametrize("marked", [False, True])
def test_a_process_without_devices_is_told_what_to_do(marked: bool) -> None:
    """Containers are recognised by their engine's file, or by the variable that images for GPUs set."""
    program = """if True:
        import torch
        x = torch.ones(1)
        for call in (torch.cuda.init, x.cuda, lambda: torch.ones(1, device="cuda"), torch.cuda.Stream):
            try:
                call()
            except RuntimeError as error:
                print(str(error).splitlines()[0])
        """
    hidden = {"CUDA_EMULATION_DEVICES": "0", "CUDA_VISIBLE_DEVICES": ""}
    mark = {"NVIDIA_VISIBLE_DEVICES": "all"} if marked else {}
    messages = run(program, **hidden, **mark).splitlines()
    in_container = marked or any(map(os.path.exists, ("/.dockerenv", "/run/.containerenv")))
    advice = "docker run --gpus all" if in_container else "nvidia-smi"
    assert len(messages) == 4 and len(set(messages)) == 1, messages
    assert messages[0].startswith("No CUDA GPUs are available") and advice in messages[0]


@pytest.mark.parametrize("use_reentrant", [False, True])
def test_a_checkpoint_repeats_the_random_numbers_of_its_device(use_reentrant: bool) -> None:
    x = torch.ones(64, device="cuda", requires_grad=True)
    masks = []

    def dropped(x: torch.Tensor) -> torch.Tensor:
        masks.append(torch.rand(64, device="cuda"))
        return torch.sin(x * masks[-1])

    y = checkpoint(dropped, x, use_reentrant=use_reentrant)
    following = torch.cuda.get_rng_state()
    y.sum().backward()
    assert len(masks) == 2 and torch.equal(*masks)
    assert torch.equal(torch.cuda.get_rng_state(), following)
