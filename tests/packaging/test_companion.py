"""The companion: a distribution without files, under the name that other packages require."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from checkout import Checkout, make_checkout, make_environment

OPTION = """[options.TINY_COMPANION]
help = "Make and install a distribution without files"
role = "companion"
default = "ON"
effect = "package"
cmake = false

[options.TINY_PACKAGE_NAME]
"""
FOLDER = "small_thing-2.0+tiny.0.1.0.dist-info"


@pytest.fixture
def paired(checkout: Checkout) -> Checkout:
    """A project whose companion is `small-thing`."""
    add_companion(checkout)
    return checkout


def add_companion(checkout: Checkout) -> None:
    table = "build_config.toml"
    checkout.edit(table, "[options.TINY_PACKAGE_NAME]\n", OPTION)
    checkout.edit(table, 'runtime_version = "{version}"', 'runtime_version = "2.0+tiny.{version}"')
    checkout.edit(table, 'forbidden_owners = ["tiny"]', 'forbidden_owners = ["small-thing"]')
    checkout.edit(table, 'archive = "libtiny"', 'archive = "libtiny"\ncompanion = "small-thing"')


def companions(checkout: Checkout) -> list[str]:
    found = checkout.environment.site_packages.glob("small_thing-*")
    return sorted(path.name for path in found)


def test_develop_installs_it_and_uninstall_removes_it(paired: Checkout) -> None:
    paired.setup("develop")
    assert companions(paired) == [FOLDER]
    pip = paired.environment.run
    assert "No broken requirements found" in pip("-m", "pip", "check", cwd=paired.root)
    shown = pip("-m", "pip", "show", "small-thing", cwd=paired.root)
    assert "Version: 2.0+tiny.0.1.0\n" in shown and "Requires: tiny-project\n" in shown
    assert "up to date" in paired.setup("develop")
    paired.setup("develop", "--uninstall")
    assert companions(paired) == []


def test_a_removed_or_damaged_companion_is_installed_again(paired: Checkout) -> None:
    paired.setup("develop")
    info = paired.environment.site_packages / FOLDER
    (info / "METADATA").write_text("Name: other\n")
    (info / "RECORD").unlink()
    paired.setup("develop")
    assert "Requires-Dist: tiny-project==0.1.0" in (info / "METADATA").read_text()


def test_the_option_refuses_it(paired: Checkout) -> None:
    paired.setup("develop")
    paired.setup("develop", "-DTINY_COMPANION=OFF")
    assert companions(paired) == []
    paired.setup("bdist_wheel", "-DTINY_COMPANION=OFF")
    (wheel,) = (paired.root / "dist").glob("*.whl")
    assert wheel.name.startswith("tiny_project-")


def test_another_version_replaces_it(paired: Checkout) -> None:
    paired.setup("develop")
    paired.setup("develop", "-DTINY_BUILD_VERSION=7.1")
    assert companions(paired) == ["small_thing-2.0+tiny.7.1.dist-info"]


def test_the_name_itself_needs_no_companion(paired: Checkout) -> None:
    paired.setup("bdist_wheel", "-DTINY_PACKAGE_NAME=small-thing")
    (wheel,) = (paired.root / "dist").glob("*.whl")
    assert wheel.name.startswith("small_thing-0.1.0-cp")


def test_the_doctor_names_it_and_another_owner_is_still_refused(paired: Checkout) -> None:
    paired.setup("develop")
    assert f"{FOLDER} stands for it" in paired.setup("doctor", "-v")
    other = paired.environment.site_packages / "small_thing-1.0.dist-info"
    other.mkdir()
    (other / "METADATA").write_text("Name: small-thing\nVersion: 1.0\n")
    paired.setup("develop", "--uninstall")
    assert other.is_dir()
    assert "small-thing 1.0 is installed here" in paired.setup("develop", code=3)


def test_wheels_are_reproducible_and_hold_only_metadata(paired: Checkout, tmp_path: Path) -> None:
    other = make_checkout(tmp_path / "a longer path", make_environment(tmp_path / "environment"))
    add_companion(other)
    made = []
    for checkout in (paired, other):
        checkout.setup("bdist_wheel")
        made += (checkout.root / "dist").glob("small_thing-*.whl")
    assert [path.name for path in made] == ["small_thing-2.0+tiny.0.1.0-py3-none-any.whl"] * 2
    assert made[0].read_bytes() == made[1].read_bytes()
    with zipfile.ZipFile(made[0]) as archive:
        assert {name.partition("/")[0] for name in archive.namelist()} == {FOLDER}
        metadata = archive.read(f"{FOLDER}/METADATA").decode()
        assert {entry.date_time for entry in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
    assert "Requires-Dist: tiny-project==0.1.0\n" in metadata


def test_install_installs_both(paired: Checkout) -> None:
    paired.setup("install")
    assert companions(paired) == [FOLDER]
    assert "No broken requirements found" in paired.environment.run(
        "-m", "pip", "check", cwd=paired.root
    )
