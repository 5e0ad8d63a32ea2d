"""The library with each choice of BLAS. Only one file is compiled again for another choice.

The choices are built in this checkout, because a copy of it would be compiled from scratch without a
compiler cache. The last step builds the checkout as it was.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tools.base.programs import Programs
from tools.setup_helpers.probes import ProbeContext, run_probe

from .fixture_project import ROOT, Project, make_environment

pytestmark = [pytest.mark.slow, pytest.mark.alone, pytest.mark.timeout(1800)]

# Matrix products of all dtypes, layouts and sizes, and what is built on them. Linear algebra and
# linear systems need LAPACK, which ATLAS's libcblas and the built-in kernels do not have.
PRODUCTS = (
    "(matmul or mm or bmm or mv or dot or addmm or addmv or baddbmm or einsum or linear or conv)"
    " and not linear_algebra and not linear_systems"
)
ATLAS = "-DBLA_VENDOR=ATLAS"


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Project]:
    """This checkout, built for an environment of its own, since MKL is installed into it."""
    if not (ROOT / "build" / "build.ninja").exists():
        pytest.skip("build the library first: python setup.py develop")
    project = Project(ROOT, make_environment(tmp_path_factory.mktemp("blas") / "environment"))
    project.run("develop")
    yield project
    Project(ROOT, Path(sys.executable)).run("develop")


def compiled(project: Project, **options: str) -> set[str]:
    """Build with these options, and return the objects that were made."""
    objects = {path: path.stat().st_mtime_ns for path in (project.root / "build").rglob("*.o")}
    project.run("develop", **options)
    return {
        path.name
        for path in (project.root / "build").rglob("*.o")
        if objects.get(path) != path.stat().st_mtime_ns
    } - {"empty.c.o"}  # of the library that exists to load BLAS


def show(project: Project, expression: str) -> str:
    script = f"import torch; print({expression})"
    return project.call([str(project.python), "-c", script]).stdout


def passes_products(project: Project, *, compare: bool = True) -> None:
    """Run the tests of matrix products with the library of this checkout."""
    command = [str(project.python), "-m", "pytest", "-q", "-k", PRODUCTS, "tests/runtime"]
    environ = {} if compare else {"TORCH_PEER": ""}
    result = project.call(command, check=False, **environ)
    assert result.returncode == 0, result.stdout[-3000:]


def require(probe: str, *arguments: str, install: str) -> None:
    """Skip the test if what it needs is not installed."""
    context = ProbeContext(ROOT, Programs(dict(os.environ)), sys.executable, {})
    if not run_probe(probe, context, arguments).found:
        pytest.skip(f"needs {install}")


def test_openblas_is_the_default(checkout: Project) -> None:
    assert "BLAS: OpenBLAS 0." in show(checkout, "torch.__config__.show()")
    assert show(checkout, "torch._C.has_mkl, torch._C.has_lapack") == "False True\n"


def test_any_cblas_of_the_system(checkout: Project) -> None:
    require("header", "cblas.h", "openblas", "atlas", install="apt-get install libopenblas-dev")
    assert compiled(checkout, BLAS="Generic") <= {"Generic.cpp.o"}
    assert "BLAS: CBLAS of /" in show(checkout, "torch.__config__.show()")
    assert show(checkout, "torch._C.has_mkl") == "False\n"
    libraries = subprocess.run(
        ["ldd", checkout.root / "torch/lib/libtorch_cpu.so"], capture_output=True, text=True
    ).stdout
    assert "scipy_openblas" not in libraries
    assert not list((checkout.root / "torch/lib").glob("libscipy_openblas*"))
    passes_products(checkout)


@pytest.mark.skipif(
    not list(Path("/usr/lib").glob("*/atlas")), reason="apt-get install libatlas-base-dev"
)
def test_atlas(checkout: Project) -> None:
    compiled(checkout, BLAS="Generic", CMAKE_ARGS=ATLAS)
    assert "libcblas.so" in show(checkout, "torch.__config__.show()")
    # It rounds complex products twice as much as PyTorch's library does.
    passes_products(checkout, compare=False)


def test_built_in_products(checkout: Project) -> None:
    assert compiled(checkout, BLAS="Builtin") <= {"Builtin.cpp.o"}
    assert "BLAS: built-in kernels" in show(checkout, "torch.__config__.show()")
    assert show(checkout, "torch._C.has_mkl, torch._C.has_lapack") == "False False\n"
    assert not list((checkout.root / "torch/lib").glob("libscipy_openblas*"))
    passes_products(checkout)


@pytest.mark.network
def test_mkl(checkout: Project) -> None:
    """`develop` installs mkl-devel, and `import torch` finds the library in that distribution."""
    assert compiled(checkout, BLAS="MKL") <= {"MKL.cpp.o"}
    assert "BLAS: MKL 20" in show(checkout, "torch.__config__.show()")
    assert show(checkout, "torch._C.has_mkl, torch._C.has_lapack") == "True True\n"
    passes_products(checkout)
