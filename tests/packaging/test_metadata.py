"""What a wheel says about itself: licences, links of the long description, and one bill of materials."""

from __future__ import annotations

import email
import json
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from checkout import ROOT, Checkout

sys.path.insert(0, str(ROOT))

from tools.setup_helpers.package.sbom import add_system_packages
from tools.setup_helpers.package.wheel import make_links_absolute
from tools.setup_helpers.table.config import Component

COMPONENTS = """
[[packaging.component]]
name = "glibc"
libraries = ["libc.so.*"]
license = "LGPL-2.1-or-later"

[[packaging.component]]
name = "PyYAML"
bundled = true
license = "MIT"
"""
GOMP = {"name": "libgomp1", "version": "12.2.0", "purl": "pkg:deb/debian/libgomp1@12.2.0#1234"}


@pytest.fixture(scope="module")
def made(built: Checkout) -> Checkout:
    table = built.root / "build_config.toml"
    table.write_text(table.read_text() + COMPONENTS)
    built.setup("wheels")
    return built


def read(checkout: Checkout, pattern: str, ending: str) -> str:
    (wheel,) = (checkout.root / "dist").glob(pattern)
    with zipfile.ZipFile(wheel) as archive:
        (name,) = [name for name in archive.namelist() if name.endswith(ending)]
        return archive.read(name).decode()


def bill(checkout: Checkout, pattern: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(read(checkout, pattern, ".cdx.json"))
    return found


def component(found: dict[str, Any], name: str) -> dict[str, Any]:
    (part,) = [each for each in found["components"] if each["name"] == name]
    return part


def test_the_licence_expression_names_what_the_wheel_holds(made: Checkout) -> None:
    library = email.message_from_string(read(made, "tiny_project_libs-*", "/METADATA"))
    thin = email.message_from_string(read(made, "tiny_project-*.whl", "/METADATA"))
    assert library["License-Expression"] == "BSD-3-Clause AND MIT"
    assert thin["License-Expression"] == "BSD-3-Clause"
    assert "PyYAML/LICENSE" in library.get_all("License-File", [])


def test_the_bill_names_bundled_and_linked_parts_with_version_and_licence(made: Checkout) -> None:
    import yaml

    found = bill(made, "tiny_project_libs-*")
    bundled = component(found, "PyYAML")
    assert bundled["version"] == yaml.__version__
    assert bundled["licenses"] == [{"expression": "MIT"}]
    linked = component(found, "glibc")
    assert linked["version"].startswith("GLIBC_2.")
    assert linked["licenses"] == [{"expression": "LGPL-2.1-or-later"}]
    assert linked["properties"][0]["value"].startswith("linked dynamically")
    thin = component(bill(made, "tiny_project-*.whl"), "tiny-project-libs")
    assert thin["version"] == "0.1.0"
    assert thin["licenses"] == [{"expression": "BSD-3-Clause AND MIT"}]


def test_the_bills_follow_the_schema_of_cyclonedx(made: Checkout) -> None:
    pytest.importorskip(
        "jsonschema", reason="python -m pip install 'cyclonedx-python-lib[json-validation]'"
    )
    from cyclonedx.schema import SchemaVersion
    from cyclonedx.validation.json import JsonStrictValidator

    validator = JsonStrictValidator(SchemaVersion.V1_6)
    for pattern in ("tiny_project_libs-*", "tiny_project-*.whl"):
        assert validator.validate_str(read(made, pattern, ".cdx.json")) is None


def test_a_library_added_by_the_repair_moves_from_linked_to_bundled(
    made: Checkout, tmp_path: Path
) -> None:
    path = tmp_path / "bill.cdx.json"
    path.write_text(read(made, "tiny_project_libs-*", ".cdx.json"))
    row = Component("glibc", libraries=("libc.so.*",), license="LGPL-2.1-or-later")
    add_system_packages(path, [(GOMP, row)], "BSD-3-Clause AND LGPL-2.1-or-later")
    found = json.loads(path.read_text())
    names = [each["name"] for each in found["components"]]
    assert "glibc" not in names and "libgomp1" in names
    assert component(found, "libgomp1")["licenses"] == [{"expression": "LGPL-2.1-or-later"}]
    add_system_packages(path, [(GOMP, None)], "BSD-3-Clause")
    unknown = component(json.loads(path.read_text()), "libgomp1")
    assert unknown["licenses"] == [{"expression": "LicenseRef-libgomp1"}]


DESCRIPTION = """Metadata-Version: 2.4
Name: x{url}

![Progress](docs/a.svg) and [the docs](docs/b.md), [a site](https://example.org/c), [below](#d).
"""


@pytest.mark.parametrize(
    ("url", "body"),
    [
        (
            "\nProject-URL: Source, https://example.org/x",
            "![Progress](https://example.org/x/raw/HEAD/docs/a.svg)"
            " and [the docs](https://example.org/x/blob/HEAD/docs/b.md),"
            " [a site](https://example.org/c), [below](#d).",
        ),
        ("", " and the docs, [a site](https://example.org/c), [below](#d)."),
    ],
)
def test_links_of_the_description_work_without_the_checkout(
    tmp_path: Path, url: str, body: str
) -> None:
    metadata = tmp_path / "METADATA"
    metadata.write_text(DESCRIPTION.format(url=url))
    make_links_absolute(metadata)
    assert metadata.read_text().partition("\n\n")[2].strip() == body.strip()
