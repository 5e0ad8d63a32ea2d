"""Everyday accidents: mistakes, edits during a build, killed builds, lost and damaged files."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

from . import entries, files
from .checkout import BuildMethod
from .edit import ANYTHING, NOTHING, SOURCES, Apply, Edit, Limits, Workspace
from .places import built

INTERRUPTED = (BuildMethod.DEVELOP, BuildMethod.NINJA, BuildMethod.CODEGEN)
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
    files.add_unused_header,
    files.add_module,
    files.change_mode,
    files.touch,
    lambda workspace: files.change_code(workspace, "src/*.c"),
    lambda workspace: files.change_code(workspace, "src/kernels/*.c"),
)


def edit(workspace: Workspace) -> None:
    workspace.rng.choice(SIMPLE)(workspace)


def make_several_edits(workspace: Workspace) -> Limits:
    for apply in workspace.rng.sample(SIMPLE, 3):
        apply(workspace)
    return ANYTHING


def make_mistake_in_yaml(workspace: Workspace) -> Limits:
    """Build with a mistake, which must fail; then correct it and make another edit."""
    path = workspace.root / workspace.rng.choice([entries.PHRASES, entries.REPLIES])
    text = path.read_text(encoding="utf-8")
    path.write_text(f"{text}- [not closed\n", encoding="utf-8")
    workspace.note(f"a mistake in {path.name}")
    workspace.build(workspace.choose_method(), fails=True)
    path.write_text(text, encoding="utf-8")
    edit(workspace)
    return ANYTHING


def make_mistake_in_code(workspace: Workspace) -> Limits:
    """Like `make_mistake_in_yaml`, with a mistake in a source or a header."""
    path = workspace.pick(workspace.rng.choice(["src/*.c", "src/kernels/*"]))
    text = path.read_text(encoding="utf-8")
    path.write_text(f"{text}int broken(\n", encoding="utf-8")
    workspace.build(workspace.choose_method((BuildMethod.DEVELOP, BuildMethod.NINJA)), fails=True)
    workspace.on_mistake(path)
    path.write_text(text, encoding="utf-8")
    edit(workspace)
    return ANYTHING


def edit_during_build(workspace: Workspace) -> Limits:
    edit(workspace)
    workspace.interrupt(workspace.choose_method(INTERRUPTED), lambda run: edit(workspace))
    return ANYTHING


def kill_then_edit(workspace: Workspace) -> Limits:
    def kill(run: subprocess.Popen[bytes]) -> None:
        if run.poll() is None:
            os.killpg(run.pid, signal.SIGKILL)

    edit(workspace)
    workspace.interrupt(workspace.choose_method(INTERRUPTED), kill)
    edit(workspace)
    return ANYTHING


def delete_record(name: str, limits: Limits) -> Edit:
    """Return an edit that deletes one of the build directory's records."""

    def apply(workspace: Workspace) -> Limits:
        (workspace.build_path / name).unlink()
        return limits

    return Edit(f"{name} lost", apply, lambda workspace: (workspace.build_path / name).exists())


def generated_files(workspace: Workspace) -> list[Path]:
    folders = ("src", "phrases", "replies")
    return sorted(
        p for f in folders for p in (workspace.build_path / f).rglob("*.*") if p.is_file()
    )


def staged_files(workspace: Workspace) -> list[Path]:
    sources = {*workspace.checkout.sources()}
    found = (p for p in (workspace.root / "tiny").rglob("*") if p.is_file() or p.is_symlink())
    return sorted(
        path
        for path in found
        if str(path.relative_to(workspace.root)) not in sources and "__pycache__" not in path.parts
    )


def tamper(
    what: str,
    listed: Callable[[Workspace], list[Path]],
    act: Callable[[Path], None],
    limits: Limits,
) -> Edit:
    """Return an edit that tampers with a file that a build made."""

    def apply(workspace: Workspace) -> Limits:
        path = workspace.rng.choice(listed(workspace))
        workspace.note(path)
        act(path)
        return limits

    return Edit(what, apply, lambda workspace: built(workspace) and bool(listed(workspace)))


def append_line(path: Path) -> None:
    """Write a new file, as editors do: a hard link to the old one must not change."""
    mark = b"\n# by hand\n" if path.suffix == ".py" else b"\n/* by hand */\n"
    data, mode = path.read_bytes(), path.stat().st_mode
    path.unlink()
    path.write_bytes(data + mark)
    path.chmod(mode)


def replace_by_link(path: Path) -> None:
    """Replace the file by a link to a file with the same bytes."""
    twin = path.parents[3] / f"{path.name}.twin"
    twin.write_bytes(path.read_bytes())
    path.unlink()
    path.symlink_to(twin)


def delete(path: Path) -> None:
    path.unlink()


EDITS = (
    Edit("several edits at once", make_several_edits),
    Edit("mistake in YAML, corrected after the failure", make_mistake_in_yaml),
    Edit("mistake in code, corrected after the failure", make_mistake_in_code),
    Edit("edit during a build", edit_during_build),
    Edit("build killed, then an edit", kill_then_edit),
    delete_record(".ninja_log", Limits({}, compiles=False, log_lost=True)),
    delete_record(".ninja_deps", Limits({}, compiles=False, log_lost=True)),
    delete_record("manifest.json", NOTHING),
    delete_record("state.json", NOTHING),
    delete_record("codegen.json", NOTHING),
    tamper("generated file edited by hand", generated_files, append_line, SOURCES),
    tamper("generated file deleted", generated_files, delete, SOURCES),
    tamper("staged file edited by hand", staged_files, append_line, NOTHING),
    tamper("staged file deleted", staged_files, delete, NOTHING),
    tamper("staged file replaced by a link", staged_files, replace_by_link, NOTHING),
)
