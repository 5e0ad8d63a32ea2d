"""A module whose `forward` is generated from a graph."""

from __future__ import annotations

import copy
import linecache
import os
import sys
import traceback
import warnings
from pathlib import Path
from typing import Any

import torch
from torch.fx._codegen import PythonCode
from torch.fx._graph_pickling import (
    CodeOnlyModule,
    body_of,
    exec_with_source,
    forward_from_src,
    imports_of_code,
    keep_modules,
    put_into_package,
)
from torch.fx._tracer import Tracer
from torch.fx.graph import Graph

__all__ = ["GraphModule"]

_USER_PRESERVED_ATTRIBUTES_KEY = "_user_preserved_attributes"
# PyTorch's names, which torchvision imports.
_CodeOnlyModule = CodeOnlyModule
_exec_with_source = exec_with_source
_forward_from_src = forward_from_src


def _copy_attr(source: torch.nn.Module, target: torch.nn.Module, path: str) -> None:
    """Give `target` the attribute at a path of `source`."""
    *prefix, field = path.split(".")
    for item in prefix:
        inner = getattr(source, item)
        existing = getattr(target, item, None)
        if existing is inner:
            return
        if existing is None:
            existing = torch.nn.Module()
            setattr(target, item, existing)
        source, target = inner, existing
    value = getattr(source, field)
    if isinstance(value, torch.Tensor) and not isinstance(value, torch.nn.Parameter):
        target.register_buffer(field, value)
    else:
        setattr(target, field, value)


def _assign_attr(value: Any, target: torch.nn.Module, path: str) -> None:
    *prefix, field = path.split(".")
    for item in prefix:
        existing = getattr(target, item, None)
        if existing is None:
            existing = torch.nn.Module()
            setattr(target, item, existing)
        target = existing
    if isinstance(value, torch.Tensor) and not isinstance(value, torch.nn.Parameter):
        target.register_buffer(field, value)
    else:
        setattr(target, field, value)


def _print_failing_line(error: BaseException) -> None:
    """Show which line of the generated code failed."""
    frames = traceback.extract_tb(error.__traceback__)
    last = frames[-1]
    if not last.filename.startswith("<eval_with_key>") or last.lineno is None:
        return
    lines = linecache.getlines(last.filename)
    before = "".join(lines[max(0, last.lineno - 3) : last.lineno])
    marker = "~" * 27 + " <--- HERE"
    after = "".join(lines[last.lineno : last.lineno + 2])
    print(
        f"Call using an FX-traced Module, line {last.lineno} of the traced Module's generated "
        f"forward function:\n{before}\n{marker}\n{after}",
        file=sys.stderr,
    )


class GraphModule(torch.nn.Module):
    """A module that runs a graph; its `code` is Python that a person can read.

    Args:
        root: The module that has the parameters and submodules that the graph refers to, or a
            dictionary from their names to them.
        graph: The graph.
        class_name: The name of the module's class.

    Example:
        >>> import torch.fx
        >>> graph = torch.fx.Graph()
        >>> result = graph.output(graph.call_function(torch.relu, (graph.placeholder("x"),)))
        >>> module = torch.fx.GraphModule(torch.nn.Module(), graph)
        >>> module(torch.tensor([-1.0, 2.0]))
        tensor([0., 2.])
    """

    def __new__(cls, *args: Any, **kwargs: Any) -> GraphModule:
        """Create an object with its own class, which holds the generated `forward`."""
        for base in cls.__mro__:  # each instance has its own class, because of its code
            if "_is_graph_module_impl" not in base.__dict__:
                origin = base
                break

        class GraphModuleImpl(origin):  # type: ignore[misc, valid-type]
            _is_graph_module_impl = True

        return super().__new__(GraphModuleImpl)

    def __init__(self, root: Any, graph: Graph, class_name: str = "GraphModule") -> None:
        super().__init__()
        self.__class__.__name__ = class_name
        if isinstance(root, torch.nn.Module):
            if hasattr(root, "training"):
                self.training = root.training
            for node in graph.nodes:
                if node.op in ("get_attr", "call_module"):
                    _copy_attr(root, self, node.target)
        elif isinstance(root, dict):
            self._copy_from_dict(root, graph)
        else:
            raise RuntimeError(f"Unsupported type {root} passed for root!")
        self.graph = graph
        self._tracer_cls = None
        if graph._tracer_cls and "<locals>" not in graph._tracer_cls.__qualname__:
            self._tracer_cls = graph._tracer_cls
        self._tracer_extras = graph._tracer_extras or {}
        self.meta: dict[str, Any] = {}
        self._create_node_hooks: list[Any] = []
        self._replace_hooks: list[Any] = []
        self._erase_node_hooks: list[Any] = []
        self._deepcopy_hooks: list[Any] = []

    def _copy_from_dict(self, root: dict[str, Any], graph: Graph) -> None:
        targets = [n.target for n in graph.nodes if n.op in ("get_attr", "call_module")]
        for target in sorted(set(targets), key=lambda name: name.count(".")):
            if target not in root:
                raise RuntimeError(
                    f"GraphModule: the graph refers to {target}, which is not a key of the "
                    "dictionary"
                )
            _assign_attr(root[target], self, target)

    # ---- the graph and its code
    @property
    def graph(self) -> Graph:
        """The graph; call `recompile` after a change."""
        return self._graph

    @graph.setter
    def graph(self, g: Graph) -> None:
        if not isinstance(g, Graph):
            raise AssertionError(f"Expected a Graph instance, but got {type(g)}")
        self._graph = g
        g.owning_module = self
        self.recompile()

    @property
    def code(self) -> str:
        """The generated code."""
        if not hasattr(self, "_code"):
            raise RuntimeError("Code has not been generated! Please report a bug to PyTorch")
        return self._code

    def recompile(self) -> PythonCode:
        """Generate the code again, after the graph has changed."""
        info = getattr(self._graph._codegen, "pytree_info", None)
        if info is not None:  # the code refers to the structures
            self._in_spec, self._out_spec = info.in_spec, info.out_spec
        python_code = self._graph.python_code(root_module="self")
        self._code = python_code.src
        cls = type(self)
        cls.forward = forward_from_src(self._code, python_code.globals)
        self._globals = python_code.globals
        if "_plain_call" not in cls.__dict__:
            cls._plain_call = None

            def call(module: Any, *args: Any, **kwargs: Any) -> Any:
                try:
                    return super(cls, module).__call__(*args, **kwargs)
                except Exception as error:
                    _print_failing_line(error)
                    raise

            cls.__call__ = call
        return python_code

    def print_readable(
        self,
        print_output: bool = True,
        include_stride: bool = False,
        include_device: bool = False,
        colored: bool = False,
        **options: Any,
    ) -> str:
        """Print and return the code of this module and of the GraphModules inside it."""
        code = self._graph.python_code("self", verbose=True).src
        text = f"class {type(self).__name__}(torch.nn.Module):\n" + "\n".join(
            f"    {line}".rstrip() for line in code.lstrip("\n").splitlines()
        )
        for _, child in self.named_children():
            if isinstance(child, GraphModule):
                inner = child.print_readable(print_output=False)
                text += "\n\n" + "\n".join(f"    {line}".rstrip() for line in inner.splitlines())
        if print_output:
            print(text)
        return text

    def __str__(self) -> str:
        reminder = "# To see more debug info, please use `graph_module.print_readable()`"
        return "\n".join([super().__repr__(), self.code, reminder])

    __repr__ = __str__

    # ---- submodules
    def add_submodule(self, target: str, m: torch.nn.Module) -> bool:
        """Add a submodule at a path such as "layer.inner"; return whether that was possible."""
        *prefix, field = target.split(".")
        module: torch.nn.Module = self
        for item in prefix:
            inner = getattr(module, item, None)
            if inner is None:
                inner = torch.nn.Module()
                setattr(module, item, inner)
            if not isinstance(inner, torch.nn.Module):
                return False
            module = inner
        module.add_module(field, m)
        return True

    def delete_submodule(self, target: str) -> bool:
        """Delete the submodule at a path; return whether there was one."""
        *prefix, field = target.split(".")
        module: Any = self
        for item in prefix:
            if not hasattr(module, item):
                return False
            module = getattr(module, item)
        if not isinstance(getattr(module, field, None), torch.nn.Module):
            return False
        delattr(module, field)
        return True

    def delete_all_unused_submodules(self) -> None:
        """Delete the submodules that the graph does not refer to."""
        used: set[str] = set()
        for node in self.graph.nodes:
            if node.op not in ("call_module", "get_attr"):
                continue
            atoms = node.target.split(".")
            used |= {".".join(atoms[:i]) for i in range(1, len(atoms) + 1)}
            if node.op == "call_module":
                try:
                    inner = self.get_submodule(node.target)
                except AttributeError:
                    continue
                used |= {f"{node.target}.{name}" for name, _ in inner.named_modules() if name}
        for name, _ in list(self.named_modules()):
            if name and name not in used:
                self.delete_submodule(name)

    # ---- copies
    def __reduce__(self) -> Any:
        python_code = self._graph.python_code(root_module="self")
        body = body_of(self)
        body["_code"] = python_code.src
        return reduce_graph_module, (body, imports_of_code(python_code.globals))

    def __reduce_package__(self, exporter: Any) -> Any:
        """Put the code into a package of torch.package."""
        return reduce_package_graph_module, put_into_package(self, exporter)

    def __deepcopy__(self, memo: dict[int, Any]) -> GraphModule:
        res = type(self).__new__(type(self))
        memo[id(self)] = res
        skipped = ("_graph", "_globals")
        state = {k: v for k, v in self.__dict__.items() if k not in skipped}
        torch.nn.Module.__init__(res)
        res.__dict__.update(copy.deepcopy(state, memo))
        type(res).__name__ = type(self).__name__
        res.graph = copy.deepcopy(self._graph)
        for hook in self._deepcopy_hooks:
            hook(res)
        return res

    def _replicate_for_data_parallel(self) -> GraphModule:
        replica = copy.copy(self)
        replica._is_replica = True
        return replica

    def __copy__(self) -> GraphModule:
        copied = GraphModule(self, self.graph, type(self).__name__)
        copied.meta = getattr(self, "meta", {})
        return copied

    def to_folder(self, folder: str | os.PathLike[str], module_name: str = "FxModule") -> None:
        """Write the module as a Python package with a file for each submodule.

        Args:
            folder: The folder, which is created.
            module_name: The name of the class in it.
        """
        folder = Path(folder)
        folder.mkdir(exist_ok=True)
        torch.save(self.state_dict(), folder / "state_dict.pt")
        lines = []
        for name, module in self.named_children():
            torch.save(module, folder / f"{name}.pt")
            lines.append(
                f"        module = torch.load(here / '{name}.pt', weights_only=False)\n"
                f"        self.add_module('{name}', module)  # {type(module).__name__}"
            )
        for name, value in [*self._parameters.items(), *self._buffers.items()]:
            if value is None:
                continue
            if name in self._parameters:
                made = f"torch.nn.Parameter(torch.empty({list(value.shape)}, dtype={value.dtype}))"
                lines.append(f"        self.{name} = {made}")
            else:
                made = f"torch.empty({list(value.shape)}, dtype={value.dtype})"
                lines.append(f"        self.register_buffer('{name}', {made})")
        forward = "\n".join("    " + line for line in self.code.lstrip("\n").splitlines())
        (folder / "module.py").write_text(
            f"{imports_of_code(self._globals)}\nfrom pathlib import Path\n\nfrom torch.nn import *\n\n"
            f"here = Path(__file__).parent\n\n\nclass {module_name}(torch.nn.Module):\n"
            "    def __init__(self):\n        super().__init__()\n"
            + "\n".join(lines)
            + "\n        self.load_state_dict(torch.load(here / 'state_dict.pt'))\n\n"
            + forward.rstrip()
            + "\n"
        )
        (folder / "__init__.py").write_text("from .module import *\n")
        if not lines:
            warnings.warn("the module has no submodules and no parameters", stacklevel=2)


def reduce_graph_module(body: dict[Any, Any], import_block: str) -> torch.nn.Module:
    """Rebuild a pickled GraphModule from its code."""
    code = body.get("_code") or body["code"]
    scope: dict[str, Any] = {}
    exec_with_source(import_block, scope)
    return _rebuilt(forward_from_src(code, scope), body)


def reduce_package_graph_module(
    importer: Any, body: dict[Any, Any], generated_module_name: str
) -> torch.nn.Module:
    """Rebuild a GraphModule from a module of a package that has its code."""
    return _rebuilt(importer.import_module(generated_module_name).forward, body)


def _rebuilt(forward: Any, body: dict[Any, Any]) -> torch.nn.Module:
    """Trace a forward function again, with the attributes of the module that it belongs to."""
    own = type("CodeOnlyModule", (CodeOnlyModule,), {"forward": forward})
    module = own(body)
    name = body.get("_graphmodule_cls_name", "GraphModule")
    tracer_cls = body.get("_tracer_cls") or Tracer
    graph = keep_modules(tracer_cls)().trace(module)
    graph._tracer_cls = body.get("_tracer_cls")
    result = GraphModule(module, graph, class_name=name)
    for key, value in body.items():
        if not hasattr(result, key):
            setattr(result, key, value)
    return result
