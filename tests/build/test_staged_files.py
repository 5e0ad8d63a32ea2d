"""Staged files in the source tree: their records, and sharing between build directories."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tools.setup_helpers.package.manifest import read_manifest

from .fixture_project import Project, make_environment
from .test_clean import everything

LIBRARY = "tiny/lib/libtiny_words.so"
STAGED = [LIBRARY, "tiny/bin/tiny_say", "tiny/include/greet.h"]
CONDITIONAL_LIBRARY = """
[[library]]
name = "tiny_loud"
sources = []
destination = "tiny/lib"
when = "TINY_VERY_LOUD"
"""


def staged(project: Project) -> set[str]:
    files = everything(project.root / "tiny")
    return {f"tiny/{path}" for path in files if not path.endswith(".py")}


def add_header(project: Project) -> Path:
    header = project.root / "src/more.h"
    header.write_text("/* nothing compiles this */\n")
    return header


@pytest.mark.parametrize("damage", ["lose", "scramble", "lose the build directory"])
def test_a_header_removed_after_the_manifest_was_lost_is_unstaged(
    developed: Project, damage: str
) -> None:
    header = add_header(developed)
    developed.run("develop")
    assert "tiny/include/more.h" in staged(developed)
    manifest = developed.root / "build/manifest.json"
    if damage == "lose":
        manifest.unlink()
    elif damage == "scramble":
        manifest.write_bytes(manifest.read_bytes()[:-40] + b"x" * 40)
    else:
        shutil.rmtree(developed.root / "build")
    header.unlink()
    developed.run("develop")
    assert "tiny/include/more.h" not in staged(developed)
    assert manifest.exists()
    developed.run("clean")
    assert staged(developed) == set()


def test_a_lost_manifest_is_not_up_to_date(developed: Project) -> None:
    manifest = developed.root / "build/manifest.json"
    before = read_manifest(developed.root, manifest.parent)
    assert before.whole
    manifest.unlink()
    assert developed.run("develop").stdout != "up to date\n"
    assert read_manifest(developed.root, manifest.parent) == before


@pytest.mark.parametrize("lost", ["build/manifest.json", "build", ".staged"])
def test_clean_deletes_staged_files_even_if_a_record_is_lost(
    developed: Project, sources: Path, lost: str
) -> None:
    path = developed.root / lost
    shutil.rmtree(path) if path.is_dir() else path.unlink()
    developed.run("clean")
    assert everything(developed.root) == everything(sources)


def test_a_foreign_file_in_place_of_a_staged_one_is_kept(developed: Project) -> None:
    header = add_header(developed)
    developed.run("develop")
    header.unlink()
    own_header = developed.root / "tiny/include/more.h"
    own_header.write_text("own_header\n")
    developed.run("develop")
    assert own_header.read_text() == "own_header\n"
    developed.run("clean")
    assert own_header.read_text() == "own_header\n"


def test_a_library_replaced_by_a_link_is_restored(developed: Project, tmp_path: Path) -> None:
    library, elsewhere = developed.root / LIBRARY, tmp_path / "elsewhere.so"
    built = library.read_bytes()
    shutil.copy2(library, elsewhere)
    library.unlink()
    library.symlink_to(elsewhere)
    assert developed.run("develop").stdout != "up to date\n"
    assert not library.is_symlink() and library.read_bytes() == built
    assert developed.run("develop").stdout == "up to date\n"


@pytest.mark.parametrize(
    ("path", "kind", "needed"),
    [
        (".staged", "file", "folder"),
        (".staged", "link", "folder"),
        ("tiny/lib", "file", "folder"),
        ("tiny/lib/libtiny_words.so", "folder", "file"),
        ("build/state.json", "folder", "file"),
        ("build/build.lock", "folder", "file"),
    ],
)
def test_something_else_in_place_of_a_file_or_folder_is_named(
    developed: Project, path: str, kind: str, needed: str
) -> None:
    place = developed.root / path
    shutil.rmtree(place) if place.is_dir() else place.unlink()
    match kind:
        case "file":
            place.write_text("mine\n")
        case "link":
            place.symlink_to("nowhere/at/all")
        case "folder":
            (place / "mine").mkdir(parents=True)
    error = developed.run("develop", check=False).stderr
    assert f"error: {place} is a {kind}" in error
    assert f"but a {needed} is needed there" in error
    assert f"hint: move or delete the {kind}, and run the command again" in error


@pytest.mark.parametrize("mode", [0o755, 0o644])
def test_staging_and_the_wheel_keep_the_mode_of_a_source(developed: Project, mode: int) -> None:
    developed.edit("build_config.toml", 'patterns = ["*.h"]', 'patterns = ["*.h", "*.sh"]')
    developed.edit("build_config.toml", '"tiny/include/**/*.h"]', '"tiny/include/**"]')
    script, copy = developed.root / "src/run.sh", developed.root / "tiny/include/run.sh"
    script.write_text("#!/bin/sh\n")
    script.chmod(mode ^ 0o111)
    developed.run("develop")
    script.chmod(mode)
    developed.run("develop")
    assert os.access(copy, os.X_OK) == (mode == 0o755)
    assert developed.run("develop").stdout == "up to date\n"
    developed.run("bdist_wheel")
    (wheel,) = (developed.root / "dist").glob("*.whl")
    packed = zipfile.ZipFile(wheel).getinfo("tiny/include/run.sh")
    assert packed.external_attr >> 16 & 0o777 == mode


@pytest.mark.skipif(not shutil.which("git"), reason="git is not installed")
@pytest.mark.parametrize("name", ["build311", "deep/er"])
def test_git_ignores_the_files_of_a_build(project: Project, name: str) -> None:
    project.call(["git", "init", "-q"])
    (project.root / ".gitignore").write_text("__pycache__/\n*.egg-info/\n")
    project.call(["git", "add", "."])
    project.run("build", BUILD_DIR=name)
    status = project.call(["git", "status", "--porcelain", "--untracked-files=all"]).stdout
    assert [line for line in status.splitlines() if line.startswith("??")] == []
    project.run("clean", BUILD_DIR=name)
    assert not (project.root / name).exists()


def test_an_ignore_file_of_the_user_is_kept(project: Project) -> None:
    (project.root / "build").mkdir()
    project.run("codegen")
    own_header = project.root / "build/.gitignore"
    own_header.write_text("*.o\n")
    project.run("develop")
    project.run("clean")
    assert own_header.read_text() == "*.o\n"


def test_a_file_staged_by_two_builds_is_deleted_with_the_second(developed: Project) -> None:
    before = staged(developed)
    developed.run("develop", BUILD_DIR="other")
    assert staged(developed) == before
    shared = read_manifest(developed.root, developed.root / "build").files
    output = developed.run("clean", BUILD_DIR="other").stdout
    assert staged(developed) == before
    assert f"kept {len(shared)} also staged for build" in output
    assert developed.words() == "['HELLO', 'WORLD']\n"
    developed.run("clean")
    assert staged(developed) == set()
    assert not (developed.root / ".staged").exists()


def test_a_build_keeps_files_staged_by_another_build_directory(developed: Project) -> None:
    """The other build directory has no program, but a header that this one lacks."""
    row = 'destination = "tiny/bin"'
    developed.edit("build_config.toml", row, row + '\nwhen = "not TINY_VERY_LOUD"')
    developed.run("develop")
    developed.run("develop", BUILD_DIR="other", TINY_VERY_LOUD="1")
    assert "tiny/bin/tiny_say" in staged(developed)
    developed.run("clean")
    assert "tiny/bin/tiny_say" not in staged(developed)
    assert LIBRARY in staged(developed)
    assert developed.words() == "['HELLO!', 'WORLD!']\n"


def test_a_library_that_another_build_overwrote_is_staged_again(developed: Project) -> None:
    developed.run("develop", BUILD_DIR="other", TINY_LOUD="0")
    assert developed.words() == "['hello', 'world']\n"
    developed.run("develop")
    assert developed.words() == "['HELLO', 'WORLD']\n"
    developed.run("develop", BUILD_DIR="other", TINY_LOUD="0")
    assert developed.words() == "['hello', 'world']\n"
    developed.call(["ninja", "-C", "build"])
    assert developed.words() == "['HELLO', 'WORLD']\n"


def test_a_renamed_build_directory_keeps_what_it_staged(developed: Project) -> None:
    (developed.root / "build").rename(developed.root / "other")
    developed.run("develop", BUILD_DIR="other")
    developed.run("clean", BUILD_DIR="other")
    assert staged(developed) == set()
    assert not (developed.root / ".staged").exists()


@pytest.fixture(scope="session")
def other_python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with another Python that can import the build requirements of this one."""
    this = sys.version_info[:2]
    names = [f"python3.{minor}" for minor in (12, 13, 11) if (3, minor) != this]
    pyenv = Path("~/.pyenv/versions").expanduser()
    found = (p for n in names for p in (shutil.which(n), *pyenv.glob(f"*/bin/{n}")) if p)
    for python in found:  # a version manager's shim may only print that it is not selected
        if subprocess.run([python, "-c", ""], capture_output=True, check=False).returncode == 0:
            return make_environment(tmp_path_factory.mktemp("other_python") / "venv", str(python))
    pytest.skip(f"there is no second Python on PATH: install one of {', '.join(names)}")


def test_two_pythons_share_a_build_directory(developed: Project, other_python: Path) -> None:
    other = Project(developed.root, other_python)
    before = staged(developed)
    other.run("develop")
    assert staged(developed) > before
    assert developed.words() == other.words() == "['HELLO', 'WORLD']\n"
    add_header(developed)
    developed.run("develop")
    (developed.root / "src/more.h").unlink()
    other.run("develop")
    assert "tiny/include/more.h" not in staged(developed)
    assert developed.words() == other.words() == "['HELLO', 'WORLD']\n"
    other.run("clean")
    assert staged(developed) == set()


def test_a_lost_record_in_the_source_tree_is_written_again(developed: Project) -> None:
    """Without it, nobody would know the copies once the build directory is deleted, too."""
    shutil.rmtree(developed.root / ".staged")
    developed.run("develop")
    assert developed.run("develop").stdout == "up to date\n"
    shutil.rmtree(developed.root / "build")
    developed.run("clean")
    assert staged(developed) == set()


def test_two_pythons_in_two_build_directories(developed: Project, other_python: Path) -> None:
    other = Project(developed.root, other_python)
    before = staged(developed)
    other.run("develop", BUILD_DIR="other")
    assert developed.words() == other.words() == "['HELLO', 'WORLD']\n"
    developed.run("clean")
    assert other.words() == "['HELLO', 'WORLD']\n"
    developed.run("develop")
    other.run("clean", BUILD_DIR="other")
    assert staged(developed) == before
    assert developed.words() == "['HELLO', 'WORLD']\n"


@pytest.mark.parametrize("how", [shutil.copy2, shutil.copy])
def test_a_build_of_a_copied_tree_does_not_touch_the_original(
    developed: Project, sources: Path, tmp_path: Path, how: object
) -> None:
    folder = tmp_path / "copy"
    shutil.copytree(developed.root, folder, symlinks=True, copy_function=how)  # type: ignore[arg-type]
    copy, before = Project(folder, developed.python), developed.files()
    copy.edit("words.yaml", "- world", "- copy")
    copy.run("develop")
    assert copy.words() == "['HELLO', 'COPY']\n"
    copy.run("clean")
    copy.edit("words.yaml", "- copy", "- world")
    assert everything(folder) == everything(sources)
    assert developed.files() == before


def test_the_source_archive_contains_no_staged_files(developed: Project) -> None:
    developed.run("develop", BUILD_DIR="other")
    (developed.root / "build/manifest.json").unlink()
    developed.run("sdist")
    (archive,) = (developed.root / "dist").glob("*.tar.gz")
    listed = subprocess.run(["tar", "tzf", archive], capture_output=True, text=True, check=True)
    assert not [line for line in listed.stdout.splitlines() if "tiny/include" in line]


def test_suggestions_for_a_missing_header_ignore_staged_copies(developed: Project) -> None:
    """One staged copy is left over from a deleted header; the other belongs to an existing header."""
    removed = add_header(developed)
    developed.run("develop")
    removed.unlink()
    developed.edit("src/greet.c", '#include "greet.h"', '#include "more.h"')
    hint = developed.run("develop", check=False).stderr.rpartition("hint: ")[2]
    assert "an earlier build had more.h and staged tiny/include/more.h" in hint
    assert "is in the checkout" not in hint
    (developed.root / "src/deep").mkdir()
    (developed.root / "src/deep/more.h").touch()
    hint = developed.run("develop", check=False).stderr.rpartition("hint: ")[2]
    assert "src/deep/more.h is in the checkout" in hint


def test_another_build_directory_has_a_fast_no_op(developed: Project) -> None:
    developed.run("develop", BUILD_DIR="other")
    before = developed.files()
    assert developed.run("develop", BUILD_DIR="other").stdout == "up to date\n"
    changed = {path for path, _ in developed.files().items() ^ before.items()}
    assert changed <= {"other/build.lock"}
    developed.run("develop", "-DBUILD_DIR=more")
    assert developed.run("develop", "-DBUILD_DIR=more").stdout == "up to date\n"


def test_a_library_whose_option_is_turned_off_leaves_package_and_manifest(
    developed: Project,
) -> None:
    """As a build for CUDA and a build for the CPU alternate in one directory."""
    exported = "[packaging.exported_symbols]\n"
    developed.edit("build_config.toml", exported, exported + '"libtiny_loud.so" = []\n')
    table = developed.root / "build_config.toml"
    table.write_text(table.read_text() + CONDITIONAL_LIBRARY)
    without, library = staged(developed), "tiny/lib/libtiny_loud.so"
    for _ in range(2):
        developed.run("develop", TINY_VERY_LOUD="1")
        assert staged(developed) == {*without, library}
        developed.run("develop")
        assert staged(developed) == without
        assert library not in read_manifest(developed.root, developed.root / "build").files
