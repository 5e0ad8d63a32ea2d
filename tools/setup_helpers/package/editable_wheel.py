"""The wheel of an editable install: metadata, and one line of text that names the checkout."""

from __future__ import annotations

import tempfile
from pathlib import Path

from ..table.config import Config
from .editable import MARKER, editable_project
from .identity import Identity
from .wheel import EARLIEST_EPOCH, pack, wheel_name, write_image


def write_editable_image(
    config: Config, identity: Identity, image: Path, prepared: Path | None = None
) -> Path:
    """Write the wheel's files except RECORD into `image`; return the .dist-info folder.

    There is no bill of materials, since bundled libraries stay where they were installed.
    """
    project = editable_project(config, identity)
    with tempfile.TemporaryDirectory(prefix="editable-") as folder:
        path_file, marker = Path(folder, project.path_file), Path(folder, MARKER)
        path_file.write_text(f"{project.root}\n", encoding="utf-8")
        marker.write_text(project.marker(), encoding="utf-8")
        return write_image(
            config.root,
            identity,
            {project.path_file: path_file},
            image,
            prepared=prepared,
            metadata_files={MARKER: marker},
        )


def pack_editable(config: Config, identity: Identity, target: Path, prepared: Path | None) -> Path:
    """Make the wheel in `target` and return its path."""
    with tempfile.TemporaryDirectory(prefix="wheel-") as folder:
        image = Path(folder, "image")
        info = write_editable_image(config, identity, image, prepared)
        return pack(image, wheel_name(info), target, EARLIEST_EPOCH)
