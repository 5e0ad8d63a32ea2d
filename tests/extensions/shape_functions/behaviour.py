"""What the generated shape functions do in C++ and in TorchScript. Run by test_generated_shape_functions.py.

python behaviour.py BUILD_FOLDER
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import torch
from torch.jit._shape_functions import shape_compute_graph_mapping
from torch.jit._torchscript._program import Program
from torch.utils import cpp_extension

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
MODULE = "__torch__.torch.jit._shape_programs"


def load(folder: Path) -> None:
    """Generate the file, compile it and load the library."""
    made = folder / "generated"
    command = [sys.executable, "-m", "tools.jit.gen_jit_shape_functions", "-d", str(made)]
    subprocess.run(command, cwd=ROOT, check=True)
    # The library has the functions only if it was built with BUILD_SHAPE_FUNCTIONS.
    cpp_extension.load(
        "shape_functions_test",
        [str(HERE / "calls.cpp"), *map(str, made.glob("*.cpp"))],
        extra_include_paths=[str(ROOT)],
        is_python_module=False,
        build_directory=str(folder),
    )


def check() -> None:
    calls = torch.ops.shape_functions_test
    program = Program({"__torch__/torch/jit/_shape_programs.py": calls.text()}, (), 3)
    assert calls.count() == len(shape_compute_graph_mapping)
    for schema in shape_compute_graph_mapping:
        assert callable(program.resolve(f"{MODULE}.{calls.function_of(schema)}"))
    name = calls.function_of(str(torch.ops.aten.matmul.default._schema))
    product = program.resolve(f"{MODULE}.{name}")
    x, y = torch.empty(5, 1, 2, 3), torch.empty(4, 3, 6)
    assert product(list(x.shape), list(y.shape)) == list((x @ y).shape)


if __name__ == "__main__":
    load(Path(sys.argv[1]))
    check()
