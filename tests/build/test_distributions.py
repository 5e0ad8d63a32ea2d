"""Which requirements the running Python meets: decided by folder names, or by metadata where necessary."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tools.base.distributions import forget_installed, installed_version, missing_requirements


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder that comes first on the path."""
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    forget_installed()
    yield tmp_path
    forget_installed()


def install(site: Path, name: str, version: str, kind: str = "dist-info") -> None:
    info = site / f"{name}-{version}.{kind}"
    info.mkdir()
    text = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
    (info / ("METADATA" if kind == "dist-info" else "PKG-INFO")).write_text(text)
    forget_installed()


@pytest.mark.parametrize(
    ("requirement", "met"),
    [
        ("some-thing>=1.9", True),
        ("Some.Thing >= 1.10.2", True),
        ("some_thing", True),
        ("some-thing>=1.11", False),
        ("some-thing>=1.10.2.0", True),
        ("some-thing>=1.10,<2", True),
        ("some-thing>=1,<1.10", False),
        ("some-thing~=1.9", True),
        ("some-thing[extra]>=1.10", True),
        ("some-thing>=2; python_version < '3'", True),
        ("some-thing>=2; python_version >= '3'", False),
        ("some thing, or so", False),
        ("something-else", False),
    ],
)
def test_a_requirement_is_met_or_missing(site: Path, requirement: str, met: bool) -> None:
    install(site, "some_thing", "1.10.2")
    assert missing_requirements([requirement]) == ([] if met else [requirement])


def test_a_prerelease_is_older_than_its_release(site: Path) -> None:
    install(site, "some_thing", "2.0rc1")
    assert missing_requirements(["some-thing>=2.0"]) == ["some-thing>=2.0"]
    assert missing_requirements(["some-thing>=1.9"]) == []


def test_the_first_distribution_on_the_path_counts(site: Path, tmp_path: Path) -> None:
    install(site, "pyyaml", "0.1")
    assert installed_version("PyYAML") == "0.1"
    assert missing_requirements(["pyyaml>=6"]) == ["pyyaml>=6"]


def test_an_egg_counts(site: Path) -> None:
    install(site, "some_egg", "3.1", "egg-info")
    assert installed_version("some-egg") == "3.1"
    assert missing_requirements(["some-egg>=3"]) == []


def test_a_distribution_installed_a_moment_ago_is_found(site: Path) -> None:
    assert missing_requirements(["some-thing>=1"]) == ["some-thing>=1"]
    install(site, "some_thing", "1.0")
    assert missing_requirements(["some-thing>=1"]) == []
