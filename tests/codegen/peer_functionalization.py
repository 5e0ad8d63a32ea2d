"""Prints what PyTorch's own generator replaces in functionalization.

Run it with the Python that TORCH_PEER names; it must not import anything of this project.
"""

from __future__ import annotations

import json
from pathlib import Path

import torchgen
from torchgen.api import functionalization
from torchgen.gen import (
    get_grouped_by_view_native_functions,
    get_grouped_native_functions,
    parse_native_yaml,
)
from torchgen.gen_functionalization_type import GenCompositeViewCopyKernel, ViewMetaSpecialization
from torchgen.model import DispatchKey, NativeFunctionsGroup, NativeFunctionsViewGroup

_FOLDER = Path(torchgen.__file__).parent / "packaged/ATen/native"


def main() -> None:
    """Print the replacements as JSON."""
    both = parse_native_yaml(str(_FOLDER / "native_functions.yaml"), str(_FOLDER / "tags.yaml"))
    parsed = both.native_functions
    key = DispatchKey.CompositeExplicitAutogradNonFunctional
    kernel = GenCompositeViewCopyKernel(both.backend_indices[key])
    variants = {}
    for group in get_grouped_native_functions(parsed):
        if isinstance(group, NativeFunctionsGroup):
            for function in (group.inplace, group.mutable, group.out):
                if function is not None and not function.has_composite_implicit_autograd_kernel:
                    variants[str(function.func.name)] = str(group.functional.func.name)
    copies, inverses, kernels, classes = {}, {}, [], []
    for view in get_grouped_by_view_native_functions(parsed):
        if isinstance(view, NativeFunctionsViewGroup) and not view.composite:
            name = str(view.view.func.name)
            copies[name] = str(view.view_copy.func.name) if view.view_copy else None
            inverses[name] = functionalization.reverse_name(view.view, include_namespace=False)
            if kernel(view):
                kernels.append(copies[name])
            steps = ViewMetaSpecialization.map(view, lambda step: [step.classname])
            classes += steps
    print(json.dumps([variants, copies, inverses, kernels, classes]))


main()
