"""Reading build_config.toml, and the messages for mistakes in it."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tools.base.errors import BuildError
from tools.setup_helpers.table.config import Config
from tools.setup_helpers.table.config_reader import load, parse_config
from tools.setup_helpers.table.targets import Wheel

ROOT = Path(__file__).resolve().parents[2]
Read = Callable[[str], Config]

HEAD = """\
[project]
distribution = "p"
package = "p"
version_file = "version.txt"
"""


def mistakes(text: str) -> list[str]:
    with pytest.raises(BuildError) as error:
        parse_config(HEAD + text, Path("/nowhere"))
    assert error.value.exit_code == 2
    return (error.value.cause or error.value.message).splitlines()


def test_the_table_of_this_project_is_valid() -> None:
    config = load(ROOT)
    assert config.project.package == "torch"
    assert {"aten", "python"} <= {s.name for s in config.stages}
    assert config.option("USE_CUDA").aliases == ("USE_GPU",)


def test_every_documented_flag_has_a_row() -> None:
    names = {o.name for o in load(ROOT).options}
    expected = [
        "DEBUG",
        "REL_WITH_DEB_INFO",
        "MAX_JOBS",
        "CMAKE_BUILD_PARALLEL_LEVEL",
        "USE_CUDA",
        "TORCH_CUDA_ARCH_LIST",
        "ONNX_NAMESPACE",
        "BLAS",
        "CC",
        "CXX",
        "CFLAGS",
        "CXXFLAGS",
        "LDFLAGS",
        "CMAKE_ARGS",
        "CUDA_HOME",
        "CUDACXX",
        "SELECTED_OP_LIST",
        "CMAKE_FRESH",
        "CMAKE_ONLY",
        "VERBOSE",
        "BUILD_LIBTORCH_WHL",
        "BUILD_PYTHON_ONLY",
        "TORCH_PACKAGE_NAME",
        "PYTORCH_BUILD_VERSION",
        "PYTORCH_BUILD_NUMBER",
        "SOURCE_DATE_EPOCH",
        "BUILD_PYTHON",
        "BUILD_SHARED_LIBS",
        "BUILD_TEST",
        "BUILD_BINARY",
        "BUILD_CAFFE2",
        "BUILD_CAFFE2_OPS",
        "USE_CUDNN",
        "USE_CUBLAS",
        "USE_CUSOLVER",
        "USE_NVRTC",
        "USE_NCCL",
        "USE_TENSORRT",
        "USE_ROCM",
        "USE_OPENMP",
        "ATEN_THREADING",
        "USE_MKLDNN",
        "USE_DISTRIBUTED",
        "USE_GLOO",
        "USE_MPI",
        "USE_SYSTEM_ONNX",
        "USE_NUMPY",
        "BUILD_DIR",
    ]
    assert set(expected) <= names


def test_a_syntax_error_is_reported_alone_with_its_position() -> None:
    with pytest.raises(BuildError) as error:
        parse_config(HEAD + 'a = [1,\nb = "x\n[bad', Path())
    assert error.value.message.startswith("build_config.toml:6:")
    assert error.value.exit_code == 2


@pytest.mark.parametrize(
    "text", ["[options\n", "\x00", "a = 1\na = 2\n", "=", "[[x]]\n[x]\n", "a" * 5000]
)
def test_hostile_text_is_an_error_not_a_crash(text: str) -> None:
    with pytest.raises(BuildError):
        parse_config(HEAD + text, Path())


def test_deep_nesting_is_an_error_not_a_crash() -> None:
    with pytest.raises(BuildError):
        parse_config(HEAD + "a = " + "[" * 20_000, Path())


def test_all_mistakes_are_reported_with_line_and_column() -> None:
    found = mistakes(
        """\
[options.USE_A]
help = "A"
defualt = "ON"
[options.USE_B]
help = 3
requires = "USE_AA and"
[[stage]]
name = "s"
entry = "module"
inputs = []
directory = "d"
[stagee]
"""
    )
    assert found == [
        "build_config.toml:7:1: unknown key 'defualt'; did you mean 'default'?",
        "build_config.toml:9:8: help must be a string, not an integer",
        "build_config.toml:10:23: expected a name, found the end",
        "build_config.toml:13:9: entry must be 'module:function', not 'module'",
        "build_config.toml:16:1: unknown section 'stagee'; did you mean 'stage'?",
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[options.A]\nhelp=""\ntype="bol"', "unknown type 'bol'; did you mean 'bool'?"),
        ('[options.A]\nhelp=""\ndefault="1"', "default of A must be ON or OFF, not '1'"),
        ('[options.A]\nhelp=""\ntype="auto"', "A is auto, so it needs a probe"),
        (
            '[options.A]\nhelp=""\ntype="choice"\nchoices=["x"]\ndefault="y"',
            "default 'y' is not one of",
        ),
        (
            '[options.A]\nhelp=""\nprobe="compilr"',
            "unknown probe 'compilr'; did you mean 'compiler'?",
        ),
        (
            '[options.USE_A]\nhelp=""\n[options.B]\nhelp=""\nrequires="USE_AB"',
            "unknown name 'USE_AB'; did you mean 'USE_A'?",
        ),
        ('[options.A]\nhelp=""\naliases=["B"]\n[options.B]\nhelp=""', "'B' is already in use"),
        (
            '[options.A]\nhelp=""\nstatus="planed"',
            "unknown status 'planed'; did you mean 'planned'?",
        ),
        ('[options.A]\nhelp=""\nrole="jbs"', "unknown role 'jbs'"),
        ('[[library]]\nname="a"\n[[library]]\nname="a"', "library 'a' is declared twice"),
        ('[[library]]\nname="a"\nresource="heavy"', "unknown resource 'heavy'"),
        (
            '[[program]]\nname="a"\nsources=["a.c"]\ndestination="d"\nresource="lihgt"\n'
            '[[resource]]\nname="light"\nmemory_mb=1',
            "unknown resource 'lihgt'; did you mean 'light'?",
        ),
        ('[[program]]\nname="a"\ndestination="d"', "missing key 'sources'"),
        ('[[library]]\nname="a"\nwheel="pythn"', "unknown wheel 'pythn'; did you mean 'python'?"),
        (
            '[[program]]\nname="a"\nsources=[]\ndestination="d"\nwhen="USE_A"',
            "unknown name 'USE_A'",
        ),
        (
            '[[stage]]\nname="a"\nentry="a:b"\ninputs=[]\ndirectory="d"\nafter=["b"]',
            "no earlier stage 'b'",
        ),
        (
            '[[stage]]\nname="a"\nentry="a:b"\ninputs=[]\ndirectory="d"\noptions=["B"]',
            "unknown option 'B'",
        ),
        ('[[stage]]\nname="a"\nentry="a:b"\ndirectory="d"', "missing key 'inputs'"),
        ("[library]\nname='a'", "library must be written [[library]]"),
        ("options = 3", "options must be tables"),
        ('[[check]]\nname="c"\nprobe="nothing"', "unknown probe 'nothing'"),
        ('[[check]]\nname="c"\nprobe="compiler"\nconsequence=""', "missing key 'remedy'"),
        ('[[check]]\nname="c"\nprobe="compiler"\nweight="light"', "weight"),
        ('[[variable]]\nname="V"\nconsequence=""\nwhen="USE_X"', "unknown name 'USE_X'"),
        ("[packaging]\nallow = [1]", "allow must be a list of strings"),
        ("[packaging]\ncompressed_budget_mb = true", "must be a number, not a boolean"),
        ('[[packaging.files]]\nroot="a"\nto="b"', "missing key 'patterns'"),
        (
            '[[packaging.files]]\nroot="a"\npatterns=[]\nto="b"\nwhen="USE_X"',
            "unknown name 'USE_X'",
        ),
        ('[[packaging.files]]\nroot="/a"\npatterns=[]\nto="b"', "root must stay below"),
        ('[[packaging.files]]\nroot="a"\npatterns=[]\nto="b/../../c"', "to must stay below"),
        ('[[library]]\nname="a"\ndestination="../b"', "destination must stay below"),
        ('[[program]]\nname="a"\nsources=[]\ndestination="/b"', "destination must stay below"),
        (
            '[[stage]]\nname="a"\nentry="a:b"\ninputs=[]\ndirectory="../d"',
            "directory must stay below",
        ),
        ('[packaging.exported_symbols]\n"x" = "y"', "x must be a list of strings, not a string"),
    ],
)
def test_each_mistake_has_its_message(text: str, message: str) -> None:
    _head, text = (
        ("", HEAD + text) if not text.startswith("options =") else ("", text + "\n" + HEAD)
    )
    with pytest.raises(BuildError) as error:
        parse_config(text, Path())
    assert any(message in line for line in error.value.cause.splitlines()), error.value.cause


def test_a_missing_project_is_reported() -> None:
    with pytest.raises(BuildError) as error:
        parse_config("", Path())
    assert "missing key 'distribution'" in error.value.cause


def test_a_missing_file_is_reported(tmp_path: Path) -> None:
    with pytest.raises(BuildError, match="does not exist"):
        load(tmp_path)


def test_positions_survive_multi_line_values_and_quotes() -> None:
    found = mistakes(
        '[[stage]]\nname = "a"\ninputs = [\n  "x = [", # ]\n  """\n[not.a.header]\n""",\n]\n'
        'entry = "a:b"\ndirectory = "d"\nwrong = 1\n'
    )
    assert found == ["build_config.toml:15:1: unknown key 'wrong'"]


def test_generated_dirs_lists_every_stage() -> None:
    lines = (ROOT / "generated_dirs.txt").read_text().splitlines()
    listed = [line.partition("#")[0].strip() for line in lines if not line.startswith("#")]
    assert all(line.startswith("build/") for line in listed)
    for stage in load(ROOT).stages:
        assert any(f"build/{stage.directory}/".startswith(folder) for folder in listed), stage.name


def test_what_links_python_belongs_to_the_python_wheel() -> None:
    config = parse_config(
        HEAD
        + """
[[library]]
name = "core"
links = ["Threads::Threads"]
[[library]]
name = "bindings"
links = ["core"]
private_links = ["Python::Module"]
[[library]]
name = "above"
[[library.group]]
name = "some"
sources = ["some.cpp"]
links = ["bindings"]
[[library]]
name = "chosen"
links = ["bindings"]
wheel = "library"
[[library]]
name = "per_python"
per_python = true
[[extension]]
name = "p._dl"
sources = ["dl.c"]
[[program]]
name = "embedder"
sources = ["main.cpp"]
links = ["bindings"]
destination = "p/bin"
[[program]]
name = "tool"
sources = ["tool.cpp"]
links = ["core"]
destination = "p/bin"
""",
        Path("/nowhere"),
    )
    python = [name for name, wheel in config.wheels.items() if wheel is Wheel.PYTHON]
    assert sorted(python) == ["_dl", "above", "bindings", "embedder", "per_python"]
    library = [name for name, wheel in config.wheels.items() if wheel is Wheel.LIBRARY]
    assert sorted(library) == ["chosen", "core", "tool"]


def test_the_bindings_alone_belong_to_the_python_wheel() -> None:
    wheels = load(ROOT).wheels
    python = {name for name, wheel in wheels.items() if wheel is Wheel.PYTHON}
    extensions = {
        "_C",
        "_dl",
        "_C_flatbuffer",
        "caffe2_pybind11_state",
        "caffe2_pybind11_state_gpu",
    }
    assert python == {"torch_python", *extensions}


def test_files_of_cmake_name_no_part_that_an_option_adds() -> None:
    config = load(ROOT)
    text = "".join((ROOT / f).read_text() for f in ("CMakeLists.txt", "cmake/Dependencies.cmake"))
    parts = {x.name for x in config.options if x.group == "parts"} - {"BUILD_PYTHON"}
    parts |= {module.name for module in config.cmake_modules}
    assert {part for part in parts if re.search(rf"\b{part}\b", text)} == set()
    for module in config.cmake_modules:
        assert (ROOT / f"cmake/Modules/{module.name}.cmake").is_file()
