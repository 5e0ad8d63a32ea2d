"""The README's two commands on a Debian that has only python3, pip and g++: torch itself, built and tested.

Two variables shorten it: DOCKER_TEST_CCACHE names a folder of ccache that the container uses, and
DOCKER_TEST_PYTEST the arguments of pytest; "tests" runs everything.
"""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path

import pytest

from container_engine import ROOT, Engine, copy_sources, pip_files

pytestmark = [pytest.mark.docker, pytest.mark.timeout(7200)]

# A few files of each kind; everything takes some ten minutes more.
PART = (
    "tests/codegen/test_round_trip.py",
    "tests/cuda/test_emulated_device.py",  # skipped: it needs more packages
    "tests/runtime/data/test_shm_manager.py",
    "tests/runtime/nn/test_examples.py",
    "tests/runtime/test_numbers.py",
)
WITH_CCACHE = "torchsmith-test:fresh-ccache"


def commands() -> tuple[list[str], str, str]:
    """Return what the README says to run first, its program, and what that prints."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    first, second = re.findall(r"^```console\n(.*?)^```", text, re.MULTILINE | re.DOTALL)[:2]
    program, _, printed = second.removeprefix("$ ").partition("\n")
    return re.findall(r"^\$ python (.*?) *#", first, re.MULTILINE), program, printed


@pytest.fixture
def machine(engine: Engine, fresh_debian: str) -> tuple[str, tuple[str, ...]]:
    """Return the image, and the options that give its containers a compiler cache if there is one."""
    cache = os.environ.get("DOCKER_TEST_CCACHE", "")
    if not cache:
        return fresh_debian, ()
    script = "apt-get update -qq && apt-get install -y -qq --no-install-recommends ccache"
    name = "torchsmith-test-adds-ccache"
    engine.call("rm", "--force", name)
    added = engine.call(
        "run", "--name", name, "--network", "host", fresh_debian, "sh", "-c", script
    )
    assert added.returncode == 0, added.stdout
    assert engine.call("commit", name, WITH_CCACHE).returncode == 0
    engine.call("rm", name)
    variables = ("--env", "CCACHE_DIR=/ccache", "--env", f"LANG={os.environ.get('LANG', 'C')}")
    return WITH_CCACHE, ("--volume", f"{cache}:/ccache", *variables)


def test_the_two_commands_of_the_readme(
    engine: Engine, machine: tuple[str, tuple[str, ...]], tmp_path: Path
) -> None:
    image, cache = machine
    sources = copy_sources(tmp_path / "src")
    (develop, test), program, printed = commands()
    assert (develop, test) == ("setup.py develop", "setup.py test")
    chosen = shlex.split(os.environ.get("DOCKER_TEST_PYTEST", "")) or PART
    script = (
        f"python3 {develop} >develop.log 2>&1 || {{ cat develop.log; exit 8; }}\n"
        "tail -n 1 develop.log\n. .venv/bin/activate\n"
        f"(cd / && {program}) || exit 7\n"
        f"deactivate\npython3 {test} -- {shlex.join(chosen)}"
    )
    options = ("--volume", f"{sources}:/src", "--workdir", "/src", *pip_files(), *cache)
    output = engine.run(image, "bash", "-c", script, options=options)
    assert output.startswith("activate with: source /src/.venv/bin/activate\n" + printed), output
    assert re.search(r"^=+ .*\b\d+ passed", output, re.MULTILINE), output
    assert " failed" not in output.rpartition("\n=")[2]
