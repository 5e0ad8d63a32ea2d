"""CUDA toolkits that do not fit the architecture, the host compiler or the driver."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

from ..conditions import in_private_mounts
from .conftest import Doctor

Wrapper = Callable[..., str]
RELEASE = 'echo "Cuda compilation tools, release {}, V{}.1"; exit'


def nvcc(wrapper: Wrapper, release: str = "11.0", more: str = "") -> str:
    """Create an nvcc that answers like this release; `more` are further shell cases."""
    return wrapper(
        "nvcc",
        f"case $1 in --version) {RELEASE.format(release, release)};;\n"
        "--list-gpu-arch) printf 'compute_35\\ncompute_75\\ncompute_80\\n'; exit;;\n"
        f"esac\n{more}",
    )


def test_without_nvcc_the_checks_are_skipped(doctor: Doctor, programs: Path) -> None:
    (programs / "nvcc").unlink(missing_ok=True)
    script = """
        if [ -d /usr/local/cuda ]; then mount -t tmpfs tmpfs /usr/local/cuda; fi
        PATH=$PROGRAMS "$PYTHON" setup.py doctor cuda-architectures cuda-host-compiler cuda-driver
    """
    environ = {"PYTHON": str(doctor.project.python), "PROGRAMS": str(programs)}
    output = in_private_mounts(doctor.project, script, **environ).stdout
    assert output.count("there is no nvcc") == 3


def test_an_nvcc_older_than_the_architecture(doctor: Doctor, wrapper: Wrapper) -> None:
    old = nvcc(wrapper)
    finding = doctor.finding("cuda-architectures", CUDACXX=old, TORCH_CUDA_ARCH_LIST="8.0;9.0+PTX")
    assert finding["status"] == "warning"
    expected = "nvcc 11.0 does not support 9.0 (TORCH_CUDA_ARCH_LIST); its newest is 8.0"
    assert finding["finding"] == expected
    assert "unsupported gpu architecture" in finding["consequence"]
    finding = doctor.finding("cuda-architectures", CUDACXX=old, TORCH_CUDA_ARCH_LIST="7.5 8.0")
    assert finding["status"] == "ok"


def test_an_nvcc_older_than_the_gpu_of_the_machine(doctor: Doctor, wrapper: Wrapper) -> None:
    old = Path(nvcc(wrapper))
    wrapper("nvidia-smi", "echo 9.0; echo 9.0")
    command = [str(doctor.project.python), "setup.py", "doctor", "cuda-architectures"]
    output = doctor.project.call(command, PATH=f"{old.parent}:{os.environ['PATH']}").stdout
    assert "nvcc 11.0 does not support 9.0 (the GPU of this machine); its newest is 8.0" in output


def test_a_host_compiler_that_nvcc_refuses(doctor: Doctor, wrapper: Wrapper) -> None:
    old = nvcc(
        wrapper,
        more='echo "host_config.h:139:2: error: #error -- unsupported GNU version! gcc versions'
        ' later than 9 are not supported!" >&2; exit 1',
    )
    finding = doctor.finding("cuda-host-compiler", CUDACXX=old)
    assert finding["status"] == "warning"
    assert "unsupported GNU version! gcc versions later than 9" in finding["finding"]
    assert finding["remedy"].startswith("set CXX to a compiler that this toolkit supports")
    broken = nvcc(wrapper, more='echo "nvcc fatal : Could not open output file" >&2; exit 1')
    finding = doctor.finding("cuda-host-compiler", CUDACXX=broken)
    assert finding["status"] == "skipped"  # the message is not about the host compiler
    assert finding["finding"].endswith("cannot be tested: nvcc fatal : Could not open output file")
    picky = nvcc(wrapper, more='test "$2" = g++')
    finding = doctor.finding("cuda-host-compiler", CUDACXX=picky, CXX="ccache g++")
    assert finding["status"] == "ok"
    newer = nvcc(wrapper, "12.4", more="exit 0")
    assert doctor.finding("cuda-host-compiler", CUDACXX=newer)["status"] == "ok"


def test_a_driver_older_than_the_toolkit(doctor: Doctor, wrapper: Wrapper, tmp_path: Path) -> None:
    source = "int cuDriverGetVersion(int* version) { *version = 11040; return 0; }"
    library = tmp_path / "driver/libcuda.so.1"
    library.parent.mkdir()
    command = ["gcc", "-shared", "-fPIC", "-x", "c", "-", "-o", str(library)]
    subprocess.run(command, input=source, text=True, check=True)
    folder = str(library.parent)
    newer = nvcc(wrapper, "12.1")
    finding = doctor.finding("cuda-driver", CUDACXX=newer, LD_LIBRARY_PATH=folder)
    assert finding["status"] == "warning"
    assert finding["finding"] == "the driver supports CUDA 11.4, the toolkit is 12.1"
    assert "driver version is insufficient" in finding["consequence"]
    same = nvcc(wrapper, "11.8")  # any driver of the same major version works
    assert doctor.finding("cuda-driver", CUDACXX=same, LD_LIBRARY_PATH=folder)["status"] == "ok"
