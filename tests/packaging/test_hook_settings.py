"""Settings of the hooks that scikit-build-core's users know, and what they mean here."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from checkout import ROOT, Checkout, Environment

sys.path.insert(0, str(ROOT))

from tools.base.errors import BuildError
from tools.setup_helpers.env.config_settings import read_settings
from tools.setup_helpers.table.config_reader import load

INSTALL = ("-m", "pip", "install", "--no-build-isolation", "--no-deps")


def pairs(settings: dict[str, object], state: str = "wheel") -> dict[str, str]:
    return dict(read_settings(load(ROOT), settings, state).pairs)


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"DEBUG": "1"}, {"DEBUG": "1"}),
        ({"DEBUG": ["1", "0"]}, {"DEBUG": "0"}),
        ({"cmake.define.BLAS": "MKL"}, {"BLAS": "MKL"}),
        ({"skbuild.cmake.define.BLAS": "MKL"}, {"BLAS": "MKL"}),
        ({"cmake.define.FOO": "a b"}, {"CMAKE_ARGS": "'-DFOO=a b'"}),
        ({"cmake.args": "-DA=1;-DB=2"}, {"CMAKE_ARGS": "-DA=1 -DB=2"}),
        ({"cmake.args": ["-DA=1", "--trace"]}, {"CMAKE_ARGS": "-DA=1 --trace"}),
        ({"CMAKE_ARGS": "-DA=1", "cmake.args": "-DB=2"}, {"CMAKE_ARGS": "-DA=1 -DB=2"}),
        ({"cmake.build-type": "Debug"}, {"DEBUG": "ON", "REL_WITH_DEB_INFO": "OFF"}),
        ({"cmake.build-type": "Release"}, {"DEBUG": "OFF", "REL_WITH_DEB_INFO": "OFF"}),
        ({"build.verbose": "true"}, {"VERBOSE": "true"}),
        ({"build-dir": "out/{state}-{build_type}"}, {"BUILD_DIR": "out/wheel-Release"}),
        (
            {"build-dir": "b/{cache_tag}"},
            {"BUILD_DIR": f"b/{sys.implementation.cache_tag}"},
        ),
        ({"editable.rebuild": "true"}, {}),
    ],
)
def test_a_setting_becomes_options(
    settings: dict[str, object], expected: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CMAKE_ARGS", raising=False)
    assert pairs(settings) == expected


def test_arguments_for_cmake_are_added_to_those_of_the_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("CMAKE_ARGS", "-DA=1")
    assert pairs({"cmake.args": "-DB=2"}) == {"CMAKE_ARGS": "-DA=1 -DB=2"}


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"cmake.arg": "-DA=1"}, "unknown setting cmake.arg; did you mean 'cmake.args'?"),
        ({"cmake.defines.BLAS": "MKL"}, "did you mean 'cmake.define.BLAS'?"),
        ({"cmake.define.": "MKL"}, "cmake.define.=MKL has no name"),
        ({"cmake.build-type": "Fast"}, "cmake.build-type=Fast is not supported"),
        ({"build-dir": "b/{tag}"}, "build-dir=b/{tag} is not a template"),
        ({"editable.rebuild": "perhaps"}, "editable.rebuild=perhaps is not a boolean"),
    ],
)
def test_a_mistake_in_a_setting_is_named(settings: dict[str, object], message: str) -> None:
    with pytest.raises(BuildError) as error:
        pairs(settings)
    assert message in str(error.value) and error.value.exit_code == 2


def test_pip_builds_in_the_directory_of_the_template(checkout: Checkout) -> None:
    settings = ["-C", "build-dir=out/{wheel_tag}", "-C", "cmake.define.TINY_LOUD=OFF"]
    checkout.environment.run(*INSTALL, *settings, ".", cwd=checkout.root)
    assert checkout.words(where=checkout.environment.folder) == ["hello", "world"]
    version = f"cp{sys.version_info[0]}{sys.version_info[1]}"
    assert list((checkout.root / "out").glob(f"{version}-{version}-linux_*/build.ninja"))


def test_without_isolation_missing_build_requirements_are_named(checkout: Checkout) -> None:
    """A new environment of Python 3.11 has setuptools 65, which cannot read our pyproject.toml."""
    (checkout.environment.site_packages / "setuptools-65.5.0.dist-info").mkdir()
    checkout.edit("pyproject.toml", '"pyyaml"', '"pyyaml", "not-there>=2"')
    for arguments in (["."], ["-e", "."]):
        output = checkout.environment.run(*INSTALL, *arguments, cwd=checkout.root, code=1)
        unmet = "setuptools>=77 (65.5.0 is installed), not-there>=2"
        assert f"error: build requirements are missing: {unmet}" in output
        assert "hint: python -m pip install 'setuptools>=77' 'not-there>=2'" in output
        assert "Traceback" not in output
    assert not (checkout.root / "build").exists()


def test_an_editable_install_can_rebuild_at_import(checkout: Checkout) -> None:
    mark = checkout.root / ".staged/rebuild_at_import"
    settings = ["-C", "editable.rebuild=true"]
    checkout.environment.run(*INSTALL, *settings, "-e", ".", cwd=checkout.root)
    assert mark.exists()
    checkout.edit("words.yaml", "- world", "- world\n- again")
    rebuild = ("-m", "tools.setup_helpers.package.rebuild")
    assert checkout.environment.run(*rebuild, cwd=checkout.root) == ""
    assert checkout.words() == ["HELLO", "WORLD", "AGAIN"]
    checkout.edit("src/greet.c", "int tiny_count(void) {", "int tiny_count(void) { nonsense")
    output = checkout.environment.run(*rebuild, cwd=checkout.root, code=1)
    assert "could not be rebuilt" in output and "nonsense" in output
    checkout.setup("clean")
    assert not mark.parent.exists()


def test_without_a_build_the_rebuild_says_what_to_do(checkout: Checkout) -> None:
    rebuild = ("-m", "tools.setup_helpers.package.rebuild")
    output = checkout.environment.run(*rebuild, cwd=checkout.root, code=3)
    assert "nothing is built" in output and "python setup.py develop" in output


def test_torch_rebuilds_itself_only_when_asked(tmp_path: Path) -> None:
    if not (ROOT / "torch/lib/VERSION").exists():
        pytest.skip("nothing is built: python setup.py develop")
    package = tmp_path / "torch"
    package.mkdir()
    for path in (ROOT / "torch").iterdir():
        if path.name not in ("__init__.py", "_rebuild.py", "__pycache__"):
            (package / path.name).symlink_to(path)
    for name in ("__init__.py", "_rebuild.py"):
        (package / name).write_bytes((ROOT / "torch" / name).read_bytes())
    for name in ("build_config.toml", "setup.py", "tools/setup_helpers/package/rebuild.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("raise SystemExit('asked')")
    for folder in ("tools", "tools/setup_helpers", "tools/setup_helpers/package"):
        (tmp_path / folder / "__init__.py").touch()
    for variable, code, output in (("1", 1, "ImportError: asked"), ("0", 0, "")):
        checkout = Checkout(tmp_path, environment_of_this_python())
        out = checkout.environment.run(
            "-c",
            "import torch",
            cwd=tmp_path,
            env={"PYTHONPATH": str(tmp_path), "TORCHSMITH_EDITABLE_REBUILD": variable},
            code=code,
        )
        assert output in out


def environment_of_this_python() -> Environment:
    return Environment(Path(sys.prefix))


def test_uninstall_removes_the_editable_install_and_keeps_the_build(checkout: Checkout) -> None:
    checkout.setup("develop")
    assert "removed tiny-project 0.1.0" in checkout.setup("develop", "--uninstall")
    assert not list(checkout.environment.site_packages.glob("*tiny*"))
    assert list((checkout.root / "tiny").glob("_C.*.so"))
    output = checkout.setup("develop", "--uninstall", code=3)
    assert "tiny-project of this checkout is not installed" in output
    checkout.setup("develop")
    assert checkout.words() == ["HELLO", "WORLD"]
