"""Register the editable install: directly where pip would only write the same files, else with pip."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING

from .editable import (
    REGISTERING,
    EditableProject,
    check_owner,
    editable_project,
    is_registered,
    site_packages,
)

if TYPE_CHECKING:
    from ..table.config import Config
    from .identity import Identity


def register(config: Config, identity: Identity, environ: Mapping[str, str]) -> str:
    """Install the editable distribution unless it is up to date; return a note on what was done."""
    project = editable_project(config, identity)
    if is_registered(project):
        return "up to date"
    check_owner(project)
    from .direct_install import can_install, install

    if can_install(project, site_packages()):
        install(config, identity, site_packages())
    else:
        _register_with_pip(project, environ)
    return f"installed {project.distribution} {project.version} (editable)"


def _register_with_pip(project: EditableProject, environ: Mapping[str, str]) -> None:
    from .pip import install

    passed = {"root": str(project.root), "name": project.distribution, "version": project.version}
    outer = {**environ, REGISTERING: json.dumps(passed)}
    arguments = ["--no-build-isolation", "--no-deps", "--no-index", "--editable", str(project.root)]
    install(f"{project.distribution} as editable", arguments, outer)
