"""Facts read from ELF files, compared with the output of binutils."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tools.setup_helpers.package.elf import is_elf, read_elf, replace_rpath  # noqa: E402

SOURCE = """
extern "C" __attribute__((visibility("default"))) int shown() { return 1; }
extern "C" __attribute__((visibility("default"), weak)) int weakly() { return 2; }
extern "C" int hidden() { return 3; }
template <class T> struct __attribute__((visibility("default"))) Unique { static inline T value = 4; };
int used() { return Unique<int>::value; }
"""


def make(folder: Path, *flags: str) -> Path:
    (folder / "source.cpp").write_text(SOURCE)
    library = folder / "library.so"
    command = ["c++", "-shared", "-fPIC", "-nostdlib", "-fvisibility=hidden", "source.cpp"]
    links = ["-Wl,--enable-new-dtags,-rpath,$ORIGIN:$ORIGIN/../x"]
    done = subprocess.run(
        [*command, "-o", str(library), *links, *flags], cwd=folder, capture_output=True, check=False
    )
    if done.returncode:
        pytest.skip(f"this compiler cannot build with {' '.join(flags)}")
    return library


def say(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize("flags", [["-m64"], ["-m32"]])
def test_32_and_64_bit_files(tmp_path: Path, flags: list[str]) -> None:
    facts = read_elf(make(tmp_path, *flags))
    assert facts.runpath == ("$ORIGIN", "$ORIGIN/../x")
    assert (facts.rpath, facts.needed) == ((), ())
    assert facts.exports == ("_ZN6UniqueIiE5valueE", "shown", "weakly")


@pytest.mark.parametrize("flags", [["-m64"], ["-m32"]])
def test_an_rpath_becomes_a_runpath_and_nothing_else_changes(
    tmp_path: Path, flags: list[str]
) -> None:
    library = make(tmp_path, *flags, "-Wl,--disable-new-dtags")
    before, facts = library.read_bytes(), read_elf(library)
    assert (facts.rpath, facts.runpath) == (("$ORIGIN", "$ORIGIN/../x"), ())
    replace_rpath(library)
    after = library.read_bytes()
    assert sum(old != new for old, new in zip(before, after, strict=True)) == 1
    assert (read_elf(library).rpath, read_elf(library).runpath) == ((), facts.rpath)
    assert read_elf(library).exports == facts.exports


def loaded_libraries() -> list[Path]:
    """Return the libraries that this interpreter has loaded, as real examples."""
    paths = re.findall(r" (/.*\.so[\d.]*)$", Path("/proc/self/maps").read_text(), re.MULTILINE)
    return [path for path in map(Path, sorted(set(paths))) if is_elf(path)]


@pytest.mark.parametrize("library", loaded_libraries(), ids=lambda path: path.name)
def test_facts_agree_with_binutils(library: Path) -> None:
    facts = read_elf(library)
    dynamic = say("readelf", "-dW", str(library))
    assert list(facts.needed) == re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic)
    paths = re.findall(r"\(RUNPATH\).*\[(.*)\]", dynamic)
    assert list(facts.runpath) == [folder for path in paths for folder in path.split(":")]
    symbols = say("readelf", "--dyn-syms", "-W", str(library))
    # readelf's name for a unique symbol if the file is not marked as GNU.
    symbols = symbols.replace("<OS specific>: 10", "UNIQUE")
    rows = [row.split() for row in symbols.splitlines()]
    shown = [
        row[7].partition("@")[0]
        for row in rows
        if len(row) >= 8
        and row[4] in ("GLOBAL", "WEAK", "UNIQUE")
        and row[5] in ("DEFAULT", "PROTECTED")
        and row[6] != "UND"
    ]
    assert list(facts.exports) == sorted(shown)


@pytest.mark.parametrize("size", [5, 40, 200, 4000])
def test_a_truncated_file(tmp_path: Path, size: int) -> None:
    library = make(tmp_path)
    library.write_bytes(library.read_bytes()[:size])
    with pytest.raises(ValueError, match="cut short"):
        read_elf(library)


def test_a_text_file_is_no_elf_file(tmp_path: Path) -> None:
    (tmp_path / "text.so").write_text("GROUP ( libc.so.6 )\n")
    assert not is_elf(tmp_path / "text.so")
