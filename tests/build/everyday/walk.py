"""A random walk: in each step an edit, a build and a verdict, all determined by a seed."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatch

from tools.setup_helpers.package.manifest import staged_elsewhere

from .checkout import BuildMethod
from .clean_builds import CleanBuilds, Expected
from .compilations import Compilations, rewritten
from .edit import FRONT_END, Edit, Limits, Workspace
from .file_states import Observer, Outputs, differences, times_below

# Files that only developers and the next build read. An up-to-date `develop` writes none of them;
# the other build commands record that they ran, and Ninja compacts its logs when it starts.
LOCK = "build.lock"
RECORDS = (".ninja_log", ".ninja_deps", "*/logs/*", "graph_records.json", "last_state.json")
RECORDS += ("programs.json", "report.json", "sources.json", "state.json")

NO_OUTPUTS = Outputs({}, {}, {}, {})


@dataclass
class Verdict:
    """The result of one step."""

    edit: str
    where: str
    wrong: list[str] = field(default_factory=list)
    """Differences from a clean build of the same sources, or the reason why there is none."""
    needless: list[str] = field(default_factory=list)
    """Work that was repeated without a reason."""

    def __str__(self) -> str:
        rows = [*(f"wrong: {text}" for text in self.wrong)]
        rows += [f"needless: {text}" for text in self.needless]
        return "\n  ".join([f"{self.where}: {self.edit}", *rows])


@dataclass
class Walk:
    """A workspace and everything known about its builds."""

    name: str
    workspace: Workspace
    clean: CleanBuilds
    observer: Observer
    full_every: int = 1
    """Number of steps per full clean build. Generated files are compared at every step."""
    _compiled: dict[str, Compilations] = field(default_factory=dict)
    _generated: dict[str, str] = field(default_factory=dict)
    _built: dict[str, str] = field(default_factory=dict)
    """The key of the sources that each build directory was last built (or generated) from."""
    _may_recompile: set[str] = field(default_factory=set)
    """Build directories in which Ninja on its own may compile everything once."""

    def run(
        self,
        edits: Sequence[Edit],
        steps: int,
        report: Callable[[Verdict], None] = lambda verdict: None,
    ) -> list[Verdict]:
        """Take `steps` steps. An edit that is not possible yet is postponed."""
        pending, verdicts = list(edits), []
        self.workspace.after_build = lambda: self._compilations().forget_absent()
        self.workspace.on_mistake = lambda path: self._compilations().forget_readers(path)
        self._start()
        for number in range(steps):
            self.workspace.rng = random.Random(f"{self.name}, step {number}")
            possible = (edit for edit in (*pending, *edits) if edit.possible(self.workspace))
            edit = next(possible)
            pending.remove(edit if edit in pending else pending[0])
            verdict = self._step(edit, number)
            verdicts.append(verdict)
            report(verdict)
            if verdict.wrong:
                self._reset()
        return verdicts

    def _step(self, edit: Edit, number: int) -> Verdict:
        workspace = self.workspace
        workspace.notes.clear()
        at_first, start = workspace.build_dir, self._outputs()
        verdict = Verdict(edit.name, "")
        key = workspace.checkout.key()
        current = [known.get(at_first) == key for known in (self._generated, self._built)]
        try:
            limits = edit.apply(workspace)
        except AssertionError as error:
            verdict.wrong.append(str(error))
            limits = Limits()
        if at_first != workspace.build_dir:
            current = [False, False]
        before = self._outputs()
        self._prepare(limits, start, before)
        method = workspace.choose_method(limits.methods)
        as_arguments = workspace.rng.random() < 0.5
        step = f"{self.name}, step {number}, {method.value} in {workspace.build_dir}"
        verdict.where = f"{step} ({'; '.join(workspace.notes)})"
        outdated = self._compilations().outdated(before.objects)
        result = workspace.build(method, as_arguments)
        after = self._outputs()
        if result.returncode:
            verdict.wrong.append(f"the build fails:\n{result.stdout}")
        elif not verdict.wrong:
            whole = method is not BuildMethod.CODEGEN and (number + 1) % self.full_every == 0
            verdict.wrong += self._differences(whole, after)
            verdict.needless += self._needless_work(method, before, after, outdated)
            verdict.needless += self._over_limits(limits, method, current, start, before, after)
            verdict.needless += self._check_second_build(method, as_arguments)
        self._record_inputs(before, after, method)
        self._note_build(method)
        if method is BuildMethod.CODEGEN and before.generated != after.generated:
            self._built.pop(workspace.build_dir, None)  # the new files are not compiled yet
        return verdict

    def _outputs(self) -> Outputs:
        return self.observer.outputs(self.workspace.root, self.workspace.build_path)

    def _compilations(self) -> Compilations:
        place = self.workspace.build_path
        known = self._compiled.get(self.workspace.build_dir)
        if known is None or known.build_dir != place:
            known = Compilations(self.workspace.root, place, self.observer)
            self._compiled[self.workspace.build_dir] = known
        return known

    def _prepare(self, limits: Limits, start: Outputs, before: Outputs) -> None:
        """Forget objects that were compiled during the edit, because their inputs are not known."""
        self._compilations().forget(
            name for name, snapshot in before.objects.items() if start.objects.get(name) != snapshot
        )
        if limits.log_lost:
            self._may_recompile.add(self.workspace.build_dir)
            self._compilations().forget_unlogged()

    def _record_inputs(self, before: Outputs, after: Outputs, method: BuildMethod) -> None:
        self._compilations().record(before.objects, after.objects, logged=method in FRONT_END)

    def _differences(self, whole: bool, after: Outputs) -> list[str]:
        """Compare with a clean build, except for files that another build directory staged."""
        expected = self.clean.expected(self.workspace.checkout, generated_only=not whole)
        elsewhere = staged_elsewhere(self.workspace.root, self.workspace.build_path)
        others = elsewhere.keys() - expected.get("staged", {}).keys()
        own = {path: snapshot for path, snapshot in after.staged.items() if path not in others}
        return _compare(replace(after, staged=own), expected)

    def _needless_work(
        self, method: BuildMethod, before: Outputs, after: Outputs, outdated: set[str]
    ) -> list[str]:
        """Return the files that were rewritten or recompiled although nothing in them changed."""
        found = []
        for part in ("generated", "staged"):
            old, new = getattr(before, part), getattr(after, part)
            same = [path for path in rewritten(old, new) if old[path].state == new[path].state]
            found += _summarize(same, f"{part}, rewritten with the same bytes")
        if method is not BuildMethod.NINJA or self.workspace.build_dir not in self._may_recompile:
            compiled = self._compilations().needless(
                before.objects, after.objects, outdated, alone=method is BuildMethod.NINJA
            )
            found += _summarize(compiled, "recompiled from the same inputs")
        return found

    def _over_limits(
        self,
        limits: Limits,
        method: BuildMethod,
        current: list[bool],
        start: Outputs,
        before: Outputs,
        after: Outputs,
    ) -> list[str]:
        """Return the work beyond the limits of this edit, provided that the tree was `current`."""
        found = []
        generated_current, built_current = current
        if limits.generated is not None and generated_current:
            for pattern, paths in _by_pattern(start, after, limits).items():
                limit = limits.generated.get(pattern, 0)
                if len(paths) > limit:
                    listed = ", ".join(paths)
                    found.append(
                        f"generated files changed: {listed} (at most {limit} of {pattern or 'others'})"
                    )
        if not limits.compiles and built_current and method is not BuildMethod.NINJA:
            compiled = rewritten(before.objects, after.objects)
            found += _summarize(self._compilations().known(compiled), "compiled again")
            linked = [] if compiled else rewritten(before.products, after.products)
            found += _summarize(linked, "linked again")
        return found

    def _check_second_build(self, method: BuildMethod, as_arguments: bool) -> list[str]:
        """Return what a second build writes, although it has nothing to do."""
        before = times_below(self.workspace.root)
        result = self.workspace.checkout.build(method, self.workspace.build_dir, as_arguments)
        after = times_below(self.workspace.root)
        if result.returncode:
            return [f"the second build fails:\n{result.stdout}"]
        silent = method is BuildMethod.DEVELOP
        written = {path for path, _ in before.items() ^ after.items()}
        return _summarize(
            [p for p in sorted(written) if not p.endswith(LOCK) and (silent or not _is_record(p))],
            "written by a second build",
        )

    def _reset(self) -> None:
        """Delete all outputs and records after a wrong build, so that later steps are unaffected."""
        workspace = self.workspace
        for build_dir in workspace.build_dirs:
            shutil.rmtree(workspace.root / build_dir, ignore_errors=True)
        status = workspace.checkout.git("status", "-z", "--ignored", "--untracked-files=all")
        for row in status.split("\0"):
            if row.startswith("!! ") and not row.endswith("/"):
                (workspace.root / row[3:]).unlink()
        workspace.configured.clear()
        self._compiled.clear()
        self._generated.clear()
        self._built.clear()
        self._may_recompile.clear()
        self._start()

    def _start(self) -> None:
        """Build for the first time."""
        result = self.workspace.build(BuildMethod.DEVELOP)
        assert result.returncode == 0, f"{self.name}: the sources do not build:\n{result.stdout}"
        self._record_inputs(NO_OUTPUTS, self._outputs(), BuildMethod.DEVELOP)
        self._note_build(BuildMethod.DEVELOP)

    def _note_build(self, method: BuildMethod) -> None:
        """Remember the sources that the build directory was built from."""
        build_dir, key = self.workspace.build_dir, self.workspace.checkout.key()
        self._generated[build_dir] = key
        if method is not BuildMethod.CODEGEN:
            self._may_recompile.discard(build_dir)
            self._built[build_dir] = key


def _summarize(paths: list[str], what: str) -> list[str]:
    """Return one line for all paths, or no line if there are none."""
    return [f"{what}: {', '.join(paths[:4])}{' ...' * (len(paths) > 4)} ({len(paths)})"] * bool(
        paths
    )


def _is_record(path: str) -> bool:
    return any(fnmatch(path, pattern) or path.endswith(f"/{pattern}") for pattern in RECORDS)


def _compare(after: Outputs, expected: Expected) -> list[str]:
    return [
        f"{part}: {text}"
        for part, states in expected.items()
        for text in differences(after.part(part), states)
    ]


def _by_pattern(start: Outputs, after: Outputs, limits: Limits) -> dict[str, list[str]]:
    """Group added, deleted and changed generated files by the pattern that allows them."""
    changed = {
        path for path, _ in start.part("generated").items() ^ after.part("generated").items()
    }
    patterns = list(limits.generated or ())
    found: dict[str, list[str]] = {}
    for path in sorted(changed):
        pattern = next((pattern for pattern in patterns if fnmatch(path, pattern)), "")
        found.setdefault(pattern, []).append(path)
    return found
