"""Difficult conditions, provoked for real: misbehaving compilers, small disks, little memory."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from .fixture_project import Project


def wrap_compilers(folder: Path, behaviour: str) -> str:
    """Return a PATH on which `cc` and `c++` run shell commands before the real compiler.

    The commands see the compiler's arguments as `$@` and this folder as `$HERE`.
    """
    folder.mkdir(exist_ok=True)
    for name in ("cc", "c++"):
        real = shutil.which(name)
        script = folder / name
        script.write_text(
            f'#!/bin/sh\nHERE={shlex.quote(str(folder))}\n{behaviour}\nexec {real} "$@"\n'
        )
        script.chmod(0o755)
    return f"{folder}:{os.environ['PATH']}"


def for_file(name: str, behaviour: str) -> str:
    """Return shell commands that run only when this source file is compiled."""
    return f'case "$*" in *"-c "*{name}) {behaviour} ;; esac'


@contextmanager
def small_disk(folder: Path, size: str) -> Iterator[Path]:
    """Mount a small file system, or skip the test if mounting is forbidden."""
    folder.mkdir(exist_ok=True)
    command = ["mount", "-t", "tmpfs", "-o", f"size={size}", "none", str(folder)]
    mounted = subprocess.run(command, capture_output=True, text=True, check=False)
    if mounted.returncode:
        pytest.skip(f"mounting a tmpfs needs root: {mounted.stderr.strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def in_small_control_group(command: list[str], megabytes: int) -> list[str]:
    """Return the command to run in a control group with little memory, or skip without systemd."""
    if not shutil.which("systemd-run") or not Path("/run/systemd/system").exists():
        pytest.skip("a private control group needs systemd-run and a running systemd")
    user = [] if os.getuid() == 0 else ["--user"]
    limits = ["-p", f"MemoryMax={megabytes}M", "-p", "MemorySwapMax=0"]
    return ["systemd-run", *user, "--scope", "--quiet", *limits, *command]


def in_private_mounts(
    project: Project, script: str, **environ: str
) -> subprocess.CompletedProcess[str]:
    """Run a shell script in a private mount namespace, or skip the test where that is forbidden."""
    command = ["unshare", "--mount", *([] if os.geteuid() == 0 else ["--map-root-user"])]
    if subprocess.run([*command, "true"], capture_output=True, check=False).returncode:
        pytest.skip("this machine forbids mount namespaces (unshare --mount)")
    return project.call([*command, "sh", "-ec", script], check=False, **environ)
