"""The archive for C++ finds libraries that auditwheel put outside the package in a wheel."""

from __future__ import annotations

import dataclasses
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from checkout import ROOT, TINY

sys.path.insert(0, str(ROOT))

from tools.setup_helpers.package.cpp_archive import make_archive
from tools.setup_helpers.package.elf import read_elf
from tools.setup_helpers.table.config_reader import load

NAME = "tiny_project_libs-0.1.0-py3-none-manylinux_2_35_x86_64.whl"


def link(folder: Path, name: str, tags: str, *rpath: str) -> bytes:
    source = folder / "empty.c"
    source.write_text("int x;\n")
    command = ["cc", "-shared", "-fPIC", "-o", str(folder / "made.so"), str(source)]
    options = [f"-Wl,-soname,{name}", f"-Wl,--{tags}-new-dtags"]
    paths = [f"-Wl,-rpath,{':'.join(rpath)}"] if rpath else []
    subprocess.run([*command, *options, *paths], check=True)
    return (folder / "made.so").read_bytes()


@pytest.mark.parametrize("tags", ["enable", "disable"])
def test_added_libraries_lie_among_the_others(tmp_path: Path, tags: str) -> None:
    added, outside = "libgomp-12345678.so.1", "$ORIGIN/../../tiny_project_libs.libs"
    with zipfile.ZipFile(tmp_path / NAME, "w") as wheel:
        own = link(tmp_path, "libown.so", tags, "$ORIGIN", outside)
        wheel.writestr("tiny/lib/libown.so", own)
        wheel.writestr("tiny/bin/deep/program", link(tmp_path, "program", tags, outside))
        wheel.writestr(f"tiny_project_libs.libs/{added}", link(tmp_path, added, tags))
        wheel.writestr("tiny_project_libs-0.1.0.dist-info/licenses/LICENSE", "text\n")
    config = dataclasses.replace(load(TINY), root=tmp_path)
    archive = make_archive(config, tmp_path / NAME, os.environ, epoch=315532800)
    assert archive.name == "libtiny-0.1.0-manylinux_2_35_x86_64.zip"
    with zipfile.ZipFile(archive) as file:
        file.extractall(tmp_path / "x")
    root = tmp_path / "x/libtiny"
    assert (root / "lib" / added).is_file() and (root / "licenses/LICENSE").is_file()
    assert read_elf(root / "lib/libown.so").runpath == ("$ORIGIN",)
    assert read_elf(root / "bin/deep/program").runpath == ("$ORIGIN/../../lib",)
    assert all(not read_elf(path).rpath for path in root.rglob("*.so"))
