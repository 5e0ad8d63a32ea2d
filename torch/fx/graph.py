"""The recorded program: a list of nodes."""

from __future__ import annotations

import contextlib
import copy
import inspect
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch.fx._codegen import CodeGen, PythonCode
from torch.fx._naming import Namespace, snake_case
from torch.fx.node import Argument, Node, Target, map_arg

__all__ = ["Graph"]

_Namespace = Namespace
_snake_case = snake_case


class _NodeList:
    """The nodes of a graph, in order; nodes may be added and erased during the iteration."""

    def __init__(self, graph: Graph, direction: str = "_next"):
        self.graph, self.direction = graph, direction

    def __len__(self) -> int:
        return self.graph._len

    def __iter__(self) -> Iterator[Node]:
        root = self.graph._root
        current = getattr(root, self.direction)
        while current is not root:
            if not current._erased:
                yield current
            current = getattr(current, self.direction)

    def __reversed__(self) -> _NodeList:
        return _NodeList(self.graph, "_prev" if self.direction == "_next" else "_next")


class _InsertPoint:
    """Restores the insertion point when a block ends."""

    def __init__(self, graph: Graph, new_insert: Callable[[Node], None]):
        self.graph = graph
        self.before, graph._insert = graph._insert, new_insert

    def __enter__(self) -> None:
        pass

    def __exit__(self, *error: object) -> None:
        self.graph._insert = self.before


class Graph:
    """A list of nodes that represents a function of tensors.

    Args:
        owning_module: The GraphModule that runs the graph.
        tracer_cls: The class of the tracer that records it.
        tracer_extras: Values that the tracer wants back when the graph is traced again.

    Example:
        >>> import torch.fx
        >>> graph = torch.fx.Graph()
        >>> x = graph.placeholder("x")
        >>> y = graph.call_function(torch.relu, (x,))
        >>> output = graph.output(y)
        >>> print(graph)
        graph():
            %x : [num_users=1] = placeholder[target=x]
            %relu : [num_users=1] = call_function[target=torch.relu](args = (%x,), kwargs = {})
            return relu
    """

    def __init__(self, owning_module=None, tracer_cls=None, tracer_extras=None):
        self._root = Node(self, "", "root", "", (), {})
        self._used_names: dict[str, int] = {}
        self._insert = self._root.prepend
        self._len = 0
        self._graph_namespace = Namespace()
        self._owning_module = owning_module
        self._tracer_cls = tracer_cls
        self._tracer_extras = tracer_extras
        self._codegen = CodeGen()

    @property
    def owning_module(self):
        """The GraphModule that runs the graph, or None."""
        return self._owning_module

    @owning_module.setter
    def owning_module(self, module):
        self._owning_module = module

    @property
    def nodes(self) -> _NodeList:
        """The nodes in order."""
        return _NodeList(self)

    def find_nodes(self, *, op: str, target: Target = None, sort: bool = True) -> list[Node]:
        """Return the nodes with an op and, if it is given, a target."""
        return [n for n in self.nodes if n.op == op and (target is None or n.target == target)]

    def output_node(self) -> Node:
        """Return the node of the result."""
        return next(node for node in reversed(self.nodes) if node.op == "output")

    # ---- creating nodes
    def create_node(self, op, target, args=None, kwargs=None, name=None, type_expr=None) -> Node:
        """Add a node at the insertion point.

        Args:
            op: The kind of node; see `Node`.
            target: What is called.
            args: The arguments.
            kwargs: The keyword arguments.
            name: A proposal for the name.
            type_expr: The annotated type of the result.
        """
        args = () if args is None else args
        kwargs = {} if kwargs is None else kwargs
        if not isinstance(args, tuple):
            raise AssertionError("args must be a tuple")
        if not isinstance(kwargs, dict):
            raise AssertionError("kwargs must be a dict")
        candidate = name if name is not None else self._target_to_str(target)
        name = self._graph_namespace.create_name(candidate, None)
        node = Node(self, name, op, target, args, kwargs, type_expr)
        module = self.owning_module
        for hook in getattr(module, "_create_node_hooks", ()):
            hook(node)
        self._graph_namespace.associate_name_with_obj(name, node)
        self._insert(node)
        self._len += 1
        return node

    def placeholder(
        self, name: str, type_expr: Any = None, default_value: Any = inspect.Parameter.empty
    ):
        """Add an input."""
        args = () if default_value is inspect.Parameter.empty else (default_value,)
        return self.create_node("placeholder", name, args=args, type_expr=type_expr)

    def get_attr(self, qualified_name: str, type_expr: Any = None) -> Node:
        """Add the value of an attribute of the module, such as "layer.weight"."""
        self._warn_if_absent("get_attr", qualified_name)
        return self.create_node("get_attr", qualified_name, type_expr=type_expr)

    def call_module(self, module_name, args=None, kwargs=None, type_expr=None) -> Node:
        """Add a call of a submodule."""
        self._warn_if_absent("call_module", module_name)
        return self.create_node("call_module", module_name, args, kwargs, type_expr=type_expr)

    def _warn_if_absent(self, op: str, target: str) -> None:
        found: Any = self.owning_module
        for atom in target.split(".") if found is not None else ():
            if not hasattr(found, atom):
                warnings.warn(
                    f"Attempted to insert a {op} Node with no underlying reference in the owning "
                    "GraphModule! Call GraphModule.add_submodule to add the necessary submodule, "
                    "GraphModule.add_parameter to add the necessary Parameter, or "
                    "nn.Module.register_buffer to add the necessary buffer",
                    stacklevel=3,
                )
                return
            found = getattr(found, atom)

    def call_method(self, method_name, args=None, kwargs=None, type_expr=None) -> Node:
        """Add a call of a method of the first argument."""
        return self.create_node("call_method", method_name, args, kwargs, type_expr=type_expr)

    def call_function(self, the_function, args=None, kwargs=None, type_expr=None, name=None):
        """Add a call of a function."""
        return self.create_node("call_function", the_function, args, kwargs, name, type_expr)

    def output(self, result: Argument, type_expr: Any = None) -> Node:
        """Add the output, whose value the graph returns."""
        return self.create_node("output", "output", (result,), type_expr=type_expr)

    def node_copy(
        self, node: Node, arg_transform: Callable[[Node], Argument] = lambda x: x
    ) -> Node:
        """Add a copy of a node of another graph, with its arguments transformed."""
        args = map_arg(node.args, arg_transform)
        kwargs = map_arg(node.kwargs, arg_transform)
        copied = self.create_node(node.op, node.target, args, kwargs, node.name, node.type)
        copied.meta = copy.copy(node.meta)
        return copied

    def graph_copy(self, g: Graph, val_map: dict[Node, Node], return_output_node: bool = False):
        """Add copies of all nodes of another graph, except its output.

        Args:
            g: The other graph.
            val_map: A dictionary from its nodes to nodes of this graph, which is completed.
            return_output_node: Whether to return the output node too.

        Returns:
            What the other graph returns, in terms of this graph's nodes.
        """
        for node in g.nodes:
            if node in val_map:
                continue
            if node.op == "output":
                result = map_arg(node.args[0], lambda n: val_map[n])
                return (result, node) if return_output_node else result
            val_map[node] = self.node_copy(node, lambda n: val_map[n])
        return None

    def __deepcopy__(self, memo=None) -> Graph:
        memo = {} if memo is None else memo
        graph = Graph(tracer_cls=self._tracer_cls)
        found = graph.graph_copy(self, val_map=memo, return_output_node=True)
        graph._codegen = copy.deepcopy(self._codegen)
        if found is not None:
            result, old = found
            output = graph.output(result, type_expr=getattr(old, "type", None))
            output.meta = copy.copy(old.meta)
        return graph

    # ---- changing
    def erase_node(self, to_erase: Node) -> None:
        """Remove a node whose result nothing uses."""
        if to_erase.users:
            raise RuntimeError(
                f"Tried to erase Node {to_erase} but it still had {len(to_erase.users)} users in "
                f"the graph: {to_erase.users}!"
            )
        if to_erase.graph is not self:
            raise RuntimeError(f"Attempting to remove {to_erase} from wrong graph!")
        if to_erase._erased:
            return
        module = self.owning_module
        for hook in getattr(module, "_erase_node_hooks", ()):
            hook(to_erase)
        to_erase._remove_from_list()
        to_erase._erased = True
        self._len -= 1
        to_erase._update_args_kwargs((), {})

    def inserting_before(self, n: Node | None = None) -> _InsertPoint:
        """Set where new nodes go: before a node, or at the beginning. A `with` block ends it."""
        if n is None:
            return self.inserting_after(self._root)
        self._check_owned(n)
        return _InsertPoint(self, n.prepend)

    def inserting_after(self, n: Node | None = None) -> _InsertPoint:
        """Set where new nodes go: after a node, or at the end. A `with` block ends it."""
        if n is None:
            return self.inserting_before(self._root)
        self._check_owned(n)
        following = n.next
        return _InsertPoint(self, following.prepend)

    def _check_owned(self, node: Node) -> None:
        if node.graph is not self:
            raise AssertionError("Node to insert before is not in graph.")

    def process_inputs(self, *args):
        """Convert the arguments of the generated function to those of the graph."""
        return self._codegen.process_inputs(*args)

    def process_outputs(self, out):
        """Convert what the graph returns to what the generated function returns."""
        return self._codegen.process_outputs(out)

    def set_codegen(self, codegen: CodeGen) -> None:
        """Set the object that writes the Python code."""
        self._codegen = codegen

    def eliminate_dead_code(self, is_impure_node: Callable[[Node], bool] | None = None) -> bool:
        """Erase the nodes whose results nothing uses; return whether there were any."""
        self.lint()
        impure = is_impure_node or (lambda node: node.is_impure())
        changed = False
        for node in reversed(self.nodes):
            if not impure(node) and not node.users:
                self.erase_node(node)
                changed = True
        return changed

    def lint(self) -> None:
        """Check that the graph is well formed.

        Raises:
            RuntimeError: If a node is used before it is computed, a name occurs twice, or the
                module has no attribute or submodule that a node refers to.
        """
        seen: dict[Node, None] = {}
        names: set[str] = set()
        for node in self.nodes:
            if node.graph is not self:
                raise RuntimeError(f"Node '{node}' does not belong to Graph!")
            for used in node.all_input_nodes:
                if used.graph is not self:
                    raise RuntimeError(
                        f"Argument '{used}' of Node '{node}' does not belong to this Graph, but "
                        "was used as an argument! If you are copying nodes from another graph, "
                        "make sure to use ``arg_transform`` on node_copy() to remap values\n{self}"
                    )
                if used not in seen:
                    raise RuntimeError(
                        f"Argument '{used}' of Node '{node}' was used before it has been defined! "
                        f"Please check that Nodes in the graph are topologically ordered\n{self}"
                    )
            if node.name in names:
                raise RuntimeError(f"Node redefined name {node.name}!")
            names.add(node.name)
            seen[node] = None
            if self.owning_module is not None and node.op in ("get_attr", "call_module"):
                self._check_target(node)

    def _check_target(self, node: Node) -> None:
        found: Any = self.owning_module
        for atom in node.target.split("."):
            if not hasattr(found, atom):
                raise RuntimeError(
                    f"Node {node} target {node.target} references nonexistent attribute {atom} of "
                    f"{torch.typename(found)}"
                )
            found = getattr(found, atom)
        if node.op == "call_module" and not isinstance(found, torch.nn.Module):
            raise RuntimeError(f"Node {node} target {node.target} does not reference an nn.Module")

    # ---- description
    def _target_to_str(self, target: Target) -> str:
        if callable(target):
            name = target.__name__
        else:
            name = target
            if name.startswith("__") and name.endswith("__"):
                name = name[2:-2]
        return snake_case(name)

    def python_code(self, root_module: str, *, verbose: bool = False, **options) -> PythonCode:
        """Return the code of a function that computes the graph.

        Args:
            root_module: The name of the parameter for the module, usually "self".
            verbose: Whether to write each node's source location as a comment.
            **options: Ignored.
        """
        namespace = Namespace()
        for node in self.nodes:  # names of nodes win over names of globals
            namespace._used_names.add(node.name)
            namespace.associate_name_with_obj(node.name, node)
        return self._codegen._gen_python_code(self.nodes, root_module, namespace, verbose=verbose)

    def print_tabular(self) -> None:
        """Print the nodes as a table."""
        rows = [("opcode", "name", "target", "args", "kwargs")]
        rows += [tuple(map(str, (n.op, n.name, n.target, n.args, n.kwargs))) for n in self.nodes]
        widths = [max(len(row[i]) for row in rows) for i in range(5)]
        for i, row in enumerate(rows):
            print(
                "  ".join(
                    cell.ljust(width) for cell, width in zip(row, widths, strict=True)
                ).rstrip()
            )
            if i == 0:
                print("  ".join("-" * width for width in widths))

    def __str__(self) -> str:
        lines = [node.format_node() for node in self.nodes]
        return f"graph():{''.join(f'{chr(10)}    {line}' for line in lines)}"

    @contextlib.contextmanager
    def on_generate_code(self, make_transformer: Callable[[Any], Callable[[list[str]], list[str]]]):
        """Transform the lines of generated code; the change ends with the block."""
        before = self._codegen._body_transformer
        self._codegen._body_transformer = make_transformer(before)
        try:
            yield
        finally:
            self._codegen._body_transformer = before
