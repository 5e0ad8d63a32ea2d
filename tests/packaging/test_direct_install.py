"""The editable install that `develop` makes without pip, with the same files as pip would write."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from checkout import ROOT, Checkout, make_checkout, make_environment

sys.path.insert(0, str(ROOT))

from tools.setup_helpers.package.editable import EditableProject
from tools.setup_helpers.package.registration import can_install

NAMES = ("tiny_project-*", "__editable__.*")
PIP_INSTALL = ("-m", "pip", "install", "--no-build-isolation", "--no-deps", "-e", ".")


def installed(checkout: Checkout) -> dict[str, bytes]:
    site = checkout.environment.site_packages
    tops = [place for name in NAMES for place in site.glob(name)]
    files = [file for top in tops for file in [top, *top.rglob("*")] if file.is_file()]
    return {str(file.relative_to(site)): file.read_bytes() for file in files}


def forbid_pip(checkout: Checkout) -> None:
    folder = checkout.environment.site_packages / "pip"
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    (folder / "__main__.py").write_text("raise SystemExit('pip was called')")


def allow_pip(checkout: Checkout) -> None:
    shutil.rmtree(checkout.environment.site_packages / "pip")


def test_files_equal_those_of_pip_and_pip_uninstalls_them(tmp_path: Path) -> None:
    checkout = make_checkout(
        tmp_path / "a folder, zum Üben~1", make_environment(tmp_path / "environment")
    )
    forbid_pip(checkout)
    checkout.setup("develop")
    allow_pip(checkout)
    own_files = installed(checkout)
    assert len(own_files) == 9
    pip = checkout.environment.run
    assert "No broken requirements found" in pip("-m", "pip", "check", cwd=checkout.root)
    shown = pip("-m", "pip", "show", "--files", "tiny-project", cwd=checkout.root)
    assert f"Editable project location: {checkout.root}\n" in shown
    assert all(f"\n  {name}\n" in f"{shown}\n" for name in own_files)
    pip("-m", "pip", "uninstall", "--yes", "tiny-project", cwd=checkout.root)
    assert installed(checkout) == {}
    pip(*PIP_INSTALL, cwd=checkout.root)
    assert installed(checkout) == own_files


def test_another_version_replaces_the_previous_one(checkout: Checkout) -> None:
    forbid_pip(checkout)
    checkout.setup("develop")
    checkout.setup("develop", "-DTINY_BUILD_VERSION=7.1")
    folders = [name.partition("/")[0] for name in installed(checkout) if "/" in name]
    assert set(folders) == {"tiny_project-7.1.dist-info"}


def test_an_installed_wheel_of_the_same_name_is_replaced_by_pip(checkout: Checkout) -> None:
    checkout.setup("install")
    site = checkout.environment.site_packages
    assert (site / "tiny/__init__.py").exists()
    checkout.setup("develop")
    assert not (site / "tiny").exists()
    assert "__editable__.tiny_project.pth" in installed(checkout)


@pytest.mark.parametrize("name", ["METADATA", "RECORD", "editable.json", "WHEEL"])
def test_damaged_metadata_is_rewritten(checkout: Checkout, name: str) -> None:
    forbid_pip(checkout)
    checkout.setup("develop")
    whole = installed(checkout)
    (file,) = checkout.environment.site_packages.glob(f"tiny_project-*/{name}")
    file.write_bytes(bytes(range(255, 191, -1)) + file.read_bytes()[64:])
    assert "installed tiny-project" in checkout.setup("develop")
    assert installed(checkout) == whole


@pytest.mark.parametrize("lost", ["__editable__.tiny_project.pth", "tiny_project-*/RECORD"])
def test_an_interrupted_registration_is_completed(checkout: Checkout, lost: str) -> None:
    forbid_pip(checkout)
    checkout.setup("develop")
    whole = installed(checkout)
    site = checkout.environment.site_packages
    next(site.glob(lost)).unlink()
    next(site.glob("tiny_project-*/editable.json")).write_text("of another build")
    (site / "~editable-tiny_project-1/image").mkdir(parents=True)
    checkout.setup("develop")
    assert installed(checkout) == whole
    assert not list(site.glob("~*"))


def test_nothing_remains_of_a_registration_killed_at_its_end(checkout: Checkout) -> None:
    checkout.setup("develop")
    site = checkout.environment.site_packages
    (site / "~editable-tiny_project-1/image").mkdir(parents=True)
    (checkout.root / "build/state.json").unlink()  # written last
    checkout.setup("develop")
    assert not list(site.glob("~*"))


def test_an_installation_of_this_checkout_is_replaced_without_pip(checkout: Checkout) -> None:
    """Its metadata may be damaged, so that pip could not read it."""
    forbid_pip(checkout)
    checkout.setup("develop")
    whole = installed(checkout)
    (info,) = checkout.environment.site_packages.glob("tiny_project-*")
    (info / "editable.json").unlink()
    (info / "RECORD").write_bytes(b"\xff\x00")
    checkout.setup("develop")
    assert installed(checkout) == whole


def test_outside_a_virtual_environment_pip_installs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = EditableProject(tmp_path, "tiny-project", "tiny", "1.0")
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    assert can_install(project, tmp_path)
    monkeypatch.setattr(sys, "prefix", sys.base_prefix)
    assert not can_install(project, tmp_path)
