"""Prints what PyTorch's own generator writes to RegisterSchema.cpp and the Ufunc* files.

Run it with the Python that TORCH_PEER names, and the paths of an operator file and of its tags; it
must not import anything of this project.
"""

from __future__ import annotations

import json
import sys

from torchgen import dest
from torchgen.gen import RegisterSchema, get_grouped_native_functions, parse_native_yaml
from torchgen.model import NativeFunctionsGroup
from torchgen.selective_build.selector import SelectiveBuilder


def main() -> None:
    """Print the texts as JSON."""
    functions = parse_native_yaml(*sys.argv[1:]).native_functions
    register = RegisterSchema(SelectiveBuilder.get_nop_selector(), {})
    groups = [
        group
        for group in get_grouped_native_functions(functions)
        if isinstance(group, NativeFunctionsGroup) and group.out.ufunc_inner_loop
    ]
    ufuncs = {
        str(group.functional.func.name.name): {
            "UfuncCPU": dest.compute_ufunc_cpu(group),
            "UfuncCPUKernel": dest.compute_ufunc_cpu_kernel(group),
            "UfuncCUDA": dest.compute_ufunc_cuda(group),
        }
        for group in groups
    }
    print(json.dumps({"schemas": [register(f) for f in functions], "ufuncs": ufuncs}))


if __name__ == "__main__":
    main()
