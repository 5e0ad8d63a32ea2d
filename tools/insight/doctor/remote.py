"""Check the workers that compile for this machine, and the cache that several machines share."""

from __future__ import annotations

import os
import socket
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from urllib.parse import urlsplit

from tools.base.errors import BuildError
from tools.base.process import Answer, ask
from tools.setup_helpers.ninja.compiler_cache import SERVER_PORTS, server_of
from tools.setup_helpers.ninja.remote import Host, Workers, workers_of
from tools.setup_helpers.probes.compilers import complaint

from .check import Check, Finding, Machine, ok, problem, skipped, warning

_PATIENCE = 10.0
"""Seconds that a cache may take for an answer."""
_WORKER_PATIENCE = 60.0
"""Seconds that a worker may take for a small compilation; icecream sends it the compiler before the first."""
_PROGRAM = "int probe(int x) { return x + 1; }\n"


class RemoteWorkers(Check):
    """Compile a small file on each worker, and compare the object with this machine's."""

    id = "workers"
    looks_at = "whether each worker compiles, and makes the bytes that this machine makes"
    consequence = "its compilations fail or wait for it, and are then done on this machine"

    def examine(self, machine: Machine) -> Finding:
        try:
            workers = workers_of(machine.options, machine.programs.environ)
        except BuildError as error:
            return problem(str(error), error.hint)
        command = machine.compilers.get("CXX")
        if workers is None or command is None:
            return skipped("all compilations run on this machine")
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "probe.cpp").write_text(_PROGRAM)
            expected = _object([], command, folder, machine.programs.environ)
            if isinstance(expected, str):
                return skipped(f"the compiler does not work here: {expected}")
            complaints = [
                f"{host.name}: {found if isinstance(found, str) else 'other bytes than here'}"
                for host in workers.hosts(machine.programs.environ)
                if (found := _remote_object(workers, host, command, folder, machine)) != expected
            ]
        if not workers.slots:
            return warning(f"{workers.name} lists no worker", "start its scheduler and the workers")
        if not complaints:
            return ok(f"{workers.slots} slots, {workers.program}")
        return warning(
            "; ".join(complaints),
            "start the worker, install the same compiler on it, or take it from the list",
        )


def _remote_object(
    workers: Workers, host: Host, command: Sequence[str], folder: Path, machine: Machine
) -> bytes | str:
    variables = {**machine.programs.environ, **host.variables}
    return _object([workers.program], command, folder, variables, workers.stays_here)


def _object(
    prefix: Sequence[str],
    command: Sequence[str],
    folder: Path,
    environ: Mapping[str, str],
    stays_here: str = "",
) -> bytes | str:
    """Compile the file in the folder; return the object, or what went wrong.

    `stays_here` is what the program prints when it compiles on this machine.
    """
    output = folder / "probe.o"
    output.unlink(missing_ok=True)
    words = [*prefix, *command, "-O2", "-c", str(folder / "probe.cpp"), "-o", str(output)]
    try:
        answer: Answer = ask(words, environ=environ, timeout=_WORKER_PATIENCE)
    except TimeoutError:
        return f"no answer within {_WORKER_PATIENCE:g} s"
    if stays_here and stays_here in answer.err:
        return "compiled on this machine instead"
    return complaint(answer) if answer.code or not output.exists() else output.read_bytes()


class CacheServer(Check):
    """Ask the shared compiler cache for a sign of life."""

    id = "cache-server"
    looks_at = "whether the compiler cache on the network answers, and one over HTTP stores a file"
    consequence = "builds work, but find only what the cache on this machine has"

    def examine(self, machine: Machine) -> Finding:
        try:
            url = server_of(machine.options)
        except BuildError as error:
            return problem(str(error), error.hint)
        if not url:
            return skipped("no cache on the network is set")
        try:
            refusal = _try_http(url) if url.startswith("http") else _connect(url)
        except OSError as error:
            name = machine.config.roles["cache_server"]
            return warning(f"{url} does not answer: {error}", f"start it, or unset {name}")
        if refusal:
            return warning(
                f"{url} keeps nothing: {refusal}", "allow PUT, GET and DELETE below that address"
            )
        return ok(f"{url} answers")


def _connect(url: str) -> str:
    parts = urlsplit(url)
    place = (parts.hostname or "", parts.port or SERVER_PORTS[parts.scheme])
    socket.create_connection(place, timeout=_PATIENCE).close()
    return ""


def _try_http(url: str) -> str:
    """Store a file, read it back and delete it; return what went wrong. Raise OSError without an answer."""
    from http.client import HTTPException
    from urllib.error import HTTPError
    from urllib.request import ProxyHandler, Request, build_opener

    opener = build_opener(ProxyHandler({}))  # the caches use no proxy either
    content = os.urandom(16)
    address = f"{url.partition('|')[0].rstrip('/')}/.doctor/{content.hex()}"
    for method in ("PUT", "GET", "DELETE"):
        data = content if method == "PUT" else None
        request = Request(address, data=data, method=method)
        try:
            with opener.open(request, timeout=_PATIENCE) as answer:
                found = answer.read()
        except HTTPError as error:
            return f"{method} answers {error.code} {error.reason}"
        except HTTPException as error:
            return f"it does not speak HTTP: {error!r}"
        if method == "GET" and found != content:
            return "GET does not return what PUT stored"
    return ""
