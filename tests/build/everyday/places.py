"""Edits to the whole tree: other commits, options, compilers, build directories, locations."""

from __future__ import annotations

import os
import shutil
from dataclasses import replace

from . import entries, files
from .checkout import BUILD, BuildMethod
from .edit import ANYTHING, FRONT_END, NOTHING, SOURCES, Edit, Limits, Workspace
from .file_states import times_below

SECOND_BUILD = "other/build2"
COMPILERS = ("", "cc", "gcc", shutil.which("gcc") or "gcc")


def commit(workspace: Workspace) -> None:
    """Commit all edits and tag the commit."""
    workspace.checkout.git("add", "--all")
    workspace.checkout.git("commit", "--quiet", "--allow-empty", "--message", "Work")
    workspace.checkout.git("tag", f"c{len(commits(workspace)):03}")


def commits(workspace: Workspace) -> list[str]:
    """Return the tags of the commits, oldest first."""
    return workspace.checkout.git("tag", "--list", "c*").split()


def name_author(workspace: Workspace) -> None:
    """Configure the author of the commits."""
    for name, value in (("user.name", "Somebody"), ("user.email", "somebody@example.org")):
        workspace.checkout.git("config", name, value)


def start_history(workspace: Workspace) -> None:
    """Make a first commit and two with further entries and kernels, then check out the first."""
    workspace.checkout.git("init", "--quiet")
    name_author(workspace)
    commit(workspace)
    for _ in range(2):
        for _ in range(2):
            files.add_kernel(workspace)
            entries.add_phrase(workspace)
            files.add_unused_header(workspace)
        entries.rename_phrase(workspace)
        files.add_module(workspace)
        commit(workspace)
    check_out(workspace, "c001")


def check_out(workspace: Workspace, name: str) -> None:
    workspace.note(f"git checkout {name}")
    workspace.checkout.git("checkout", "--quiet", "--detach", name)


def other_commit(workspace: Workspace) -> Limits:
    commit(workspace)
    check_out(workspace, workspace.rng.choice(commits(workspace)[:-1]))
    return ANYTHING


def other_commit_and_back(workspace: Workspace) -> Limits:
    """Check out another commit and return without a build: the same bytes with newer times."""
    other_commit(workspace)
    check_out(workspace, commits(workspace)[-1])
    return NOTHING


def other_commit_built_and_back(workspace: Workspace) -> Limits:
    other_commit(workspace)
    workspace.build(workspace.choose_method())
    check_out(workspace, commits(workspace)[-1])
    return ANYTHING


def _set(workspace: Workspace, **options: str) -> None:
    workspace.checkout.settings = workspace.checkout.settings.with_options(**options)
    workspace.note(", ".join(f"{name}={text or '(unset)'}" for name, text in options.items()))


def _toggle(workspace: Workspace, name: str, values: tuple[str, ...]) -> None:
    now = workspace.checkout.settings.options.get(name, "")
    _set(workspace, **{name: workspace.rng.choice([value for value in values if value != now])})


def change_option(workspace: Workspace) -> Limits:
    """Change one option. TINY_VERY_LOUD needs TINY_LOUD."""
    name = workspace.rng.choice(["TINY_LOUD", "TINY_VERY_LOUD", "TINY_POLITE"])
    if name == "TINY_POLITE":
        _toggle(workspace, name, ("", "0"))
    elif name == "TINY_VERY_LOUD":
        _set(workspace, TINY_LOUD="")
        _toggle(workspace, name, ("", "1"))
    else:
        _set(workspace, TINY_VERY_LOUD="")
        _toggle(workspace, name, ("", "0"))
    return Limits({"replies/Replies_*.c": 2})


def change_option_and_back(workspace: Workspace) -> Limits:
    before = workspace.checkout.settings
    change_option(workspace)
    workspace.build(workspace.choose_method(), as_arguments=workspace.rng.random() < 0.5)
    workspace.checkout.settings = before
    workspace.note("and back")
    return Limits({"replies/Replies_*.c": 2})


def respell_compiler(workspace: Workspace) -> Limits:
    _toggle(workspace, "CC", COMPILERS)
    return Limits({}, compiles=False, methods=FRONT_END)


def change_compile_flags(workspace: Workspace) -> Limits:
    _toggle(workspace, "CFLAGS", ("", "-DTINY_FLAG=1", "-O1"))
    return SOURCES


def change_link_flags(workspace: Workspace) -> Limits:
    _toggle(workspace, "LDFLAGS", ("", "-Wl,-z,now"))
    return Limits({}, methods=FRONT_END)


def move_cache(workspace: Workspace) -> Limits:
    """Put the compiler cache on PATH, or take it off."""
    settings = workspace.checkout.settings
    workspace.checkout.settings = replace(settings, cache_in_path=not settings.cache_in_path)
    workspace.note(f"ccache in PATH: {workspace.checkout.settings.cache_in_path}")
    return Limits({}, compiles=False, methods=FRONT_END)


def use_other_build_dir(workspace: Workspace) -> Limits:
    workspace.build_dir = BUILD if workspace.build_dir != BUILD else SECOND_BUILD
    workspace.note(workspace.build_dir)
    return ANYTHING


def clean(workspace: Workspace) -> Limits:
    """Run `clean`, which must leave only the sources and what another build directory staged."""
    place = {} if workspace.build_dir == BUILD else {"BUILD_DIR": workspace.build_dir}
    workspace.checkout.run("clean", **place)
    workspace.configured.pop(workspace.build_dir, None)
    if not workspace.configured:
        left = workspace.checkout.git("status", "--short", "--ignored", "--untracked-files=all")
        ignored = [line[3:] for line in left.splitlines() if line.startswith("!!")]
        left_over = [path for path in ignored if "__pycache__" not in path]
        assert not left_over, f"`clean` leaves {', '.join(left_over)}"
    return Limits(methods=(BuildMethod.DEVELOP, BuildMethod.CODEGEN, BuildMethod.PIP))


def copy_tree(workspace: Workspace) -> Limits:
    """Copy the tree and continue in the copy, where the first build must not touch the original."""
    original = workspace.root
    copy = original.parent.with_name(f"copy{workspace.number()}") / original.name
    copy.parent.mkdir()
    how = workspace.rng.choice([shutil.copy2, shutil.copy])
    shutil.copytree(original, copy, symlinks=True, copy_function=how)
    workspace.note(f"copied with {'its' if how is shutil.copy2 else 'new'} times")
    before = times_below(original)
    workspace.checkout.root = copy
    workspace.configured.clear()
    workspace.build(BuildMethod.DEVELOP)
    assert times_below(original) == before, "a build of the copy changed the original"
    shutil.rmtree(original.parent)
    return Limits({}, compiles=False)


def nothing(workspace: Workspace) -> Limits:
    """Edit nothing, so that the next command builds an unchanged tree."""
    return NOTHING


EDITS = (
    Edit("another commit checked out", other_commit),
    Edit("another commit and back", other_commit_and_back),
    Edit("another commit, built, and back", other_commit_built_and_back),
    Edit("option changed", change_option),
    Edit("option changed, built, and back", change_option_and_back),
    Edit("CC spelt otherwise", respell_compiler),
    Edit("CFLAGS changed", change_compile_flags),
    Edit("LDFLAGS changed", change_link_flags),
    Edit("ccache left or entered PATH", move_cache),
    Edit("another BUILD_DIR", use_other_build_dir),
    Edit("`clean`", clean),
    Edit("tree copied", copy_tree),
    Edit("nothing edited", nothing),
)


def built(workspace: Workspace) -> bool:
    """Whether the build directory in use has been built."""
    return os.path.exists(workspace.build_path / "build.ninja")
