"""Write the .dist-info folder of a wheel from pyproject.toml, with setuptools and scikit-build-core."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from tools.base.errors import usage_error

from .identity import Identity

if TYPE_CHECKING:
    from setuptools import Distribution


@contextlib.contextmanager
def working_directory(path: Path) -> Iterator[None]:
    """Change the working directory, against which setuptools resolves the paths of pyproject.toml."""
    before = Path.cwd()
    os.chdir(path)
    try:
        yield
    finally:
        os.chdir(before)


def read_distribution(root: Path, identity: Identity) -> Distribution:
    """Read the [project] table with setuptools, without automatic discovery."""
    from setuptools import Distribution
    from setuptools.command.egg_info import egg_info
    from setuptools.errors import BaseError

    class MetadataOnly(egg_info):
        """Writes no list of sources, since other modules choose the files to pack."""

        def find_sources(self) -> None:
            pass

    class DeclaredDistribution(Distribution):
        def has_ext_modules(self) -> bool:
            return True

    with working_directory(root):
        try:
            found = DeclaredDistribution({"packages": [], "py_modules": []})
            found.parse_config_files()
            found.cmdclass["egg_info"] = MetadataOnly
            found.finalize_options()
        except (BaseError, ValueError) as error:
            raise usage_error("pyproject.toml is not valid", cause=str(error)) from None
    found.metadata.name = identity.name
    found.metadata.version = identity.version
    return found


def write_dist_info(
    root: Path,
    identity: Identity,
    target: Path,
    *,
    binary: bool = True,
    prepared: Path | None = None,
) -> Path:
    """Make `NAME-VERSION.dist-info` with METADATA, WHEEL and licences in `target` and return it.

    `prepared` is such a folder from an earlier prepare_metadata hook; it is copied unchanged.
    """
    target.mkdir(parents=True, exist_ok=True)
    if prepared is not None:
        info = target / prepared.name
        shutil.copytree(prepared, info)
    else:
        info = _run_dist_info(root, identity, target)
    (info / "WHEEL").write_text(wheel_file(binary), encoding="utf-8")
    # The list of top-level modules, which is empty because setuptools is given none.
    (info / "top_level.txt").unlink(missing_ok=True)
    return info


def _run_dist_info(root: Path, identity: Identity, target: Path) -> Path:
    import logging

    from setuptools.command.dist_info import dist_info

    distribution = read_distribution(root, identity)
    with tempfile.TemporaryDirectory(prefix="metadata-") as folder, working_directory(root):
        logging.getLogger().setLevel(logging.WARNING)
        command = dist_info(distribution)
        setattr(command, "output_dir", folder)  # noqa: B010 - declared by setuptools at run time
        command.ensure_finalized()
        command.run()
        made = next(Path(folder).glob("*.dist-info"))
        info = target / made.name
        shutil.copytree(made, info)
    return info


def wheel_file(binary: bool) -> str:
    """Return the text of the WHEEL file; without machine code, the tag fits every machine."""
    import setuptools

    tag = "py3-none-any"
    if binary:
        from scikit_build_core.builder.wheel_tag import WheelTag

        tag = str(WheelTag.compute_best([]))
    return (
        "Wheel-Version: 1.0\n"
        f"Generator: setuptools ({setuptools.__version__})\n"
        f"Root-Is-Purelib: {str(not binary).lower()}\n"
        f"Tag: {tag}\n"
    )
