"""`doctor --container`: on a host, what its container engine lacks; in a container, what `docker run` left out."""

from __future__ import annotations

import os
import re
import shutil
from abc import abstractmethod
from pathlib import Path

from tools.base.process import Answer

from .capacity import Disk, Memory, Writable, existing_part
from .check import Check, Finding, Machine, ok, problem, skipped, warning

HOST = Path("/")
"""The folder that contains /dev, /proc and /run; tests have their own."""
_MARKS = (".dockerenv", "run/.containerenv")
_SOCKET = "var/run/docker.sock"
_GROUPS_OF_CONTAINERS = re.compile(r"docker|kubepods|containerd|libpod|lxc")
_CUDA_LIBRARY = "libcuda.so.1"
# The layers, the compiler cache and the build of the CPU images need this much.
_ENGINE_DISK_MB = 5_000
# Docker's own default is 64 MB.
_SHARED_MEMORY_MB = 512
_INSTALL_TOOLKIT = (
    "install nvidia-container-toolkit from NVIDIA's package repository, then run:"
    " sudo nvidia-ctk runtime configure --runtime=docker && sudo systemctl restart docker"
)
_GPUS_FAILS = (
    "`docker run --gpus all` fails: could not select device driver with capabilities: [[gpu]]"
)


def in_container(root: Path = HOST) -> bool:
    """Whether this process runs in a container of Docker, Podman or Kubernetes."""
    if any((root / mark).exists() for mark in _MARKS):
        return True
    try:
        return bool(_GROUPS_OF_CONTAINERS.search((root / "proc/1/cgroup").read_text()))
    except OSError:
        return False


def container_checks(root: Path = HOST) -> tuple[Check, ...]:
    """Return the checks for the place where the doctor runs, which may be a container with an engine's socket."""
    if not in_container(root):
        return ON_HOST
    return (*IN_CONTAINER, *ON_HOST) if (root / _SOCKET).exists() else IN_CONTAINER


class EngineCheck(Check):
    """A check that asks the container engine."""

    def examine(self, machine: Machine) -> Finding:
        docker = machine.environ.get("DOCKER") or "docker"
        return self.ask(machine, docker) if machine.programs.find(docker) else self.absent(docker)

    def absent(self, docker: str) -> Finding:
        return skipped(f"there is no program {docker}")

    @abstractmethod
    def ask(self, machine: Machine, docker: str) -> Finding:
        """Run the check with the engine's program, which is installed."""


class Engine(EngineCheck):
    """Ask the container engine for its version, which needs its socket."""

    id = "engine"
    looks_at = "the docker command, and whether this user reaches the engine"
    consequence = "no image can be built or run"

    def absent(self, docker: str) -> Finding:
        return problem(
            f"there is no program {docker}",
            "sudo apt-get install docker.io (Fedora: sudo dnf install moby-engine), or set DOCKER to its path",
        )

    def ask(self, machine: Machine, docker: str) -> Finding:
        answer = _ask(machine, docker, "version", "--format", "{{.Server.Version}}")
        if answer.code == 0:
            return ok(f"{docker} {answer.out.strip()}")
        complaint = _last_line(answer)
        if "permission denied" in complaint.lower():
            return problem(
                f"this user may not write to the engine's socket (/{_SOCKET})",
                'sudo usermod -aG docker "$USER", then log in again; members of that group are as powerful as root',
            )
        return problem(
            f"the engine does not answer: {complaint}",
            "sudo systemctl start docker, or set DOCKER_HOST to where it listens",
        )


class BuildKit(EngineCheck):
    """The classic builder has no cache mounts; BuildKit is built into old clients, and a plugin of new ones."""

    id = "buildkit"
    looks_at = "whether `docker build` can use BuildKit, for cache mounts and secrets"
    consequence = "docker refuses the Dockerfile: the --mount option requires BuildKit"

    def ask(self, machine: Machine, docker: str) -> Finding:
        if (plugin := _ask(machine, docker, "buildx", "version")).code == 0:
            return ok(plugin.out.strip())
        version = _ask(machine, docker, "--version").out
        major = int(found[0]) if (found := re.findall(r"\d+", version)) else 0
        if 18 < major < 23:
            return ok(f"built into docker {major}; DOCKER_BUILDKIT=1 turns it on")
        return problem(
            f"{version.strip() or docker} has no buildx plugin",
            "install docker-buildx-plugin (from Docker) or docker-buildx (from Debian or Ubuntu)",
        )


class EngineDisk(EngineCheck):
    """Compare the free space where the engine keeps images with what a build needs."""

    id = "engine-disk"
    looks_at = "the free space where the engine keeps its images and caches"
    consequence = "a build stops with 'no space left on device'"

    def ask(self, machine: Machine, docker: str) -> Finding:
        folder = _ask(machine, docker, "info", "--format", "{{.DockerRootDir}}").out.strip()
        if not folder or machine.environ.get("DOCKER_HOST", "unix:").split(":")[0] != "unix":
            return skipped("the engine does not answer, or runs on another machine")
        free = shutil.disk_usage(existing_part(Path(folder))).free >> 20
        if free >= _ENGINE_DISK_MB:
            return ok(f"{free} MB free for {folder}")
        return warning(
            f"{free} MB free for {folder}; building the images needs about {_ENGINE_DISK_MB} MB",
            "docker builder prune, docker image prune",
        )


class Driver(Check):
    """The driver belongs to the host: containers use it and never bring their own."""

    id = "gpu-driver"
    looks_at = "NVIDIA's driver on the host"
    consequence = "containers started with `--gpus all` find no GPU, or do not start"

    def __init__(self, root: Path = HOST) -> None:
        self._root = root

    def examine(self, machine: Machine) -> Finding:
        if not machine.programs.find("nvidia-smi"):
            if (self._root / "proc/driver/nvidia").exists():
                return warning("the driver is loaded, but nvidia-smi is missing", "reinstall it")
            return skipped("there is no nvidia-smi: leave `--gpus` out on this machine")
        answer = _ask(
            machine, "nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"
        )
        if answer.code == 0:
            return ok("; ".join(answer.out.split("\n")).strip("; "))
        return problem(
            f"nvidia-smi fails: {_last_line(answer)}",
            "restart the machine, since a new driver may not be loaded yet, or reinstall the driver",
        )


class ContainerToolkit(EngineCheck):
    """`--gpus` works only if the engine found NVIDIA's hook when it started."""

    id = "container-toolkit"
    looks_at = "NVIDIA's container toolkit, and the engine's runtimes"
    consequence = _GPUS_FAILS

    def examine(self, machine: Machine) -> Finding:
        find = machine.programs.find
        if not find("nvidia-smi"):
            return skipped("there is no NVIDIA driver, which it would need")
        if not find("nvidia-ctk") and not find("nvidia-container-runtime-hook"):
            return warning("nvidia-container-toolkit is not installed", _INSTALL_TOOLKIT)
        return super().examine(machine)

    def ask(self, machine: Machine, docker: str) -> Finding:
        runtimes = _ask(machine, docker, "info", "--format", "{{json .Runtimes}}")
        if runtimes.code:
            return skipped("the engine does not answer")
        if '"nvidia"' in runtimes.out:
            return ok("the engine knows the runtime nvidia")
        return warning(
            "the toolkit is installed, but the engine does not know the runtime nvidia",
            "sudo nvidia-ctk runtime configure --runtime=docker && sudo systemctl restart docker",
            "`--gpus all` fails if the engine was not restarted since, and `--runtime=nvidia` always",
        )


class Compiler(Check):
    """Images for running have no compiler."""

    id = "toolchain"
    looks_at = "a C++ compiler and the headers of Python"
    consequence = "the checkout in this container cannot be built"

    def examine(self, machine: Machine) -> Finding:
        needed = [language for language in machine.languages if language.dialect]
        missing = [f"a {e.title} compiler" for e in needed if e.name not in machine.compilers]
        if not _python_header().exists():
            missing.append("Python.h")
        if not missing:
            found = (machine.compilers[each.name][0] for each in needed)
            return ok(", ".join([*found, str(_python_header())]))
        return problem(
            f"this image lacks {', '.join(missing)}",
            "as root: apt-get update && apt-get install -y g++ python3-dev;"
            " or use the image that `docker/build.sh dev` makes",
        )


class Gpus(Check):
    """The toolkit puts devices and the driver's library into a container that was started with `--gpus`."""

    id = "gpus"
    looks_at = "the GPU devices, and the driver's library libcuda.so.1"
    consequence = "programs in this container find no GPU"

    def __init__(self, root: Path = HOST) -> None:
        self._root = root

    def examine(self, machine: Machine) -> Finding:
        devices = sorted(p.name for p in self._root.glob("dev/nvidia[0-9]*"))
        library = self._library()
        if devices and library:
            return ok(f"{', '.join(devices)}; {library}")
        if devices:
            return warning(
                f"{', '.join(devices)} without {_CUDA_LIBRARY}: `--device` does not bring the library",
                "start the container with --gpus all instead of --device",
            )
        expected = machine.environ.get("NVIDIA_VISIBLE_DEVICES", "void") not in ("", "void", "none")
        if expected or library or (self._root / "proc/driver/nvidia").exists():
            return warning(
                "no /dev/nvidia* here, although the image or the host's driver expects GPUs",
                "start the container with `docker run --gpus all`; if that fails, run"
                " `python setup.py doctor --container` on the host",
            )
        return skipped("no GPU, and no sign of one on the host")

    def _library(self) -> str:
        folders = ("usr/lib/*-linux-gnu", "usr/lib64", "usr/local/cuda/compat")
        found = (p for folder in folders for p in self._root.glob(f"{folder}/{_CUDA_LIBRARY}"))
        return str(next(found, ""))


class SharedMemory(Check):
    """Docker gives a container 64 MB of shared memory unless it is asked for more."""

    id = "shared-memory"
    looks_at = "the size of /dev/shm"
    consequence = "processes that share tensors, such as DataLoader workers, die with SIGBUS"

    def __init__(self, root: Path = HOST) -> None:
        self._root = root

    def examine(self, machine: Machine) -> Finding:
        size = shutil.disk_usage(self._root / "dev/shm").total >> 20
        if size >= _SHARED_MEMORY_MB:
            return ok(f"{size} MB")
        return warning(
            f"/dev/shm has {size} MB",
            "start the container with --shm-size=1g, or with --ipc=host to share the host's",
        )


class MountedOwner(Check):
    """A process in a container has the user's number on the mounted files too."""

    id = "mounted-owner"
    looks_at = "the owner of the mounted checkout, and this process's user"
    consequence = "the files that a build makes belong to another user on the host"

    def examine(self, machine: Machine) -> Finding:
        owner, user = machine.root.stat().st_uid, os.geteuid()
        if owner == user:
            return ok(f"both are {owner}")
        return warning(
            f"the checkout belongs to user {owner}, and this is user {user}",
            f"start the container with --user {owner}:{machine.root.stat().st_gid}",
        )


ON_HOST = (Engine(), BuildKit(), EngineDisk(), Driver(), ContainerToolkit())
IN_CONTAINER = (
    Compiler(),
    Gpus(),
    SharedMemory(),
    MountedOwner(),
    Writable(),
    Disk(),
    Memory(),
)


def _ask(machine: Machine, *command: str) -> Answer:
    """Ask a program; one that cannot start or does not answer counts as having failed."""
    try:
        return machine.programs.ask(command)
    except OSError as error:
        return Answer(1, "", f"{command[0]}: {error.strerror}")


def _last_line(answer: Answer) -> str:
    lines = (answer.err or answer.out).strip().splitlines()
    return lines[-1] if lines else f"exit code {answer.code}"


def _python_header() -> Path:
    from sysconfig import get_path

    return Path(get_path("include"), "Python.h")
