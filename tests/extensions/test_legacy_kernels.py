"""The kernels of TH and THNN: their bindings, autograd functions and at::legacy::th."""

from __future__ import annotations

from pathlib import Path

import pytest
from extension_programs import run_program

torch = pytest.importorskip("torch", reason="the package is not built: python setup.py develop")

HERE = Path(__file__).resolve().parent / "legacy"
BUILT = hasattr(torch._C, "_THNN")


@pytest.mark.slow
@pytest.mark.skipif(not BUILT, reason="needs BUILD_LEGACY_NN=ON python setup.py develop")
def test_legacy_kernels_equal_the_operators_that_replaced_them(tmp_path: Path) -> None:
    result = run_program(HERE / "behaviour.py", tmp_path)
    assert result.returncode == 0, result.stderr


@pytest.mark.skipif(BUILT, reason="this build has the legacy kernels")
def test_without_the_kernels_the_error_names_the_option() -> None:
    from torch._thnn import type2backend

    with pytest.raises(RuntimeError, match="BUILD_LEGACY_NN=ON"):
        getattr(type2backend["torch.FloatTensor"], "Abs_updateOutput")  # noqa: B009
