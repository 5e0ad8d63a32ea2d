"""Probes, tested on prepared folders."""

from __future__ import annotations

import sysconfig
from pathlib import Path

import pytest

from tools.base.programs import Programs
from tools.setup_helpers.probes import ProbeContext, run_probe

ARCH = sysconfig.get_config_var("MULTIARCH") or "no-such-folder"


def finds(prefix: Path) -> bool:
    programs = Programs({"CMAKE_PREFIX_PATH": f"/nowhere:{prefix}"})
    context = ProbeContext(prefix, programs, "python", {})
    result = run_probe("cmake_package", context, ("NoSuch", "nosuch/all.h"))
    if not result.found:
        assert result.looked == ("/nowhere", str(prefix), "/usr/local", "/usr")
    return result.found


def lay_out(prefix: Path, *files: str) -> None:
    for file in files:
        (prefix / file).parent.mkdir(parents=True, exist_ok=True)
        (prefix / file).touch()


@pytest.mark.parametrize("folder", ["lib", "lib64", f"lib/{ARCH}", "share"])
@pytest.mark.parametrize("config", ["NoSuchConfig.cmake", "nosuch-config.cmake"])
def test_cmake_packages_are_found_in_the_places_that_cmake_searches(
    tmp_path: Path, folder: str, config: str
) -> None:
    lay_out(tmp_path, f"{folder}/cmake/NoSuch/{config}")
    assert not finds(tmp_path)  # its header is missing
    lay_out(tmp_path, "include/nosuch/all.h")
    assert finds(tmp_path)


def test_an_empty_folder_left_by_uninstalling_is_no_package(tmp_path: Path) -> None:
    lay_out(tmp_path, "include/nosuch/all.h", "lib/cmake/NoSuch/NoSuchTargets.cmake")
    assert not finds(tmp_path)
