"""torch_shm_manager removes named shared memory after its last user, even if that is killed."""

from __future__ import annotations

import gc
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import pytest
from waiting import SOON, becomes_true

import torch
import torch.multiprocessing as mp

GRACE = 2.0  # how long a manager without connections waits before it exits


@pytest.fixture(autouse=True)
def by_name() -> Iterator[None]:
    """Use the sharing strategy with names."""
    mp.set_sharing_strategy("file_system")
    yield
    mp.set_sharing_strategy("file_descriptor")


def handle(tensor: torch.Tensor) -> tuple[Path, Path]:
    """Return the manager's socket and the name of the tensor's memory."""
    manager, name, _ = tensor.untyped_storage()._share_filename_cpu_()
    return Path(os.fsdecode(manager)), Path("/dev/shm" + os.fsdecode(name))


def listeners(socket: Path) -> set[str]:
    """Return the inodes of the sockets that listen at a path."""
    rows = [line.split() for line in Path("/proc/net/unix").read_text().splitlines()]
    return {row[6] for row in rows if row[-1] == str(socket) and row[5] == "01"}


def manager_of(socket: Path) -> int:
    """Return the process that listens at the socket."""
    (inode,) = listeners(socket)
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if any(os.readlink(fd) == f"socket:[{inode}]" for fd in (folder / "fd").iterdir()):
                return int(folder.name)
        except OSError:
            continue
    raise LookupError(f"no process listens at {socket}")


def hold(pipe: Connection) -> None:
    """Receive tensors, send back the names of their memory, and wait to be killed."""
    mp.set_sharing_strategy("file_system")
    kept = pipe.recv()
    own = torch.arange(3.0)
    pipe.send([own, handle(own)])
    pipe.recv()
    del kept


def start(target: Callable[..., None], method: str, *more: Any) -> tuple[BaseProcess, Connection]:
    context = mp.get_context(method)
    ours, theirs = context.Pipe()
    process = context.Process(target=target, args=(theirs, *more), daemon=True)
    process.start()
    theirs.close()
    return process, ours


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_names_of_a_killed_process_are_removed(method: str) -> None:
    process, pipe = start(hold, method)
    pipe.send(None)
    received, (manager, name) = pipe.recv()
    assert manager.is_socket() and received.tolist() == [0, 1, 2]
    process.kill()
    process.join()
    time.sleep(0.1)
    assert name.exists(), "this process still holds it"
    assert received.add_(1).tolist() == [1, 2, 3]
    del received
    assert becomes_true(lambda: not name.exists())


def test_memory_received_by_a_killed_process_stays_with_the_sender() -> None:
    tensor = torch.zeros(2)
    _, name = handle(tensor)
    process, pipe = start(hold, "fork")
    pipe.send(tensor)
    pipe.recv()
    process.kill()
    process.join()
    time.sleep(0.1)
    assert name.exists()
    del tensor
    assert becomes_true(lambda: not name.exists())


def send_and_leave(pipe: Connection, last: str) -> None:
    """Send a tensor that lives until the process exits without cleanup."""
    mp.set_sharing_strategy("file_system")
    tensor = torch.full((2,), 5.0)
    _, name = handle(tensor)
    pipe.send([name, tensor])
    if last == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    os._exit(0)


@pytest.mark.parametrize("last", ["killed", "left"])
def test_tensors_sent_by_a_dead_process_arrive(last: str) -> None:
    ours = torch.zeros(1)
    handle(ours)  # this process uses the same manager as the forked one
    process, pipe = start(send_and_leave, "fork", last)
    process.join()
    time.sleep(0.1)
    name, tensor = pipe.recv()
    assert tensor.tolist() == [5, 5] and name.exists()
    del tensor
    assert becomes_true(lambda: not name.exists())


SHARE = """
import os, sys, time, torch
tensor = torch.zeros(10)
manager, name, size = tensor.untyped_storage()._share_filename_cpu_()
print(manager.decode(), name.decode(), flush=True)
if sys.argv[1] == "fork":
    os.fork()
if sys.argv[1] != "end":
    time.sleep(60)
"""


def sharing_process(what: str) -> tuple[subprocess.Popen[str], Path, Path]:
    process = subprocess.Popen(
        [sys.executable, "-c", SHARE, what], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    manager, name = process.stdout.readline().split()
    return process, Path(manager), Path("/dev/shm" + name)


def test_manager_exits_after_its_last_process_and_cleans_up() -> None:
    process, socket, name = sharing_process("wait")
    assert name.exists() and socket.parent.stat().st_mode & 0o777 == 0o700
    process.kill()
    process.communicate()
    assert becomes_true(lambda: not name.exists())
    assert socket.exists(), "a process may still connect"
    assert becomes_true(lambda: not socket.parent.exists(), GRACE + SOON)


def test_manager_closes_its_streams_and_is_detached() -> None:
    process, socket, name = sharing_process("wait")
    manager = manager_of(socket)

    def streams() -> set[str]:
        return {os.readlink(f"/proc/{manager}/fd/{fd}") for fd in range(3)}

    assert becomes_true(lambda: streams() == {"/dev/null"}), streams()  # after it began to listen
    assert os.getsid(manager) != os.getsid(process.pid)
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    assert str(manager) not in children and not children
    os.kill(manager, signal.SIGTERM)
    assert becomes_true(lambda: not name.exists() and not socket.parent.exists())
    process.kill()
    process.communicate()


def test_a_forked_process_does_not_keep_the_connection_of_its_parent() -> None:
    process, _, name = sharing_process("fork")
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    assert becomes_true(lambda: bool(children.read_text().split()))
    (child,) = map(int, children.read_text().split())
    process.kill()
    assert becomes_true(lambda: not name.exists()), "the child has the memory, but no name"
    os.kill(child, signal.SIGKILL)
    process.communicate()


def test_a_killed_manager_is_replaced() -> None:
    first, _ = handle(torch.zeros(1))
    os.kill(manager_of(first), signal.SIGKILL)
    assert becomes_true(lambda: not listeners(first))
    tensor = torch.ones(2)
    second, name = handle(tensor)
    assert second != first and second.exists() and name.exists()
    first.unlink()
    first.parent.rmdir()


def test_a_name_without_a_manager_is_an_error() -> None:
    with pytest.raises(RuntimeError, match=r"unable to reach torch_shm_manager at /nowhere: No"):
        torch.UntypedStorage._new_shared_filename_cpu(b"/nowhere", b"/torch_none", 4)


def test_a_manager_that_cannot_be_started_is_an_error(tmp_path: Path) -> None:
    code = (
        "import sys, torch\n"
        "torch._C._initExtension(sys.argv[1])\n"
        "torch.UntypedStorage._new_using_filename_cpu(4)\n"
    )
    silent = tmp_path / "silent"
    silent.write_text("#!/bin/sh\nexit 3\n")
    silent.chmod(0o755)
    for program, message in (
        (tmp_path / "missing", f'unable to start "{tmp_path}/missing": No such file'),
        (silent, f'no response from torch_shm_manager at "{silent}"'),
    ):
        result = subprocess.run(
            [sys.executable, "-c", code, str(program)], capture_output=True, text=True, check=False
        )
        assert result.returncode == 1 and message in result.stderr


def test_a_temporary_folder_with_a_long_path(tmp_path: Path) -> None:
    deep = tmp_path / ("d" * 100)
    deep.mkdir()
    command = [sys.executable, "-c", SHARE, "end"]
    result = subprocess.run(
        command, env={**os.environ, "TMPDIR": str(deep)}, capture_output=True, text=True, check=True
    )
    assert result.stdout.startswith("/tmp/torch-shm-dir-")
    assert not Path("/dev/shm" + result.stdout.split()[1]).exists()


def echo_or_die(pipe: Connection, seed: int) -> None:
    """Reply to each tensor with a new one, keep some, and sometimes die."""
    mp.set_sharing_strategy("file_system")
    chance, kept = random.Random(seed), []
    while (tensor := pipe.recv()) is not None:
        kept.append(tensor.add_(1))
        if chance.random() < 0.5:
            kept.pop(chance.randrange(len(kept)))
        fate = chance.random()
        if fate < 0.02:
            os.kill(os.getpid(), signal.SIGKILL)
        if fate < 0.03:
            os._exit(0)
        pipe.send(torch.full((10,), float(seed)))


@pytest.mark.slow
def test_many_killed_processes_leave_no_names() -> None:
    is_held = torch.zeros(1)
    manager, _ = handle(is_held)
    seeds = iter(range(10_000))
    workers: list[tuple[BaseProcess, Connection]] = []
    pids, deaths = {os.getpid()}, 0
    while deaths < 200:
        while len(workers) < 4:
            workers.append(start(echo_or_die, "fork", next(seeds)))
            pids.add(workers[-1][0].pid)
        for process, pipe in list(workers):
            try:
                pipe.send(torch.zeros(100))
                assert pipe.recv().shape == (10,)
            except (EOFError, OSError):
                deaths += 1
                process.join()
                workers.remove((process, pipe))
    for process, pipe in workers:
        pipe.send(None)
        process.join()
    del workers, pipe
    del is_held
    gc.collect()
    # The manager keeps memory sent to a dead process until its last connection closes.
    names = Path("/dev/shm").glob("torch_*")
    left = [path for path in names if int(path.name.split("_")[1]) in pids]
    assert manager.exists() and len(left) <= deaths / 10
    for path in left:
        path.unlink()
