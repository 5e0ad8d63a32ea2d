"""The whole pipeline on the fixture project: develop, edits, options, clean."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tools.setup_helpers.package.manifest import read_manifest

from .fixture_project import Project, rebuilt, steps


def test_develop_makes_the_package_importable(developed: Project) -> None:
    assert developed.words() == "['HELLO', 'WORLD']\n"
    assert list(steps(developed)) == [
        "config",
        "options",
        "doctor",
        "codegen",
        "configure",
        "build",
        "copy",
        "audit",
        "register",
    ]


def test_a_second_develop_changes_nothing(developed: Project) -> None:
    before = developed.files()
    assert developed.run("develop").stdout == "up to date\n"
    after = developed.files()
    assert {
        p: t for p, t in after.items() if before.get(p) != t and not p.endswith("build.lock")
    } == {}


def test_a_failed_build_keeps_the_staged_files_of_an_earlier_one(developed: Project) -> None:
    staged = developed.root / "tiny/include/greet.h"
    developed.edit("src/greet.c", "{", "{ no C at all")
    developed.edit("src/greet.h", "#pragma once", "#pragma once\n// another")
    assert developed.run("develop", check=False).returncode == 1
    assert "another" not in staged.read_text()
    developed.edit("src/greet.c", "{ no C at all", "{")
    developed.run("develop")
    assert "another" in staged.read_text()


def test_every_staged_file_is_counted(project: Project) -> None:
    project.run("develop")
    manifest = read_manifest(project.root, project.root / "build").files
    assert "tiny/include/greet.h" in manifest and all(map(len, manifest.values()))
    assert steps(project)["copy"] == f"{len(manifest)} copied"


def test_a_package_that_breaks_a_rule_never_passes_on_a_retry(developed: Project) -> None:
    developed.edit("build_config.toml", '["tiny_"]', '["other_"]')
    for _ in range(2):
        result = developed.run("develop", check=False)
        assert result.returncode == 1
        assert "tiny/lib/libtiny_words.so: exports: tiny_" in result.stderr
    developed.edit("build_config.toml", '["other_"]', '["tiny_"]')
    developed.run("develop")


def test_a_build_directory_can_be_a_link(project: Project, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (project.root / "build").symlink_to(tmp_path / "elsewhere")
    project.run("develop")
    assert project.words() == "['HELLO', 'WORLD']\n"
    project.edit("src/greet.c", "toupper", "tolower")
    project.run("develop")
    assert project.words() == "['hello', 'world']\n"


def test_an_edited_yaml_regenerates_and_rebuilds_what_mentions_it(developed: Project) -> None:
    developed.edit("words.yaml", "- world", "- there")
    developed.run("develop")
    assert developed.words() == "['HELLO', 'THERE']\n"
    assert steps(developed)["codegen"].startswith("words: words.yaml changed")
    assert "stub.c.o" not in rebuilt(developed) and "greet.c.o" not in rebuilt(developed)


def test_a_plain_cmake_build_makes_the_package_importable(project: Project) -> None:
    shutil.copy(os.path.join(os.path.dirname(__file__), "../../CMakePresets.json"), project.root)
    project.call(["cmake", "--preset", "default"])
    project.call(["ninja", "-C", "build"])
    result = project.call([str(project.python), "-c", "import tiny; print(tiny.words())"])
    assert result.stdout == "['HELLO', 'WORLD']\n"


def test_a_changed_option_reconfigures_and_says_so(developed: Project) -> None:
    result = developed.run("develop", TINY_LOUD="0")
    assert steps(developed)["configure"] == "TINY_LOUD: ON -> OFF"
    assert "TINY_LOUD=OFF" in result.stdout
    assert developed.words() == "['hello', 'world']\n"
    developed.run("develop")  # without the variable, the option has its default again
    assert developed.words() == "['HELLO', 'WORLD']\n"


def test_an_option_on_the_command_line(developed: Project) -> None:
    developed.run("develop", "-DTINY_VERY_LOUD=1")
    assert developed.words() == "['HELLO!', 'WORLD!']\n"


def test_a_dependent_option_without_its_parent_is_refused(project: Project) -> None:
    result = project.run("develop", TINY_LOUD="0", TINY_VERY_LOUD="1", check=False)
    assert result.returncode == 2
    assert "TINY_VERY_LOUD=1 cannot be met: it needs TINY_LOUD" in result.stderr
    assert not (project.root / "build").exists()


@pytest.mark.parametrize("state", ["fresh", "developed"])
def test_a_misspelt_option_is_refused_even_when_nothing_is_to_do(
    state: str, request: pytest.FixtureRequest
) -> None:
    project: Project = request.getfixturevalue("project" if state == "fresh" else "developed")
    before = project.files()
    result = project.run("develop", TINY_LUOD="1", check=False)
    assert result.returncode == 2
    assert "TINY_LUOD=1: did you mean TINY_LOUD?" in result.stderr
    changed = {
        p for p in project.files().items() ^ before.items() if not p[0].endswith("build.lock")
    }
    assert not changed


def test_a_definition_given_to_plain_cmake_sets_the_option(developed: Project) -> None:
    developed.call(["cmake", "-DTINY_LOUD=OFF", "build"])
    developed.call(["ninja", "-C", "build"])
    assert developed.words() == "['hello', 'world']\n"
    options = json.loads((developed.root / "build/options.json").read_text())["resolved"]
    assert options["TINY_LOUD"]["origin"] == "command line"
    developed.call(["cmake", "build"])  # the value stays, as CMake's users expect
    options = json.loads((developed.root / "build/options.json").read_text())["resolved"]
    assert options["TINY_LOUD"]["value"] == "OFF"


def test_a_misspelt_definition_given_to_plain_cmake_is_refused(developed: Project) -> None:
    result = developed.call(["cmake", "-DTINY_LUOD=OFF", "build"], check=False)
    assert result.returncode != 0
    assert "did you mean TINY_LOUD?" in result.stderr


def test_a_program_is_staged_and_finds_its_library(developed: Project) -> None:
    say = [str(developed.root / "tiny/bin/tiny_say")]
    assert developed.call(say).stdout == "HELLO\nWORLD\n"
    (developed.root / "tiny/bin/tiny_say").unlink()
    developed.edit("src/say.c", "puts(text)", 'printf("%s, ", text)')
    developed.run("develop")
    assert developed.call(say).stdout == "HELLO, WORLD, "
    assert "stub.c.o" not in rebuilt(developed)


def test_a_program_disabled_by_an_option_is_removed_from_the_package(developed: Project) -> None:
    row = 'destination = "tiny/bin"'
    developed.edit("build_config.toml", row, row + '\nwhen = "TINY_VERY_LOUD"')
    developed.run("develop")
    assert not (developed.root / "tiny/bin").exists()


@pytest.mark.parametrize(
    "path",
    [
        "tiny/lib/libtiny_words.so",
        "tiny/bin/tiny_say",
        "build/lib/libtiny_words.so",
        "build/src/words.c",
    ],
)
def test_a_deleted_product_is_rebuilt(developed: Project, path: str) -> None:
    (developed.root / path).unlink()
    developed.run("develop")
    assert (developed.root / path).exists()
    assert developed.words() == "['HELLO', 'WORLD']\n"


def test_a_removed_source_is_removed_from_the_library(developed: Project) -> None:
    (developed.root / "src/more.c").write_text("int tiny_more(void) { return 1; }\n")
    developed.edit("build_config.toml", '"src/greet.c"', '"src/greet.c", "src/more.c"')
    developed.run("develop")
    (developed.root / "src/more.c").unlink()
    developed.edit("build_config.toml", ', "src/more.c"', "")
    developed.run("develop")
    assert developed.run("develop").stdout == "up to date\n"


def test_a_broken_table_changes_nothing(developed: Project) -> None:
    developed.edit("build_config.toml", 'help = "Greet in capitals"', 'hepl = "Greet in capitals"')
    before = developed.files()
    result = developed.run("develop", check=False)
    assert result.returncode == 2
    assert "unknown key 'hepl'; did you mean 'help'?" in result.stderr
    assert "Traceback" not in result.stderr
    assert {
        p for p in developed.files().items() ^ before.items() if not p[0].endswith("build.lock")
    } == set()


def test_a_compile_error_is_named_last(developed: Project) -> None:
    developed.edit("src/greet.c", "#include", "#error broken here\n#include")
    result = developed.run("develop", check=False)
    assert result.returncode == 1
    assert "building greet.c failed" in result.stderr and "broken here" in result.stderr
    assert developed.words() == "['HELLO', 'WORLD']\n"  # what was installed still works
    developed.edit("src/greet.c", "#error broken here\n", "")
    developed.run("develop")
    assert developed.run("develop").stdout == "up to date\n"


def test_a_failed_build_is_not_up_to_date_afterwards(developed: Project) -> None:
    developed.edit("src/greet.c", "#include", "#error broken here\n#include")
    assert developed.run("develop", check=False).returncode == 1
    assert developed.run("develop", check=False).returncode == 1


@pytest.mark.parametrize("moment", [0.05, 0.3, 0.6, 1.0])
def test_a_killed_build_is_repaired_by_the_next(project: Project, moment: float) -> None:
    environ = {**os.environ, "VIRTUAL_ENV": str(project.python.parents[1]), "CCACHE_DISABLE": "1"}
    process = subprocess.Popen(
        [str(project.python), "setup.py", "develop"],
        cwd=project.root,
        env=environ,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    time.sleep(moment)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    project.run("develop")
    assert project.words() == "['HELLO', 'WORLD']\n"


def test_an_interrupt_ends_with_130(project: Project) -> None:
    process = subprocess.Popen(
        [str(project.python), "setup.py", "develop"],
        cwd=project.root,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    time.sleep(0.4)
    os.killpg(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "Traceback" not in errors


def test_two_builds_at_once(developed: Project) -> None:
    (developed.root / "src/greet.c").touch()
    holder = subprocess.Popen(
        ["flock", "build/build.lock", "sleep", "30"], cwd=developed.root, start_new_session=True
    )
    try:
        time.sleep(0.3)
        result = developed.run("develop", check=False)
    finally:
        os.killpg(holder.pid, signal.SIGKILL)
        holder.wait()
    assert result.returncode == 3
    assert "another build holds" in result.stderr


def test_two_build_directories_side_by_side(developed: Project) -> None:
    developed.run("build", BUILD_DIR="other", TINY_LOUD="0")
    assert (developed.root / "other/lib/libtiny_words.so").exists()
    assert developed.words() == "['HELLO', 'WORLD']\n"


@pytest.mark.parametrize(("name", "code"), [("pyproject.toml", 3), ("version.txt", 2)])
def test_a_missing_file_of_the_project_is_named(project: Project, name: str, code: int) -> None:
    (project.root / name).unlink()
    for command in ("develop", "options", "doctor"):
        result = project.run(command, check=False)
        if command != "options" or name == "pyproject.toml":  # options need no version
            assert result.returncode == code
            assert result.stderr.startswith(f"error: cannot read {name}")
            assert f"\nhint: restore it: git checkout -- {name}\n" in result.stderr


def test_a_checkout_reached_through_a_link_is_the_same(developed: Project, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(developed.root)
    again = developed.call([str(developed.python), str(tmp_path / "link/setup.py"), "develop"])
    assert again.stdout == "up to date\n"


def test_sources_replaced_by_others_of_the_same_size_and_time_are_rebuilt(
    developed: Project,
) -> None:
    """Archives with fixed times do this, such as a new release that is unpacked over the old one."""

    def unpack(word: str, size: str) -> None:
        (developed.root / "words.yaml").write_text(f"- hello\n- {word}\n")
        text = (developed.root / "src/say.c").read_text()
        (developed.root / "src/say.c").write_text(re.sub(r"text\[\d+\]", f"text[{size}]", text))
        for name in ("words.yaml", "src/say.c"):
            os.utime(developed.root / name, (10**9, 10**9))

    unpack("world", "64")
    developed.run("develop")
    unpack("wurld", "65")
    output = developed.run("develop").stdout
    assert developed.words() == "['HELLO', 'WURLD']\n"
    assert "say.c.o" in rebuilt(developed), output
    assert developed.run("develop").stdout == "up to date\n"


def test_a_build_after_the_clock_was_set_back(developed: Project) -> None:
    """Everything that the last build wrote is dated in the future, Ninja's log included."""
    later = time.time() + 10**6
    for path in developed.root.rglob("*"):
        os.utime(path, (later, later), follow_symlinks=False)
    developed.edit("words.yaml", "- world", "- there")
    assert "the clock was set back" in developed.run("develop").stdout
    assert developed.words() == "['HELLO', 'THERE']\n"
    assert developed.run("develop").stdout == "up to date\n"


def test_an_empty_pyproject_is_named(project: Project) -> None:
    (project.root / "pyproject.toml").write_text("")
    result = project.run("develop", check=False)
    assert result.returncode == 3
    assert result.stderr.startswith("error: pyproject.toml has no list `requires`")


def test_a_read_only_tree_is_reported_clearly(project: Project) -> None:
    if os.geteuid() == 0:
        pytest.skip("root can write everywhere; run the tests as an ordinary user")
    project.root.chmod(0o555)
    try:
        result = project.run("develop", check=False)
    finally:
        project.root.chmod(0o755)
    assert result.returncode == 3 and "Traceback" not in result.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--verbos"], "unknown argument --verbos; did you mean '--verbose'?"),
        (["--verb"], "unknown argument --verb"),  # not an abbreviation of --verbose any more
        (["all", "-j4"], "unknown argument all, -j4"),
        (["-q", "-v"], "argument -v/--verbose: not allowed with argument -q/--quiet"),
        (["-D", "=1"], "-D takes OPTION=VALUE, not '=1'"),
        (["-D", ""], "-D takes OPTION=VALUE, not ''"),
        (["-D", "ELEPHANT=1"], "unknown option on the command line"),
    ],
)
def test_unknown_arguments(project: Project, arguments: list[str], message: str) -> None:
    result = project.run("develop", *arguments, check=False)
    assert result.returncode == 2
    assert result.stderr.startswith("error: ") and message in result.stderr
    assert not (project.root / "build").exists()


def test_cmake_and_rebuild_do_what_their_names_promise(developed: Project) -> None:
    """As in PyTorch: --cmake empties CMake's cache, and rebuild is another word for build."""
    with (developed.root / "build_config.toml").open("a") as table:
        table.write('\n[options.TINY_FRESH]\nhelp = ""\nrole = "fresh"\neffect = "nothing"\n')
    developed.run("develop")
    for _ in range(2):
        cache = developed.root / "build/CMakeCache.txt"
        cache.write_text(f"{cache.read_text()}\nSTRAY:BOOL=ON\n")
        assert re.search(r"configure .* requested", developed.run("develop", "--cmake").stdout)
        assert "STRAY" not in cache.read_text()
    assert developed.run("develop").stdout == "up to date\n"

    output = developed.run("rebuild", "develop").stdout
    assert "no longer necessary" in output and "register" in output
    (developed.root / "src/greet.c").touch()
    output = developed.run("rebuild").stdout
    assert re.search(r"^build ", output, re.MULTILINE) and "register" not in output


def test_unknown_and_retired_commands(project: Project) -> None:
    assert "did you mean 'develop'?" in project.run("develp", check=False).stderr
    topics = project.run("explain", check=False).stdout
    assert re.search(r"explain word NUMBER +which word has", topics)
    assert "did you mean 'word'?" in project.run("explain", "wrd", check=False).stderr
    words = (project.root / "words.yaml").read_text(encoding="utf-8")
    assert project.run("explain", "word", "0").stdout.strip() in words
    assert "takes a number" in project.run("explain", "word", "99", check=False).stderr
    error = project.run("develop", "--cmake", check=False).stderr
    assert "--cmake: no option of this project configures again" in error
    assert project.run(check=False).returncode == 2
    assert "TINY_LOUD" in project.run("options", TINY_LOUD="0").stdout
    shown = project.run("options", TINY_LOUD="0").stdout
    assert re.search(r"TINY_LOUD +OFF +environment", shown)
    assert project.run("doctor").returncode == 0
    project.run("codegen")
    assert (project.root / "build/src/words.c").exists()


def test_the_generators_also_run_as_scripts(developed: Project) -> None:
    script = [str(developed.python), "tools/setup_helpers/generate_code.py"]
    assert developed.call(script).stdout == ""
    again = developed.call([str(developed.python), "tools/setup_helpers/gen.py", "words"])
    assert again.stdout == "-- generated words: requested, 0 files changed\n"
    wrong = developed.call(
        [str(developed.python), "tools/setup_helpers/gen.py", "wrods"], check=False
    )
    assert wrong.returncode == 2 and "did you mean 'words'?" in wrong.stderr


@pytest.mark.alone
def test_no_op_is_fast(developed: Project) -> None:
    """Measured in processor time, so that a busy machine does not matter; and it must not wait."""
    work, times = [], []
    for _ in range(11):
        start, before = time.perf_counter(), os.times()
        developed.run("develop")
        after = os.times()
        work.append(sum(after[2:4]) - sum(before[2:4]))
        times.append(time.perf_counter() - start)
    assert sorted(work)[5] <= 0.3 and min(times) <= 1
