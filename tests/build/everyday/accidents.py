"""What happens on an ordinary day: mistakes, edits under a running build, kills, lost and damaged files."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

from . import entries, files
from .checkout import Way
from .edit import ANYTHING, NOTHING, SOURCES, Apply, Desk, Due, Edit
from .places import built

INTERRUPTED = (Way.DEVELOP, Way.NINJA, Way.CODEGEN)
# Edits that are possible at any time.
SIMPLE: tuple[Apply, ...] = (
    entries.add_phrase,
    entries.change_phrase,
    entries.change_word,
    entries.comment_in_template,
    entries.change_template,
    entries.change_generator,
    files.add_kernel,
    files.move_kernel,
    files.change_header,
    files.add_lone_header,
    files.add_module,
    files.change_mode,
    files.touch,
    lambda desk: files.change_code(desk, "src/*.c"),
    lambda desk: files.change_code(desk, "src/kernels/*.c"),
)


def edit(desk: Desk) -> None:
    desk.chosen.choice(SIMPLE)(desk)


def several(desk: Desk) -> Due:
    for apply in desk.chosen.sample(SIMPLE, 3):
        apply(desk)
    return ANYTHING


def mistake_in_yaml(desk: Desk) -> Due:
    """A build that fails, and the mistake corrected along with another edit."""
    path = desk.root / desk.chosen.choice([entries.PHRASES, entries.REPLIES])
    text = path.read_text(encoding="utf-8")
    path.write_text(f"{text}- [not closed\n", encoding="utf-8")
    desk.note(f"a mistake in {path.name}")
    desk.build(desk.draw_way(), fails=True)
    path.write_text(text, encoding="utf-8")
    edit(desk)
    return ANYTHING


def mistake_in_code(desk: Desk) -> Due:
    """The same in a source or a header."""
    path = desk.pick(desk.chosen.choice(["src/*.c", "src/kernels/*"]))
    text = path.read_text(encoding="utf-8")
    path.write_text(f"{text}int broken(\n", encoding="utf-8")
    desk.build(desk.draw_way((Way.DEVELOP, Way.NINJA)), fails=True)
    desk.mistaken(path)
    path.write_text(text, encoding="utf-8")
    edit(desk)
    return ANYTHING


def edit_during_build(desk: Desk) -> Due:
    edit(desk)
    desk.interrupt(desk.draw_way(INTERRUPTED), lambda run: edit(desk))
    return ANYTHING


def kill_then_edit(desk: Desk) -> Due:
    def kill(run: subprocess.Popen[bytes]) -> None:
        if run.poll() is None:
            os.killpg(run.pid, signal.SIGKILL)

    edit(desk)
    desk.interrupt(desk.draw_way(INTERRUPTED), kill)
    edit(desk)
    return ANYTHING


def lose(name: str, due: Due) -> Edit:
    """One of the records of the build directory is gone."""

    def apply(desk: Desk) -> Due:
        (desk.build_path / name).unlink()
        return due

    return Edit(f"{name} lost", apply, lambda desk: (desk.build_path / name).exists())


def generated_files(desk: Desk) -> list[Path]:
    folders = ("src", "phrases", "replies")
    return sorted(p for f in folders for p in (desk.build_path / f).rglob("*.*") if p.is_file())


def staged_files(desk: Desk) -> list[Path]:
    ours = {*desk.checkout.sources()}
    found = (p for p in (desk.root / "tiny").rglob("*") if p.is_file() or p.is_symlink())
    return sorted(
        path
        for path in found
        if str(path.relative_to(desk.root)) not in ours and "__pycache__" not in path.parts
    )


def by_hand(
    what: str, listed: Callable[[Desk], list[Path]], act: Callable[[Path], None], due: Due
) -> Edit:
    """Something done to a file that a build made."""

    def apply(desk: Desk) -> Due:
        path = desk.chosen.choice(listed(desk))
        desk.note(path)
        act(path)
        return due

    return Edit(what, apply, lambda desk: built(desk) and bool(listed(desk)))


def append_a_line(path: Path) -> None:
    """In a new file, as editors write; a copy that shares its inode must not change along."""
    mark = b"\n# by hand\n" if path.suffix == ".py" else b"\n/* by hand */\n"
    data, mode = path.read_bytes(), path.stat().st_mode
    path.unlink()
    path.write_bytes(data + mark)
    path.chmod(mode)


def replace_by_link(path: Path) -> None:
    """A link to a file with the same bytes."""
    twin = path.parents[3] / f"{path.name}.twin"
    twin.write_bytes(path.read_bytes())
    path.unlink()
    path.symlink_to(twin)


def delete(path: Path) -> None:
    path.unlink()


EDITS = (
    Edit("several edits at once", several),
    Edit("mistake in YAML, corrected after the failure", mistake_in_yaml),
    Edit("mistake in code, corrected after the failure", mistake_in_code),
    Edit("edit during a build", edit_during_build),
    Edit("build killed, then an edit", kill_then_edit),
    lose(".ninja_log", Due({}, compiles=False, unknown=True)),
    lose(".ninja_deps", Due({}, compiles=False, unknown=True)),
    lose("manifest.json", NOTHING),
    lose("state.json", NOTHING),
    lose("codegen.json", NOTHING),
    by_hand("generated file edited by hand", generated_files, append_a_line, SOURCES),
    by_hand("generated file deleted", generated_files, delete, SOURCES),
    by_hand("staged file edited by hand", staged_files, append_a_line, NOTHING),
    by_hand("staged file deleted", staged_files, delete, NOTHING),
    by_hand("staged file replaced by a link", staged_files, replace_by_link, NOTHING),
)
