"""How a GraphModule is pickled, and put into a package: as its code, which is traced again."""

from __future__ import annotations

import linecache
import sys
from types import FunctionType
from typing import Any

import torch
from torch.fx._naming import CUSTOM_BUILTINS
from torch.fx._tracer import Tracer
from torch.fx.node import _get_qualified_name

_HOOKS = ("_create_node_hooks", "_replace_hooks", "_erase_node_hooks", "_deepcopy_hooks")
_NOT_PICKLED = ("_graph", "_globals", *_HOOKS)
_next_id = 0


def _exec_with_source(src: str, globals: dict[str, Any]) -> None:
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
    _exec_with_source(src, scope)
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


def _keep_modules(base: type) -> Any:
    class KeepModules(base):  # type: ignore[misc]
        def is_leaf_module(self, m: Any, module_qualified_name: str) -> bool:
            return True

    return KeepModules


class _CodeOnlyModule(torch.nn.Module):
    """A module with the attributes of a GraphModule, but without its graph."""

    def __init__(self, body: dict[Any, Any]):
        super().__init__()
        self.__dict__ = body


def reduce_graph_module(body: dict[Any, Any], import_block: str) -> torch.nn.Module:
    """Rebuild a pickled GraphModule from its code."""
    code = body.get("_code") or body["code"]
    scope: dict[str, Any] = {}
    _exec_with_source(import_block, scope)
    return _rebuilt(forward_from_src(code, scope), body)


def reduce_package_graph_module(
    importer: Any, body: dict[Any, Any], generated_module_name: str
) -> torch.nn.Module:
    """Rebuild a GraphModule from a module of a package that has its code."""
    return _rebuilt(importer.import_module(generated_module_name).forward, body)


def _rebuilt(forward: Any, body: dict[Any, Any]) -> torch.nn.Module:
    """Trace a forward function again, with the attributes of the module that it belongs to."""
    from torch.fx.graph_module import GraphModule

    own = type("_CodeOnlyModule", (_CodeOnlyModule,), {"forward": forward})
    module = own(body)
    name = body.get("_graphmodule_cls_name", "GraphModule")
    tracer_cls = body.get("_tracer_cls") or Tracer
    graph = _keep_modules(tracer_cls)().trace(module)
    graph._tracer_cls = body.get("_tracer_cls")
    result = GraphModule(module, graph, class_name=name)
    for key, value in body.items():
        if not hasattr(result, key):
            setattr(result, key, value)
    return result


# Pickles name them as PyTorch does.
for _function in (reduce_graph_module, reduce_package_graph_module):
    _function.__module__ = "torch.fx.graph_module"


def body_of(module: Any) -> dict[str, Any]:
    """Return the attributes of a GraphModule that are pickled."""
    body = {name: value for name, value in vars(module).items() if name not in _NOT_PICKLED}
    body["_graphmodule_cls_name"] = type(module).__name__
    return body


def put_into_package(module: Any, exporter: Any) -> tuple[Any, Any]:
    """Save the code of a GraphModule in a package; return how `PackageImporter` rebuilds it."""
    name = f"fx-generated._{exporter.get_unique_id()}"
    python_code = module.graph.python_code(root_module="self")
    imports = imports_of_code(python_code.globals, exporter.importer)
    exporter.save_source_string(name, imports + "\n" + python_code.src)
    return reduce_package_graph_module, (body_of(module), name)
