"""Edits of all at once: other commits, other options and compilers, other build directories and places."""

from __future__ import annotations

import os
import shutil
from dataclasses import replace

from . import entries, files
from .checkout import BUILD, Way
from .edit import ANYTHING, FRONT_END, NOTHING, SOURCES, Desk, Due, Edit
from .looks import times_below

SECOND_BUILD = "other/build2"
COMPILERS = ("", "cc", "gcc", shutil.which("gcc") or "gcc")


def commit(desk: Desk) -> None:
    """Whatever was edited, with a name to come back to."""
    desk.checkout.git("add", "--all")
    desk.checkout.git("commit", "--quiet", "--allow-empty", "--message", "Work")
    desk.checkout.git("tag", f"c{len(commits(desk)):03}")


def commits(desk: Desk) -> list[str]:
    """In the order in which they were made."""
    return desk.checkout.git("tag", "--list", "c*").split()


def name_author(desk: Desk) -> None:
    """Of the commits."""
    for name, value in (("user.name", "Somebody"), ("user.email", "somebody@example.org")):
        desk.checkout.git("config", name, value)


def start_history(desk: Desk) -> None:
    """A first commit, and two with other entries and kernels; the first is checked out."""
    desk.checkout.git("init", "--quiet")
    name_author(desk)
    commit(desk)
    for _ in range(2):
        for _ in range(2):
            files.add_kernel(desk)
            entries.add_phrase(desk)
            files.add_lone_header(desk)
        entries.rename_phrase(desk)
        files.add_module(desk)
        commit(desk)
    check_out(desk, "c001")


def check_out(desk: Desk, name: str) -> None:
    desk.note(f"git checkout {name}")
    desk.checkout.git("checkout", "--quiet", "--detach", name)


def other_commit(desk: Desk) -> Due:
    commit(desk)
    check_out(desk, desk.chosen.choice(commits(desk)[:-1]))
    return ANYTHING


def other_commit_and_back(desk: Desk) -> Due:
    """Without a build between: files have newer times and the same bytes."""
    other_commit(desk)
    check_out(desk, commits(desk)[-1])
    return NOTHING


def other_commit_built_and_back(desk: Desk) -> Due:
    other_commit(desk)
    desk.build(desk.draw_way())
    check_out(desk, commits(desk)[-1])
    return ANYTHING


def _set(desk: Desk, **options: str) -> None:
    desk.checkout.settings = desk.checkout.settings.with_options(**options)
    desk.note(", ".join(f"{name}={text or '(unset)'}" for name, text in options.items()))


def _toggle(desk: Desk, name: str, values: tuple[str, ...]) -> None:
    now = desk.checkout.settings.options.get(name, "")
    _set(desk, **{name: desk.chosen.choice([value for value in values if value != now])})


def change_option(desk: Desk) -> Due:
    """TINY_VERY_LOUD needs TINY_LOUD."""
    name = desk.chosen.choice(["TINY_LOUD", "TINY_VERY_LOUD", "TINY_POLITE"])
    if name == "TINY_POLITE":
        _toggle(desk, name, ("", "0"))
    elif name == "TINY_VERY_LOUD":
        _set(desk, TINY_LOUD="")
        _toggle(desk, name, ("", "1"))
    else:
        _set(desk, TINY_VERY_LOUD="")
        _toggle(desk, name, ("", "0"))
    return Due({"replies/Replies_*.c": 2})


def change_option_and_back(desk: Desk) -> Due:
    before = desk.checkout.settings
    change_option(desk)
    desk.build(desk.draw_way(), as_arguments=desk.chosen.random() < 0.5)
    desk.checkout.settings = before
    desk.note("and back")
    return Due({"replies/Replies_*.c": 2})


def respell_compiler(desk: Desk) -> Due:
    _toggle(desk, "CC", COMPILERS)
    return Due({}, compiles=False, ways=FRONT_END)


def change_compile_flags(desk: Desk) -> Due:
    _toggle(desk, "CFLAGS", ("", "-DTINY_FLAG=1", "-O1"))
    return SOURCES


def change_link_flags(desk: Desk) -> Due:
    _toggle(desk, "LDFLAGS", ("", "-Wl,-z,now"))
    return Due({}, ways=FRONT_END)


def move_cache(desk: Desk) -> Due:
    """The compiler cache is installed, or is not any more."""
    settings = desk.checkout.settings
    desk.checkout.settings = replace(settings, cache_in_path=not settings.cache_in_path)
    desk.note(f"ccache in PATH: {desk.checkout.settings.cache_in_path}")
    return Due({}, ways=FRONT_END)


def use_other_build_dir(desk: Desk) -> Due:
    desk.build_dir = BUILD if desk.build_dir != BUILD else SECOND_BUILD
    desk.note(desk.build_dir)
    return ANYTHING


def clean(desk: Desk) -> Due:
    """Then only the sources are left, and what another build directory holds."""
    place = {} if desk.build_dir == BUILD else {"BUILD_DIR": desk.build_dir}
    desk.checkout.run("clean", **place)
    desk.configured.pop(desk.build_dir, None)
    if not desk.configured:
        left = desk.checkout.git("status", "--short", "--ignored", "--untracked-files=all")
        ignored = [line[3:] for line in left.splitlines() if line.startswith("!!")]
        left_over = [path for path in ignored if "__pycache__" not in path]
        assert not left_over, f"`clean` leaves {', '.join(left_over)}"
    return Due(ways=(Way.DEVELOP, Way.CODEGEN, Way.PIP))


def copy_tree(desk: Desk) -> Due:
    """Work goes on in the copy; the first build there must not touch the original."""
    original = desk.root
    copy = original.parent.with_name(f"copy{desk.number()}") / original.name
    copy.parent.mkdir()
    how = desk.chosen.choice([shutil.copy2, shutil.copy])
    shutil.copytree(original, copy, symlinks=True, copy_function=how)
    desk.note(f"copied with {'its' if how is shutil.copy2 else 'new'} times")
    before = times_below(original)
    desk.checkout.root = copy
    desk.configured.clear()
    desk.build(Way.DEVELOP)
    assert times_below(original) == before, "a build of the copy changes the original"
    shutil.rmtree(original.parent)
    return Due({}, compiles=False)


def nothing(desk: Desk) -> Due:
    """Another way of building what is built."""
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


def built(desk: Desk) -> bool:
    """Whether the build directory in use has been built."""
    return os.path.exists(desk.build_path / "build.ninja")
