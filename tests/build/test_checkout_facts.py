"""The commit of a checkout, read from git's files."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tools.setup_helpers.state.checkout_facts import git_files, git_revision


def git(root: Path, *arguments: str) -> str:
    author = ("-c", "user.name=Somebody", "-c", "user.email=somebody@example.org")
    command = ["git", *author, *arguments]
    return subprocess.run(command, cwd=root, check=True, capture_output=True, text=True).stdout


@pytest.fixture
def root(tmp_path: Path) -> Path:
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "commit", "--quiet", "--allow-empty", "--message", "Begin")
    return tmp_path


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("branch", ["topic/part", "größe", "枝"])
def test_the_commit_of_a_branch_with_any_name(root: Path, branch: str, packed: bool) -> None:
    git(root, "checkout", "--quiet", "-b", branch)
    if packed:
        git(root, "pack-refs", "--all")
    assert git_revision(root) == git(root, "rev-parse", "HEAD").strip()
    assert root / ".git/HEAD" in git_files(root)


def test_a_damaged_head_names_no_commit(root: Path) -> None:
    (root / ".git/HEAD").write_bytes(b"ref: \xff\xfe")
    assert git_revision(root) == "Unknown"
    assert git_files(root)


def test_a_checkout_that_comes_under_git_is_noticed(tmp_path: Path) -> None:
    assert git_revision(tmp_path) == "Unknown"
    assert tmp_path / ".git" in git_files(tmp_path)
