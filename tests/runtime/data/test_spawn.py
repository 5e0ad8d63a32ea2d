"""torch.multiprocessing.spawn: running a function in several processes, and failures of one."""

from __future__ import annotations

import os
import pickle
import signal
import sys
import time
from pathlib import Path

import pytest
from waiting import becomes_true

import torch
import torch.multiprocessing as mp

LONG = 60.0


def add_index(index: int, tensor: torch.Tensor) -> None:
    """Add to the process's own element of a shared tensor."""
    tensor[index] += index + 1


def fail(index: int, how: str) -> None:
    """Fail in process 1, and sleep for a long time in the others."""
    if index == 1:
        if how == "raises":
            raise ValueError("broken")
        if how == "exits":
            sys.exit(5)
        if how == "is killed":
            os.kill(os.getpid(), signal.SIGKILL)
        if how == "raises at length":
            raise ValueError("x" * 1_000_000)
    time.sleep(LONG)


def note_pid(index: int, folder: str) -> None:
    """Write the pid to a file and keep running."""
    (Path(folder) / str(os.getpid())).touch()
    time.sleep(LONG)


@pytest.mark.parametrize("method", ["spawn", "fork"])
def test_every_process_gets_its_index_and_the_tensors(method: str) -> None:
    shared = torch.zeros(3).share_memory_()
    assert mp.start_processes(add_index, (shared,), nprocs=3, start_method=method) is None
    assert shared.tolist() == [1, 2, 3]


@pytest.mark.parametrize(
    ("how", "error", "message"),
    [
        ("raises", mp.ProcessRaisedException, r"(?s)^\n\n-- Process 1 terminated.*: broken\n$"),
        ("raises at length", mp.ProcessRaisedException, r"(?s)^\n\n-- Process 1 .*x{1000}\n$"),
        ("exits", mp.ProcessExitedException, "^process 1 terminated with exit code 5$"),
        ("is killed", mp.ProcessExitedException, "^process 1 terminated with signal SIGKILL$"),
    ],
)
def test_the_first_failure_is_raised_and_ends_the_others(
    how: str, error: type[Exception], message: str
) -> None:
    context = mp.start_processes(fail, (how,), nprocs=3, join=False, start_method="fork")
    assert context is not None
    start = time.monotonic()
    with pytest.raises(error, match=message) as caught:
        while not context.join():
            pass
    assert time.monotonic() - start < LONG / 2
    assert not any(process.is_alive() for process in context.processes)
    assert caught.value.error_index == 1 and caught.value.pid == context.pids()[1]  # type: ignore[attr-defined]
    again = pickle.loads(pickle.dumps(caught.value))
    assert vars(again) == vars(caught.value) and str(again) == str(caught.value)


def fail_or_finish(index: int, done: torch.Tensor) -> None:
    """Fail at once in process 0, and finish a little later in the others."""
    if index == 0:
        sys.exit(1)
    time.sleep(0.1 * index)
    done[index] = 1


def test_other_processes_may_finish_within_a_grace_period() -> None:
    done = torch.zeros(3).share_memory_()
    context = mp.start_processes(fail_or_finish, (done,), nprocs=3, join=False, start_method="fork")
    assert context is not None
    with pytest.raises(mp.ProcessExitedException, match=r"^process 0 terminated with exit code 1$"):
        context.join(grace_period=LONG / 2)
    assert done.tolist() == [0, 1, 1]


def test_the_end_of_other_processes_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    context = mp.start_processes(fail, ("exits",), nprocs=2, start_method="fork", join=False)
    with pytest.raises(mp.ProcessExitedException):
        while not context.join():
            pass
    expected = f"Terminating process {context.pids()[0]} via signal SIGTERM"
    assert [record.getMessage() for record in caplog.records] == [expected]


def test_a_fork_server_may_start_processes_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(mp.ENV_VAR_PARALLEL_START, "1")
    shared = torch.zeros(3).share_memory_()
    assert mp.start_processes(add_index, (shared,), nprocs=3, start_method="forkserver") is None
    assert shared.tolist() == [1, 2, 3]


def test_join_respects_its_timeout() -> None:
    context = mp.start_processes(fail, ("waits",), nprocs=2, join=False, start_method="fork")
    assert context is not None and context.join(timeout=0.05) is False
    for process in context.processes:
        process.kill()
        process.join()


def test_processes_end_with_their_parent(tmp_path: Path) -> None:
    parent = mp.get_context("spawn").Process(
        target=mp.start_processes,
        args=(note_pid, (str(tmp_path),)),
        kwargs={"nprocs": 2, "start_method": "fork"},
    )
    parent.start()
    assert becomes_true(lambda: len(list(tmp_path.iterdir())) == 2)
    pids = [int(path.name) for path in tmp_path.iterdir()]
    parent.kill()
    parent.join()

    def states() -> list[str]:
        stats = [Path(f"/proc/{pid}/stat") for pid in pids]
        return [s.read_text().rpartition(")")[2].split()[0] for s in stats if s.exists()]

    assert becomes_true(lambda: set(states()) <= {"Z"})


def test_spawn_with_another_method_names_the_function_to_call() -> None:
    with pytest.warns(FutureWarning, match=r"call start_processes\(\) instead"):
        mp.spawn(print, nprocs=0, start_method="fork")
