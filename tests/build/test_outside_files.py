"""Files outside the checkout that outputs are made from, such as those of the system, which are upgraded."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tools.base.ninja_deps import read_dependencies, read_paths

from .fixture_project import Project, rebuilt

LONG_AGO = (10**9, 10**9)


def install_header(folder: Path, text: str) -> Path:
    """Write a header as a package manager does: a new file, dated when the package was made."""
    path = folder / "outside.h"
    folder.mkdir(exist_ok=True)
    path.unlink(missing_ok=True)
    path.write_text(f'#define TINY_OUTSIDE "{text}"\n')
    os.utime(path, LONG_AGO)
    return path


def build_with_header(project: Project, tmp_path: Path) -> Callable[[], str]:
    """Build a program that prints a text of a header outside the checkout; return how to run it."""
    install_header(tmp_path / "include", "first")
    project.edit("src/say.c", '#include "greet.h"', '#include "greet.h"\n#include <outside.h>')
    project.edit("src/say.c", "int main(void) {", "int main(void) {\n  puts(TINY_OUTSIDE);")
    project.run("develop", CFLAGS=f"-isystem {tmp_path}/include")
    return lambda: subprocess.run(
        [project.root / "tiny/bin/tiny_say"], capture_output=True, text=True, check=False
    ).stdout.splitlines()[0]


@pytest.mark.parametrize("dated", ["now", "long ago"])
def test_a_changed_header_of_the_system_is_rebuilt(
    developed: Project, tmp_path: Path, dated: str
) -> None:
    says = build_with_header(developed, tmp_path)
    flags = f"-isystem {tmp_path}/include"
    assert says() == "first"
    assert developed.run("develop", CFLAGS=flags).stdout == "up to date\n"
    header = install_header(tmp_path / "include", "other")
    if dated == "now":
        os.utime(header)
    developed.run("develop", CFLAGS=flags)
    assert says() == "other"
    assert [name for name in rebuilt(developed) if name.endswith(".o")] == ["say.c.o"]
    assert developed.run("develop", CFLAGS=flags).stdout == "up to date\n"


def test_a_header_of_the_system_that_changed_before_a_failed_build_is_rebuilt_once(
    developed: Project, tmp_path: Path
) -> None:
    says = build_with_header(developed, tmp_path)
    flags = f"-isystem {tmp_path}/include"
    install_header(tmp_path / "include", "other")
    developed.edit("src/stub.c", "#include", "#error not now\n#include")
    developed.run("develop", check=False, CFLAGS=flags)
    developed.edit("src/stub.c", "#error not now\n", "")
    developed.run("develop", CFLAGS=flags)
    assert says() == "other"
    assert developed.run("develop", CFLAGS=flags).stdout == "up to date\n"


def test_a_header_of_the_system_that_was_only_touched_rebuilds_nothing(
    developed: Project, tmp_path: Path
) -> None:
    build_with_header(developed, tmp_path)
    os.utime(tmp_path / "include/outside.h")
    flags = f"-isystem {tmp_path}/include"
    assert developed.run("develop", CFLAGS=flags).stdout == "up to date\n"


def test_another_folder_of_headers_in_the_environment_is_rebuilt(
    developed: Project, tmp_path: Path
) -> None:
    """Environment modules and conda set CPATH and the like."""
    says = build_with_header(developed, tmp_path)
    install_header(tmp_path / "other", "other")
    for folder, text in (("include", "first"), ("other", "other")):
        developed.run("develop", CPATH=str(tmp_path / folder))
        assert says() == text
        again = developed.run("develop", CPATH=str(tmp_path / folder))
        assert again.stdout == "up to date\n"


def install_library(folder: Path, number: int) -> None:
    folder.mkdir()
    source = folder / "pick.c"
    source.write_text(
        f"""__attribute__((visibility("hidden"))) int tiny_pick(void) {{ return {number}; }}\n"""
    )
    subprocess.run(["cc", "-fPIC", "-c", source, "-o", folder / "pick.o"], check=True)
    subprocess.run(["ar", "rcs", folder / "libpick.a", folder / "pick.o"], check=True)


def test_another_folder_of_libraries_in_the_environment_links_again(
    developed: Project, tmp_path: Path
) -> None:
    developed.edit(
        "src/say.c", "int main(void) {", 'int main(void) {\n  printf("%d\\n", tiny_pick());'
    )
    developed.edit("src/say.c", "int main", "int tiny_pick(void);\nint main")
    flags = "-Wl,--whole-archive -lpick -Wl,--no-whole-archive"
    for number in range(2):
        install_library(tmp_path / str(number), number)
    for number in (0, 1, 0):
        folder = str(tmp_path / str(number))
        developed.run("develop", LDFLAGS=flags, LIBRARY_PATH=folder)
        said = subprocess.run(
            [developed.root / "tiny/bin/tiny_say"], capture_output=True, check=True
        )
        assert said.stdout.startswith(b"%d\n" % number)
        again = developed.run("develop", LDFLAGS=flags, LIBRARY_PATH=folder)
        assert again.stdout == "up to date\n"
    assert not [name for name in rebuilt(developed) if name.endswith(".o")]


def test_a_changed_header_of_the_system_is_explained(developed: Project, tmp_path: Path) -> None:
    build_with_header(developed, tmp_path)
    flags = f"-isystem {tmp_path}/include"
    header = install_header(tmp_path / "include", "another")
    output = developed.run("explain", "rebuild", CFLAGS=flags).stdout
    assert re.search(rf"  {header}  edited .*: \+2 bytes\n", output)
    assert f"  make 1 output made from it again, because {header} changed\n" in output
    assert "    src/say.c (tiny_say)\n" in output
    named = developed.run("explain", "rebuild", "say.c", CFLAGS=flags).stdout
    assert f"src/say.c (tiny_say) would be built again, because {header} changed" in named


def test_the_log_of_dependencies_is_read_as_ninja_reads_it(developed: Project) -> None:
    listing = developed.call(["ninja", "-C", "build", "-t", "deps"]).stdout
    listed = {}
    for block in re.split(r"\n\n", listing.strip()):
        head, *paths = block.splitlines()
        listed[head.partition(": #deps ")[0]] = [path.strip() for path in paths]
    assert len(listed) > 10
    assert read_dependencies(developed.root / "build") == listed
    assert {*read_paths(developed.root / "build")} >= {
        p for paths in listed.values() for p in paths
    }


@pytest.mark.parametrize("length", [0, 5, 14, 16, 200, -3])
def test_a_torn_log_of_dependencies_is_read_to_its_end(developed: Project, length: int) -> None:
    build = developed.root / "build"
    paths, dependencies = read_paths(build), read_dependencies(build)
    log = (build / ".ninja_deps").read_bytes()
    (build / ".ninja_deps").write_bytes(log[:length])
    assert read_paths(build) == paths[: len(read_paths(build))]
    assert read_dependencies(build).items() <= dependencies.items()
