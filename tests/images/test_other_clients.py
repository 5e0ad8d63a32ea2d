"""docker compose, docker buildx bake and the dev container's client on a real engine, with the fixture project.

Each test needs its client: Docker's packages, or Debian 13's docker-compose and docker-buildx, and
`npm install @devcontainers/cli` for the program `devcontainer`.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
import yaml

from container_engine import ROOT, Engine, chown_all, make_context

pytestmark = [pytest.mark.docker, pytest.mark.timeout(3600)]

USER = 1000
"""The user `dev` of the image, to whom a mounted checkout must belong."""
PROGRAM = "import tiny; print(*tiny.words())"


def need_plugin(engine: Engine, name: str) -> None:
    if engine.call(name, "version").returncode:
        pytest.skip(f"this docker has no {name}: install docker-{name}, or docker-{name}-plugin")


@pytest.fixture
def compose(engine: Engine, tmp_path: Path) -> Iterator[list[str]]:
    """Return the command that runs the compose file of a context on the host's network."""
    need_plugin(engine, "compose")
    context = make_context(tmp_path / "tiny")
    services = {
        name: {
            "image": f"torchsmith-test:compose-{name}",
            "build": {"network": "host"},
            "network_mode": "host",
        }
        for name in ("cpu", "dev", "dev-cuda")
    }
    override = {"services": services, "volumes": {"ccache": {"name": "torchsmith-test-ccache"}}}
    changes = tmp_path / "override.yaml"
    changes.write_text(yaml.safe_dump(override))
    files = ("-f", str(context / "docker/compose.yaml"), "-f", str(changes))
    command = ["compose", "--project-name", "torchsmith-test", *files]
    yield command
    engine.call(*command, "down", "--volumes", "--rmi", "all", BASE=engine.base)


def test_compose_builds_and_runs_the_runtime_image(engine: Engine, compose: list[str]) -> None:
    built = engine.call(*compose, "build", "cpu", BASE=engine.base)
    assert built.returncode == 0, built.stdout
    run = ("run", "--rm", "--no-TTY", "cpu", "python", "-c", PROGRAM)
    output = engine.call(*compose, *run, BASE=engine.base).stdout
    assert output.endswith("HELLO WORLD\n"), output


def test_compose_builds_a_mounted_checkout(
    engine: Engine, compose: list[str], tmp_path: Path
) -> None:
    checkout = tmp_path / "tiny"
    user = chown_all(checkout, 4321)
    environ = {"BASE": engine.base, "USER_ID": str(user), "GROUP_ID": str(user)}
    built = engine.call(*compose, "build", "dev", **environ)
    assert built.returncode == 0, built.stdout
    script = f"python setup.py develop && cd / && python -c '{PROGRAM}'"
    run = ("run", "--rm", "--no-TTY", "dev", "sh", "-c", script)
    output = engine.call(*compose, *run, **environ).stdout
    assert output.endswith("HELLO WORLD\n"), output
    assert (checkout / "build-container").stat().st_uid == user


def test_compose_asks_the_engine_for_gpus(engine: Engine, compose: list[str]) -> None:
    """Without NVIDIA's container toolkit, the engine refuses to start the services with CUDA."""
    built = engine.call(*compose, "build", "dev-cuda", BASE=engine.base)
    assert built.returncode == 0, built.stdout
    script = "ls /opt/build/lib/python3*/site-packages/nvidia/cu*/bin/nvcc"
    run = ("run", "--rm", "--no-TTY", "dev-cuda", "sh", "-c", script)
    asked = engine.call(*compose, *run, BASE=engine.base)
    output = asked.stdout
    if asked.returncode:
        assert "could not select device driver" in output
        output = engine.run("torchsmith-test:compose-dev-cuda", "sh", "-c", script)
    assert output.endswith("/bin/nvcc\n"), output


def run_bake(engine: Engine, tree: Path, environ: dict[str, str], *arguments: str) -> str:
    result = subprocess.run(
        [engine.docker, "buildx", "bake", "-f", "docker/docker-bake.hcl", *arguments],
        cwd=tree,
        env={**os.environ, **environ},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


@pytest.mark.parametrize("image", ["cpu", "dev", "wheel", "cuda", "dev-cuda"])
def test_buildx_reads_of_the_bake_file_what_the_script_builds(engine: Engine, image: str) -> None:
    need_plugin(engine, "buildx")
    chosen = {"BASE": "my:base", "PYTHON": "python3.12", "MAX_JOBS": "3", "OPTIONS": "-D BLAS=MKL"}
    if "cuda" in image:
        chosen["CUDA_VERSION"] = "13.1"
    (bake,) = json.loads(run_bake(engine, ROOT, chosen, "--print", image))["target"].values()
    variant = ["VARIANT=cuda"] if image == "dev-cuda" else []
    script = [str(ROOT / "docker/build.sh"), image.removesuffix("-cuda"), "--dry-run", *variant]
    line = subprocess.run(
        [*script, *(f"{name}={value}" for name, value in chosen.items())],
        env={**os.environ, "DOCKER": engine.docker},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    words = shlex.split(line)
    given = [value for word, value in pairwise(words) if word == "--build-arg" and "=" in value]
    assert set(given) <= {f"{name}={value}" for name, value in bake["args"].items()}
    assert bake["target"] == words[words.index("--target") + 1]
    tags = [words[words.index("--tag") + 1]] if "--tag" in words else []
    assert bake.get("tags", []) == tags and bool(bake.get("output")) == ("--output" in words)


def with_host_network(engine: Engine, folder: Path, target: str) -> list[str]:
    """Return the arguments with which bake builds a target on the host's network.

    Releases from before 2024-07 ignore `network` in a bake file, and take it from a compose file. Later ones
    want the permission, too.
    """
    changes = {"services": {target: {"build": {"context": ".", "network": "host"}}}}
    (folder / "host-network.yaml").write_text(yaml.safe_dump(changes))
    asks = "--allow" in engine.call("buildx", "bake", "--help").stdout
    return ["-f", "host-network.yaml", *(["--allow=network.host"] if asks else [])]


def test_bake_writes_the_wheel(engine: Engine, context: Path, tmp_path: Path) -> None:
    need_plugin(engine, "buildx")
    tree = shutil.copytree(context, tmp_path / "tiny")
    network = with_host_network(engine, tree, "wheel")
    run_bake(engine, tree, {"BASE": engine.base}, *network, "wheel")
    (wheel,) = (tree / "dist").glob("tiny_project-*.whl")
    assert "manylinux" in wheel.name


def test_bake_makes_the_runtime_image(engine: Engine, context: Path, tmp_path: Path) -> None:
    need_plugin(engine, "buildx")
    tree = shutil.copytree(context, tmp_path / "tiny")
    network = with_host_network(engine, tree, "cpu")
    image = "torchsmith-test:baked"
    run_bake(engine, tree, {"BASE": engine.base}, *network, f"--set=cpu.tags={image}", "cpu")
    try:
        assert engine.run(image, "python", "-c", PROGRAM) == "HELLO WORLD\n"
    finally:
        engine.call("image", "rm", "--force", image)


def test_bake_builds_the_image_to_develop_with_cuda_in(
    engine: Engine, context: Path, tmp_path: Path
) -> None:
    """Its layers stay in the engine's cache: the image itself has gigabytes."""
    need_plugin(engine, "buildx")
    tree = shutil.copytree(context, tmp_path / "tiny")
    network = with_host_network(engine, tree, "dev-cuda")
    kept = "--set=dev-cuda.output=type=cacheonly"
    run_bake(engine, tree, {"BASE": engine.base}, *network, kept, "dev-cuda")


@pytest.fixture
def dev_container(
    engine: Engine, tmp_path: Path, request: pytest.FixtureRequest
) -> Iterator[list[str]]:
    """Start a checkout's dev container that a folder has; return the command that runs a command in it."""
    program = shutil.which("devcontainer")
    if not program:
        pytest.skip("there is no devcontainer: npm install --global @devcontainers/cli")
    checkout = make_context(tmp_path / "tiny")
    place = f"{request.param}/devcontainer.json"
    settings = json.loads((ROOT / place).read_text(encoding="utf-8"))
    settings["build"].setdefault("args", {})["BASE"] = engine.base
    settings["build"]["options"].append("--network=host")
    settings["runArgs"].append("--network=host")
    settings["mounts"] = [settings["mounts"][0].replace("torchsmith-", "torchsmith-test-")]
    (checkout / place).parent.mkdir(parents=True)
    (checkout / place).write_text(json.dumps(settings))
    chown_all(checkout, USER)
    where = ("--docker-path", engine.docker, "--workspace-folder", str(checkout))
    where += ("--config", str(checkout / place))
    started = subprocess.run(
        [program, "up", *where],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    answer = json.loads(started.stdout.splitlines()[-1]) if started.stdout else {}
    try:
        assert started.returncode == 0, started.stdout + started.stderr
        assert answer["outcome"] == "success" and answer["remoteUser"] == "dev"
        yield [program, "exec", *where]
    finally:
        if container := answer.get("containerId"):
            image = engine.call(
                "inspect", "--format", "{{.Config.Image}}", container
            ).stdout.strip()
            engine.call("rm", "--force", container)
            # The client made two: of the Dockerfile, and with the user's number changed.
            engine.call("image", "rm", "--force", image, image.removesuffix("-uid"))


@pytest.mark.parametrize("dev_container", [".devcontainer"], indirect=True)
def test_the_dev_container_starts_with_the_checkout_built(
    dev_container: list[str], tmp_path: Path
) -> None:
    """Its command after creation is `develop`."""
    command = [*dev_container, "sh", "-c", f"cd / && id -un && python -c '{PROGRAM}'"]
    output = subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    assert output.stdout.replace("\r", "").endswith("dev\nHELLO WORLD\n"), output
    made = tmp_path / "tiny/build-container"
    assert made.is_dir() and (os.geteuid() or made.stat().st_uid == USER)


@pytest.mark.parametrize("dev_container", [".devcontainer/cuda"], indirect=True)
def test_the_dev_container_with_cuda_starts_without_a_gpu(dev_container: list[str]) -> None:
    script = "ls /opt/build/lib/python3*/site-packages/nvidia/cu*/bin/nvcc; python setup.py doctor --container"
    output = subprocess.run(
        [*dev_container, "sh", "-c", script],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    ).stdout
    assert "/bin/nvcc" in output
    gpus = next(line for line in output.splitlines() if " gpus " in line)
    assert gpus.startswith(("ok", "warning")), output
