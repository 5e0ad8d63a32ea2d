"""Workers that are killed, hang, are abandoned or cannot send: a clear error and no orphans."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import pytest
from waiting import SOON, becomes_true

import torch
from torch.utils.data import DataLoader, Dataset, get_worker_info


class ActsInWorker(Dataset):
    """A data set that performs an action at index 3 in a worker, and returns the worker's pid."""

    def __init__(self, action: Callable[[], Any]) -> None:
        self.action = action

    def __len__(self) -> int:
        return 8

    def __getitem__(self, index: int) -> Any:
        if index == 3:
            return self.action()
        return os.getpid()


def is_running(pid: int) -> bool:
    """Return whether the process exists and is not a zombie."""
    try:
        with open(f"/proc/{pid}/stat") as stat:
            return stat.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def pids(loader: DataLoader) -> set[int]:
    """Return the pids of the workers that returned the batches."""
    return {int(pid) for batch in loader for pid in batch}


@pytest.mark.parametrize(
    ("action", "reason"),
    [
        (lambda: os.kill(os.getpid(), signal.SIGKILL), "is killed by signal: Killed"),
        (lambda: os.kill(os.getpid(), signal.SIGTERM), "is killed by signal: Terminated"),
        (lambda: os._exit(3), "exited unexpectedly with exit code 3"),
    ],
)
def test_dead_worker_is_reported(action: Callable[[], Any], reason: str) -> None:
    loader = DataLoader(ActsInWorker(action), num_workers=2)
    start = time.monotonic()
    with pytest.raises(
        RuntimeError, match=r"^DataLoader worker \(pid\(s\) \d+\) exited unexpectedly$"
    ) as caught:
        list(loader)
    assert reason in str(caught.value.__cause__)
    assert time.monotonic() - start < SOON


def test_worker_killed_while_it_sends_is_reported() -> None:
    """The main process must not wait for the rest of an incomplete message."""
    loader = DataLoader(ActsInWorker(lambda: b"x" * (1 << 22)), batch_size=None, num_workers=1)
    iterator = iter(loader)
    worker = int(next(iterator))
    # The pipe holds 64 KB; the worker's thread is in the middle of the large message.
    time.sleep(0.5)
    os.kill(worker, signal.SIGKILL)
    with pytest.raises(RuntimeError, match="exited unexpectedly"):
        list(iterator)


def test_slow_worker_times_out() -> None:
    loader = DataLoader(ActsInWorker(lambda: time.sleep(3)), num_workers=1, timeout=0.5)
    with pytest.raises(RuntimeError, match=r"^DataLoader timed out after 0\.5 seconds$"):
        list(loader)


def test_an_unpicklable_sample_raises() -> None:
    loader = DataLoader(ActsInWorker(lambda: lambda: None), batch_size=None, num_workers=1)
    with pytest.raises(Exception, match="in DataLoader worker process 0") as caught:
        list(loader)
    assert "pickle" in str(caught.value)


@pytest.mark.parametrize("persistent", [False, True])
def test_workers_end_with_the_loader(persistent: bool) -> None:
    loader = DataLoader(ActsInWorker(os.getpid), num_workers=2, persistent_workers=persistent)
    seen = pids(loader)
    assert len(seen) == 2 and os.getpid() not in seen
    assert any(map(is_running, seen)) == persistent
    del loader
    assert becomes_true(lambda: not any(map(is_running, seen)))


def test_abandoned_pass_leaves_no_worker() -> None:
    iterator = iter(DataLoader(ActsInWorker(os.getpid), num_workers=1))
    worker = int(next(iterator))
    assert is_running(worker)
    del iterator
    assert becomes_true(lambda: not is_running(worker))


def test_persistent_workers_are_the_same_processes() -> None:
    loader = DataLoader(ActsInWorker(os.getpid), num_workers=2, persistent_workers=True)
    first = pids(loader)
    next(iter(loader))  # an unfinished pass
    assert len(pids(loader)) == 2 and pids(loader) == first


def test_persistent_loader_starts_new_workers_for_dead_ones() -> None:
    loader = DataLoader(ActsInWorker(os.getpid), num_workers=1, persistent_workers=True)
    (worker,) = pids(loader)
    os.kill(worker, signal.SIGKILL)
    with pytest.raises(RuntimeError, match="exited unexpectedly"):
        list(loader)
    assert pids(loader) != {worker}


def test_order_is_free_if_requested() -> None:
    class Slow(ActsInWorker):
        def __getitem__(self, index: int) -> int:
            if get_worker_info().id == 0 and index == 0:
                time.sleep(1)
            return index

    loader = DataLoader(Slow(os.getpid), num_workers=2, in_order=False)
    given = [int(batch) for batch in loader]
    assert given[0] != 0 and sorted(given) == list(range(8))


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_other_start_methods(method: str) -> None:
    data = torch.utils.data.TensorDataset(torch.arange(6.0))
    loader = DataLoader(data, batch_size=3, num_workers=1, multiprocessing_context=method)
    assert [batch[0].tolist() for batch in loader] == [[0, 1, 2], [3, 4, 5]]


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGINT])
def test_workers_end_with_the_main_process(end: signal.Signals) -> None:
    script = (
        "import os, time, torch.utils.data as data\n"
        "class Pids(data.Dataset):\n"
        "    def __len__(self): return 100\n"
        "    def __getitem__(self, index): return os.getpid()\n"
        "loader = iter(data.DataLoader(Pids(), num_workers=2))\n"
        "print(int(next(loader)), int(next(loader)), flush=True)\n"
        "time.sleep(60)\n"
    )
    command = [sys.executable, "-W", "ignore", "-c", script]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert process.stdout is not None
    workers = [int(pid) for pid in process.stdout.readline().split()]
    assert len(workers) == 2
    process.send_signal(end)
    process.wait(SOON)
    process.stdout.close()
    assert becomes_true(lambda: not any(map(is_running, workers)))


def test_process_exits_quietly_during_a_pass() -> None:
    script = (
        "import torch.utils.data as data\n"
        "loader = iter(data.DataLoader(range(100), num_workers=2))\n"
        "print(next(loader).item())\n"
    )
    command = [sys.executable, "-W", "ignore", "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "0\n", "")


KEEPS_BATCHES = """
import resource, torch
from torch.utils.data import DataLoader
resource.setrlimit(resource.RLIMIT_NOFILE, (60, 60))
kept = []
try:
    kept.extend(DataLoader(torch.ones(200, 2), num_workers=1, multiprocessing_context="fork"))
except RuntimeError as error:
    print(all(batch.eq(1).all() for batch in kept) and len(kept) > 5)
    print(error)
"""


def test_a_process_without_descriptors_gets_an_error() -> None:
    command = [sys.executable, "-c", KEEPS_BATCHES]
    output = subprocess.run(command, check=True, timeout=60, capture_output=True, text=True).stdout
    assert output.startswith("True\nToo many open files.") and "ulimit -n" in output
