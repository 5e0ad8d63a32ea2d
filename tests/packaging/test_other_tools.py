"""Tools of others accept the wheels and drive the hooks: twine, check-wheel-contents and uv."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from checkout import Checkout, Environment, make_environment

pytestmark = [pytest.mark.network, pytest.mark.slow]


@pytest.fixture(scope="module")
def tools(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """An environment with the tools, from the package index."""
    environment = make_environment(tmp_path_factory.mktemp("tools") / "venv", packages=False)
    command = [
        "-m",
        "pip",
        "install",
        "--quiet",
        "twine",
        "check-wheel-contents",
        "uv",
        "abi3audit",
    ]
    subprocess.run([str(environment.python), *command], check=True)
    return environment


def run(tools: Environment, checkout: Checkout, *command: str) -> str:
    result = subprocess.run(
        [str(tools.python.with_name(command[0])), *command[1:]],
        cwd=checkout.root,
        env=checkout.environment.variables({"UV_OFFLINE": "1"}),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stdout
    return result.stdout


def archives(checkout: Checkout) -> list[str]:
    return [
        str(path) for path in (checkout.root / "dist").iterdir() if path.suffix in (".whl", ".gz")
    ]


@pytest.fixture
def described(checkout: Checkout) -> Checkout:
    """A checkout with a long description, which twine wants."""
    (checkout.root / "README.md").write_text("Greetings, see [the words](words.yaml).\n")
    checkout.edit("pyproject.toml", 'license = "', 'readme = "README.md"\nlicense = "')
    return checkout


def test_twine_and_check_wheel_contents_find_nothing(
    tools: Environment, described: Checkout
) -> None:
    for command in ("bdist_wheel", "wheels", "sdist"):
        described.setup(command)
    assert "PASSED" in run(tools, described, "twine", "check", "--strict", *archives(described))
    wheels = [path for path in archives(described) if path.endswith(".whl")]
    assert run(tools, described, "check-wheel-contents", *wheels).count("OK") == len(wheels)


def test_uv_builds_and_installs(tools: Environment, described: Checkout) -> None:
    python = str(described.environment.python)
    run(tools, described, "uv", "build", "--no-build-isolation", "--python", python)
    assert sorted(Path(path).suffix for path in archives(described)) == [".gz", ".whl"]
    settings = ["--no-build-isolation", "--no-deps", "--python", python, "-C", "TINY_LOUD=OFF"]
    run(tools, described, "uv", "pip", "install", *settings, "-e", ".")
    assert described.words() == ["hello", "world"]
