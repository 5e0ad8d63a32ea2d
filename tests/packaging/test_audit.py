"""Each rule of the audit, broken by a library that is made for the test."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tools.base.fingerprint import snapshot  # noqa: E402
from tools.setup_helpers.package.audit import (  # noqa: E402
    NAME,
    Finding,
    audit_changed,
)
from tools.setup_helpers.table.config import Packaging  # noqa: E402

RULES = Packaging(
    system_libraries=("libc.so.*", "libm.so.*"),
    exported_symbols=(("lib*.so", ("tiny_", "_ZN4tiny")),),
)
GOOD = 'extern "C" __attribute__((visibility("default"))) int tiny_one() { return 1; }\n'


def library(
    folder: Path, source: str = GOOD, *flags: str, name: str = "libtiny.so"
) -> dict[str, Path]:
    """Return a package that consists of one shared library."""
    path = folder / name
    code = folder / "source.cpp"
    code.write_text(source)
    command = ["c++", "-shared", "-fPIC", "-nostdlib", "-fvisibility=hidden", "-o", str(path)]
    subprocess.run([*command, str(code), *flags], check=True)
    return {f"tiny/lib/{name}": path}


def audit(files: dict[str, Path], *private: Path, rules: Packaging = RULES) -> list[Finding]:
    with tempfile.TemporaryDirectory() as build_dir:
        return audit_changed(files, rules, private, Path(build_dir), {})


def rules_broken(files: dict[str, Path], *private: Path, rules: Packaging = RULES) -> list[str]:
    return [finding.rule for finding in audit(files, *private, rules=rules)]


def test_good_library_passes(tmp_path: Path) -> None:
    files = library(tmp_path, GOOD, "-Wl,-rpath,$ORIGIN:$ORIGIN/../x", "-Wl,--enable-new-dtags")
    files["tiny/__init__.py"] = Path(__file__)
    assert rules_broken(files, Path("/some/build/folder")) == []


@pytest.mark.parametrize("entry", ["/usr/local/lib", "", "lib", "$ORIGINAL"])
def test_runpath_must_start_at_origin(tmp_path: Path, entry: str) -> None:
    files = library(tmp_path, GOOD, f"-Wl,-rpath,$ORIGIN:{entry}", "-Wl,--enable-new-dtags")
    assert rules_broken(files) == ["runpath"]


def test_rpath_is_refused(tmp_path: Path) -> None:
    files = library(tmp_path, GOOD, "-Wl,-rpath,$ORIGIN", "-Wl,--disable-new-dtags")
    assert rules_broken(files) == ["rpath"]


def test_needed_library_must_be_found_through_the_runpath(tmp_path: Path) -> None:
    other = library(tmp_path, GOOD, name="libother.so")
    flags = ["-L", str(tmp_path), "-Wl,--no-as-needed", "-lother", "-Wl,--enable-new-dtags"]
    lost = library(tmp_path, GOOD, *flags)
    assert rules_broken(lost) == ["needed"]
    assert rules_broken(lost | other) == ["needed"]  # not found without a RUNPATH
    found = library(tmp_path, GOOD, *flags, "-Wl,-rpath,$ORIGIN/../lib")
    assert rules_broken(found | other) == []


def test_system_library_may_be_needed(tmp_path: Path) -> None:
    assert rules_broken(library(tmp_path, GOOD, "-Wl,--no-as-needed", "-lm")) == []
    none = replace(RULES, system_libraries=())
    assert rules_broken(library(tmp_path, GOOD, "-Wl,--no-as-needed", "-lm"), rules=none) == [
        "needed"
    ]


def test_exported_symbol_must_be_on_the_list(tmp_path: Path) -> None:
    leak = 'extern "C" __attribute__((visibility("default"))) void leak() {}\n'
    (finding,) = audit(library(tmp_path, GOOD + leak))
    assert finding.rule == "exports"
    assert "leak" in finding.message


def test_library_without_a_row_is_refused(tmp_path: Path) -> None:
    assert rules_broken(library(tmp_path, name="other.so")) == ["exports"]


def test_build_path_in_the_bytes_is_found(tmp_path: Path) -> None:
    messages = f'const char* volatile tiny_place = "{tmp_path}/source.cpp";\n'
    assert rules_broken(library(tmp_path, GOOD + messages), tmp_path) == ["strings"]


def test_truncated_file_is_named(tmp_path: Path) -> None:
    files = library(tmp_path)
    (path,) = files.values()
    path.write_bytes(path.read_bytes()[:200])
    assert "format" in rules_broken(files)


class Tree:
    """A build directory in which audits are recorded one after another."""

    def __init__(self, build_dir: Path, files: dict[str, Path]) -> None:
        self.build_dir = build_dir
        self.files = files
        self.seen = snapshot([str(path) for path in files.values()])

    def rules_broken(self, *private: Path, rules: Packaging = RULES) -> list[str]:
        found = audit_changed(self.files, rules, private, self.build_dir, self.seen)
        return [finding.rule for finding in found]


def test_a_file_is_read_once_per_content(tmp_path: Path) -> None:
    tree = Tree(tmp_path, library(tmp_path))
    assert tree.rules_broken() == []
    tree.files["tiny/lib/libtiny.so"].write_bytes(b"\x7fELF cut short")
    assert tree.rules_broken() == []  # unchanged according to its recorded times and size
    tree.seen = snapshot(list(tree.seen), tree.seen)
    assert tree.rules_broken() == ["format"]


def test_a_changed_rule_audits_all_files_again(tmp_path: Path) -> None:
    tree = Tree(tmp_path, library(tmp_path))
    assert tree.rules_broken() == []
    stricter = replace(RULES, exported_symbols=(("lib*.so", ("other_",)),))
    assert tree.rules_broken(rules=stricter) == ["exports"]
    assert tree.rules_broken() == []


def test_another_private_path_audits_all_files_again(tmp_path: Path) -> None:
    place = "/some/build/folder"
    messages = f'const char* volatile tiny_place = "{place}/source.cpp";\n'
    tree = Tree(tmp_path, library(tmp_path, GOOD + messages))
    assert tree.rules_broken() == []
    assert tree.rules_broken(Path(place)) == ["strings"]


def test_a_broken_rule_is_reported_by_every_audit(tmp_path: Path) -> None:
    leak = 'extern "C" __attribute__((visibility("default"))) void leak() {}\n'
    tree = Tree(tmp_path, library(tmp_path, GOOD + leak))
    assert tree.rules_broken() == tree.rules_broken() == ["exports"]


def test_needed_libraries_are_recorded(tmp_path: Path) -> None:
    other = library(tmp_path, GOOD, name="libother.so")
    flags = ["-L", str(tmp_path), "-Wl,--no-as-needed", "-lother", "-Wl,-rpath,$ORIGIN"]
    tree = Tree(tmp_path, library(tmp_path, GOOD, *flags, "-Wl,--enable-new-dtags") | other)
    assert tree.rules_broken() == []
    assert tree.rules_broken() == []
    del tree.files["tiny/lib/libother.so"]
    assert tree.rules_broken() == ["needed"]


def test_a_damaged_record_does_not_pass_a_broken_file(tmp_path: Path) -> None:
    leak = 'extern "C" __attribute__((visibility("default"))) void leak() {}\n'
    tree = Tree(tmp_path, library(tmp_path))
    assert tree.rules_broken() == []
    library(tmp_path, GOOD + leak)
    changed = snapshot(list(tree.seen))
    record = (tmp_path / NAME).read_text()
    (path,) = tree.seen
    (tmp_path / NAME).write_text(record.replace(tree.seen[path][2], changed[path][2]))
    tree.seen = changed
    assert tree.rules_broken() == ["exports"]
