"""Compile on other machines through distcc or icecream.

Both send preprocessed sources, so nothing of the checkout has to be there. Generated code, links and CUDA
stay on this machine.
"""

from __future__ import annotations

import os
import re
import shutil
import socket
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

from tools.base.errors import environment_error, usage_error
from tools.base.process import ask

from ..env.options import Options
from .compiler_cache import Ccache, CompilerCache

# cmake/Modules/canonical_command.sh runs compilations through the program that this variable names.
_PREFIX = "COMPILER_PREFIX"
_SCHEDULER = "ICECC_SCHEDULER"
_SCHEDULER_PORT = 8765
_PATIENCE = 5.0
"""Seconds that icecream's scheduler may take to answer."""
# ` NAME (ADDRESS:PORT) [PLATFORM] speed=0.00 jobs=0/2 load=0`; the port is 0 if it compiles for no others.
_NODE = re.compile(r"^ (\S+) \([^()]*:([1-9]\d*)\) \[(\S+)\] .*?jobs=\d+/(\d+)", re.MULTILINE)


@dataclass(frozen=True)
class Host:
    """A worker."""

    name: str
    variables: Mapping[str, str]
    """What makes the program use this worker and no other."""


class Distributor(Protocol):
    """A program that passes compilations to workers."""

    program: str
    package: str
    """The Debian package that has the program."""
    hint: str
    """How workers are named."""
    stays_here: str
    """What the program prints for a `Host` when it compiles on this machine; empty if it fails then."""

    def configured(self, program: str, environ: Mapping[str, str]) -> bool:
        """Return whether workers are named, even if none of them is there."""

    def hosts(self, program: str, environ: Mapping[str, str]) -> Iterator[Host]: ...

    def slots(self, program: str, environ: Mapping[str, str]) -> int:
        """Return how many compilations the workers can run at once; 0 if there are none."""


class Distcc:
    """distcc, whose workers are listed in DISTCC_HOSTS or in a file."""

    program = "distcc"
    package = "distcc"
    hint = "list the workers, for example DISTCC_HOSTS='192.0.2.1/8,lzo 192.0.2.2/8,lzo'"
    stays_here = ""

    def configured(self, program: str, environ: Mapping[str, str]) -> bool:
        return self.slots(program, environ) > 0

    def hosts(self, program: str, environ: Mapping[str, str]) -> Iterator[Host]:
        for name in ask([program, "--show-hosts"], environ=environ).out.split():
            yield Host(name, {"DISTCC_HOSTS": name, "DISTCC_FALLBACK": "0"})

    def slots(self, program: str, environ: Mapping[str, str]) -> int:
        answer = ask([program, "-j"], environ=environ).out.strip()
        return int(answer) if answer.isdecimal() else 0


class Icecream:
    """icecream, whose scheduler knows the workers and chooses one for each compilation."""

    program = "icecc"
    package = "icecc"
    hint = f"name the scheduler's machine, for example {_SCHEDULER}=192.0.2.1"
    stays_here = "<building_local>"

    def configured(self, program: str, environ: Mapping[str, str]) -> bool:
        return bool(environ.get(_SCHEDULER))

    def hosts(self, program: str, environ: Mapping[str, str]) -> Iterator[Host]:
        for name, _ in self._nodes(environ):
            yield Host(name, {"ICECC_PREFERRED_HOST": name, "ICECC_DEBUG": "info"})

    def slots(self, program: str, environ: Mapping[str, str]) -> int:
        return sum(slots for _, slots in self._nodes(environ))

    def _nodes(self, environ: Mapping[str, str]) -> Iterator[tuple[str, int]]:
        """Yield the name and slots of each worker of this machine's kind that the scheduler lists."""
        host, _, port = environ.get(_SCHEDULER, "").partition(":")
        for name, _, platform, slots in _NODE.findall(_list_nodes(host, port)):
            if platform == os.uname().machine:
                yield name, int(slots)


def _list_nodes(host: str, port: str) -> str:
    """Return the list of the scheduler's nodes, which it gives on the next port; "" without an answer."""
    if port and not port.isdecimal():
        return ""
    place = (host, int(port or _SCHEDULER_PORT) + 1)
    text = b""
    try:
        with socket.create_connection(place, timeout=_PATIENCE) as connection:
            connection.sendall(b"listcs\nquit\n")
            while block := connection.recv(4096):
                text += block
    except OSError:
        return ""
    return text.decode(errors="replace")


DISTRIBUTORS: Mapping[str, Distributor] = {"distcc": Distcc(), "icecream": Icecream()}
"""The programs by the value of the option that chooses one."""


@dataclass(frozen=True)
class Workers:
    """The other machines, seen as one program and a number of slots."""

    name: str
    program: str
    slots: int
    """How many compilations they run at once; 0 if icecream's scheduler does not answer or lists none."""

    def variables(self, cache: CompilerCache | None) -> Mapping[str, str]:
        """Return what to set for Ninja. A cache comes first, and sends what it does not have.

        These are variables rather than a part of the commands, because a changed command would make
        Ninja compile everything again.

        Raises:
            BuildError: The cache cannot pass compilations on.
        """
        if not self.slots:
            return {}
        if cache is None:
            return {_PREFIX: self.program}
        if isinstance(cache, Ccache):
            return {"CCACHE_PREFIX": self.program}
        raise usage_error(
            f"{self.name} does not work behind sccache",
            hint="use COMPILER_CACHE=ccache or COMPILER_CACHE=none",
        )

    @property
    def stays_here(self) -> str:
        return DISTRIBUTORS[self.name].stays_here

    def hosts(self, environ: Mapping[str, str]) -> Iterator[Host]:
        return DISTRIBUTORS[self.name].hosts(self.program, environ)


def workers_of(options: Options, environ: Mapping[str, str] = os.environ) -> Workers | None:
    """Return the workers that the options ask for, or None.

    Raises:
        BuildError: The program is missing, or no worker is named.
    """
    name = options.role("remote_compiler")
    if name not in DISTRIBUTORS:
        return None
    distributor = DISTRIBUTORS[name]
    program = shutil.which(distributor.program, path=environ.get("PATH"))
    if program is None:
        option = next(r.option.name for r in options.resolved if r.option.role == "remote_compiler")
        raise environment_error(
            f"{name} is not installed, so no worker can be used",
            hint=f"apt-get install {distributor.package}, or set {option}=none",
        )
    if not distributor.configured(program, environ):
        raise environment_error(f"{name} knows no worker", hint=distributor.hint)
    return Workers(name, program, distributor.slots(program, environ))


def remote_slots(options: Options) -> int:
    """Return how many compilations the workers can run at once; 0 without workers."""
    workers = workers_of(options)
    return workers.slots if workers else 0
