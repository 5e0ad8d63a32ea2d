"""Make a reproducible wheel from a list of files, with metadata by setuptools.

This module knows the format of wheels; its callers choose the files.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tools.base.errors import BuildError, usage_error
from tools.base.fingerprint import EXECUTABLE
from tools.base.globs import matches

from ..env.pythons import TargetPython
from ..table.config import Config, Packaging
from .elf import is_elf
from .identity import Identity, Part

if TYPE_CHECKING:
    from setuptools import Distribution

# The earliest time ZIP can express, the first day of 1980; used when SOURCE_DATE_EPOCH is not set.
EARLIEST_EPOCH = 315532800
# The latest time gzip can express, in 32 bits.
LATEST_EPOCH = 2**32 - 1
MEGABYTE = 1_000_000


def archive_epoch(text: str) -> int:
    """Return the timestamp of all packed files from the text of SOURCE_DATE_EPOCH, which is a number."""
    return min(max(int(text or "0"), EARLIEST_EPOCH), LATEST_EPOCH)


def make_wheel(
    config: Config,
    identity: Identity,
    files: Mapping[str, Path],
    target: Path,
    *,
    epoch: int = EARLIEST_EPOCH,
    prepared: Path | None = None,
    metadata_files: Mapping[str, Path] | None = None,
    tag: str = "",
) -> Path:
    """Pack `files` (name in the archive -> file on disk) and return the wheel made in `target`.

    `prepared` is the .dist-info folder that an earlier hook made from the same metadata;
    `metadata_files` are added to it. `tag` replaces the running Python's tag.
    """
    from .sbom import bundled_distribution, render_sbom, timestamp

    check_allowed(files, config.packaging)
    components = config.packaging.components
    holds_bundled = identity.part is not Part.PYTHON
    bundled = [bundled_distribution(x.name) for x in components if x.bundled and holds_bundled]
    with tempfile.TemporaryDirectory(prefix="wheel-") as folder:
        image = Path(folder, "image")
        info = write_image(
            config.root,
            identity,
            files,
            image,
            prepared=prepared,
            metadata_files=metadata_files,
            tag=tag,
        )
        add_licenses(info, [(d.name, path) for d in bundled for path in d.licenses])
        sbom = render_sbom(identity, license_expression(info), components, files, timestamp(epoch))
        (info / "sboms").mkdir()
        (info / "sboms" / f"{identity.name}.cdx.json").write_text(sbom, encoding="utf-8")
        wheel = pack(image, wheel_name(info), target, epoch)
    check_budget(wheel, files, config.packaging)
    return wheel


def write_image(
    root: Path,
    identity: Identity,
    files: Mapping[str, Path],
    image: Path,
    *,
    prepared: Path | None = None,
    metadata_files: Mapping[str, Path] | None = None,
    tag: str = "",
) -> Path:
    """Write the files and their metadata into `image`; return the .dist-info folder."""
    for name, path in files.items():
        _place(path, image / name)
    binary = any(is_elf(path) for path in files.values())
    info = write_dist_info(root, identity, image, binary=binary, prepared=prepared, tag=tag)
    for name, path in (metadata_files or {}).items():
        _place(path, info / name)
    return info


def check_allowed(files: Mapping[str, Path], packaging: Packaging) -> None:
    """Raise BuildError if a file matches no pattern of the allow-list."""
    if not packaging.allow:
        return
    extra = sorted(name for name in files if not matches(name, packaging.allow))
    if extra:
        raise BuildError(
            f"{len(extra)} file(s) are not on the package's allow-list",
            cause="\n".join(extra[:10]),
            hint="remove them, or name them in [packaging] allow",
        )


def check_budget(wheel: Path, files: Mapping[str, Path], packaging: Packaging) -> None:
    """Raise BuildError if the wheel is larger than its budget in the table."""
    sizes = (
        ("compressed", wheel.stat().st_size, packaging.compressed_budget_mb),
        ("installed", sum(p.stat().st_size for p in files.values()), packaging.installed_budget_mb),
    )
    for what, size, budget in sizes:
        if budget and size > budget * MEGABYTE:
            largest = sorted(files.items(), key=lambda item: -item[1].stat().st_size)[:5]
            raise BuildError(
                f"the {what} wheel is {size / MEGABYTE:.1f} MB; its budget is {budget:g} MB",
                cause="\n".join(
                    f"{p.stat().st_size / MEGABYTE:8.1f} MB  {name}" for name, p in largest
                ),
            )


def license_expression(info: Path) -> str:
    """Return the License-Expression of a .dist-info folder; empty without one."""
    for line in (info / "METADATA").read_text(encoding="utf-8").splitlines():
        if not line:
            break
        if line.startswith("License-Expression: "):
            return line.partition(": ")[2]
    return ""


def add_license_expressions(info: Path, added: Sequence[str]) -> None:
    """Extend the License-Expression by third-party licences that it does not name yet."""
    own = license_expression(info)
    if not own or not added:
        return
    parts = dict.fromkeys(part for text in (own, *added) for part in text.split(" AND "))
    expression = " AND ".join(f"({part})" if " OR " in part else part for part in parts)
    metadata = info / "METADATA"
    text = metadata.read_text(encoding="utf-8")
    old, new = f"License-Expression: {own}\n", f"License-Expression: {expression}\n"
    metadata.write_text(text.replace(old, new, 1), encoding="utf-8")


def wheel_name(info: Path) -> str:
    """Return the file name of the wheel for a .dist-info folder with one tag."""
    lines = (info / "WHEEL").read_text(encoding="utf-8").splitlines()
    (tag,) = (line.partition(": ")[2] for line in lines if line.startswith("Tag: "))
    return f"{info.name.removesuffix('.dist-info')}-{tag}.whl"


def pack(image: Path, name: str, target: Path, epoch: int) -> Path:
    """Zip `image` as `target`/`name` in sorted order, with one timestamp, two file modes and a new RECORD."""
    from wheel.wheelfile import WheelFile

    for path in image.rglob("*"):
        if path.is_file():
            path.chmod(0o755 if is_elf(path) or _is_executable(path) else 0o644)
            os.utime(path, (epoch, epoch))
    target.mkdir(parents=True, exist_ok=True)
    partial = target / f".partial-{os.getpid()}" / name
    partial.parent.mkdir()
    try:
        # `wheel` reads the timestamp of members that it writes itself (RECORD) from the environment.
        previous = os.environ.get("SOURCE_DATE_EPOCH")
        os.environ["SOURCE_DATE_EPOCH"] = str(epoch)
        try:
            with WheelFile(partial, "w") as archive:
                archive.write_files(str(image))
        finally:
            if previous is None:
                del os.environ["SOURCE_DATE_EPOCH"]
            else:
                os.environ["SOURCE_DATE_EPOCH"] = previous
        os.replace(partial, target / name)
    finally:
        shutil.rmtree(partial.parent)
    return target / name


def add_licenses(info: Path, licenses: Sequence[tuple[str, Path]]) -> None:
    """Copy (owner, text) pairs into the metadata and declare them there (PEP 639)."""
    lines = []
    for owner, path in licenses:
        name = f"{owner}/{path.name}"
        _place(path, info / "licenses" / name)
        lines.append(f"\nLicense-File: {name}")
    metadata = info / "METADATA"
    head, separator, body = metadata.read_text(encoding="utf-8").partition("\n\n")
    text = head.rstrip("\n") + "".join(lines) + (separator or "\n") + body
    metadata.write_text(text, encoding="utf-8")


def _place(path: Path, to: Path) -> None:
    to.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(path, to)
    if _is_executable(path):
        to.chmod(0o755)


def _is_executable(path: Path) -> bool:
    return bool(path.stat().st_mode & EXECUTABLE)


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
    setattr(found.metadata, "install_requires", list(identity.requirements))  # noqa: B010 - as below
    return found


def write_dist_info(
    root: Path,
    identity: Identity,
    target: Path,
    *,
    binary: bool = True,
    prepared: Path | None = None,
    tag: str = "",
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
        make_links_absolute(info / "METADATA")
        add_license_expressions(info, identity.licenses)
    (info / "WHEEL").write_text(wheel_file(binary, tag), encoding="utf-8")
    # The list of top-level modules, which is empty because setuptools is given none.
    (info / "top_level.txt").unlink(missing_ok=True)
    return info


def make_links_absolute(metadata: Path) -> None:
    """Make the relative links of the long description lead to the address of the project's sources.

    That is the Project-URL named Source. A package index shows the description without the other files,
    so without an address, images are left out and other links become plain text.
    """
    head, separator, body = metadata.read_text(encoding="utf-8").partition("\n\n")
    found = re.search(r"^Project-URL: Source, *(\S+?)/?$", head, re.MULTILINE)

    def replacement(link: re.Match[str]) -> str:
        image, text, place = link.groups()
        if found:
            return f"{image}[{text}]({found[1]}/{'raw' if image else 'blob'}/HEAD/{place})"
        return "" if image else text

    relative = r"(!?)\[([^\]]*)\]\((?![a-z]+:|#)([^)\s]+)\)"
    metadata.write_text(head + separator + re.sub(relative, replacement, body), encoding="utf-8")


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


def wheel_tag(part: Part = Part.WHOLE, python: TargetPython | None = None) -> str:
    """Return the tag of a wheel with machine code for this machine and one Python."""
    from scikit_build_core.builder.wheel_tag import WheelTag

    running = str(WheelTag.compute_best([]))
    platform = running.rpartition("-")[2]
    if part is Part.LIBRARY:
        return f"py3-none-{platform}"
    return f"{python.tag}-{platform}" if python else running


def wheel_file(binary: bool, tag: str = "") -> str:
    """Return the text of the WHEEL file; without machine code, the tag fits every machine."""
    import setuptools

    tag = (tag or wheel_tag()) if binary else "py3-none-any"
    return (
        "Wheel-Version: 1.0\n"
        f"Generator: setuptools ({setuptools.__version__})\n"
        f"Root-Is-Purelib: {str(not binary).lower()}\n"
        f"Tag: {tag}\n"
    )
