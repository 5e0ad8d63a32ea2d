"""Compile on other machines through distcc.

It sends preprocessed sources, so that only the compiler has to be the same there. Generated code, links
and CUDA stay on this machine.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass

from tools.base.errors import environment_error, usage_error
from tools.base.process import ask

from ..env.options import Options
from .compiler_cache import Ccache, CompilerCache

NAME = "distcc"
# cmake/Modules/canonical_command.sh runs compilations through the program that this variable names.
_PREFIX = "COMPILER_PREFIX"


@dataclass(frozen=True)
class Workers:
    """The other machines, seen as one program and a number of slots."""

    program: str
    slots: int

    def variables(self, cache: CompilerCache | None) -> Mapping[str, str]:
        """Return what to set for Ninja. A cache comes first, and sends what it does not have.

        These are variables rather than a part of the commands, because a changed command would make
        Ninja compile everything again.

        Raises:
            BuildError: The cache cannot pass compilations on.
        """
        if cache is None:
            return {_PREFIX: self.program}
        if isinstance(cache, Ccache):
            return {"CCACHE_PREFIX": self.program}
        raise usage_error(
            f"{NAME} does not work behind sccache",
            hint="use COMPILER_CACHE=ccache or COMPILER_CACHE=none",
        )


def workers_of(options: Options, environ: Mapping[str, str] = os.environ) -> Workers | None:
    """Return the workers that the options ask for, or None.

    Raises:
        BuildError: distcc is missing, or knows no worker.
    """
    if options.role("remote_compiler") != NAME:
        return None
    program = shutil.which(NAME, path=environ.get("PATH"))
    if program is None:
        option = next(r.option.name for r in options.resolved if r.option.role == "remote_compiler")
        raise environment_error(
            f"{NAME} is not installed, so no worker can be used",
            hint=f"apt-get install {NAME}, or set {option}=none",
        )
    answer = ask([program, "-j"], environ=environ)
    slots = int(answer.out) if answer.out.strip().isdecimal() else 0
    if not slots:
        raise environment_error(
            f"{NAME} knows no worker",
            cause=f"`{NAME} -j` finds no hosts",
            hint="list the workers, for example DISTCC_HOSTS='192.0.2.1/8,lzo 192.0.2.2/8,lzo'",
        )
    return Workers(program, slots)


def remote_slots(options: Options) -> int:
    """Return how many compilations the workers can run at once; 0 without workers."""
    workers = workers_of(options)
    return workers.slots if workers else 0
