"""How a GraphModule is pickled, and put into a package: as its code, which is traced again."""

from __future__ import annotations

import linecache
import sys
from types import FunctionType
from typing import Any

import torch
from torch.fx._naming import CUSTOM_BUILTINS
from torch.fx.node import _get_qualified_name

_HOOKS = ("_create_node_hooks", "_replace_hooks", "_erase_node_hooks", "_deepcopy_hooks")
_NOT_PICKLED = ("_graph", "_globals", *_HOOKS)
_next_id = 0


def exec_with_source(src: str, globals: dict[str, Any]) -> None:
    """Run generated code; tracebacks show its lines."""
    global _next_id
    filename = f"<eval_with_key>.{_next_id}"
    _next_id += 1
    lines = [line + "\n" for line in src.splitlines()]
    linecache.cache[filename] = (len(src), None, lines, filename)
    exec(compile(src, filename, "exec", dont_inherit=True), globals)


def forward_from_src(src: str, globals: dict[str, Any]) -> Any:
    """Return the function that generated code defines."""
    scope = dict(globals)
    for name, (_, value) in CUSTOM_BUILTINS.items():
        scope.setdefault(name, value)
    exec_with_source(src, scope)
    return scope["forward"]


def _import_line(name: str, obj: Any, importer: Any) -> str:
    """Return the statement that makes a global of generated code."""
    if name in CUSTOM_BUILTINS:
        return CUSTOM_BUILTINS[name][0]
    if isinstance(obj, type(sys)):
        return f"import {obj.__name__} as {name}"
    module, _, attribute = _get_qualified_name(obj).rpartition(".")
    if importer is not None and isinstance(obj, (type, FunctionType)):
        module, attribute = importer.get_name(obj)
    return f"from {module} import {attribute} as {name}" if module else ""


def imports_of_code(globals: dict[str, Any], importer: Any = None) -> str:
    """Return the statements that import the globals of generated code.

    Args:
        globals: The globals.
        importer: Gives the names of functions and classes, for code in a package of torch.package.
    """
    lines = ["import torch"]
    lines += [_import_line(name, obj, importer) for name, obj in globals.items()]
    return "\n".join(dict.fromkeys(filter(None, lines)))


def keep_modules(base: type) -> Any:
    class KeepModules(base):  # type: ignore[misc]
        def is_leaf_module(self, m: Any, module_qualified_name: str) -> bool:
            return True

    return KeepModules


class CodeOnlyModule(torch.nn.Module):
    """A module with the attributes of a GraphModule, but without its graph."""

    def __init__(self, body: dict[Any, Any]):
        super().__init__()
        self.__dict__ = body


def body_of(module: Any) -> dict[str, Any]:
    """Return the attributes of a GraphModule that are pickled."""
    body = {name: value for name, value in vars(module).items() if name not in _NOT_PICKLED}
    body["_graphmodule_cls_name"] = type(module).__name__
    return body


def put_into_package(module: Any, exporter: Any) -> tuple[dict[str, Any], str]:
    """Save the code of a GraphModule in a package; return its attributes and the code's name."""
    name = f"fx-generated._{exporter.get_unique_id()}"
    python_code = module.graph.python_code(root_module="self")
    imports = imports_of_code(python_code.globals, exporter.importer)
    exporter.save_source_string(name, imports + "\n" + python_code.src)
    return body_of(module), name
