"""A scheduler of icecream, workers in network namespaces, and the daemon of the machine that builds.

A worker that is busy with other work gets no compilations. The namespaces share this machine's processors, so
each worker sees a /proc/stat of its own, which is that of an idle machine.
"""

from __future__ import annotations

import contextlib
import os
import pwd
import re
import shutil
import socket
import subprocess
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from .workers import answers, free_port, own_network, wait_until

PROGRAMS = ("iceccd", "icecc", "icecc-scheduler", "icecc-create-env")
USER = "icecc"
"""Debian's package creates this user; the daemons change to it."""
BUSY = 1000
"""The load of a node that gets no work from the scheduler."""


def can_run_workers() -> bool:
    """Return whether the programs are installed and this process may make namespaces and mounts."""
    users = {entry.pw_name for entry in pwd.getpwall()}
    if os.geteuid() or USER not in users or not all(map(shutil.which, (*PROGRAMS, "ip"))):
        return False
    mount = ["unshare", "--mount", "--net", "mount", "--bind", "/dev/null", "/proc/stat"]
    return subprocess.run(mount, check=False, capture_output=True).returncode == 0


@dataclass
class Worker:
    """A running iceccd that compiles for others."""

    name: str
    process: subprocess.Popen[bytes]
    log: Path

    def served(self) -> int:
        """Return how many compilations it has finished."""
        text = self.log.read_text(errors="replace") if self.log.exists() else ""
        return text.count("Remote compilation completed with exit code 0")

    def kill(self) -> None:
        """Kill the daemon with the compilations that it runs, as a power cut would."""
        _kill(self.process)


@dataclass
class Farm:
    """Two workers, and the variables of a build that uses them."""

    workers: list[Worker]
    variables: dict[str, str]
    scheduler: subprocess.Popen[bytes]

    def nodes(self) -> str:
        """Return the scheduler's list."""
        host, _, port = self.variables["ICECC_SCHEDULER"].partition(":")
        with socket.create_connection((host, int(port) + 1), timeout=60) as connection:
            connection.sendall(b"listcs\nquit\n")
            return b"".join(iter(lambda: connection.recv(4096), b"")).decode()

    def ready(self) -> bool:
        """Return whether the scheduler knows this machine and would give work to both workers."""
        nodes = self.nodes()
        loads = re.findall(r"^ worker\d .* load=(\d+)", nodes, re.MULTILINE)
        return " here " in nodes and len(loads) == 2 and max(map(int, loads)) < BUSY


def _kill(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        os.killpg(process.pid, 9)
    process.wait()


def compiler_archive(folder: Path) -> Path:
    """Make the archive with this machine's compiler that the workers are sent."""
    subprocess.run(
        ["icecc-create-env", "/usr/bin/gcc"], cwd=folder, check=True, stdout=subprocess.DEVNULL
    )
    return next(folder.glob("*.tar.gz"))


@contextmanager
def _idle_machine(folder: Path) -> Iterator[Path]:
    """Keep a file like /proc/stat in which the idle time grows and nothing else does."""
    path = folder / "stat"
    path.write_text("")
    ended = threading.Event()

    def count() -> None:
        idle = 0
        with path.open("r+") as file:
            while not ended.is_set():
                idle += 50
                file.seek(0)
                file.write(f"cpu  1000 0 1000 {idle:012} 0 0 0 0 0 0\n")
                file.flush()
                ended.wait(0.5)

    thread = threading.Thread(target=count)
    thread.start()
    try:
        yield path
    finally:
        ended.set()
        thread.join()


def _scheduler_port() -> int:
    """Return a free port whose next one is free, too: there the scheduler answers questions."""
    while True:
        port = free_port()
        with socket.socket() as following, contextlib.suppress(OSError):
            following.bind(("127.0.0.1", port + 1))
            return port


@contextmanager
def _daemon(
    folder: Path, name: str, scheduler: str, *arguments: str, before: Sequence[str] = ()
) -> Iterator[Worker]:
    """Run an iceccd; `before` is what starts its command."""
    base, log = folder / name, folder / f"{name}.log"
    base.mkdir()
    shutil.chown(base, USER)
    command = [
        *before,
        *("iceccd", "-vvv", "-n", "tests", "-s", scheduler, "-N", name, "-u", USER),
        *("-b", str(base), "-l", str(log), *arguments),
    ]
    # With the first variable a daemon looks for its scheduler more often. The second is where it waits for
    # compilations of its own machine. Daemons with one socket take it from each other.
    socket_path = folder / f"{name}.socket"
    environ = {**os.environ, "ICECC_TESTS": "1", "ICECC_TEST_SOCKET": str(socket_path)}
    worker = Worker(name, subprocess.Popen(command, env=environ, start_new_session=True), log)
    try:
        yield worker
    finally:
        worker.kill()


@contextmanager
def farm(archive: Path) -> Iterator[Farm]:
    """Run a scheduler, two workers with two slots each, and this machine's daemon."""
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="icecream-")))
        shutil.chown(folder, USER)
        stat = stack.enter_context(_idle_machine(folder))
        port = _scheduler_port()
        scheduler = subprocess.Popen(
            [
                "icecc-scheduler",
                "-p",
                str(port),
                "-n",
                "tests",
                "-l",
                str(folder / "scheduler.log"),
            ],
            start_new_session=True,
        )
        stack.callback(_kill, scheduler)
        wait_until(lambda: answers("127.0.0.1", port + 1), 300)
        workers = []
        for number in (1, 2):
            inside, address = stack.enter_context(own_network(number))
            assert inside, "without a namespace, the mount would be this machine's"
            here = f"{address.rpartition('.')[0]}.1"
            idle = ("sh", "-c", f'mount --bind {stat} /proc/stat && exec "$@"', "sh")
            workers.append(
                stack.enter_context(
                    _daemon(
                        folder,
                        f"worker{number}",
                        f"{here}:{port}",
                        *("-m", "2"),
                        before=(*inside, *idle),
                    )
                )
            )
        # Without slots of its own, so that the workers compile whatever they can.
        local = ("-m", "0", "--no-remote", "-p", str(free_port()))
        stack.enter_context(_daemon(folder, "here", f"127.0.0.1:{port}", *local))
        variables = {
            "REMOTE_COMPILER": "icecream",
            "ICECC_SCHEDULER": f"127.0.0.1:{port}",
            "ICECC_TEST_SOCKET": str(folder / "here.socket"),
            "ICECC_VERSION": str(archive),
        }
        found = Farm(workers, variables, scheduler)
        wait_until(found.ready, 300)
        yield found
