"""The front end builds, installs, packs and cleans a project that is not torch."""

from __future__ import annotations

import email
import subprocess
import time
import zipfile
from pathlib import Path

import pytest

from checkout import Checkout, make_checkout, make_environment


def test_develop_makes_an_importable_package(built: Checkout) -> None:
    assert built.words() == ["HELLO", "WORLD"]


def test_second_develop_does_nothing(built: Checkout) -> None:
    before = {path: path.stat().st_mtime_ns for path in (built.root / "build").rglob("*.o")}
    assert "up to date" in built.setup("develop")
    assert before == {path: path.stat().st_mtime_ns for path in before}


def test_editable_install_is_known_to_pip(built: Checkout) -> None:
    shown = built.environment.run("-m", "pip", "list", "--editable", cwd=built.root.parent)
    assert "tiny-project" in shown
    assert str(built.root) in shown


def test_one_call_of_bare_ninja_is_enough_after_an_edit_of_the_yaml(checkout: Checkout) -> None:
    checkout.setup("develop")
    checkout.words()  # the first import creates __pycache__, which changes a folder that staging watches
    checkout.edit("words.yaml", "- world", "- world\n- again")
    subprocess.run(
        ["ninja", "-C", "build"],
        cwd=checkout.root,
        env=checkout.environment.variables(),
        check=True,
        capture_output=True,
    )
    assert checkout.words() == ["HELLO", "WORLD", "AGAIN"]
    again = subprocess.run(
        ["ninja", "-C", "build"],
        cwd=checkout.root,
        env=checkout.environment.variables(),
        check=True,
        capture_output=True,
        text=True,
    )
    assert "no work to do" in again.stdout


def test_a_changed_option_reconfigures(checkout: Checkout) -> None:
    checkout.setup("develop", env={"TINY_LOUD": "0"})
    assert checkout.words() == ["hello", "world"]
    output = checkout.setup("develop", env={"TINY_VERY_LOUD": "1"})
    assert checkout.words() == ["HELLO!", "WORLD!"]
    assert "TINY_LOUD" in output or "TINY_VERY_LOUD" in output


@pytest.mark.parametrize(
    ("variables", "message"),
    [
        ({"TINY_LOUDD": "1"}, "TINY_LOUD"),
        ({"TINY_LOUD": "perhaps"}, "not a boolean"),
        ({"TINY_LOUD": "0", "TINY_VERY_LOUD": "1"}, "TINY_LOUD=OFF (environment)"),
    ],
)
def test_wrong_option_gives_exit_code_2_and_keeps_the_tree(
    checkout: Checkout, variables: dict[str, str], message: str
) -> None:
    before = checkout.files()
    output = checkout.setup("develop", env=variables, code=2)
    assert message in output
    assert "Traceback" not in output
    assert checkout.files() == before


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("[project]", "[project", "build_config.toml:3:9"),
        ('type = "integer"', 'type = "integre"', "integer"),
        ('requires = "TINY_LOUD"', 'requires = "TINY_LUOD"', "TINY_LOUD"),
        ("[[stage]]", "[[stages]]", "stage"),
    ],
)
def test_broken_table_gives_exit_code_2_and_keeps_the_tree(
    checkout: Checkout, old: str, new: str, message: str
) -> None:
    checkout.edit("build_config.toml", old, new)
    before = checkout.files()
    output = checkout.setup("develop", code=2)
    assert "build_config.toml:" in output
    assert message in output
    assert "Traceback" not in output
    assert checkout.files() == before


def test_clean_deletes_only_files_of_the_build(checkout: Checkout) -> None:
    before = checkout.files()
    checkout.setup("develop")
    (checkout.root / "tiny" / "notes.txt").write_text("own_file\n")
    (checkout.root / "tiny" / "lib" / "own_file.so").write_bytes(b"own_file")
    checkout.setup("clean")
    own_file = {"tiny/notes.txt": b"own_file\n", "tiny/lib/own_file.so": b"own_file"}
    assert checkout.files() == before | own_file


def test_wheel_installs_into_an_empty_environment(built: Checkout, tmp_path: Path) -> None:
    built.setup("bdist_wheel")
    (wheel,) = (built.root / "dist").glob("*.whl")
    empty = make_environment(tmp_path / "empty", packages=False)
    empty.run("-m", "pip", "install", str(wheel), cwd=tmp_path)
    assert empty.run("-c", "import tiny; print(*tiny.words())", cwd=tmp_path).split() == [
        "HELLO",
        "WORLD",
    ]
    assert str(built.root) not in empty.run("-c", "import tiny; print(tiny.__file__)", cwd=tmp_path)
    program = str(empty.site_packages / "tiny" / "bin" / "tiny_say")
    output = subprocess.run([program], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert output.stdout.split() == ["HELLO", "WORLD"]


def test_program_that_could_not_find_its_library_is_refused(checkout: Checkout) -> None:
    checkout.edit("build_config.toml", 'runpath = "$ORIGIN/../lib"', 'runpath = "$ORIGIN/lib"')
    output = checkout.setup("develop", code=1)
    assert "tiny/bin/tiny_say: needed: libtiny_words.so" in output


def test_install_command_installs_without_the_checkout(checkout: Checkout) -> None:
    checkout.setup("install")
    checkout.root.rename(checkout.root.with_name("moved"))
    assert checkout.words(where=checkout.environment.folder) == ["HELLO", "WORLD"]


def test_source_archive_builds_the_same_wheel(built: Checkout, tmp_path: Path) -> None:
    built.setup("bdist_wheel")
    built.setup("sdist")
    (wheel,) = (built.root / "dist").glob("*.whl")
    (archive,) = (built.root / "dist").glob("*.tar.gz")
    environment = make_environment(tmp_path / "environment")
    command = ["-m", "pip", "wheel", "--no-deps", "--no-build-isolation"]
    environment.run(*command, "-w", str(tmp_path), str(archive), cwd=tmp_path)
    assert (tmp_path / wheel.name).read_bytes() == wheel.read_bytes()


def test_wheel_depends_neither_on_folder_nor_on_time(built: Checkout, tmp_path: Path) -> None:
    built.setup("bdist_wheel")
    (wheel,) = (built.root / "dist").glob("*.whl")
    other = make_checkout(tmp_path / "a" / "longer path", make_environment(tmp_path / "env"))
    time.sleep(1.1)
    other.setup("bdist_wheel", env={"MAX_JOBS": "1"})
    (again,) = (other.root / "dist").glob("*.whl")
    assert again.name == wheel.name
    assert again.read_bytes() == wheel.read_bytes()


def test_name_and_version_follow_the_options(checkout: Checkout) -> None:
    options = {"TINY_PACKAGE_NAME": "tiny-nightly", "TINY_BUILD_VERSION": "3.0.0rc1"}
    checkout.setup("develop", env=options)
    listed = checkout.environment.run("-m", "pip", "list", "--editable", cwd=checkout.root.parent)
    assert "tiny-nightly" in listed
    assert "3.0.0rc1" in listed
    checkout.setup("bdist_wheel", env=options)
    checkout.setup("sdist", env=options)
    names = sorted(path.name for path in (checkout.root / "dist").iterdir())
    assert names[0].startswith("tiny_nightly-3.0.0rc1-cp")
    assert names[1] == "tiny_project-3.0.0rc1.tar.gz"
    assert "not a version" in checkout.setup(
        "bdist_wheel", env={"TINY_BUILD_VERSION": "three"}, code=2
    )


def test_wheel_carries_licence_and_bill_of_materials(built: Checkout) -> None:
    built.setup("bdist_wheel")
    (wheel,) = (built.root / "dist").glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        info = next(name.partition("/")[0] for name in names if ".dist-info/" in name)
        assert f"{info}/licenses/LICENSE" in names
        assert b'"bomFormat": "CycloneDX"' in archive.read(f"{info}/sboms/tiny-project.cdx.json")
        dates = {entry.date_time for entry in archive.infolist()}
    assert dates == {(1980, 1, 1, 0, 0, 0)}


def test_a_component_outside_the_package_becomes_a_requirement(checkout: Checkout) -> None:
    component = """[[packaging.component]]
name = "maths"
requirement = "maths>=2.0"
libraries = ["libmaths.so.*"]
when = "TINY_VERY_LOUD"
"""
    table = checkout.root / "build_config.toml"
    table.write_text(f"{table.read_text()}\n{component}")
    checkout.edit(
        "pyproject.toml", 'dynamic = ["version"]', 'dynamic = ["version", "dependencies"]'
    )
    for loud, required in (("0", []), ("1", ["maths>=2.0"])):
        checkout.setup("bdist_wheel", env={"TINY_VERY_LOUD": loud})
        (wheel,) = (checkout.root / "dist").glob("*.whl")
        with zipfile.ZipFile(wheel) as archive:
            name = next(name for name in archive.namelist() if name.endswith("/METADATA"))
            metadata = email.message_from_bytes(archive.read(name))
        assert metadata.get_all("Requires-Dist", []) == required


def test_a_licence_that_no_index_accepts_is_refused_before_the_build(checkout: Checkout) -> None:
    component = '[[packaging.component]]\nname = "maths"\nlicense = "MIT AND Aparche-2.0"\n'
    table = checkout.root / "build_config.toml"
    table.write_text(f"{table.read_text()}\n{component}")
    output = checkout.setup("bdist_wheel", code=2)
    assert "build_config.toml: the licence of component 'maths' is 'MIT AND Aparche-2.0'" in output
    assert "unknown license: 'aparche-2.0'" in output and "Traceback" not in output
    assert not (checkout.root / "build/build.ninja").exists()


def test_an_index_of_packages_that_is_down_is_named(checkout: Checkout) -> None:
    checkout.edit("pyproject.toml", '"pyyaml"', '"pyyaml", "not-there>=2"')
    down = {
        "PIP_NO_INDEX": "0",
        "PIP_INDEX_URL": "http://127.0.0.1:9/simple",
        "PIP_RETRIES": "0",
        "PIP_CONFIG_FILE": "/dev/null",
    }
    output = checkout.setup("develop", env=down, code=3)
    assert "error: pip could not install the build requirements" in output
    assert "hint: check that the package index can be reached; PIP_INDEX_URL names" in output
    assert "Traceback" not in output and not (checkout.root / "build").exists()


def test_file_off_the_allow_list_is_refused(checkout: Checkout) -> None:
    checkout.edit("build_config.toml", 'patterns = ["*.py"]', 'patterns = ["*"]')
    (checkout.root / "tiny" / "secret.key").write_text("no\n")
    output = checkout.setup("bdist_wheel", code=1)
    assert "tiny/secret.key" in output
    assert not (checkout.root / "dist").exists()


def test_pip_installs_from_the_checkout(checkout: Checkout) -> None:
    arguments = ["-m", "pip", "install", "--no-build-isolation"]
    checkout.environment.run(
        *arguments, "--config-settings", "TINY_LOUD=OFF", ".", cwd=checkout.root
    )
    assert checkout.words() == ["hello", "world"]
    installed = checkout.environment.site_packages / "tiny" / "__init__.py"
    assert installed.is_file()


def test_pip_installs_editable_and_develop_has_nothing_to_register(checkout: Checkout) -> None:
    arguments = ["-m", "pip", "install", "--no-build-isolation", "-e", "."]
    checkout.environment.run(*arguments, cwd=checkout.root)
    assert checkout.words() == ["HELLO", "WORLD"]
    marker = next(checkout.environment.site_packages.glob("*.dist-info/editable.json"))
    before = marker.stat().st_mtime_ns
    checkout.setup("develop")
    assert marker.stat().st_mtime_ns == before


def test_pip_reports_an_unknown_setting(checkout: Checkout) -> None:
    arguments = [
        "-m",
        "pip",
        "install",
        "--no-build-isolation",
        "--config-settings",
        "TINY_LODU=1",
        ".",
    ]
    output = checkout.environment.run(*arguments, cwd=checkout.root, code=1)
    assert "TINY_LOUD" in output
    assert "Traceback" not in output


def test_the_last_of_two_settings_wins_in_pip_and_setup_py(checkout: Checkout) -> None:
    twice = ["--config-settings", "TINY_LOUD=ON", "--config-settings", "TINY_LOUD=OFF"]
    arguments = ["-m", "pip", "install", "--no-build-isolation", *twice, "."]
    checkout.environment.run(*arguments, cwd=checkout.root)
    assert checkout.words() == ["hello", "world"]


def test_the_build_program_makes_both_archives(checkout: Checkout) -> None:
    checkout.environment.run("-m", "build", "--no-isolation", cwd=checkout.root)
    made = sorted(path.name for path in (checkout.root / "dist").iterdir())
    assert [name.rpartition(".")[2] for name in made] == ["whl", "gz"]


def test_another_owner_of_the_package_is_not_overwritten(checkout: Checkout) -> None:
    site = checkout.environment.site_packages
    (site / "tiny").mkdir()
    (site / "tiny" / "__init__.py").write_text("")
    info = site / "tiny_other-3.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: tiny-other\nVersion: 3.0\n")
    (info / "RECORD").write_text("tiny/__init__.py,,\n")
    assert "tiny-other 3.0" in checkout.setup("develop", code=3)
    command = ["-m", "pip", "install", "--no-build-isolation", "-e", "."]
    assert "tiny-other 3.0" in checkout.environment.run(*command, cwd=checkout.root, code=1)
    assert (site / "tiny" / "__init__.py").read_text() == ""
