"""Probes, tested on prepared folders."""

from __future__ import annotations

import shutil
import sysconfig
from pathlib import Path

import pytest

from tools.base.programs import Programs
from tools.setup_helpers.probes import ProbeContext, ProbeResult, run_probe
from tools.setup_helpers.probes.python import find_file
from tools.setup_helpers.table.languages import Language

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


def test_a_file_of_a_distribution_is_found_outside_site_packages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wheels may install headers and libraries below the prefix of the environment."""
    site = tmp_path / "lib" / "python3" / "site-packages"
    lay_out(tmp_path, "include/maths.h", "lib/libmaths.so.2")
    info = site / "maths-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: maths\nVersion: 1.0\n")
    (info / "RECORD").write_text("../../../include/maths.h,,\n../../libmaths.so.2,,\n")
    monkeypatch.syspath_prepend(str(site))
    assert find_file("maths", "include/maths.h") == tmp_path / "include/maths.h"
    assert find_file("maths", "lib/libmaths.so.*") == tmp_path / "lib/libmaths.so.2"
    assert find_file("maths", "include/other.h") is None
    assert find_file("no-such-maths", "include/maths.h") is None
    context = ProbeContext(tmp_path, Programs({}), "python", {})
    found = run_probe("python_distribution", context, ("maths", "lib/libmaths.so.*"))
    assert found.found and "maths 1.0" in found.reason


def test_a_header_is_found_below_the_usual_prefixes(tmp_path: Path) -> None:
    context = ProbeContext(tmp_path, Programs({"CMAKE_PREFIX_PATH": str(tmp_path)}), "python", {})
    missing = run_probe("header", context, ("no_such_maths.h", "maths"))
    assert not missing.found and missing.looked[0] == str(tmp_path)
    lay_out(tmp_path, "include/maths/no_such_maths.h")
    assert run_probe("header", context, ("no_such_maths.h", "maths")).found
    assert not run_probe("header", context, ("no_such_maths.h",)).found


def test_a_header_is_found_below_a_prefix_or_in_a_distribution(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def probe(prefix: Path) -> ProbeResult:
        programs = Programs({"CMAKE_PREFIX_PATH": str(prefix)})
        context = ProbeContext(tmp_path, programs, "python", {})
        return run_probe("header_or_distribution", context, ("flat/no_such.h", "flat-tables"))

    missing = probe(tmp_path / "system")
    assert not missing.found and "flat-tables is not installed for python" in missing.reason
    assert missing.remedy == "python -m pip install --pre flat-tables"
    site = tmp_path / "lib" / "python3" / "site-packages"
    lay_out(tmp_path, "include/flat/no_such.h")
    info = site / "flat_tables-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: flat-tables\nVersion: 1.0\n")
    (info / "RECORD").write_text("../../../include/flat/no_such.h,,\n")
    monkeypatch.syspath_prepend(str(site))
    assert probe(tmp_path / "system").reason.startswith("flat-tables has ")
    lay_out(tmp_path / "system", "include/flat/no_such.h")
    assert "no_such.h is in " in probe(tmp_path / "system").reason


def test_a_compiler_that_always_writes_output_is_accepted(tmp_path: Path) -> None:
    """zig c++ fails with -fsyntax-only, because it expects an object afterwards."""
    real = shutil.which("c++")
    if not real:
        pytest.skip("there is no c++")
    compiler = tmp_path / "c++"
    compiler.write_text(
        f'#!/bin/sh\ncase " $* " in *" -fsyntax-only "*) exit 1;; esac\nexec {real} "$@"\n'
    )
    compiler.chmod(0o755)
    cxx = Language(
        "CXX", "C++", ("c++",), (".cpp",), "nothing works", "install one", "CXX", standard="c++20"
    )
    context = ProbeContext(tmp_path, Programs({}), "python", {"CXX": str(compiler)}, (cxx,))
    result = run_probe("compiler", context, ("CXX",))
    assert result.found, result.reason
