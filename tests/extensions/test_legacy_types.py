"""The Type families: tensor.type() in C++, and operators of an extension's back end."""

from __future__ import annotations

from pathlib import Path

import pytest
from extension_programs import run_program

torch = pytest.importorskip("torch", reason="the package is not built: python setup.py develop")

HERE = Path(__file__).resolve().parent / "legacy_types"
BUILT = Path(torch.__file__).with_name("lib").joinpath("libtorch_legacy_types.so").exists()


@pytest.mark.slow
@pytest.mark.skipif(not BUILT, reason="needs BUILD_LEGACY_TYPES=ON python setup.py develop")
def test_types_dispatch_to_kernels_and_to_an_extension(tmp_path: Path) -> None:
    result = run_program(HERE / "behaviour.py", tmp_path)
    assert result.returncode == 0, result.stderr


@pytest.mark.skipif(BUILT, reason="this build has the types")
def test_without_the_types_tensors_have_no_method_for_them() -> None:
    methods = Path(torch.__file__).with_name("include") / "ATen/core/TensorMethods.inc"
    assert "dispatch_type" not in methods.read_text()
