"""Run by PyTorch: the operators of its static runtime's generator, with their out= variants.

python peer_static_runtime.py NATIVE_FUNCTIONS TAGS
"""

from __future__ import annotations

import sys
from types import ModuleType

log = ModuleType("libfb.py.log")  # the generator logs through a library that is not published
log.set_simple_logging = lambda **options: None  # type: ignore[attr-defined]
sys.modules.update(
    {"libfb": ModuleType("libfb"), "libfb.py": ModuleType("libfb.py"), "libfb.py.log": log}
)

from torchgen.gen import get_grouped_native_functions, parse_native_yaml  # noqa: E402
from torchgen.model import NativeFunctionsGroup  # noqa: E402
from torchgen.static_runtime.gen_static_runtime_ops import group_functions_by_op_name  # noqa: E402

functions = parse_native_yaml(*sys.argv[1:]).native_functions
groups = [
    group
    for group in get_grouped_native_functions(functions)
    if isinstance(group, NativeFunctionsGroup)
]
for named in group_functions_by_op_name(groups):
    for group in named:
        print(group.functional.func.name, group.out.func.name)
