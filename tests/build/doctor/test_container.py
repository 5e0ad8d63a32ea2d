"""`doctor --container`: engines, drivers and containers with something missing."""

from __future__ import annotations

import json
import os
from pathlib import Path
from types import SimpleNamespace

import pytest

from tools.base.programs import Programs
from tools.insight.doctor.check import Check, Status
from tools.insight.doctor.container import (
    IN_CONTAINER,
    ON_HOST,
    BuildKit,
    Compiler,
    ContainerToolkit,
    Driver,
    Engine,
    EngineDisk,
    Gpus,
    MountedOwner,
    SharedMemory,
    container_checks,
)

from .conftest import Doctor

CXX = SimpleNamespace(name="CXX", title="C++", dialect="c++")


@pytest.fixture
def machine(tmp_path: Path):
    """A machine whose only programs are the given ones, as lines of shell."""

    def make(root: Path = tmp_path, variables: dict[str, str] | None = None, **lines: str):
        folder = tmp_path / "programs"
        folder.mkdir(exist_ok=True)
        for name, text in lines.items():
            program = folder / name.replace("_", "-")
            program.write_text(f"#!/bin/sh\n{text}\n")
            program.chmod(0o755)
        programs = Programs({"PATH": str(folder), **(variables or {})})
        return SimpleNamespace(
            programs=programs, environ=programs.environ, root=root, compilers={}, languages=[CXX]
        )

    return make


def root_with(folder: Path, *names: str) -> Path:
    """A stand-in for / with these files and, if their names end in a slash, folders."""
    root = folder / "root"
    (root / "dev/shm").mkdir(parents=True)
    for name in names:
        path = root / name
        if name.endswith("/"):
            path.mkdir(parents=True)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()
    return root


def test_the_command_runs_the_checks_of_containers_alone(doctor: Doctor) -> None:
    result = doctor.project.run("doctor", "--container", "--json", check=False)
    shown = [row["id"] for row in json.loads(result.stdout)["checks"]]
    assert shown == [check.id for check in container_checks()]
    assert "Traceback" not in result.stderr


def test_a_mistake_in_the_name_of_a_check(doctor: Doctor) -> None:
    wrong = doctor.project.run("doctor", "--container", "engin", check=False)
    assert wrong.returncode == 2 and "did you mean 'engine'" in wrong.stderr


def test_where_the_doctor_runs(tmp_path: Path) -> None:
    host, container = tmp_path / "host", tmp_path / "container"
    root_with(host)
    root_with(container, ".dockerenv")
    assert container_checks(host / "root") == ON_HOST
    assert container_checks(container / "root") == IN_CONTAINER
    (container / "root/var/run").mkdir(parents=True)
    (container / "root/var/run/docker.sock").touch()
    assert container_checks(container / "root") == (*IN_CONTAINER, *ON_HOST)


def test_control_groups_reveal_a_container(tmp_path: Path) -> None:
    root = root_with(tmp_path, "proc/1/cgroup")
    assert container_checks(root) == ON_HOST
    (root / "proc/1/cgroup").write_text("4:memory:/kubepods/besteffort/pod1\n")
    assert container_checks(root) == IN_CONTAINER


@pytest.mark.parametrize(
    ("docker", "status", "text", "remedy"),
    [
        (None, "problem", "there is no program docker", "docker.io"),
        ("echo 24.0.7", "ok", "docker 24.0.7", ""),
        (
            "echo 'permission denied while trying to connect to the socket' >&2; exit 1",
            "problem",
            "this user may not write to the engine's socket",
            "usermod -aG docker",
        ),
        (
            "echo 'Cannot connect to the Docker daemon at unix:///x. Is it running?' >&2; exit 1",
            "problem",
            "the engine does not answer: Cannot connect",
            "systemctl start docker",
        ),
        ("exit 1", "problem", "the engine does not answer: exit code 1", "systemctl"),
    ],
)
def test_the_engine(machine, docker: str | None, status: str, text: str, remedy: str) -> None:
    given = machine(docker=docker) if docker else machine()
    finding = Engine().examine(given)
    assert finding.status.value == status
    assert text in finding.text and remedy in finding.remedy


@pytest.mark.parametrize(
    ("docker", "status", "text"),
    [
        ('[ "$1" = buildx ] && echo github.com/docker/buildx v0.12', "ok", "buildx v0.12"),
        ('[ "$1" = buildx ] && exit 1; echo Docker version 20.10.24', "ok", "built into docker 20"),
        ('[ "$1" = buildx ] && exit 1; echo Docker version 24.0.7', "problem", "no buildx plugin"),
        ("exit 1", "problem", "no buildx plugin"),
    ],
)
def test_buildkit(machine, docker: str, status: str, text: str) -> None:
    finding = BuildKit().examine(machine(docker=docker))
    assert (finding.status.value, text in finding.text) == (status, True)


def test_a_small_disk_of_the_engine(machine, monkeypatch: pytest.MonkeyPatch) -> None:
    given = machine(docker="echo /var/lib/docker")
    usage = SimpleNamespace(free=2000 << 20)
    monkeypatch.setattr("tools.insight.doctor.container.shutil.disk_usage", lambda _: usage)
    finding = EngineDisk().examine(given)
    assert finding.status is Status.WARNING and finding.text.startswith("2000 MB free for /var")
    assert "docker builder prune" in finding.remedy
    elsewhere = machine(docker="echo /var", variables={"DOCKER_HOST": "tcp://10.0.0.1:2375"})
    assert EngineDisk().examine(elsewhere).status is Status.SKIPPED


def test_the_driver(machine, tmp_path: Path) -> None:
    root = root_with(tmp_path)
    assert "leave `--gpus` out" in Driver(root).examine(machine()).text
    (root / "proc/driver/nvidia").mkdir(parents=True)
    assert Driver(root).examine(machine()).status is Status.WARNING
    broken = machine(
        nvidia_smi="echo Failed to initialize NVML: Driver/library version mismatch; exit 18"
    )
    finding = Driver(root).examine(broken)
    assert finding.status is Status.PROBLEM and "version mismatch" in finding.text
    assert "restart the machine" in finding.remedy


def test_the_driver_answers(machine, tmp_path: Path) -> None:
    finding = Driver(root_with(tmp_path)).examine(machine(nvidia_smi="echo GTX 1660 Ti, 515.76"))
    assert (finding.status, finding.text) == (Status.OK, "GTX 1660 Ti, 515.76")


def test_why_gpus_fails_on_the_host(machine) -> None:
    check = ContainerToolkit()
    assert check.examine(machine()).status is Status.SKIPPED
    missing = check.examine(machine(nvidia_smi="echo x", docker="echo '{\"runc\":{}}'"))
    assert missing.status is Status.WARNING and "not installed" in missing.text
    assert "could not select device driver" in check.consequence
    assert "nvidia-ctk runtime configure" in missing.remedy
    unknown = check.examine(machine(nvidia_ctk="exit 0"))
    assert "does not know the runtime nvidia" in unknown.text
    assert "systemctl restart docker" in unknown.remedy


def test_a_host_where_gpus_works(machine) -> None:
    docker = 'echo \'{"nvidia":{"path":"nvidia-container-runtime"},"runc":{}}\''
    given = machine(nvidia_smi="echo x", nvidia_ctk="exit 0", docker=docker)
    assert ContainerToolkit().examine(given).status is Status.OK


def test_an_image_without_a_compiler(machine) -> None:
    finding = Compiler().examine(machine())
    assert finding.status is Status.PROBLEM and "lacks a C++ compiler" in finding.text
    assert "apt-get install -y g++" in finding.remedy and "build.sh dev" in finding.remedy


@pytest.mark.parametrize(
    ("names", "variables", "status", "text"),
    [
        ((), {}, "skipped", "no GPU"),
        (("proc/driver/nvidia/",), {}, "warning", "expects GPUs"),
        ((), {"NVIDIA_VISIBLE_DEVICES": "all"}, "warning", "expects GPUs"),
        ((), {"NVIDIA_VISIBLE_DEVICES": "void"}, "skipped", "no GPU"),
        (("dev/nvidia0",), {}, "warning", "without libcuda.so.1"),
        (("dev/nvidia0", "usr/lib/x86_64-linux-gnu/libcuda.so.1"), {}, "ok", "nvidia0"),
    ],
)
def test_gpus_in_a_container(
    machine,
    tmp_path: Path,
    names: tuple[str, ...],
    variables: dict[str, str],
    status: str,
    text: str,
) -> None:
    finding = Gpus(root_with(tmp_path, *names)).examine(machine(variables=variables))
    assert finding.status.value == status and text in finding.text
    assert ("--gpus all" in finding.remedy) == (status == "warning")


def test_little_shared_memory(machine, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = SimpleNamespace(total=64 << 20)
    monkeypatch.setattr("tools.insight.doctor.container.shutil.disk_usage", lambda _: usage)
    finding = SharedMemory().examine(machine())
    assert finding.status is Status.WARNING and finding.text == "/dev/shm has 64 MB"
    assert "--shm-size=1g" in finding.remedy and "--ipc=host" in finding.remedy


def test_a_checkout_of_another_user(
    machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert MountedOwner().examine(machine()).status is Status.OK
    monkeypatch.setattr(os, "geteuid", lambda: os.stat(tmp_path).st_uid + 1)
    finding = MountedOwner().examine(machine())
    owner = os.stat(tmp_path)
    assert finding.status is Status.WARNING
    assert finding.remedy == f"start the container with --user {owner.st_uid}:{owner.st_gid}"


def test_every_check_says_what_it_looks_at() -> None:
    checks: tuple[Check, ...] = (*ON_HOST, *IN_CONTAINER)
    assert all(check.looks_at and check.consequence for check in checks)
    assert len({check.id for check in checks}) == len(checks)
