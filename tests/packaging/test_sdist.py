"""A source archive contains the files tracked by git, or without git all files not ignored."""

from __future__ import annotations

import shutil
import subprocess
import tarfile
from pathlib import Path

import pytest

from checkout import Checkout

IDENTITY = ("-c", "user.name=T", "-c", "user.email=t@example.org")


def git(checkout: Checkout, *arguments: str) -> None:
    if not shutil.which("git"):
        pytest.skip("git is not installed")
    command = ["git", *IDENTITY, *arguments]
    subprocess.run(command, cwd=checkout.root, check=True, capture_output=True)


def packed(checkout: Checkout) -> set[str]:
    (archive,) = (checkout.root / "dist").glob("*.tar.gz")
    with tarfile.open(archive) as file:
        return {name.partition("/")[2] for name in file.getnames()}


def add_unrelated_files(checkout: Checkout) -> None:
    """Create files that are typical of a used checkout but are not sources."""
    for name in (".env", ".idea/secrets.xml", "src/.hidden.c", "src/__pycache__/x.pyc"):
        (checkout.root / name).parent.mkdir(exist_ok=True)
        (checkout.root / name).write_text("secret\n")
    for name in ("build311/CMakeCache.txt", "build311/x.o", "deep/b5/options.json", "deep/b5/x.o"):
        (checkout.root / name).parent.mkdir(exist_ok=True, parents=True)
        (checkout.root / name).write_text("made\n")
    for name in ("environment/pyvenv.cfg", "environment/lib/x.py", "dist/old.whl", "tiny/x.so"):
        (checkout.root / name).parent.mkdir(exist_ok=True, parents=True)
        (checkout.root / name).write_text("made\n")
    (checkout.root / "tiny_project.egg-info").mkdir()
    (checkout.root / "tiny_project.egg-info/PKG-INFO").write_text("made\n")


@pytest.fixture
def sources(checkout: Checkout) -> set[str]:
    """Return the names of the files that were checked out."""
    return set(checkout.files())


NEW = {"PKG-INFO", "SOURCE_REVISION"}


def test_without_git_builds_environments_and_hidden_files_are_left_out(
    checkout: Checkout, sources: set[str]
) -> None:
    add_unrelated_files(checkout)
    checkout.setup("sdist")
    assert packed(checkout) == sources | NEW


def test_without_git_staged_files_are_left_out(checkout: Checkout, sources: set[str]) -> None:
    checkout.setup("develop", env={"BUILD_DIR": "build311"})
    assert (checkout.root / "tiny/include/greet.h").exists()
    checkout.setup("sdist")
    assert packed(checkout) == sources | NEW


def test_with_git_only_tracked_files_are_packed(checkout: Checkout, sources: set[str]) -> None:
    git(checkout, "init")
    git(checkout, "add", ".")
    add_unrelated_files(checkout)
    (checkout.root / "notes.txt").write_text("mine\n")
    (checkout.root / "src/new.c").write_text("int new;\n")
    output = checkout.setup("sdist")
    assert packed(checkout) == sources | NEW
    assert "not tracked by git, so left out: src/new.c" in output
    assert "notes.txt" not in output and "secret" not in output


def test_added_uncommitted_files_are_packed(checkout: Checkout, sources: set[str]) -> None:
    git(checkout, "init")
    (checkout.root / "src/new.c").write_text("int new;\n")
    git(checkout, "add", ".")
    output = checkout.setup("sdist")
    assert packed(checkout) == sources | NEW | {"src/new.c"}
    assert "left out" not in output


def test_ignored_files_are_not_reported(checkout: Checkout) -> None:
    (checkout.root / ".gitignore").write_text("*.generated.c\n")
    git(checkout, "init")
    git(checkout, "add", ".")
    (checkout.root / "src/x.generated.c").write_text("int x;\n")
    assert "left out" not in checkout.setup("sdist")


def test_the_hook_reports_the_files_it_leaves_out(checkout: Checkout, tmp_path: Path) -> None:
    git(checkout, "init")
    git(checkout, "add", ".")
    (checkout.root / "src/new.c").write_text("int new;\n")
    call = f"from tools.setup_helpers import backend; backend.build_sdist({str(tmp_path)!r})"
    output = checkout.environment.run("-c", call, cwd=checkout.root)
    assert "not tracked by git, so left out: src/new.c" in output


@pytest.mark.skipif(not shutil.which("git"), reason="git is not installed")
def test_a_checkout_that_git_refuses_to_read_is_an_error(checkout: Checkout) -> None:
    """A fallback could pack files that git ignores."""
    (checkout.root / ".git").mkdir()
    output = checkout.setup("sdist", code=3)
    assert "git cannot list the files" in output and "not a git repository" in output
    assert not (checkout.root / "dist").exists()


def test_without_a_git_program_the_rule_for_trees_without_git_applies(
    checkout: Checkout, sources: set[str], tmp_path: Path
) -> None:
    git(checkout, "init")
    add_unrelated_files(checkout)
    (tmp_path / "bin").mkdir()
    for name in ("cmake", "ninja"):
        (tmp_path / "bin" / name).symlink_to(str(shutil.which(name)))
    output = checkout.setup("sdist", env={"PATH": str(tmp_path / "bin")})
    assert "git is not installed" in output
    assert packed(checkout) == sources | NEW


def test_the_archive_of_an_archive_is_the_same(checkout: Checkout, tmp_path: Path) -> None:
    git(checkout, "init")
    git(checkout, "add", ".")
    git(checkout, "commit", "-m", "all")
    checkout.setup("sdist")
    (archive,) = (checkout.root / "dist").glob("*.tar.gz")
    with tarfile.open(archive) as file:
        file.extractall(tmp_path, **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))
    (unpacked,) = (p for p in tmp_path.iterdir() if (p / "PKG-INFO").exists())
    again = Checkout(unpacked, checkout.environment)
    again.setup("sdist")
    (other,) = (unpacked / "dist").glob("*.tar.gz")
    assert other.read_bytes() == archive.read_bytes()
