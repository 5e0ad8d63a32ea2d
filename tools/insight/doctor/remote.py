"""Check the workers that compile for this machine, and the cache that several machines share."""

from __future__ import annotations

import socket
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from urllib.parse import urlsplit

from tools.base.errors import BuildError
from tools.base.process import Answer, ask
from tools.setup_helpers.ninja.compiler_cache import SERVER_PORTS, server_of
from tools.setup_helpers.ninja.remote import workers_of
from tools.setup_helpers.probes.compilers import complaint

from .check import Check, Finding, Machine, ok, problem, skipped, warning

_PATIENCE = 10.0
"""Seconds that a worker may take for a small compilation, and a cache for an answer."""
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
                f"{host}: {found if isinstance(found, str) else 'other bytes than here'}"
                for host, variables in _hosts(workers.program, machine.programs.environ)
                if (found := _object([workers.program], command, folder, variables)) != expected
            ]
        if not complaints:
            return ok(f"{workers.slots} slots, {workers.program}")
        return warning(
            "; ".join(complaints),
            "start the worker, install the same compiler on it, or take it from the list",
        )


def _hosts(program: str, environ: Mapping[str, str]) -> Iterator[tuple[str, Mapping[str, str]]]:
    """Yield each worker with the variables that make distcc use no other."""
    for host in ask([program, "--show-hosts"], environ=environ).out.split():
        yield host, {**environ, "DISTCC_HOSTS": host, "DISTCC_FALLBACK": "0"}


def _object(
    prefix: Sequence[str], command: Sequence[str], folder: Path, environ: Mapping[str, str]
) -> bytes | str:
    """Compile the file in the folder; return the object, or what went wrong."""
    output = folder / "probe.o"
    output.unlink(missing_ok=True)
    words = [*prefix, *command, "-O2", "-c", str(folder / "probe.cpp"), "-o", str(output)]
    try:
        answer: Answer = ask(words, environ=environ, timeout=_PATIENCE)
    except TimeoutError:
        return f"no answer within {_PATIENCE:g} s"
    return complaint(answer) if answer.code or not output.exists() else output.read_bytes()


class CacheServer(Check):
    """Ask the shared compiler cache for a sign of life."""

    id = "cache-server"
    looks_at = "whether the compiler cache on the network answers"
    consequence = "builds work, but find only what the cache on this machine has"

    def examine(self, machine: Machine) -> Finding:
        try:
            url = server_of(machine.options)
        except BuildError as error:
            return problem(str(error), error.hint)
        if not url:
            return skipped("no cache on the network is set")
        parts = urlsplit(url)
        place = (parts.hostname or "", parts.port or SERVER_PORTS[parts.scheme])
        try:
            socket.create_connection(place, timeout=_PATIENCE).close()
        except OSError as error:
            name = machine.config.roles["cache_server"]
            return warning(f"{url} does not answer: {error}", f"start it, or unset {name}")
        return ok(f"{url} answers")
