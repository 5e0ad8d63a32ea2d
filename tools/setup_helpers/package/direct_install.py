"""Make an editable install without pip: the same files, in a fraction of pip's second and a half.

This is done only where pip would do nothing else. The files are the same as pip's, so pip can list,
check and uninstall the distribution.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tools.base.atomic import write_atomically
from tools.base.distributions import normalised

from ..table.config import Config
from .editable import MARKER, EditableProject, editable_project, leads_to, unfinished
from .editable_wheel import write_editable_image
from .identity import Identity
from .owners import installed_in
from .record import write_record


def can_install(project: EditableProject, site: Path) -> bool:
    """Whether this is a virtual environment in which only `install` has installed this distribution.

    Elsewhere pip must decide, since it knows what the owner of the environment allows.
    """
    if sys.prefix == sys.base_prefix or not os.access(site, os.W_OK):
        return False
    ours = leads_to(project, site)
    return all(ours or (info / MARKER).is_file() for info in _own_folders(project, site))


def install(config: Config, identity: Identity, site: Path) -> None:
    """Write metadata first and the path file last, so that a killed install is not registered."""
    project = editable_project(config, identity)
    for leftover in unfinished(project, site):
        shutil.rmtree(leftover)
    with tempfile.TemporaryDirectory(prefix=project.unfinished, dir=site) as folder:
        image = Path(folder, "image")
        info = write_editable_image(config, identity, image)
        _add_installer_files(info, project.root)
        write_record(image, info)
        for previous in _own_folders(project, site):
            previous.rename(Path(folder, previous.name))
        info.rename(site / info.name)
        write_atomically(site / project.path_file, (image / project.path_file).read_bytes())


def _own_folders(project: EditableProject, site: Path) -> Iterator[Path]:
    name = normalised(project.distribution)
    return (found.place for found in installed_in(site) if found.name == name)


def _add_installer_files(info: Path, root: Path) -> None:
    """Write the files that pip adds to the metadata of a wheel (PEP 376, PEP 610, and REQUESTED)."""
    origin = {"dir_info": {"editable": True}, "url": root.as_uri()}
    (info / "INSTALLER").write_text("pip\n", encoding="utf-8")
    (info / "direct_url.json").write_text(json.dumps(origin, sort_keys=True), encoding="utf-8")
    (info / "REQUESTED").touch()
