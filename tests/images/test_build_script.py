"""docker/build.sh with a stand-in for docker: the commands it runs, and how it explains failures."""

from __future__ import annotations

import os
import shlex
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "docker/build.sh"
NO_SETTINGS = ("PIP_", "SSL_CERT", "http", "HTTP", "no_proxy", "NO_PROXY", "DOCKER")


@pytest.fixture
def build(tmp_path: Path):
    """Run the script with a docker that writes a text and exits with a code when it builds."""

    def run(
        *arguments: str, says: str = "", fails: bool = False, code: int = 0, **environ: str
    ) -> subprocess.CompletedProcess[str]:
        docker = tmp_path / "docker"
        (tmp_path / "text").write_text(says)
        docker.write_text(
            "#!/bin/sh\n"
            "case $1 in version) echo 24.0; exit;; info) echo /var/lib/docker; exit;; esac\n"
            f'echo "$@" >{tmp_path}/arguments\n'
            f'for each; do case $each in id=pip.conf,*) cp "${{each#*src=}}" {tmp_path}/pip.conf;; esac; done\n'
            f"cat {tmp_path}/text >&2\nexit {int(fails)}\n"
        )
        docker.chmod(0o755)
        python = tmp_path / "programs" / "python3"  # stands in for pip, which has no configuration
        python.parent.mkdir(exist_ok=True)
        python.write_text("#!/bin/sh\n")
        python.chmod(0o755)
        clean = {k: v for k, v in os.environ.items() if not k.startswith(NO_SETTINGS)}
        quiet = {"PATH": f"{python.parent}:{clean['PATH']}", "DOCKER": str(docker)}
        result = subprocess.run(
            [str(SCRIPT), *arguments],
            env={**clean, **quiet, **environ},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        assert result.returncode == code, result.stdout + result.stderr
        return result

    return run


def unquoted(line: str) -> str:
    """Join the words of a command line by spaces."""
    return " ".join(shlex.split(line))


def test_a_dry_run_prints_the_command_and_runs_nothing(build, tmp_path: Path) -> None:
    output = build("cpu", "--dry-run", "BASE=my:base", "--network", "host").stdout
    assert output.startswith("DOCKER_BUILDKIT=1 ") and output.count("\n") == 1
    line = unquoted(output)
    assert "--target runtime --build-arg BASE=my:base --tag torchsmith:cpu" in line
    assert line.endswith(f"--network host {ROOT}")
    assert not (tmp_path / "arguments").exists()


@pytest.mark.parametrize(
    ("image", "expected"),
    [
        ("cpu", "--target runtime --tag torchsmith:cpu"),
        ("dev", "--target dev --tag torchsmith:dev"),
        ("wheel", f"--target wheel --output {ROOT}/dist"),
    ],
)
def test_each_image_is_a_stage(build, image: str, expected: str) -> None:
    assert expected in unquoted(build(image, "--dry-run").stdout)


def test_a_mistake_in_the_arguments_is_named(build) -> None:
    wrong = build("cpu", "PYTHN=python3.12", code=2).stderr
    assert "the Dockerfile has no ARG PYTHN" in wrong and "PYTHON" in wrong
    assert "there is no image 'gpu'" in build("gpu", code=2).stderr
    assert "choose cpu or cuda" in build("cpu", "VARIANT=rocm", code=2).stderr


def test_the_cuda_variant_is_an_argument(build) -> None:
    line = unquoted(build("cuda", "--dry-run").stdout)
    assert "--target runtime --build-arg VARIANT=cuda --tag torchsmith:cuda" in line
    line = build("dev", "VARIANT=cuda", "CUDA_VERSION=13.1", "--dry-run").stdout
    assert "--build-arg CUDA_VERSION=13.1 --tag torchsmith:dev-cuda" in line


def test_settings_of_a_mirror_are_secrets(build, tmp_path: Path) -> None:
    certificate = tmp_path / "ca.crt"
    certificate.touch()
    build(
        "cpu",
        PIP_INDEX_URL="https://user:password@mirror.example/simple",
        PIP_EXTRA_INDEX_URL="file:///only/here https://more.example/simple",
        PIP_CERT=str(certificate),
        https_proxy="http://proxy.example:3128",
    )
    arguments = (tmp_path / "arguments").read_text()
    assert "password" not in arguments and "3128" not in arguments
    assert f"--secret id=ca.crt,src={certificate}" in arguments
    assert "--build-arg https_proxy " in arguments
    assert (tmp_path / "pip.conf").read_text().splitlines() == [
        "[global]",
        "index-url = https://user:password@mirror.example/simple",
        "extra-index-url = https://more.example/simple",
    ]


@pytest.mark.parametrize(
    ("says", "error", "hint"),
    [
        (
            "write /var/lib/docker/tmp/x: no space left on device",
            "the disk of the container engine is full (/var/lib/docker)",
            "docker builder prune",
        ),
        (
            "failed to solve with frontend dockerfile.v0: failed to create LLB definition: "
            "failed to do request: Head https://r.example/v2/x: dial tcp: no such host",
            "the base image debian:bookworm-slim cannot be fetched",
            "docker/make_base.sh",
        ),
        (
            "ERROR: failed to solve: nowhere:1: failed to resolve source metadata for nowhere:1: "
            "pull access denied",
            "cannot be fetched: is its registry down",
            "BASE=NAME",
        ),
        (
            "#7 E: Failed to fetch http://deb.example/x.deb  Temporary failure resolving",
            "apt-get in the image cannot install packages",
            "http_proxy",
        ),
        (
            "#9 ERROR: No matching distribution found for setuptools>=77",
            "pip in the image cannot reach the package index",
            "PIP_INDEX_URL=",
        ),
        (
            "#9 SSLError(SSLCertVerificationError(1, '[SSL: CERTIFICATE_VERIFY_FAILED]'))",
            "does not know the certificate",
            "PIP_CERT=",
        ),
        (
            "executor failed running [/bin/sh]: network bridge not found",
            "no network for containers",
            "--network host",
        ),
        (
            "ERROR: BuildKit is enabled but the buildx component is missing or broken.",
            "cannot use BuildKit",
            "docker-buildx",
        ),
        (
            "#5 0.2 error: python3 of the base image is Python 3.9; Torchsmith needs 3.11 or newer",
            "error: python3 of the base image is Python 3.9",
            "",
        ),
        ("something else", "docker build failed", "its output above"),
    ],
)
def test_a_failure_is_explained_last(build, says: str, error: str, hint: str) -> None:
    code = 3 if hint and hint != "its output above" else 1
    result = build("cpu", says=says, fails=True, code=code)
    assert says in result.stdout
    assert error in result.stderr and hint in result.stderr.splitlines()[-1]


def test_a_missing_engine_is_explained(build, tmp_path: Path) -> None:
    missing = build("cpu", code=3, DOCKER="/no/such/docker").stderr
    assert "there is no program /no/such/docker" in missing and "docker.io" in missing
    dead = tmp_path / "dead"
    dead.write_text("#!/bin/sh\necho 'permission denied: /var/run/docker.sock' >&2\nexit 1\n")
    dead.chmod(0o755)
    silent = build("cpu", code=3, DOCKER=str(dead)).stderr
    assert "does not answer: permission denied" in silent
    assert "setup.py doctor --container" in silent


def test_the_secrets_are_deleted(build, tmp_path: Path) -> None:
    folder = tmp_path / "tmp"
    folder.mkdir()
    build("cpu", TMPDIR=str(folder), PIP_INDEX_URL="https://mirror.example/simple")
    build("cpu", TMPDIR=str(folder), says="x", fails=True, code=1)
    assert not list(folder.iterdir())
