"""Conditions of a machine, provoked for real: compilers that misbehave, small disks, little memory."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from .fixture_project import Project


def wrap_compilers(folder: Path, behaviour: str) -> str:
    """A PATH on which `cc` and `c++` first run shell commands and then become the real compiler.

    The commands see the compiler's arguments as `$@` and this folder as `$HERE`.
    """
    folder.mkdir(exist_ok=True)
    for name in ("cc", "c++"):
        real = shutil.which(name)
        script = folder / name
        script.write_text(f'#!/bin/sh\nHERE={folder}\n{behaviour}\nexec {real} "$@"\n')
        script.chmod(0o755)
    return f"{folder}:{os.environ['PATH']}"


def for_file(name: str, behaviour: str) -> str:
    """The commands, when the compiler is to compile one source file."""
    return f'case "$*" in *"-c "*{name}) {behaviour} ;; esac'


@contextmanager
def small_disk(folder: Path, size: str) -> Iterator[Path]:
    """A file system of its own with little room; skips where none may be mounted."""
    folder.mkdir(exist_ok=True)
    command = ["mount", "-t", "tmpfs", "-o", f"size={size}", "none", str(folder)]
    mounted = subprocess.run(command, capture_output=True, text=True, check=False)
    if mounted.returncode:
        pytest.skip(f"mounting a tmpfs needs root: {mounted.stderr.strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def in_small_group(command: list[str], megabytes: int) -> list[str]:
    """The command in a control group with little memory; skips where systemd gives out none."""
    if not shutil.which("systemd-run") or not Path("/run/systemd/system").exists():
        pytest.skip("a control group of one's own takes systemd-run and a running systemd")
    user = [] if os.getuid() == 0 else ["--user"]
    limits = ["-p", f"MemoryMax={megabytes}M", "-p", "MemorySwapMax=0"]
    return ["systemd-run", *user, "--scope", "--quiet", *limits, *command]


def in_own_mounts(
    project: Project, script: str, **environ: str
) -> subprocess.CompletedProcess[str]:
    """Runs a shell script that may mount file systems nobody else sees; skips where that is forbidden."""
    command = ["unshare", "--mount", *([] if os.geteuid() == 0 else ["--map-root-user"])]
    if subprocess.run([*command, "true"], capture_output=True, check=False).returncode:
        pytest.skip("this machine forbids mount namespaces (unshare --mount)")
    return project.call([*command, "sh", "-ec", script], check=False, **environ)
