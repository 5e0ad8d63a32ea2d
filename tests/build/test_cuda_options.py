"""USE_CUDA, its architectures and its libraries are found, refused or explained, with a made-up toolkit."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tools.base.programs import Programs
from tools.setup_helpers.cmake.options_script import library_lines, options_script
from tools.setup_helpers.cmake.toolchain import gpu_architectures, gpu_libraries
from tools.setup_helpers.env.options import OptionRequest, Origin
from tools.setup_helpers.env.resolver import Resolution, attempt
from tools.setup_helpers.probes import cuda
from tools.setup_helpers.table.architectures import cmake_architectures, parse_architectures
from tools.setup_helpers.table.config_reader import load

from .fixture_project import ROOT

NVCC = """#!/bin/sh
case $* in
  *--version*) echo 'Cuda compilation tools, release 13.0, V13.0.1' ;;
  *--dryrun*) echo "#$ TOP=$(dirname "$0")/.." >&2 ;;
esac
"""


@pytest.fixture
def toolkit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A toolkit with nvcc and nothing else, on a machine without a driver."""
    monkeypatch.setattr(cuda, "driver_release", lambda: "")
    nvcc = tmp_path / "toolkit/bin/nvcc"
    nvcc.parent.mkdir(parents=True)
    nvcc.write_text(NVCC)
    nvcc.chmod(0o755)
    return nvcc.parents[1]


def add_library(toolkit: Path, header: str, library: str) -> None:
    for path in (toolkit / "include" / header, toolkit / "lib64" / library):
        path.parent.mkdir(exist_ok=True)
        path.touch()


def resolved(toolkit: Path, **settings: str) -> Resolution:
    """Resolve the options of torch's own table."""
    settings = {
        "CUDA_HOME": str(toolkit),
        "USE_OPENMP": "0",
        "ATEN_THREADING": "NATIVE",
        **settings,
    }
    requests = [OptionRequest(*setting, Origin.ENVIRONMENT) for setting in settings.items()]
    programs = Programs({"PATH": "/usr/bin:/bin"})
    return attempt(load(ROOT), requests, programs, sys.executable)


def messages(resolution: Resolution) -> str:
    return "\n".join(
        f"{r.error.message}\n{r.error.cause}\n{r.error.hint}" for r in resolution.refusals
    )


@pytest.mark.parametrize(
    ("text", "parsed", "for_cmake"),
    [
        ("8.0;9.0;10.0+PTX", "8.0;9.0;10.0+PTX", "80-real;90-real;100-real;100-virtual"),
        ("9.0a, 7.5", "9.0a;7.5", "90a-real;75-real"),
        ("hopper", "9.0+PTX", "90-real;90-virtual"),
        ("Ampere 9.0", "8.0;8.6+PTX;9.0", "80-real;86-real;86-virtual;90-real"),
        ("All-Major", "all-major", "all-major"),
        ("native", "native", "native"),
    ],
)
def test_lists_of_architectures(text: str, parsed: str, for_cmake: str) -> None:
    assert parse_architectures(text) == parsed
    assert cmake_architectures(parsed) == for_cmake


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Hoper", "Hoper is no architecture; did you mean 'Hopper'?"),
        ("8.0;sm_90", "sm_90 is no architecture; did you mean 9.0?"),
        ("90a", "90a is no architecture; did you mean 9.0a?"),
        ("new", "new is no architecture; use versions such as 8.0;9.0+PTX"),
        ("all 9.0", "all stands for a whole list"),
    ],
)
def test_mistakes_in_lists_of_architectures(toolkit: Path, text: str, message: str) -> None:
    assert message in messages(resolved(toolkit, TORCH_CUDA_ARCH_LIST=text))


def test_auto_needs_a_driver_or_a_list(toolkit: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    alone = resolved(toolkit).options
    assert not alone["USE_CUDA"]
    reason = next(r.detail for r in alone.resolved if r.option.name == "USE_CUDA")
    assert "there is no driver, and TORCH_CUDA_ARCH_LIST is empty" in reason
    assert resolved(toolkit, TORCH_CUDA_ARCH_LIST="9.0").options["USE_CUDA"]
    assert resolved(toolkit, USE_CUDA="1").options["USE_CUDA"]
    assert not resolved(toolkit, TORCH_CUDA_ARCH_LIST="9.0", USE_CUDA="0").options["USE_CUDA"]
    monkeypatch.setattr(cuda, "driver_release", lambda: "13.0")
    assert resolved(toolkit).options["USE_CUDA"]


def test_the_emulated_device_excludes_the_real_one(toolkit: Path) -> None:
    both = resolved(toolkit, USE_CUDA="1", CUDA_EMULATION="1")
    assert "USE_CUDA=1 cannot be met: it needs not CUDA_EMULATION" in messages(both)
    assert not resolved(toolkit, TORCH_CUDA_ARCH_LIST="9.0", CUDA_EMULATION="1").options["USE_CUDA"]


def test_a_library_is_found_refused_or_left_out(
    toolkit: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cuda, "find_file", lambda *_: None)  # this environment may have the wheel
    missing = resolved(toolkit, USE_CUDA="1", USE_CUDNN="1")
    assert "USE_CUDNN=1 cannot be met: cudnn.h and libcudnn.so are not installed" in messages(
        missing
    )
    assert f"looked: {toolkit}" in messages(missing)
    assert "pip install nvidia-cudnn-cu13, or leave USE_CUDNN out" in messages(missing)
    assert "USE_CUDNN=1 cannot be met: it needs USE_CUDA" in messages(
        resolved(toolkit, USE_CUDNN="1")
    )
    assert not resolved(toolkit, USE_CUDA="1").options["USE_CUDNN"]
    add_library(toolkit, "cudnn.h", "libcudnn.so.9")
    assert resolved(toolkit, USE_CUDA="1").options["USE_CUDNN"]
    assert not resolved(toolkit, USE_CUDA="1", USE_CUDNN="0").options["USE_CUDNN"]


def test_cmake_gets_architectures_and_libraries(toolkit: Path) -> None:
    add_library(toolkit, "cublas_v2.h", "libcublas.so.13")
    config, programs = load(ROOT), Programs({"PATH": "/usr/bin:/bin"})
    options = resolved(toolkit, USE_CUDA="1", TORCH_CUDA_ARCH_LIST="8.0;9.0+PTX").options
    architectures = gpu_architectures(config, options, programs)
    script, _ = options_script(config, options, {}, {}, architectures)
    assert 'set(CMAKE_CUDA_ARCHITECTURES "80-real;90-real;90-virtual")' in script
    assert 'set(FILE_ARGUMENTS_cu\n  "-frandom-seed={source}"' in script
    lines = library_lines(gpu_libraries(config, options, programs))
    assert f'set(CUDA_LIBRARY_cublas "{toolkit}/lib64/libcublas.so.13")' in lines
    assert f'set(CUDA_HEADERS_cublas "{toolkit}/include")' in lines
    options = resolved(toolkit, USE_CUDA="1").options
    assert gpu_architectures(config, options, programs) == {"CUDA": "all-major"}
