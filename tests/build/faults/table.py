"""The faults: what each does to a tree, and how often a full campaign provokes it."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tools.setup_helpers.state import graph_records
from tools.setup_helpers.state.lock import NAME as LOCK
from tools.setup_helpers.state.lock import try_lock

from .campaign import Campaign, Provoke
from .kills import PHASES, Moment, Send, Timeline, run_with_signal
from .ninja_times import shift_recorded_times

RECORDS = ("state.json", ".ninja_log", ".ninja_deps", "CMakeCache.txt")
MORE_RECORDS = (
    ".ninja_deps.last",
    ".ninja_log.last",
    "build.ninja",
    "CMakeFiles/rules.ninja",
    "audit.json",
    "codegen.json",
    "codegen.stamp",
    "compiler_cache.txt",
    "configure.json",
    "generated_sources.cmake",
    "graph_records.json",
    "made_files.json",
    "manifest.json",
    "memory.json",
    "options.json",
    "options.cmake",
    "package_plan.json",
    "programs.json",
    "report.json",
)
# Records that exist only after a build that did not succeed.
RECORDS_OF_UNFINISHED = ("last_state.json", "sources.json")
# Further files in a build directory that no later build reads.
NEVER_READ = (
    ".gitignore",
    "CMakeFiles",
    "build.lock",
    "cmake_install.cmake",
    "codegen.stamp.d",
    "compile_commands.json",
    "empty.c",
    "logs",
    "report.html",
    "summary.txt",
    "trace.json",
)
A_DAY = 24 * 3600


@dataclass(frozen=True)
class Fault:
    """One row of the page. A full campaign provokes the fault `rounds` times."""

    name: str
    provoke: Provoke
    rounds: int
    in_default_tests: bool = False
    """Whether the default tests also provoke it, once."""


def interrupt(campaign: Campaign, send: Send, number: signal.Signals) -> Timeline:
    """Interrupt a run of `develop` that has work in every phase, in each phase in turn."""
    fresh = campaign.round // len(PHASES) % 2 == 0
    spans = campaign.spans[fresh]
    phases = [phase for phase in PHASES if phase != "link" or campaign.tree.marks_links]
    phase = phases[campaign.round % len(phases)]
    while True:
        if fresh:
            campaign.tree.fresh()
        else:
            campaign.built()
            campaign.tree.edit_all()
        if phase == "register":
            campaign.tree.unregister()
        moment = Moment.random_moment(phase, spans, campaign.rng)
        timeline = run_with_signal(campaign.tree, send, number, moment)
        if timeline.code:  # it did not end before the signal came
            return timeline


def kill_group(campaign: Campaign) -> str:
    timeline = interrupt(campaign, os.killpg, signal.SIGKILL)
    assert timeline.code == -signal.SIGKILL
    return timeline.last


def kill_front_end(campaign: Campaign) -> str:
    timeline = interrupt(campaign, os.kill, signal.SIGKILL)
    assert timeline.code == -signal.SIGKILL
    return timeline.last


def press_control_c(campaign: Campaign) -> str:
    timeline = interrupt(campaign, os.killpg, signal.SIGINT)
    assert timeline.code == 130, timeline.output
    assert "Traceback" not in timeline.output
    with (campaign.tree.build / LOCK).open() as file:
        assert try_lock(file.fileno()), "the lock is still held"
    return timeline.last


def kill_and_clean(campaign: Campaign) -> str:
    """Kill a build, then run `clean`, which must know the unfinished build's files."""
    where = kill_group(campaign)
    campaign.tree.run("clean")
    sources = {
        str(path.relative_to(campaign.tree.sources)) for path in campaign.tree.sources.rglob("*")
    }
    left = campaign.tree.files().keys() - sources
    assert not left, f"killed in {where}; left {sorted(left)}"
    return where


def truncate(path: Path, campaign: Campaign) -> None:
    os.truncate(path, campaign.rng.randrange(max(path.stat().st_size, 1)))


def scramble(path: Path, campaign: Campaign) -> None:
    data = bytearray(path.read_bytes())
    start = campaign.rng.randrange(max(len(data), 1))
    data[start : start + 64] = campaign.rng.randbytes(64)
    path.write_bytes(data)


def zero(path: Path, campaign: Campaign) -> None:
    path.write_bytes(bytes(path.stat().st_size))


def replace_by_nonsense(path: Path, campaign: Campaign) -> None:
    path.write_text('{"format": 1, "develop": []}\n')


def delete(path: Path, campaign: Campaign) -> None:
    path.unlink()


DAMAGES = (truncate, scramble, zero, replace_by_nonsense, delete)


def damage(name: str) -> Provoke:
    """Damage one record of the build directory, in each way in turn."""

    def provoke(campaign: Campaign) -> str:
        path = campaign.tree.build / name
        if not path.exists():  # no build has needed it since it was deleted
            campaign.tree.edit_all()
            campaign.tree.run("develop")
        return _damage_one_way(path, campaign)

    return provoke


def damage_after_kill(name: str) -> Provoke:
    """Damage one record that a killed build leaves, in each way in turn."""

    def provoke(campaign: Campaign) -> str:
        path = campaign.tree.build / name
        campaign.built()
        while not path.exists():
            campaign.tree.edit_all()
            moment = Moment.random_moment("compile", campaign.spans[False], campaign.rng)
            run_with_signal(campaign.tree, os.killpg, signal.SIGKILL, moment)
        return _damage_one_way(path, campaign)

    return provoke


def damage_installation(campaign: Campaign) -> str:
    """Damage one of the files by which pip knows the package, or the path file by which imports find it."""
    names = sorted(campaign.tree.installed())
    return _damage_one_way(campaign.tree.site / campaign.rng.choice(names), campaign)


def _damage_one_way(path: Path, campaign: Campaign) -> str:
    """Damage a file in one way. A path file can only be deleted: with other bytes in it, Python does not start."""
    kind = delete if path.suffix == ".pth" else DAMAGES[campaign.round % len(DAMAGES)]
    kind(path, campaign)
    return kind.__name__.replace("_", " ")


def spoil(how: Callable[[Path, Campaign], None], pattern: str) -> Provoke:
    """Damage one of the matching files."""

    def provoke(campaign: Campaign) -> str:
        how(campaign.rng.choice(sorted(campaign.tree.root.glob(pattern))), campaign)
        return ""

    return provoke


def append_line(path: Path, campaign: Campaign) -> None:
    path.write_text(path.read_text() + "int by_hand;\n")


def set_clock_back(campaign: Campaign) -> str:
    """Set the clock back by a day: all outputs are dated in the future, and edits are older than they are."""
    campaign.tree.edit_all()
    campaign.tree.run("develop")  # Ninja's records are whole
    campaign.tree.shift_times(A_DAY)
    shift_recorded_times(campaign.tree.build, A_DAY)
    graph_records.remember(campaign.tree.build)
    return ""


def restore_old_files(campaign: Campaign) -> str:
    """Restore files from a backup with their times: other bytes, older than all outputs."""
    campaign.tree.edit_all()
    for path in ("words.yaml", "src/greet.c"):
        os.utime(campaign.tree.root / path, (10**9, 10**9))
    return ""


def build_twice_at_once(campaign: Campaign) -> str:
    campaign.tree.edit_all()
    runs = [campaign.tree.start() for _ in range(2)]
    outputs = [run.communicate()[0].decode() for run in runs]
    codes = sorted(run.returncode for run in runs)
    assert codes in ([0, 0], [0, 3]), outputs
    if codes == [0, 3]:
        assert any("another build holds" in output for output in outputs)
        return "one was refused"
    return "one after the other"


def move(campaign: Campaign) -> str:
    old = campaign.tree.root
    campaign.tree = campaign.tree.at(_elsewhere(campaign))
    shutil.move(old, campaign.tree.root)
    return ""


def copy(campaign: Campaign) -> str:
    """Copy the tree; a build of the copy must not touch the original."""
    original = campaign.tree
    campaign.tree = original.at(_elsewhere(campaign))
    keep_times = campaign.round // 2 % 2 == 0
    how = shutil.copy2 if keep_times else shutil.copy
    shutil.copytree(original.root, campaign.tree.root, copy_function=how)
    before = original.files()
    campaign.tree.edit_all()
    campaign.tree.run("develop")
    assert original.files() == before
    shutil.rmtree(original.root)
    return "with its times" if keep_times else "with new times"


def _elsewhere(campaign: Campaign) -> Path:
    number = int(campaign.tree.root.parent.name.removeprefix("place") or 0) + 1
    place = campaign.tree.root.parent.with_name(f"place{number}") / "tiny"
    place.parent.mkdir()
    return place


FAULTS = (
    Fault("SIGKILL of the process group", kill_group, 100, in_default_tests=True),
    Fault("SIGKILL of the front end alone", kill_front_end, 24),
    Fault("SIGKILL of the process group, then clean", kill_and_clean, 24),
    Fault("Ctrl-C", press_control_c, 24),
    *(
        Fault(f"{name} damaged", damage(name), 10, in_default_tests=name != "state.json")
        for name in RECORDS
    ),
    *(Fault(f"{name} damaged", damage(name), 5) for name in MORE_RECORDS),
    *(Fault(f"{name} damaged", damage_after_kill(name), 5) for name in RECORDS_OF_UNFINISHED),
    Fault("installed metadata damaged", damage_installation, 20),
    Fault("generated file deleted", spoil(delete, "build/src/*.c"), 5),
    Fault("generated file edited", spoil(append_line, "build/src/*.c"), 5),
    Fault("object deleted", spoil(delete, "build/CMakeFiles/*.dir/**/*.o"), 5),
    Fault("library deleted", spoil(delete, "build/lib/*"), 5),
    Fault("staged file deleted", spoil(delete, "tiny/**/*.so"), 5),
    Fault("clock set back", set_clock_back, 10),
    Fault("sources replaced by older files", restore_old_files, 10),
    Fault("two builds at once", build_twice_at_once, 10),
    Fault("tree moved", move, 10, in_default_tests=True),
    Fault("tree copied", copy, 10),
)
