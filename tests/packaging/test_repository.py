"""What surrounds the sources: workflows, pre-commit hooks, the changelog."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import tomllib
import yaml

ROOT = Path(__file__).resolve().parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def lint_requirements() -> dict[str, str]:
    """Return the version of each tool of the lint group."""
    pinned = [entry for entry in PROJECT["dependency-groups"]["lint"] if isinstance(entry, str)]
    return dict(entry.split("==") for entry in pinned)


def test_the_cuda_groups_install_what_a_wheel_with_cuda_requires() -> None:
    table = tomllib.loads((ROOT / "build_config.toml").read_text(encoding="utf-8"))
    components = table["packaging"]["component"]
    required = {row["requirement"] for row in components if row["name"].startswith("nvidia-")}
    groups = PROJECT["dependency-groups"]
    assert required
    assert required <= {*groups["cuda"], *groups["cuda-libraries"]}


def hooks() -> list[dict[str, Any]]:
    config = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))
    return [hook for repository in config["repos"] for hook in repository["hooks"]]


def run(program: str, *arguments: str) -> str:
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed: python -m pip install --group lint")
    result = subprocess.run(
        [program, *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


def test_hooks_use_the_versions_of_the_lint_group() -> None:
    required = [entry for hook in hooks() for entry in hook["additional_dependencies"]]
    pinned = dict(entry.split("==") for entry in required if "==" in entry)
    assert pinned == lint_requirements()
    others = {entry for entry in required if "==" not in entry}
    assert others <= set(PROJECT["build-system"]["requires"])


def test_every_lint_step_of_ci_has_a_hook() -> None:
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    lint = script.partition("lint begins")[2].partition("lint ends")[0]
    steps = set(re.findall(r'^check "([^"]+)"', lint, re.MULTILINE))
    assert steps == {hook["name"] for hook in hooks()}


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.name)
def test_every_action_is_pinned_by_digest_and_names_its_version(workflow: Path) -> None:
    used = re.findall(r"uses: *(.*)", workflow.read_text(encoding="utf-8"))
    assert used
    for action in used:
        assert re.match(r"[\w-]+/[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", action), action


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.name)
def test_jobs_have_only_the_permissions_they_list(workflow: Path) -> None:
    content = yaml.safe_load(workflow.read_text(encoding="utf-8"))
    assert content["permissions"] == {}
    for job in content["jobs"].values():
        assert job["timeout-minutes"] and job["permissions"]
        for step in job["steps"]:
            if step.get("uses", "").startswith("actions/checkout@"):
                assert step["with"]["persist-credentials"] is False


def test_one_digest_for_each_action() -> None:
    used = [line for path in WORKFLOWS for line in re.findall(r"uses: *(\S+)", path.read_text())]
    digests = dict(action.split("@") for action in used)
    assert {f"{name}@{digest}" for name, digest in digests.items()} == set(used)


def test_zizmor_finds_nothing_in_the_workflows() -> None:
    run("zizmor", "--offline", "--no-progress", "--pedantic", ".github")


@pytest.mark.network
def test_actionlint_finds_nothing_in_the_workflows() -> None:
    run(str(ROOT / ".ci" / "actionlint"))


def test_the_gitlab_pipeline_follows_its_schema() -> None:
    schema = ("--builtin-schema", "vendor.gitlab-ci", "--data-transform", "gitlab-ci")
    run("check-jsonschema", *schema, ".gitlab-ci.yml")


def test_cibuildwheel_accepts_its_configuration() -> None:
    names = run("cibuildwheel", "--platform", "linux", "--print-build-identifiers").split()
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    minors = re.findall(r'"Programming Language :: Python :: 3\.(\d+)"', text)
    assert names == [f"cp3{minor}-manylinux_x86_64" for minor in minors]


def test_the_changelog_can_be_put_together() -> None:
    shown = run("towncrier", "build", "--draft", "--version", "next", "--date", "2000-01-01")
    assert "## next (2000-01-01)" in shown
