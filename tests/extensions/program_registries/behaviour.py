"""What generated programs do in C++ and in TorchScript. Run by test_generated_programs.py.

python behaviour.py BUILD_FOLDER
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import torch
from torch._decomp.programs import OPERATORS
from torch.jit._shape_functions import shape_compute_graph_mapping
from torch.jit._torchscript._program import Program
from torch.utils import cpp_extension

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]


def load(folder: Path) -> None:
    """Generate the files, compile them and load the library."""
    made = folder / "generated"
    for generator in ("gen_jit_shape_functions", "gen_jit_decompositions"):
        command = [sys.executable, "-m", f"tools.jit.{generator}", "-d", str(made)]
        subprocess.run(command, cwd=ROOT, check=True)
    # The library has these only if it was built with BUILD_SHAPE_FUNCTIONS and BUILD_DECOMPOSITIONS.
    cpp_extension.load(
        "program_registries_test",
        [str(HERE / "calls.cpp"), *map(str, made.glob("*.cpp"))],
        extra_include_paths=[str(ROOT)],
        is_python_module=False,
        build_directory=str(folder),
    )


def check_shape_functions() -> None:
    calls = torch.ops.program_registries_test
    module = "__torch__.torch.jit._shape_programs"
    program = Program({f"{module.replace('.', '/')}.py": calls.shapes_text()}, (), 3)
    assert calls.shapes_count() == len(shape_compute_graph_mapping)
    for schema in shape_compute_graph_mapping:
        assert callable(program.resolve(f"{module}.{calls.shapes_of(schema)}"))
    name = calls.shapes_of(str(torch.ops.aten.matmul.default._schema))
    product = program.resolve(f"{module}.{name}")
    x, y = torch.empty(5, 1, 2, 3), torch.empty(4, 3, 6)
    assert product(list(x.shape), list(y.shape)) == list((x @ y).shape)


def check_decompositions() -> None:
    calls = torch.ops.program_registries_test
    module = "__torch__.torch.jit._decomposition_programs"
    program = Program({f"{module.replace('.', '/')}.py": calls.decompositions_text()}, (), 3)
    assert calls.decompositions_count() == len(" ".join(OPERATORS.values()).split())
    name = calls.decompositions_of(str(torch.ops.aten.var.correction._schema))
    x = torch.linspace(-2, 2, 12).reshape(3, 4)
    found = program.resolve(f"{module}.{name}")(x, [1], 0, True)
    torch.testing.assert_close(found, x.var([1], correction=0, keepdim=True))


if __name__ == "__main__":
    load(Path(sys.argv[1]))
    check_shape_functions()
    check_decompositions()
