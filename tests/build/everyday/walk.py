"""A walk: an edit, a build, and what came of it, step after step, all drawn from a seed."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatch

from tools.setup_helpers.package.manifest import staged_elsewhere

from .checkout import Way
from .clean_builds import CleanBuilds, Expected
from .compilations import Compilations, rewritten
from .edit import FRONT_END, Desk, Due, Edit
from .looks import Made, Observer, differences, times_below

# What nobody reads but the next build and people. `develop` that has nothing to do writes none of it;
# other ways of building note that they ran.
LOCK = "build.lock"
RECORDS = (".ninja_log", "*/logs/*", "graph_records.json", "last_build.json", "last_state.json")
RECORDS += ("programs.json", "report.json", "sources.json", "state.json")

NOTHING_MADE = Made({}, {}, {}, {})


@dataclass
class Verdict:
    """What became of one step."""

    edit: str
    where: str
    wrong: list[str] = field(default_factory=list)
    """How the tree differs from a clean build of the same sources, or why there is none."""
    needless: list[str] = field(default_factory=list)
    """What was done again without a reason."""

    def __str__(self) -> str:
        rows = [*(f"wrong: {text}" for text in self.wrong)]
        rows += [f"needless: {text}" for text in self.needless]
        return "\n  ".join([f"{self.where}: {self.edit}", *rows])


@dataclass
class Walk:
    """One desk and all that is known of its builds."""

    name: str
    desk: Desk
    clean: CleanBuilds
    observer: Observer
    whole_every: int = 1
    """After how many steps a whole clean build is made; the generated files are compared at each."""
    _compiled: dict[str, Compilations] = field(default_factory=dict)
    _generated: dict[str, str] = field(default_factory=dict)
    _built: dict[str, str] = field(default_factory=dict)
    """Build directory to the key of what was generated, or built, there last."""
    _excused: set[str] = field(default_factory=set)
    """Build directories in which Ninja on its own may compile everything once."""

    def go(
        self,
        edits: Sequence[Edit],
        steps: int,
        report: Callable[[Verdict], None] = lambda verdict: None,
    ) -> list[Verdict]:
        """So many steps; the edits happen in the first order in which they are possible."""
        pending, verdicts = list(edits), []
        self.desk.after_build = lambda: self._compilations().forget_absent()
        self.desk.mistaken = lambda path: self._compilations().forget_readers(path)
        self._start()
        for number in range(steps):
            self.desk.chosen = random.Random(f"{self.name}, step {number}")
            possible = (edit for edit in (*pending, *edits) if edit.possible(self.desk))
            edit = next(possible)
            pending.remove(edit if edit in pending else pending[0])
            verdict = self._step(edit, number)
            verdicts.append(verdict)
            report(verdict)
            if verdict.wrong:
                self._start_again()
        return verdicts

    def _step(self, edit: Edit, number: int) -> Verdict:
        desk = self.desk
        desk.notes.clear()
        at_first, start = desk.build_dir, self._look()
        verdict = Verdict(edit.name, "")
        key = desk.checkout.key()
        current = [known.get(at_first) == key for known in (self._generated, self._built)]
        try:
            due = edit.apply(desk)
        except AssertionError as error:
            verdict.wrong.append(str(error))
            due = Due()
        if at_first != desk.build_dir:
            current = [False, False]
        before = self._look()
        self._prepare(due, start, before)
        way = desk.draw_way(due.ways)
        as_arguments = desk.chosen.random() < 0.5
        verdict.where = (
            f"{self.name}, step {number}, {way.value} in {desk.build_dir} ({'; '.join(desk.notes)})"
        )
        outdated = self._compilations().outdated(before.objects)
        result = desk.build(way, as_arguments)
        after = self._look()
        if result.returncode:
            verdict.wrong.append(f"the build fails:\n{result.stdout}")
        elif not verdict.wrong:
            whole = way is not Way.CODEGEN and (number + 1) % self.whole_every == 0
            verdict.wrong += self._wrong(whole, after)
            verdict.needless += self._needless(way, before, after, outdated)
            verdict.needless += self._beyond(due, way, current, start, before, after)
            verdict.needless += self._second(way, as_arguments)
        self._learn(before, after, way)
        self._note_build(way)
        if way is Way.CODEGEN and before.generated != after.generated:
            self._built.pop(desk.build_dir, None)  # nobody has compiled what was written
        return verdict

    def _look(self) -> Made:
        return self.observer.made(self.desk.root, self.desk.build_path)

    def _compilations(self) -> Compilations:
        place = self.desk.build_path
        known = self._compiled.get(self.desk.build_dir)
        if known is None or known.build_dir != place:
            known = Compilations(self.desk.root, place, self.observer)
            self._compiled[self.desk.build_dir] = known
        return known

    def _prepare(self, due: Due, start: Made, before: Made) -> None:
        """What was compiled during the edit was compiled from nobody knows what."""
        self._compilations().forget(
            name for name, look in before.objects.items() if start.objects.get(name) != look
        )
        if due.unknown:
            self._excused.add(self.desk.build_dir)
            self._compilations().forget_unlogged()

    def _learn(self, before: Made, after: Made, way: Way) -> None:
        self._compilations().learn(before.objects, after.objects, logged=way in FRONT_END)

    def _wrong(self, whole: bool, after: Made) -> list[str]:
        """A staged file stays as long as another build directory has it."""
        wanted = self.clean.of(self.desk.checkout, generated_only=not whole)
        elsewhere = staged_elsewhere(self.desk.root, self.desk.build_path)
        others = elsewhere.keys() - wanted.get("staged", {}).keys()
        own = {path: look for path, look in after.staged.items() if path not in others}
        return _compare(replace(after, staged=own), wanted)

    def _needless(self, way: Way, before: Made, after: Made, outdated: set[str]) -> list[str]:
        """What was written or compiled again without need, by what lies there."""
        found = []
        for part in ("generated", "staged"):
            old, new = getattr(before, part), getattr(after, part)
            same = [path for path in rewritten(old, new) if old[path].state == new[path].state]
            found += _in_one(same, f"{part}, written again with the same bytes")
        if way is not Way.NINJA or self.desk.build_dir not in self._excused:
            compiled = self._compilations().needless(
                before.objects, after.objects, outdated, alone=way is Way.NINJA
            )
            found += _in_one(compiled, "compiled again from the same text")
        return found

    def _beyond(
        self, due: Due, way: Way, current: list[bool], start: Made, before: Made, after: Made
    ) -> list[str]:
        """What exceeds the most that this edit may cause, if what was there was `current`."""
        found = []
        generated_current, built_current = current
        if due.generated is not None and generated_current:
            for pattern, paths in _by_pattern(start, after, due).items():
                limit = due.generated.get(pattern, 0)
                if len(paths) > limit:
                    said = f"generated files changed: {', '.join(paths)}"
                    found.append(f"{said} (at most {limit} of {pattern or 'others'})")
        if not due.compiles and built_current and way is not Way.NINJA:
            compiled = rewritten(before.objects, after.objects)
            found += _in_one(self._compilations().known(compiled), "compiled again")
            linked = [] if compiled else rewritten(before.products, after.products)
            found += _in_one(linked, "linked again")
        return found

    def _second(self, way: Way, as_arguments: bool) -> list[str]:
        """What a second build writes, which has nothing to do. (pip always installs again.)"""
        before = times_below(self.desk.root)
        result = self.desk.checkout.build(way, self.desk.build_dir, as_arguments)
        after = times_below(self.desk.root)
        if result.returncode:
            return [f"a second build fails:\n{result.stdout}"]
        silent = way is Way.DEVELOP
        written = {path for path, _ in before.items() ^ after.items()}
        return _in_one(
            [p for p in sorted(written) if not p.endswith(LOCK) and (silent or not _is_record(p))],
            "written by a second build",
        )

    def _start_again(self) -> None:
        """After a wrong build: nothing of it may reach the steps that follow."""
        desk = self.desk
        for build_dir in desk.build_dirs:
            shutil.rmtree(desk.root / build_dir, ignore_errors=True)
        said = desk.checkout.git("status", "-z", "--ignored", "--untracked-files=all")
        for row in said.split("\0"):
            if row.startswith("!! ") and not row.endswith("/"):
                (desk.root / row[3:]).unlink()
        desk.configured.clear()
        self._compiled.clear()
        self._generated.clear()
        self._built.clear()
        self._excused.clear()
        self._start()

    def _start(self) -> None:
        """Build for the first time."""
        result = self.desk.build(Way.DEVELOP)
        assert result.returncode == 0, f"{self.name}: the sources do not build:\n{result.stdout}"
        self._learn(NOTHING_MADE, self._look(), Way.DEVELOP)
        self._note_build(Way.DEVELOP)

    def _note_build(self, way: Way) -> None:
        """Remember what the build directory was built from."""
        build_dir, key = self.desk.build_dir, self.desk.checkout.key()
        self._generated[build_dir] = key
        if way is not Way.CODEGEN:
            self._excused.discard(build_dir)
            self._built[build_dir] = key


def _in_one(paths: list[str], what: str) -> list[str]:
    """One line for all of them, none for none."""
    return [f"{what}: {', '.join(paths[:4])}{' ...' * (len(paths) > 4)} ({len(paths)})"] * bool(
        paths
    )


def _is_record(path: str) -> bool:
    return any(fnmatch(path, pattern) or path.endswith(f"/{pattern}") for pattern in RECORDS)


def _compare(after: Made, wanted: Expected) -> list[str]:
    return [
        f"{part}: {text}"
        for part, states in wanted.items()
        for text in differences(after.part(part), states)
    ]


def _by_pattern(start: Made, after: Made, due: Due) -> dict[str, list[str]]:
    """The generated files that came, went or changed, by the pattern that allows them."""
    changed = {
        path for path, _ in start.part("generated").items() ^ after.part("generated").items()
    }
    patterns = list(due.generated or ())
    found: dict[str, list[str]] = {}
    for path in sorted(changed):
        pattern = next((pattern for pattern in patterns if fnmatch(path, pattern)), "")
        found.setdefault(pattern, []).append(path)
    return found
