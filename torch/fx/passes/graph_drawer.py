"""Draw graphs with Graphviz, by the package pydot."""

from __future__ import annotations

import hashlib
from typing import Any

import torch
from torch.fx.graph_module import GraphModule
from torch.fx.node import Node, _format_arg, _get_qualified_name
from torch.fx.operator_schemas import comparable_arguments
from torch.fx.passes.shape_prop import TensorMetadata

try:
    import pydot
except ModuleNotFoundError:
    pydot = None

__all__ = ["FxGraphDrawer"]

_COLORS = {
    "placeholder": '"AliceBlue"',
    "call_module": "LemonChiffon1",
    "get_param": "Yellow2",
    "get_attr": "LightGrey",
    "output": "PowderBlue",
}
_COLORS_OF_TARGETS = [
    "CadetBlue1",
    "Coral1",
    "DarkOliveGreen1",
    "DarkSeaGreen1",
    "GhostWhite",
    "Khaki1",
    "LavenderBlush1",
    "LightSkyBlue",
    "MistyRose1",
    "MistyRose2",
    "PaleTurquoise2",
    "PeachPuff1",
    "Salmon",
    "Thistle1",
    "Thistle3",
    "Wheat1",
]
_STYLE = {
    "shape": "record",
    "fillcolor": "LemonChiffon1",
    "style": '"filled,rounded"',
    "fontcolor": "#000000",
}


class FxGraphDrawer:
    """Draws a module: a box for each node with what it calls and, after `ShapeProp`, its shape.

    Args:
        graph_module: The module.
        name: The name of the drawing.
        ignore_getattr: Whether nodes that read attributes are left out.
        ignore_parameters_and_buffers: Whether parameters and buffers of modules are left out.
        skip_node_names_in_args: Whether arguments that are nodes are left out of the boxes.
        parse_stack_trace: Whether boxes show the line of the program.
        dot_graph_shape: The shape of the boxes; "record" by default.
        normalize_args: Whether arguments are shown by their names.

    Raises:
        RuntimeError: Without the package pydot.

    Example:
        >>> import torch.fx
        >>> from torch.fx.passes.graph_drawer import FxGraphDrawer
        >>> drawer = FxGraphDrawer(torch.fx.symbolic_trace(nn.ReLU()), "relu")  # doctest: +SKIP
        >>> drawer.get_dot_graph().write_svg("relu.svg")  # doctest: +SKIP
    """

    def __init__(
        self,
        graph_module: GraphModule,
        name: str,
        ignore_getattr: bool = False,
        ignore_parameters_and_buffers: bool = False,
        skip_node_names_in_args: bool = True,
        parse_stack_trace: bool = False,
        dot_graph_shape: str | None = None,
        normalize_args: bool = False,
    ) -> None:
        if pydot is None:
            raise RuntimeError(
                "FXGraphDrawer requires the pydot package to be installed. Please install pydot "
                "through your favorite Python package manager."
            )
        self._name = name
        self.dot_graph_shape = "record" if dot_graph_shape is None else dot_graph_shape
        self.normalize_args = normalize_args
        self._without_attributes = ignore_getattr
        self._without_parameters = ignore_parameters_and_buffers
        self._without_nodes, self._with_lines = skip_node_names_in_args, parse_stack_trace
        self._dot_graphs: dict[str, Any] = {}
        self._draw(graph_module, name)

    def get_dot_graph(self, submod_name: str | None = None) -> Any:
        """Return the drawing of the module or of a submodule, by its name with underscores."""
        return (
            self.get_main_dot_graph()
            if submod_name is None
            else self.get_submod_dot_graph(submod_name)
        )

    def get_main_dot_graph(self) -> Any:
        """Return the drawing of the module."""
        return self._dot_graphs[self._name]

    def get_submod_dot_graph(self, submod_name: str) -> Any:
        """Return the drawing of a submodule that is a GraphModule."""
        return self._dot_graphs[f"{self._name}_{submod_name}"]

    def get_all_dot_graphs(self) -> dict[str, Any]:
        """Return all drawings by name."""
        return self._dot_graphs

    def _draw(self, module: GraphModule, name: str) -> None:
        drawing = pydot.Dot(name, rankdir="TB")
        self._dot_graphs[name] = drawing
        subgraphs: dict[str, Any] = {}
        for node in module.graph.nodes:
            if self._without_attributes and node.op == "get_attr":
                continue
            box = pydot.Node(node.name, label=self._label(module, node), **self._style(node))
            place = drawing
            tag = getattr(node, "tag", None)
            if tag is not None:
                if tag not in subgraphs:
                    subgraphs[tag] = pydot.Cluster(tag, label=tag)
                    drawing.add_subgraph(subgraphs[tag])
                place = subgraphs[tag]
            place.add_node(box)
            if node.op == "call_module":
                self._draw_module(module, node, drawing, name)
        for node in module.graph.nodes:
            if not (self._without_attributes and node.op == "get_attr"):
                for user in node.users:
                    drawing.add_edge(pydot.Edge(node.name, user.name))

    def _draw_module(self, module: GraphModule, node: Node, drawing: Any, name: str) -> None:
        called = module.get_submodule(str(node.target))
        if isinstance(called, GraphModule):
            self._draw(called, f"{name}_{str(node.target).replace('.', '_')}")
        if self._without_parameters or isinstance(called, GraphModule):
            return
        for kind, values in (
            ("parameter", called.named_parameters()),
            ("buffer", called.named_buffers()),
        ):
            for attribute, value in values:
                full = f"{node.target}.{attribute}"
                label = f"{{{full}|op_code=get_{kind}|{_shape(value.dtype, value.shape)}}}"
                style = {**self._style(node), "fillcolor": _COLORS["get_param"]}
                drawing.add_node(pydot.Node(full, label=label, **style))
                drawing.add_edge(pydot.Edge(full, node.name))

    def _style(self, node: Node) -> dict[str, str]:
        style = {**_STYLE, "shape": self.dot_graph_shape}
        if node.op in _COLORS:
            style["fillcolor"] = _COLORS[node.op]
        else:
            digest = hashlib.md5(node._pretty_print_target(node.target).encode()).digest()
            style["fillcolor"] = _COLORS_OF_TARGETS[digest[0] % len(_COLORS_OF_TARGETS)]
        return style

    def _label(self, module: GraphModule, node: Node) -> str:
        lines = [f"name=%{node.name}", f"op_code={node.op}"]
        if node.op == "call_module":
            called = module.get_submodule(str(node.target))
            lines[1] += f"\\n{torch.typename(called)}"
            lines += [
                f"{name}: {getattr(called, name)}"
                for name in getattr(called, "__constants__", ())
                if hasattr(called, name)
            ]
        elif node.op == "call_function":
            lines.append(f"target={_get_qualified_name(node.target)}")
        else:
            lines.append(f"target={node.target}")
        lines += self._arguments(module, node)
        lines.append(f"num_users={len(node.users)}")
        meta = node.meta.get("tensor_meta")
        if isinstance(meta, TensorMetadata):
            lines.append(_shape(meta.dtype, meta.shape))
        if self._with_lines and node.stack_trace:
            lines.append(node.stack_trace.strip().splitlines()[-1].strip())
        return "{" + "|".join(map(_escaped, lines)) + "\\n}"

    def _arguments(self, module: GraphModule, node: Node) -> list[str]:
        args, kwargs = node.args, node.kwargs
        if self.normalize_args:
            found = comparable_arguments(node, module, only_kwargs=True)
            if found is not None:
                args, kwargs = found.args, dict(found.kwargs)
        lines = []
        for name, values in (("args", list(args)), ("kwargs", kwargs)):
            if self._without_nodes and isinstance(values, list):
                values = [value for value in values if not isinstance(value, Node)]
            elif self._without_nodes:
                values = {k: v for k, v in values.items() if not isinstance(v, Node)}
            if values:
                lines.append(f"{name}={_format_arg(values)}")
        return lines


def _shape(dtype: Any, shape: Any) -> str:
    return f"dtype={dtype}\\nshape={tuple(shape)}"


def _escaped(text: str) -> str:
    for character in "{}<>":
        text = text.replace(character, "\\" + character)
    return text
