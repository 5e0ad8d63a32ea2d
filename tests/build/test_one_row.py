"""One row adds a library: two languages, conditional sources, unit tests and an example program."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tools.base.errors import BuildError
from tools.setup_helpers.table.config_reader import load

from .fixture_project import Project

LIBRARY = """
[[library]]
name = "tiny_words_count"
sources = ["src/count/*.c", "src/count/*.cpp"]
flags = { CXX = ["-fno-rtti"] }
destination = "tiny/lib"

[[library.group]]
name = "loud"
sources = ["src/count/loud.cpp"]
when = "TINY_VERY_LOUD"

[[library.test]]
name = "count_test"
sources = ["src/count/test/*.cpp"]

[[library.program]]
name = "tiny_count"
sources = ["src/count/main/*.c"]
when = "TINY_EXAMPLES"

[[library.program]]
name = "tiny_count_packed"
sources = ["src/count/main/*.c"]
destination = "tiny/bin"
runpath = "$ORIGIN/../lib"
exports = ["_IO_stdin_used$"]

[options.TINY_EXAMPLES]
help = "Build the example programs"

[options.TINY_TEST]
help = "Build the unit tests"
role = "unit_tests"
"""
EXPORTED = '__attribute__((visibility("default"))) '
FILES = {
    "count.h": '#ifdef __cplusplus\nextern "C" {\n#endif\n'
    "int tiny_words_count(void);\nint tiny_words_twice(void);\n"
    "#ifdef __cplusplus\n}\n#endif\n",
    "count.c": f'#include "count.h"\n{EXPORTED}int tiny_words_count(void) {{ return 2; }}\n',
    "twice.cpp": '#include "count.h"\n#ifdef __GXX_RTTI\n#error the flag is missing\n#endif\n'
    f"{EXPORTED}int tiny_words_twice() {{ return 2 * tiny_words_count(); }}\n",
    "loud.cpp": f'extern "C" {EXPORTED}int tiny_words_loud() {{ return 1; }}\n',
    "test/count_test.cpp": '#include <gtest/gtest.h>\n\n#include "../count.h"\n\n'
    "TEST(Count, IsTwo) { EXPECT_EQ(tiny_words_count(), 2); }\n"
    "TEST(Count, TwiceIsFour) { EXPECT_EQ(tiny_words_twice(), 4); }\n",
    "main/main.c": '#include <stdio.h>\n\n#include "../count.h"\n\n'
    'int main(void) { return printf("%d words\\n", tiny_words_twice()) < 0; }\n',
}
needs_googletest = pytest.mark.skipif(
    not Path("/usr/include/gtest/gtest.h").exists(), reason="apt-get install libgtest-dev"
)


def add_library(project: Project) -> None:
    for name, text in FILES.items():
        path = project.root / "src/count" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    table = project.root / "build_config.toml"
    table.write_text(table.read_text() + LIBRARY)


def output(program: Path) -> str:
    result = subprocess.run([program], capture_output=True, text=True, check=True)
    return result.stdout


def test_the_row_builds_packs_and_links(developed: Project) -> None:
    add_library(developed)
    developed.run("develop")
    build, package = developed.root / "build", developed.root / "tiny"
    assert (package / "lib/libtiny_words_count.so").exists()
    assert output(package / "bin/tiny_count_packed") == "4 words\n"
    assert not (build / "bin/tiny_count").exists()
    assert "loud" not in (package / "lib/libtiny_words_count.so").read_text(errors="replace")

    developed.run("develop", TINY_EXAMPLES="1", TINY_VERY_LOUD="1")
    assert output(build / "bin/tiny_count") == "4 words\n"
    assert not (package / "bin/tiny_count").exists()  # it has no place in the package
    assert "loud" in (package / "lib/libtiny_words_count.so").read_text(errors="replace")


@needs_googletest
def test_the_tests_of_the_row_are_built_on_request(developed: Project) -> None:
    add_library(developed)
    developed.run("develop", TINY_TEST="1")
    program = developed.root / "build/bin/count_test"
    assert not program.exists()
    developed.call(["ninja", "-C", "build", "unit_tests"])
    assert "[  PASSED  ] 2 tests." in output(program)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (
            '[[library.test]]\nname = "tiny_say"\nsources = ["src/a.c"]\n',
            "'tiny_say' is already the name of a test",
        ),
        ('[[library.test]]\nname = "t"\nsources = ["src/a.cp"]\n', "no language compiles"),
        ('[[library.test]]\nname = "t"\n', "missing key 'sources'"),
        (
            '[[library.program]]\nname = "p"\nsources = []\nwhen = "TINY_LOD"\n',
            "unknown name 'TINY_LOD'; did you mean 'TINY_LOUD'?",
        ),
        (
            '[[library.program]]\nname = "p"\nsources = []\nresource = "heavy"\n',
            "unknown resource 'heavy'",
        ),
    ],
)
def test_mistakes_in_tests_and_programs(project: Project, row: str, message: str) -> None:
    table = project.root / "build_config.toml"
    table.write_text(f'{table.read_text()}\n[[library]]\nname = "more"\n{row}')
    with pytest.raises(BuildError) as error:
        load(project.root)
    assert message in (error.value.cause or "")
