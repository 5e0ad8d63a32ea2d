"""Servers for builds on this machine: workers of distcc, each in a network namespace of its own or on a port
of its own, and shared compiler caches."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path


@dataclass
class Worker:
    """A running distccd."""

    address: str
    """As DISTCC_HOSTS names it, without the number of slots."""
    process: subprocess.Popen[bytes]
    log: Path

    def served(self) -> int:
        """Return how many compilations it has finished."""
        return self.log.read_text(errors="replace").count("COMPILE_OK")

    def kill(self) -> None:
        """Kill the daemon with the compilations that it runs, as a power cut would."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, 9)
        self.process.wait()


def free_port() -> int:
    with socket.socket() as open_socket:
        open_socket.bind(("127.0.0.1", 0))
        port: int = open_socket.getsockname()[1]
        return port


def wait_until(holds: Callable[[], bool], seconds: float = 20.0) -> None:
    """Wait until a condition holds.

    Raises:
        TimeoutError: It does not hold in time.
    """
    end = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > end:
            raise TimeoutError(f"nothing happened within {seconds:g} s")
        time.sleep(0.02)


def answers(host: str, port: int) -> bool:
    """Return whether a server accepts connections."""
    try:
        with socket.create_connection((host, port), timeout=1):
            return True
    except OSError:
        return False


def _root(*command: str) -> bool:
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def networks() -> list[str]:
    """Return the names of the machine's network namespaces."""
    listed = subprocess.run(["ip", "netns"], capture_output=True, text=True, check=False)
    return [line.split()[0] for line in listed.stdout.splitlines() if line]


def _delete_leftover_networks() -> None:
    """Delete those of test processes that were killed; the links go with them."""
    for name in networks():
        owner = name.removeprefix("worker").partition("-")[0]
        if name.startswith("worker") and owner.isdigit() and not Path(f"/proc/{owner}").exists():
            _root("ip", "netns", "delete", name)


@contextmanager
def own_network(number: int) -> Iterator[tuple[Sequence[str], str]]:
    """Yield what to put before a command that runs in a namespace, and its address; else localhost.

    Namespaces need root and iproute2.
    """
    name, here, there = f"worker{os.getpid()}-{number}", f"w{number}h{os.getpid()}"[:15], "eth0"
    # Processes that test at the same time need other addresses.
    host, guest = (f"10.{200 + number}.{os.getpid() % 256}.{last}" for last in (1, 2))
    inside = ("ip", "netns", "exec", name)
    if os.geteuid() or not shutil.which("ip"):
        yield (), "127.0.0.1"
        return
    _delete_leftover_networks()
    if not _root("ip", "netns", "add", name):
        yield (), "127.0.0.1"
        return
    try:
        link = ("ip", "link", "add", here, "type", "veth", "peer", "name", there, "netns", name)
        made = _root(*link) and all(
            _root(*command)
            for command in (
                ("ip", "addr", "add", f"{host}/24", "dev", here),
                ("ip", "link", "set", here, "up"),
                (*inside, "ip", "addr", "add", f"{guest}/24", "dev", there),
                (*inside, "ip", "link", "set", there, "up"),
            )
        )
        yield (inside, guest) if made else ((), "127.0.0.1")
    finally:
        _root("ip", "link", "delete", here)
        _root("ip", "netns", "delete", name)


@contextmanager
def worker(number: int, folder: Path, jobs: int = 2) -> Iterator[Worker]:
    """Run a worker; `number` tells apart the workers of one test."""
    log = folder / f"worker{number}.log"
    port = free_port()
    with own_network(number) as (inside, address), log.open("wb") as errors:
        process = subprocess.Popen(
            [
                *(
                    *inside,
                    "distccd",
                    "--daemon",
                    "--no-detach",
                    "--log-stderr",
                    "--user",
                    "nobody",
                ),
                *("--listen", address, "--port", str(port), "--jobs", str(jobs)),
                *("--allow-private", "--allow", "127.0.0.1"),
            ],
            stderr=errors,
            start_new_session=True,
        )
        found = Worker(f"{address}:{port}", process, log)
        try:
            wait_until(lambda: answers(address, port))
            yield found
        finally:
            found.kill()


@contextmanager
def redis(folder: Path) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """Run a Redis server that keeps nothing on disk; yield its URL and process."""
    port = free_port()
    process = subprocess.Popen(
        ["redis-server", "--port", str(port), "--save", "", "--dir", str(folder)],
        stdout=subprocess.DEVNULL,
    )
    try:
        wait_until(lambda: answers("127.0.0.1", port))
        yield f"redis://127.0.0.1:{port}", process
    finally:
        process.kill()
        process.wait()


NGINX_MODULE = Path("/usr/lib/nginx/modules/ngx_http_dav_ext_module.so")
"""Debian's module with the methods of WebDAV that sccache needs and nginx itself lacks."""


@contextmanager
def webdav(folder: Path) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """Run nginx as a server that stores files; yield its URL and process."""
    port = free_port()
    files = folder / "webdav"
    files.mkdir()
    configuration = folder / "nginx.conf"
    configuration.write_text(
        f"""load_module {NGINX_MODULE};
daemon off; master_process off; pid {folder}/nginx.pid; error_log {folder}/nginx_errors.log;
events {{}}
http {{
  access_log {folder}/nginx.log;
  client_body_temp_path {folder}/nginx_body; proxy_temp_path {folder}/nginx_proxy;
  fastcgi_temp_path {folder}/nginx_fastcgi; uwsgi_temp_path {folder}/nginx_uwsgi;
  scgi_temp_path {folder}/nginx_scgi;
  server {{
    listen 127.0.0.1:{port};
    root {files};
    client_max_body_size 0;
    dav_methods PUT DELETE MKCOL;
    dav_ext_methods PROPFIND OPTIONS;
    create_full_put_path on;
  }}
}}
"""
    )
    process = subprocess.Popen(["nginx", "-c", str(configuration), "-p", str(folder)])
    try:
        wait_until(lambda: answers("127.0.0.1", port))
        yield f"http://127.0.0.1:{port}/", process
    finally:
        process.kill()
        process.wait()
