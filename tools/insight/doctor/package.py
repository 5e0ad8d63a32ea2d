"""Check that Python imports the package that was built, and that it loads its own libraries."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

from tools.base.errors import BuildError
from tools.setup_helpers.package.companion import installed_companions
from tools.setup_helpers.package.editable import (
    EditableProject,
    check_owner,
    editable_project,
    site_packages,
)
from tools.setup_helpers.package.identity import identity_of
from tools.setup_helpers.package.manifest import read_manifest
from tools.setup_helpers.package.staging_tree import with_staging_tree

from .check import BUILD, Check, Finding, Machine, either, ok, problem, skipped, warning

_RESOLVED = re.compile(r"^\s*(\S+) => (not found|/.*?)(?: \(0x[0-9a-f]+\))?$", re.MULTILINE)


class Owner(Check):
    """Look for another distribution that provides the same import package."""

    id = "owner"
    looks_at = "the distributions of the running Python that own the import package"
    consequence = (
        "installing would overwrite the other distribution's files, so develop and install refuse"
    )

    def examine(self, machine: Machine) -> Finding:
        project = _project(machine)
        try:
            check_owner(project)
        except BuildError as error:
            return problem(error.message, error.hint)
        companion = project.companion
        for found in installed_companions(companion.name, site_packages()) if companion else ():
            if companion and found.name != companion.folder:
                return warning(f"{found.name} is not the companion of this version", BUILD)
            return ok(f"no other distribution owns {project.package}/; {found.name} stands for it")
        return ok(f"no other distribution owns {project.package}/")


class Registered(Check):
    """Compare the checkout that this environment's editable install names with this one."""

    id = "registered"
    looks_at = "the checkout that the editable install of the running Python names"
    consequence = "import finds another checkout, or none"

    def examine(self, machine: Machine) -> Finding:
        project = _project(machine)
        try:
            named = (
                (site_packages() / project.path_file)
                .read_text(encoding="utf-8", errors="replace")
                .strip()
            )
        except OSError:
            return skipped("not installed for development here")
        if Path(named) == project.place:
            return ok(f"import finds {named}")
        state = "another checkout" if Path(named).is_dir() else "a folder that no longer exists"
        return warning(f"import finds {state}: {named}", BUILD)


class Libraries(Check):
    """Ask the dynamic linker where it finds the libraries that the staged libraries need."""

    id = "libraries"
    looks_at = "where the dynamic linker finds what the built libraries need (RUNPATH included)"
    consequence = "import fails, or runs the code of another build"

    def examine(self, machine: Machine) -> Finding:
        place = with_staging_tree(machine.config, machine.build_dir).package_root
        manifest = read_manifest(place, machine.build_dir)
        staged = {Path(p).name: place / p for p in manifest.files}
        ours = {name: p for name, p in staged.items() if ".so" in Path(name).suffixes}
        if not ours:
            return skipped("nothing is built yet")
        if shutil.which("ldd") is None:
            return skipped("ldd is not installed")
        wrong = dict.fromkeys(w for path in ours.values() for w in _wrong(machine, path, ours))
        if not wrong:
            return ok(f"{len(ours)} libraries find their dependencies")
        return problem("; ".join(wrong), _remedy(machine))


def _project(machine: Machine) -> EditableProject:
    """Return the project under the name and version that the options give it."""
    identity = identity_of(machine.config, machine.options)
    config = with_staging_tree(machine.config, machine.build_dir)
    return editable_project(config, identity, machine.options)


def _wrong(machine: Machine, library: Path, ours: dict[str, Path]) -> Iterator[str]:
    """Yield the dependencies that a library does not find, or finds in the wrong place."""
    if not library.exists():
        yield f"{library.name} was deleted"
        return
    answer = machine.programs.ask(["ldd", str(library)])
    for name, place in _RESOLVED.findall(answer.out):
        if place == "not found":
            yield f"{library.name} needs {name}, which was not found"
        elif name in ours and Path(place).resolve() != ours[name].resolve():
            yield f"{library.name} would load {place} instead of {ours[name]}"


def _shadowing(machine: Machine) -> bool:
    """Return whether LD_LIBRARY_PATH is set, which takes precedence over RUNPATH."""
    return bool(machine.environ.get("LD_LIBRARY_PATH"))


def _remedy(machine: Machine) -> str:
    rebuild = f"python setup.py clean && {BUILD}"
    return either("unset LD_LIBRARY_PATH", rebuild) if _shadowing(machine) else rebuild
