"""A source tree that cannot be written: `develop` stages into the build directory."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from .conditions import in_private_mounts
from .fixture_project import Project

READ_ONLY = 'mount --bind . . && mount -o remount,ro,bind . && cd "$PWD"\n'
SHOWN = 'cd / && "$PYTHON" -c "import tiny; print(tiny.words(), tiny.__file__)"'


def in_read_only_tree(
    project: Project, build_dir: Path, script: str
) -> subprocess.CompletedProcess[str]:
    environ = {"PYTHON": str(project.python), "BUILD_DIR": str(build_dir)}
    result = in_private_mounts(project, READ_ONLY + script, **environ)
    assert result.returncode == 0, result.stdout + result.stderr
    return result


def names(folder: Path) -> list[str]:
    return sorted(os.path.relpath(path, folder) for path in folder.rglob("*"))


def test_develop_imports_from_the_build_directory(project: Project, tmp_path: Path) -> None:
    before, made = project.files(), tmp_path / "made"
    script = f'"$PYTHON" setup.py develop && "$PYTHON" setup.py develop && ({SHOWN})'
    output = in_read_only_tree(project, made, script).stdout
    assert output.splitlines()[-2:] == [
        "up to date",
        f"['HELLO', 'WORLD'] {made}/editable/tiny/__init__.py",
    ]
    assert project.files() == before, "nothing was written next to the sources"
    assert (made / "editable/tiny/__init__.py").is_symlink()


def test_edits_take_effect_and_new_modules_after_the_next_develop(
    project: Project, tmp_path: Path
) -> None:
    made = tmp_path / "made"
    in_read_only_tree(project, made, '"$PYTHON" setup.py develop')
    project.edit("tiny/__init__.py", "return [greet(index)", "return ['edited'] + [greet(index)")
    assert in_read_only_tree(project, made, SHOWN).stdout.startswith("['edited', 'HELLO'")
    added = project.root / "tiny/added.py"
    added.write_text("value = 3\n")
    shown = 'cd / && "$PYTHON" -c "import tiny.added; print(tiny.added.value)"'
    output = in_read_only_tree(project, made, f'"$PYTHON" setup.py develop && ({shown})').stdout
    assert output.endswith("3\n")
    added.unlink()
    in_read_only_tree(project, made, '"$PYTHON" setup.py develop')
    assert not os.path.lexists(made / "editable/tiny/added.py")


def test_clean_and_uninstall_leave_nothing(project: Project, tmp_path: Path) -> None:
    made, before = tmp_path / "made", project.files()
    in_read_only_tree(
        project,
        made,
        f'"$PYTHON" setup.py develop && ({SHOWN})\n'
        '"$PYTHON" setup.py develop --uninstall && "$PYTHON" setup.py clean',
    )
    assert not made.exists(), names(made)
    assert project.files() == before
    assert not list(project.python.parents[1].glob("lib/python*/site-packages/*tiny*"))


def test_a_tree_that_can_be_written_again_is_staged_there(project: Project, tmp_path: Path) -> None:
    made = tmp_path / "made"
    in_read_only_tree(project, made, '"$PYTHON" setup.py develop')
    assert "up to date" in project.run("develop", BUILD_DIR=str(made)).stdout
    project.edit("words.yaml", "world", "moon")
    project.run("develop", BUILD_DIR=str(made))
    assert project.words() == "['HELLO', 'MOON']\n"
    command = [str(project.python), "-c", "import tiny; print(tiny.__file__)"]
    found = subprocess.run(command, cwd="/", capture_output=True, text=True, check=True).stdout
    assert found == f"{project.root}/tiny/__init__.py\n"
    project.run("clean", BUILD_DIR=str(made))
    assert not made.exists(), names(made)
    assert not (project.root / "tiny/lib").exists() and not (project.root / ".staged").exists()


def test_an_import_that_rebuilds(project: Project, tmp_path: Path) -> None:
    """Ninja runs in the build directory of the links, not in the tree's own."""
    made = tmp_path / "made"
    in_read_only_tree(project, made, '"$PYTHON" setup.py develop')
    project.edit("words.yaml", "hello", "goodbye")
    rebuild = f'"$PYTHON" -m tools.setup_helpers.package.rebuild {made}/editable'
    output = in_read_only_tree(project, made, f"{rebuild} && ({SHOWN})").stdout
    assert "GOODBYE" in output
