"""Fixtures: the container engine of this machine, and the fixture project's runtime image."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from container_engine import Engine, make_context

DEFAULT_BASE = "debian:bookworm-slim"
FRESH_DEBIAN = "torchsmith-test:fresh"


@pytest.fixture(scope="session")
def engine() -> Engine:
    """The engine that DOCKER or PATH names, and a base image; otherwise, the test is skipped."""
    docker = os.environ.get("DOCKER", "docker")
    base = os.environ.get("DOCKER_TEST_BASE", DEFAULT_BASE)
    engine = Engine(docker, base)
    if not shutil.which(docker):
        pytest.skip("there is no docker; DOCKER names another program")
    answer = engine.call("version", "--format", "{{.Server.Version}}")
    if answer.returncode:
        pytest.skip(f"no container engine answers: {answer.stdout.splitlines()[-1]}")
    known = engine.call("image", "inspect", base).returncode == 0
    if not known and engine.call("pull", "--quiet", base).returncode:
        pytest.skip(
            f"{base} cannot be pulled; make a base with docker/make_base.sh and name it in DOCKER_TEST_BASE"
        )
    return engine


@pytest.fixture(scope="session")
def context(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_context(tmp_path_factory.mktemp("images") / "tiny")


@pytest.fixture(scope="session")
def tiny_image(engine: Engine, context: Path) -> Iterator[str]:
    """The runtime image of the fixture project."""
    name = "torchsmith-test:tiny"
    engine.build(context, "cpu", f"BASE={engine.base}", "--tag", name)
    yield name
    engine.call("image", "rm", "--force", name)


@pytest.fixture(scope="session")
def fresh_debian(engine: Engine, tmp_path_factory: pytest.TempPathFactory) -> str:
    """An image with python3, pip and g++, and nothing else that a build could use."""
    folder = tmp_path_factory.mktemp("fresh")
    (folder / "Dockerfile").write_text(
        f"FROM {engine.base}\nRUN apt-get update -qq && "
        "DEBIAN_FRONTEND=noninteractive apt-get install -y -qq python3 python3-pip g++\n"
    )
    result = engine.call("build", "--network", "host", "--tag", FRESH_DEBIAN, str(folder))
    assert result.returncode == 0, result.stdout
    return FRESH_DEBIAN
